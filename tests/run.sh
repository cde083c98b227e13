#!/usr/bin/env bash
# Everything that is held true of tensorop, from a fresh Debian on:
#
#     tests/run.sh          the release and its tests, then the same under the address and undefined-behaviour sanitizers
#     tests/run.sh all      these; tensorop-mpi with Open MPI; the format of the sources, the scripts that test the
#                           binaries from outside, the thread sanitizer over what starts threads, and a few seconds of
#                           each fuzz target
#     tests/run.sh quick    the release and its tests alone
#     tests/run.sh tidy     clang-tidy over the sources, nothing else
#     tests/run.sh package  the Debian package, through lintian and in a fresh Debian, nothing else
#
# The last line is "N passed, N failed": test cases, all programs together. The exit status is 0 when none failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source apps/packages.sh

mode=${1:-default}
case $mode in
  default | all | quick | tidy | package) ;;
  *)
    echo "usage: tests/run.sh [all|quick|tidy|package]" >&2
    exit 2
    ;;
esac

# The examples of the docs call make and GNU parallel.
packages=("${build_packages[@]}" make parallel catch2)
case $mode in
  default) packages+=(clang libclang-rt-dev) ;;
  all) packages+=(clang libclang-rt-dev clang-format python3 python3-numpy python3-onnx libonnx-testdata zsh fish groff-base libopenmpi-dev openmpi-bin) ;;
  tidy) packages+=(clang-tidy) ;;
  package) packages+=(debootstrap dpkg-dev file lintian) ;;
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

# count PASSED FAILED
count() {
  passed=$(( passed + $1 ))
  failed=$(( failed + $2 ))
}

# build PRESET TARGET...
build() {
  local preset=$1 with_mpi=OFF
  shift
  # Open MPI itself is not clean under the sanitizers; what is ours of it is tested there with threads for ranks.
  if [[ $mode == all && $preset == release ]]; then
    with_mpi=ON
  fi
  heading "build: $preset"
  # The preset of the release leaves warnings alone, for those who package it; here they are errors in every preset.
  cmake --preset "$preset" -DTENSOROP_WERROR=ON "-DTENSOROP_MPI=$with_mpi"
  cmake --build --preset "$preset" --target "$@"
}

# run_ctest PRESET [OPTION...]: one test of ctest is a file of test cases; Catch2's own summaries have their numbers.
run_ctest() {
  heading "test: $1"
  local preset=$1 status=0 cases broken
  shift
  ctest --preset "$preset" --parallel "$jobs" --no-tests=error "$@" 2>&1 | tee "$log" || status=$?
  read -r cases broken < <(awk '
    /^All tests passed \(.* in [0-9]+ test cases?\)/ { passed += $(NF - 2) }
    /^test cases: / { for (i = 2; i < NF; i++) { if ($(i + 1) == "passed") passed += $i; if ($(i + 1) == "failed") failed += $i } }
    END { print passed + 0, failed + 0 }' "build/$preset/Testing/Temporary/LastTest.log")
  # A program that crashes or hangs has no summary.
  if (( status != 0 && broken == 0 )); then
    broken=$(grep -acE '\*\*\*|Not Run' "$log" || true)
    broken=$(( broken > 0 ? broken : 1 ))
  fi
  count "$cases" "$broken"
}

# run_script SCRIPT [PRESET]: a Python test of a binary.
run_script() {
  run_counted "$1" timeout 300 /usr/bin/python3 "$1" "build/${2:-release}/apps/tensorop/tensorop"
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
    xargs -0 -n 20 -P "$jobs" clang-format --dry-run -Werror; then
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
if [[ $mode == package ]]; then
  build release tensorop
  run_counted tests/package.sh tests/package.sh build/release
  exit
fi

if [[ $mode == all ]]; then
  check_format
fi
build release all
run_ctest release --label-exclude script
if [[ $mode != quick ]]; then
  build asan all
  # That any number of threads writes the same bytes was compared in the release; the thread sanitizer watches them.
  run_ctest asan --label-exclude script --exclude-regex 'the same bytes'
fi
if [[ $mode == all ]]; then
  run_script tests/io/numpy_roundtrip.py
  run_script tests/io/number_boundaries.py
  run_script tests/tensor/small_numbers.py
  run_script tests/golden/numpy_compare.py
  run_script tests/engine/numpy_masks.py
  run_script tests/engine/limited_memory.py
  run_script tests/io/npz_roundtrip.py
  run_script tests/io/tensor_proto_roundtrip.py
  run_script tests/io/safetensors_roundtrip.py
  run_script tests/jobs/batch.py
  run_script tests/jobs/other_program.py
  run_script tests/cli/shells.py
  run_script tests/ranks/mpi.py
  run_counted tests/package.sh tests/package.sh build/release quick
  run_script tests/onnx/made_cases.py
  build tsan tensorop tensorop_long_tests
  run_ctest tsan --label-regex threads
  run_script tests/jobs/batch.py tsan
  run_counted fuzz tests/fuzz/run.sh 3s -- -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0
fi
heading "done"
