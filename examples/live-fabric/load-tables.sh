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

last=$(tail -n 1 "$folder/updates.csv" | cut -d , -f 1)
[ "$last" != step ] || exit 0 # nothing changes
step=$LFTS.step
for number in $(seq -w "$last"); do
    grep -q "^${number#"${number%%[!0]*}"}," "$folder/updates.csv" || continue # connections are opened again
    sh "$folder/step.sh" "$number" >"$step"
    levels=$folder/step-$number.qos
    if [ ! -e "$levels" ]; then levels=$folder/fabric.qos; fi
    if [ -e "$levels" ]; then
        cp "$levels" "${QOS:?set QOS to the qos_policy_file of opensm.conf}.new"
        mv "$QOS.new" "$QOS"
    fi
    if [ -e "$LFTS" ]; then cp "$LFTS" "$LFTS.before"; fi
    cp "$step" "$LFTS.new"
    mv "$LFTS.new" "$LFTS" # OpenSM never reads half a file
    if ! kill -HUP "${OPENSM:-$(pidof opensm)}"; then
        if [ -e "$LFTS.before" ]; then mv "$LFTS.before" "$LFTS"; fi
        exit 2
    fi
    sleep "${SETTLE:-2}"
    tries=${TRIES:-30}
    until installed "$step"; do
        tries=$((tries - 1))
        if [ "$tries" -le 0 ]; then
            echo "step $number: the switches do not hold these entries; is $LFTS the lfts_file of OpenSM?" >&2
            exit 3
        fi
        sleep 1
    done
done
