#!/bin/sh
# Load the steps of a folder of `topoloom repair -o` into OpenSM, one after the other.
#
#     load-tables.sh FOLDER
#
# OpenSM runs with `routing_engine file`, and its lfts_file is $LFTS. After each step OpenSM gets SIGHUP: it reads the file
# again and sends the blocks that differ. The next step waits $SETTLE seconds, so that packets that were sent before have left the
# network, and until the switches hold the entries of this one.
#
# Environment: LFTS       lfts_file of opensm.conf
#              QOS        qos_policy_file of opensm.conf, for tables with service levels
#              OPENSM     number of OpenSM's process; the process named opensm if unset
#              SETTLE     seconds to wait after each step; 2 if unset
#              TRIES      how often to look whether a step is installed, a second apart; 30 if unset
# Exit code: 0 all steps are installed; 2 a program is missing or failed; 3 a step is not installed. Nothing is loaded after it.
set -eu
folder=${1:?load-tables.sh FOLDER}
: "${LFTS:?set LFTS to the lfts_file of opensm.conf}"

# 0: the switches hold the tables of file $1; 1: they do not.
installed() {
    topoloom verify-tables "$folder/fabric.net" "$1" --now --only TL407 --quiet
}

failed() {
    echo "load-tables.sh: step $number: $1" >&2
    exit 2
}

# File $2 becomes a copy of $1 at once: OpenSM never reads half a file.
replaced() {
    cp "$1" "$2.new" && mv "$2.new" "$2" || failed "$2 cannot be written; the steps before it are installed"
}

last=$(grep -c '^[0-9][0-9]*\. ' "$folder/steps.txt" || true)
step=$folder/loaded.lft
for number in $(seq -w "$last"); do
    sh "$folder/step.sh" "$number" >"$step" || failed "$step cannot be written; the steps before it are installed"
    manager=${OPENSM:-$(pidof opensm || true)}
    if ! kill -0 $manager 2>/dev/null; then
        failed "OpenSM does not run (process ${manager:-opensm}); start it, the steps before this one are installed"
    fi
    levels=$folder/step-$number.qos
    if [ ! -e "$levels" ]; then levels=$folder/fabric.qos; fi
    if [ -e "$levels" ]; then replaced "$levels" "${QOS:?set QOS to the qos_policy_file of opensm.conf}"; fi
    replaced "$step" "$LFTS"
    kill -HUP $manager || failed "OpenSM (process $manager) took no signal; $LFTS has this step already"
    sleep "${SETTLE:-2}"
    tries=${TRIES:-30}
    until installed "$step"; do
        tries=$((tries - 1))
        if [ "$tries" -le 0 ]; then
            if ! kill -0 $manager 2>/dev/null; then failed "OpenSM (process $manager) ended while it loaded this step"; fi
            echo "load-tables.sh: step $number: the switches do not hold these entries; is $LFTS the lfts_file of OpenSM?" >&2
            exit 3
        fi
        sleep 1
    done
done
