#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The audit's own test: three programs with known answers and one control in which the threads do not overlap. Needs valgrind, gcc, rustc.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd); w=$(mktemp -d); pass=0; fail=0
"$here/build.sh" "$w/vg" || exit 1
export TOOL_DIR=$w/vg
check() { # name, wanted exit status, text wanted in the output
  rustc -O -g --edition 2021 -o "$w/$1" "$here/demo/$1.rs" || { fail=$((fail+1)); return; }
  out=$(python3 "$here/audit.py" --name "$1" --native-ops "" --max shared_writes=0 -- "$w/$1" {threads} {ops}); rc=$?
  if [ $rc = "$2" ] && grep -qE "$3" <<<"$out"; then pass=$((pass+1)); else fail=$((fail+1)); echo "FAILED $1: exit $rc"; echo "$out"; fi
}
check shared_atomic 1 'shared_writes +1\.0000'
check false_sharing 1 'shared_writes +1\.0000'
check clean 0 'shared_writes +0\.0000'
check serial 1 'INCONCLUSIVE'
rm -rf "$w"; echo "$pass passed, $fail failed"; [ $fail = 0 ]
