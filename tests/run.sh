#!/usr/bin/env bash
# Everything that is held true of tensorop, from a fresh Debian on:
#
#     tests/run.sh          the release and its tests
#     tests/run.sh all      what CI runs: the format of the sources; the release with tensorop-mpi and its tests, also the
#                           scripts; the tests of parts and most others, and each fuzz target with its seeds, under the
#                           address and undefined-behaviour sanitizers; what starts threads under the thread sanitizer
#     tests/run.sh mpi      the release with tensorop-mpi, and the tests that start ranks
#     tests/run.sh tidy     clang-tidy over the sources, each by itself: finds a missing #include, too
#     tests/run.sh package  makes all artefacts in build/artefacts, twice; lintian; each one installed in a fresh Debian;
#                           apps/quickstart.sh there
#     tests/run.sh nightly  what takes hours: tidy; package; arm64 beside x86-64; random calls; PyTorch as a judge; ten
#                           minutes of each fuzz target; every fault of tests/mutations; the speed beside that of
#                           yesterday's last commit
#
# The last line is "N passed, N failed": test cases, all programs together. The exit status is 0 when none failed.
# Random tests draw what the commit says; TENSOROP_SEED=N draws something else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source apps/packages.sh

mode=${1:-default}
case $mode in
  default | all | mpi | tidy | package | nightly) ;;
  *)
    echo "usage: tests/run.sh [all|mpi|tidy|package|nightly]" >&2
    exit 2
    ;;
esac

# The examples of the docs call make and GNU parallel, transcripts Python.
packages=("${build_packages[@]}" make parallel catch2 python3)
mpi_packages=(python3-numpy libopenmpi-dev openmpi-bin)
all_packages=(clang lld libclang-rt-dev clang-format python3-jsonschema python3-onnx libonnx-testdata zsh fish groff-base "${mpi_packages[@]}")
package_packages=("${artefact_packages[@]}" debootstrap lintian)
case $mode in
  all) packages+=("${all_packages[@]}") ;;
  mpi) packages+=("${mpi_packages[@]}") ;;
  tidy) packages+=(clang-tidy "${mpi_packages[@]}") ;;
  package) packages+=("${package_packages[@]}") ;;
  nightly) packages+=("${all_packages[@]}" "${package_packages[@]}" clang-tidy python3-torch) ;;
esac

jobs=$(nproc)
log=$(mktemp)
build_log=$(mktemp)
passed=0
failed=0
skipped=0

# Thousands of small files are written where there is memory for them: a disk takes twice as long, and the build uses it.
# What is about disks has its files in /var/tmp.
place=${TMPDIR:-/tmp}
if mountpoint -q /dev/shm && [[ -w /dev/shm ]] && (( $(df --output=avail -k /dev/shm | tail -n 1) >= 4 << 20 )); then
  place=/dev/shm
fi
work=$(mktemp -d -p "$place" tensorop-tests.XXXXXX)
chmod 755 "$work"  # other users have a part in some tests
export TMPDIR=$work

# What tests draw is repeated by the same commit, and another one with the next.
if [[ -z ${TENSOROP_SEED:-} ]]; then
  commit=$(git rev-parse --short=8 HEAD 2>/dev/null || echo 1)
  TENSOROP_SEED=$(( 16#$commit ))
fi
export TENSOROP_SEED

# Whatever ends the run, the counts are its last line; what stops it before a test could fail is a failure too.
finish() {
  local status=$?
  rm -rf "$log" "$build_log" "$work"
  if (( skipped > 0 )); then
    echo "$skipped skipped"
  fi
  if [[ $mode == all || $mode == nightly ]]; then
    failed=$(( failed + skipped ))
  fi
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

# count_skipped FILE: the tests that could not run, by what they printed.
count_skipped() {
  local lines
  lines=$(grep -a '^SKIPPED: ' "$1" || true)
  if [[ -n $lines ]]; then
    echo "$lines"
    skipped=$(( skipped + $(wc -l <<<"$lines") ))
  fi
}

# build PRESET [OPTION...] -- TARGET...
build() {
  local preset=$1 options=()
  shift
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  heading "build: $preset"
  # Warnings are errors here in every preset; not for a user, whose compiler may know others, and who compiles nothing
  # again that apps/quickstart.sh has compiled.
  local werror=ON
  [[ $mode != default ]] || werror=OFF
  cmake --preset "$preset" -DTENSOROP_BUILD_TESTS=ON -DTENSOROP_WERROR=$werror "${options[@]}"
  cmake --build --preset "$preset" --target "$@"
}

# start_build PRESET -- TARGET...: the same beside the tests that run next, which often wait. await_build: its end.
start_build() {
  heading "build, beside what follows: $1"
  (renice -n 19 -p "$BASHPID" >/dev/null && build "$@") >"$build_log" 2>&1 &
  build_pid=$!
}

await_build() {
  local status=0
  wait "$build_pid" || status=$?
  cat "$build_log"
  return "$status"
}

# run_ctest PRESET [OPTION...]: one test of ctest is a file of test cases, a page of commands or a script; the summaries
# of Catch2 and of the scripts have their numbers.
run_ctest() {
  heading "test: $1"
  local preset=$1 status=0 cases broken
  shift
  # More than there are processors: the tests of processes mostly wait for them.
  ctest --preset "$preset" --parallel "$(( jobs * 2 ))" --no-tests=error "$@" 2>&1 | tee "$log" || status=$?
  read -r cases broken < <(awk '
    /^All tests passed \(.* in [0-9]+ test cases?\)/ { passed += $(NF - 2) }
    /^test cases: / { for (i = 2; i < NF; i++) { if ($(i + 1) == "passed") passed += $i; if ($(i + 1) == "failed") failed += $i } }
    /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
    END { print passed + 0, failed + 0 }' "build/$preset/Testing/Temporary/LastTest.log")
  # A program that crashes or hangs has no summary.
  if (( status != 0 && broken == 0 )); then
    broken=$(grep -acE '\*\*\*|Not Run' "$log" || true)
    broken=$(( broken > 0 ? broken : 1 ))
  fi
  count "$cases" "$broken"
  count_skipped "build/$preset/Testing/Temporary/LastTest.log"
}

# run_counted NAME COMMAND...: what has its counts in its last line.
run_counted() {
  heading "test: $1"
  shift
  local status=0 line
  "$@" 2>&1 | tee "$log" || status=$?
  count_skipped "$log"
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

# run_judge NAME COMMAND...: what says with its exit status whether all was well.
run_judge() {
  heading "$1"
  shift
  if "$@"; then
    count 1 0
  else
    count 0 1
  fi
}

# The program of yesterday's last commit, built as this one.
build_before() {
  local commit
  commit=$(git rev-list -1 --before="1 day ago" HEAD)
  if [[ ! -d build/before ]]; then
    git worktree add --force --detach build/before "$commit"
  fi
  git -C build/before checkout --detach "$commit"
  (cd build/before && cmake --preset release && cmake --build --preset release --target tensorop)
}

run_tidy() {
  heading "clang-tidy"
  # Each source has a command of its own there.
  cmake --preset release -B build/tidy -DTENSOROP_UNITY=OFF -DTENSOROP_MPI=ON
  if find src apps -name '*.cpp' -print0 |
    xargs -0 -n 1 -P "$jobs" clang-tidy --quiet -p build/tidy; then
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
  run_counted tests/package.sh tests/package.sh
  exit
fi
if [[ $mode == nightly ]]; then
  run_tidy
  build release -- all
  run_counted tests/package.sh tests/package.sh
  run_counted "arm64, emulated" tests/generate/other_machine.sh build/release/apps/tensorop/tensorop \
    qemu-aarch64-static build/artefacts/aarch64/apps/tensorop/tensorop
  for round in 1 2 3 4 5 6 7 8; do
    TENSOROP_SEED=$(( TENSOROP_SEED + round )) run_judge "random calls, $round" build/release/tests/tensorop_long_tests '[random]'
  done
  run_judge "PyTorch is here" /usr/bin/python3 -c 'import torch'
  run_counted python_calls.py /usr/bin/python3 tests/ops/python_calls.py build/release/apps/tensorop/tensorop 400
  run_counted fuzz tests/fuzz/run.sh 10
  run_judge mutations tests/mutations/run.py --work build/mutations --seconds 150 --cmake=-DTENSOROP_ALL_TESTS=ON
  build_before
  run_judge speed /usr/bin/python3 tests/bench/workloads.py build/release/apps/tensorop/tensorop \
    --before build/before/build/release/apps/tensorop/tensorop --limit 1.3
  exit
fi
if [[ $mode == mpi ]]; then
  build release -DTENSOROP_MPI=ON -- all
  run_ctest release --label-regex mpi
  exit
fi
if [[ $mode == default ]]; then
  build release -- all
  run_ctest release --label-exclude script
  exit
fi

check_format
# The tests of single parts, which are compiled without optimization here and there, run under the address sanitizer alone.
build release -DTENSOROP_MPI=ON -DTENSOROP_ALL_TESTS=ON -- tensorop tensorop-mpi tensorop_long_tests \
  tensorop_cli_tests tensorop_fault_tests tensorop_mpi_tests
start_build asan -- tensorop_tests tensorop_long_tests tensorop_cli_tests tensorop_fault_tests tensorop_fuzz
run_ctest release --label-exclude 'unit|threads' --exclude-regex NOT_BUILT
await_build
start_build tsan -- tensorop_thread_tests
# Threads are for the thread sanitizer to watch. Programs are shrunk by thousands of calls, and docs and rules show commands,
# that other tests run here, too. Of the transcripts, which start thousands of processes, each commit runs a quarter here.
others=('[^a-d]' '[^e-n]' '[^o-q]' '[^r-z]')
run_ctest asan --label-exclude 'script|threads' \
  --exclude-regex "NOT_BUILT|cli/${others[TENSOROP_SEED % 4]}.*[.]md|cli/shrink.md|cli/(commands|pages|rule|usage)_test"
run_counted fuzz tests/fuzz/run.sh seeds
await_build
run_ctest tsan --label-regex threads
heading "done"
