#!/bin/sh
# Keep the forwarding tables of a running fabric whole: discover it, repair the tables after losses and returns, load them.
#
#     keep-tables.sh FOLDER         one round after the other, until a signal ends it
#     keep-tables.sh FOLDER once    one round, for a systemd timer or cron
#     keep-tables.sh FOLDER best    one round that gives all cables their share of the paths, also those that have returned
#
# FOLDER holds what is installed: fabric.net, fabric.lft and, with service levels, fabric.qos, as written by
# `topoloom export found.net opensm -o FOLDER` or `topoloom repair ... -o FOLDER`. After each repair FOLDER holds the new state,
# and FOLDER.before the former one. Needs topoloom and infiniband-diags; load-tables.sh is in the folder of this script.
#
# Environment: INTERVAL   seconds between two discoveries; 10 if unset
#              and that of load-tables.sh: LFTS, QOS, OPENSM, SETTLE, TRIES
# Exit code of one round: 0 nothing to do, or the repaired tables are installed; 2 a program failed; 3 a step is not installed, or
# some pairs of hosts have no path any more. After a round that failed, FOLDER and OpenSM's file have what the switches hold.
set -eu
folder=${1:?keep-tables.sh FOLDER [once|best]}
mode=few-changes
if [ "${2:-}" = best ]; then mode=best; fi
here=$(dirname "$0")

round() {
    work=$folder.now
    rm -rf "$work"
    mkdir "$work"
    ibnetdiscover >"$work/found.net" || return 2
    # Most rounds end here: everything is as in the last one. Comments hold the time.
    if [ "$mode" != best ] && [ -e "$folder/found.net" ] && same "$folder/found.net" "$work/found.net"; then
        return 0
    fi
    set -- "$folder/fabric.net" "$folder/fabric.lft" "$work/found.net"
    if [ -e "$folder/fabric.qos" ]; then set -- "$@" --qos "$folder/fabric.qos"; fi
    topoloom repair "$@" --mode "$mode" -o "$work" >"$work/repair.txt" || return 2
    cat "$work/repair.txt"
    code=0
    sh "$here/load-tables.sh" "$work" || code=$?
    if [ "$code" -ne 0 ]; then
        # The next round begins with what the switches hold, and OpenSM stays there.
        dump_lfts >"$work/held.lft" || return 2
        cp "$work/held.lft" "$LFTS.new"
        mv "$LFTS.new" "$LFTS"
        mv "$work/held.lft" "$folder/fabric.lft"
        rm -f "$folder/found.net"
        return "$code"
    fi
    rm -rf "$folder.before"
    mv "$folder" "$folder.before"
    mv "$work" "$folder"
    # The tables are installed; are all hosts reached?
    set -- "$folder/fabric.net" "$folder/fabric.lft"
    if [ -e "$folder/fabric.qos" ]; then set -- "$@" --qos "$folder/fabric.qos"; fi
    topoloom verify-tables "$@" --only TL4xx >"$folder/verification.txt" || return $?
}

# Whether two discoveries differ in nothing but their comment lines.
same() {
    grep -v '^#' "$1" >"$folder.a"
    grep -v '^#' "$2" >"$folder.b"
    code=0
    cmp -s "$folder.a" "$folder.b" || code=$?
    rm -f "$folder.a" "$folder.b"
    return "$code"
}

if [ -n "${2:-}" ]; then
    round
    exit $?
fi
trap 'exit 0' INT TERM HUP
while :; do
    code=0
    round || code=$?
    if [ "$code" -ne 0 ]; then echo "keep-tables.sh: a round ended with $code" >&2; fi
    sleep "${INTERVAL:-10}"
done
