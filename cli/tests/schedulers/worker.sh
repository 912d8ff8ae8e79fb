#!/bin/sh
# One task of a match over several machines: worker.sh FOLDER A..B plays these pairs into this folder, or goes on with
# what a killed task has left there. MATCH holds the flags that are the same for all tasks.
set -eu
folder=$1 pairs=$2
[ -z "${PIDS:-}" ] || echo "$$ $pairs ${SLURMD_NODENAME:-}" >> "$PIDS"
if [ -s "$folder/games.jsonl" ]; then
    exec komainu match --resume --out "$folder" --stop-file whole/stop
fi
# shellcheck disable=SC2086 # the flags are several words
exec komainu match $MATCH --pairs "$pairs" --out "$folder" --stop-file whole/stop
