#!/usr/bin/env bash
# Everything that is held true of tensorop, from a fresh Debian on:
#
#     tests/run.sh          release, format, address and undefined-behaviour sanitizers, thread sanitizer, a few
#                           seconds of each fuzz target
#     tests/run.sh quick    release and format alone
#     tests/run.sh tidy     clang-tidy over the sources, nothing else
#
# The last line is "N passed, N failed", all test programs together; the exit status is 0 when none failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source apps/packages.sh

mode=${1:-all}
case $mode in
  all | quick | tidy) ;;
  *)
    echo "usage: tests/run.sh [quick|tidy]" >&2
    exit 2
    ;;
esac

packages=("${build_packages[@]}" catch2 python3 python3-numpy python3-onnx libonnx-testdata clang-format
  zsh fish groff-base)
case $mode in
  all) packages+=(clang libclang-rt-dev) ;;
  tidy) packages+=(clang-tidy) ;;
esac

jobs=$(nproc)
log=$(mktemp)
passed=0
failed=0

# Whatever ends the run, the counts are its last line; what stops it before a test could fail is a failure too.
finish() {
  local status=$?
  rm -f "$log"
  if (( status != 0 && failed == 0 )); then
    failed=1
  fi
  echo "$passed passed, $failed failed"
  exit $(( failed == 0 ? status : 1 ))
}
trap finish EXIT

heading() {
  printf '\n== %s (%d s)\n' "$1" "$SECONDS"
}

# Takes over the counts of a test program whose output is in $log.
count() {
  passed=$(( passed + $1 ))
  failed=$(( failed + $2 ))
}

# build PRESET TARGET [OPTION...]
build() {
  local preset=$1 target=$2
  shift 2
  heading "build: $preset"
  cmake --preset "$preset" "$@"
  cmake --build --preset "$preset" --target "$target"
}

# run_ctest PRESET [OPTION...]: "100% tests passed, 0 tests failed out of 70" becomes counts.
run_ctest() {
  heading "test: $1"
  local preset=$1 status=0 line
  shift
  ctest --preset "$preset" --parallel "$jobs" --no-tests=error "$@" 2>&1 | tee "$log" || status=$?
  line=$(grep -aE 'tests failed out of [0-9]+$' "$log" || true)
  if [[ $line =~ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
    count $(( BASH_REMATCH[2] - BASH_REMATCH[1] )) "${BASH_REMATCH[1]}"
  elif (( status != 0 )); then
    count 0 1
  fi
}

# run_script SCRIPT: a Python test of the release binary.
run_script() {
  run_counted "$1" timeout 300 /usr/bin/python3 "$1" build/release/apps/tensorop/tensorop
}

# run_counted NAME COMMAND...: what has its counts in its last line.
run_counted() {
  heading "test: $1"
  shift
  local status=0 line
  "$@" 2>&1 | tee "$log" || status=$?
  line=$(tail -n 1 "$log")
  if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
    count "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
  fi
  if (( status != 0 )) && [[ ! $line =~ ,\ [1-9][0-9]*\ failed ]]; then
    count 0 1
  fi
}

check_format() {
  heading "format"
  if find src apps tests \( -name '*.cpp' -o -name '*.hpp' \) -print0 |
    xargs -0 clang-format --dry-run -Werror; then
    count 1 0
  else
    echo "clang-format -i puts it right"
    count 0 1
  fi
}

run_tidy() {
  heading "clang-tidy"
  cmake --preset release
  if find src apps -name '*.cpp' -print0 |
    xargs -0 -n 1 -P "$jobs" clang-tidy --quiet -p build/release; then
    count 1 0
  else
    count 0 1
  fi
}

install_missing "${packages[@]}"
if [[ $mode == tidy ]]; then
  run_tidy
  exit
fi

check_format
build release all
run_ctest release --label-exclude script
run_script tests/io/numpy_roundtrip.py
run_script tests/golden/numpy_compare.py
run_script tests/io/npz_roundtrip.py
run_script tests/jobs/batch.py
run_script tests/cli/shells.py
run_script tests/onnx/node_cases.py
if [[ $mode == all ]]; then
  build asan all
  run_ctest asan --label-exclude script
  build tsan all
  run_ctest tsan --label-exclude script
  run_counted fuzz tests/fuzz/run.sh 3s -- -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0
fi
heading "done"
