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
# Exit code of one round: 0 the tables join all pairs of hosts that cables join; 2 a program failed; 3 a step is not installed,
# some of these pairs have no path, or the tables can deadlock. After a round that failed or was killed, the next one begins with
# the entries that the switches hold.
set -eu
folder=${1:?keep-tables.sh FOLDER [once|best]}
: "${LFTS:?set LFTS to the lfts_file of opensm.conf}"
mode=few-changes
if [ "${2:-}" = best ]; then mode=best; fi
here=$(dirname "$0")
work=$folder.now

round() {
    # The last round was killed between the two moves below.
    if [ ! -e "$folder" ] && [ -e "$work/fabric.lft" ]; then mv "$work" "$folder" || return 2; fi
    if [ -e "$folder/loading" ]; then recover || return 2; fi
    rm -rf "$work" && mkdir "$work" || return 2
    ibnetdiscover >"$work/found.net" || return 2
    # Most rounds end here: everything is as in the last one. Comments hold the time.
    if [ "$mode" != best ] && [ -e "$folder/found.net" ] && same "$folder/found.net" "$work/found.net"; then
        return "$(cat "$folder/code")"
    fi
    set -- "$folder/fabric.net" "$folder/fabric.lft" "$work/found.net"
    if [ -e "$folder/fabric.qos" ]; then set -- "$@" --qos "$folder/fabric.qos"; fi
    repaired=0
    topoloom repair "$@" --mode "$mode" -o "$work" >"$work/repair.txt" || repaired=$?
    if [ "$repaired" -ne 0 ] && [ "$repaired" -ne 3 ]; then return 2; fi
    cat "$work/repair.txt"
    : >"$folder/loading" || return 2
    code=0
    sh "$here/load-tables.sh" "$work" || code=$?
    if [ "$code" -ne 0 ]; then
        recover && echo "keep-tables.sh: the next round begins with the entries that the switches hold" >&2
        return "$code"
    fi
    # The tables are installed; are all hosts reached?
    set -- "$work/fabric.net" "$work/fabric.lft"
    if [ -e "$work/fabric.qos" ]; then set -- "$@" --qos "$work/fabric.qos"; fi
    topoloom verify-tables "$@" --only TL4xx >"$work/verification.txt" || code=$?
    if [ "$code" -eq 0 ]; then code=$repaired; fi
    echo "$code" >"$work/code" || return 2
    rm -rf "$folder.before" && mv "$folder" "$folder.before" && mv "$work" "$folder" || return 2
    rm -f "$folder.before/loading"
    return "$code"
}

# Some steps were perhaps not loaded: take the entries that the switches hold for the installed ones, and let OpenSM stay there.
recover() {
    if ! dump_lfts >"$folder/held.lft" || ! cp "$folder/held.lft" "$LFTS.new" || ! mv "$LFTS.new" "$LFTS"; then
        echo "keep-tables.sh: the entries of the switches cannot be written to $LFTS; the next round tries again" >&2
        return 2
    fi
    if [ -n "${QOS:-}" ] && [ -e "$QOS" ]; then cp "$QOS" "$folder/fabric.qos" || return 2; fi
    mv "$folder/held.lft" "$folder/fabric.lft" && rm -f "$folder/found.net" "$folder/loading"
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
