#!/usr/bin/env bash
# The program of another machine computes what this one computes: both generate a suite of all operators, of the same bytes,
# and the other one checks the suite of this one.
#
#     tests/generate/other_machine.sh BINARY OTHER...    OTHER... is a command, such as: qemu-aarch64-static PROGRAM
#
# The last line has the counts.
set -euo pipefail
binary=$1
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/tensorop-machine.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
mapfile -t operators < <("$binary" ops | sed 's/[,:].*//')

"$binary" generate "${operators[@]}" --count 40 --invalid 0.2 -o "$work/here"
"$@" generate "${operators[@]}" --count 40 --invalid 0.2 -o "$work/there"
cases=$(( $(wc -l <"$work/here/cases.jsonl") - 1 ))
echo "$cases cases of ${#operators[@]} operators"
if diff -rq "$work/here" "$work/there" >"$work/differences" && "$@" check "$work/here"; then
  echo "$cases passed, 0 failed"
else
  head -n 20 "$work/differences"
  echo "0 passed, 1 failed"
  exit 1
fi
