#!/usr/bin/env bash
# Everything that is held true of tensorop, from a fresh Debian on:
#
#     tests/run.sh               the release and its tests
#     tests/run.sh all           what CI runs: the format of the sources; the release with tensorop-mpi and its tests, also
#                                the scripts; the tests of parts, the injected faults, and each fuzz target with its seeds,
#                                under the address and undefined-behaviour sanitizers; the pool of threads under the thread
#                                sanitizer
#     tests/run.sh nightly       all parts of what takes hours
#     tests/run.sh nightly PART  one of them, in less than two hours:
#       tidy       clang-tidy over the sources, each by itself: finds a missing #include, too
#       package    makes all artefacts in build/artefacts, twice; lintian; each one installed in a fresh Debian;
#                  apps/quickstart.sh there
#       arm64      the program for arm64, emulated, beside the one for x86-64
#       random     eight rounds of random calls; the tests that `all` runs a share of, whole
#       torch      random calls and the example of the docs against PyTorch
#       fuzz       ten minutes of each fuzz target
#       mutations  a third of the faults of tests/mutations, by the day: three nights in a row take all of them
#       speed      the speed beside the speed of yesterday's last commit
#       threads    what starts threads, under the thread sanitizer
#       ranks      what starts ranks, whole, with two and three of them
#       sanitizer  the tests of parts and the injected faults whole, and a quarter of the transcripts by the day, under the
#                  address sanitizer
#
# TENSOROP_NIGHTLY=1, which `nightly` sets, makes a test run whole if `all` runs a share of it. Compiled objects come from
# ccache where it is installed, which `all` and `nightly` do; a run prints how many.
# The last line is "N passed, N failed": test cases, all programs together. The exit status is 0 when none failed.
# Random tests draw what the commit says; TENSOROP_SEED=N draws something else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source apps/packages.sh

nightly_parts=(tidy package arm64 random torch fuzz mutations speed threads ranks sanitizer)
mode=${1:-default}
parts=()
case $mode,$# in
  default,0 | all,1) ;;
  nightly,1) parts=("${nightly_parts[@]}") ;;
  nightly,2) [[ " ${nightly_parts[*]} " != *" $2 "* ]] || parts=("$2") ;;
  *) mode=unknown ;;
esac
if [[ $mode == unknown ]] || [[ $mode == nightly && ${#parts[@]} == 0 ]]; then
  printf 'usage: tests/run.sh [all | nightly [PART]]\nPART: %s\n' "${nightly_parts[*]}" >&2
  exit 2
fi

# The examples of the docs call make and GNU parallel, transcripts Python.
packages=("${build_packages[@]}" make parallel catch2 python3)
mpi_packages=(python3-numpy libopenmpi-dev openmpi-bin)
clang_packages=(clang lld libclang-rt-dev)
script_packages=(python3-numpy python3-jsonschema python3-onnx libonnx-testdata zsh fish groff-base)
[[ $mode == default ]] || packages+=(ccache)
[[ $mode != all ]] || packages+=(clang-format "${clang_packages[@]}" "${script_packages[@]}" "${mpi_packages[@]}")
for part in "${parts[@]}"; do
  case $part in
    tidy) packages+=(clang-tidy "${mpi_packages[@]}") ;;
    package) packages+=("${artefact_packages[@]}" debootstrap lintian) ;;
    arm64) packages+=("${artefact_packages[@]}") ;;
    random) packages+=("${script_packages[@]}") ;;
    torch) packages+=(python3-numpy python3-onnx python3-torch) ;;
    mutations) packages+=("${script_packages[@]}" "${mpi_packages[@]}") ;;
    speed) packages+=(python3-numpy) ;;
    ranks) packages+=("${mpi_packages[@]}") ;;
    fuzz | threads | sanitizer) packages+=("${clang_packages[@]}") ;;
  esac
done

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
# By the day where no commit may have a say: what one night leaves out the next ones run.
day=$(( $(date +%s) / 86400 ))

# What ccache notes of this run.
export CCACHE_STATSLOG=$work/ccache

# Whatever ends the run, the counts are its last line; what stops it before a test could fail is a failure too.
finish() {
  local status=$?
  if [[ -s $CCACHE_STATSLOG ]]; then
    ccache --show-log-stats | awk '
      $1 == "Cacheable" { calls = $3 }
      $1 == "Hits:" && hits == "" { hits = $2 }
      END { print hits + 0 " of " calls + 0 " objects came from ccache" }' || true
  fi
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

# tidy_units DIR OPTION...: clang-tidy over every unit that DIR compiles of src and apps.
tidy_units() {
  local dir=$1
  shift
  sed -nE 's/^ *"file": "(.*)",?$/\1/p' "$dir/compile_commands.json" | grep -E '/(src|apps)/' | sort -u |
    xargs -n 1 -P "$jobs" clang-tidy --quiet -p "$dir" "$@"
}

tidy_part() {
  # A source by itself cannot use an #include of another: it is parsed, with one cheap check. All else is looked for in
  # the units of the release, which read a header once for up to sixteen sources; the analyzer follows paths in what a
  # unit includes only when told to.
  cmake --preset release -B build/tidy -DTENSOROP_UNITY=OFF -DTENSOROP_MPI=ON
  run_judge "each source by itself" tidy_units build/tidy --checks='-*,modernize-use-nullptr'
  cmake --preset release -B build/tidy-units -DTENSOROP_MPI=ON
  run_judge "clang-tidy" tidy_units build/tidy-units --checks=-bugprone-suspicious-include \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-ignored-optimization-argument \
    --extra-arg=-Xclang --extra-arg=-analyzer-opt-analyze-headers
}

package_part() {
  run_counted tests/package.sh tests/package.sh
}

arm64_part() {
  build release -- tensorop
  heading "build: arm64"
  cmake --preset release -B build/arm64 --toolchain "$PWD/apps/packaging/aarch64.cmake" -DTENSOROP_BUILD_TESTS=OFF
  cmake --build build/arm64 --target tensorop
  run_counted "arm64, emulated" tests/generate/other_machine.sh build/release/apps/tensorop/tensorop \
    qemu-aarch64-static build/arm64/apps/tensorop/tensorop
}

random_part() {
  build release -DTENSOROP_ALL_TESTS=ON -- tensorop tensorop_long_tests tensorop_fault_tests tensorop_thread_tests
  local round
  for round in 1 2 3 4 5 6 7 8; do
    TENSOROP_SEED=$(( TENSOROP_SEED + round )) run_judge "random calls, $round" build/release/tests/tensorop_long_tests '[random]'
  done
  run_ctest release --label-exclude 'unit|cli|mpi' --exclude-regex NOT_BUILT
}

torch_part() {
  build release -- tensorop
  run_judge "PyTorch is here" /usr/bin/python3 -c 'import torch'
  local script
  for script in ops/python_calls.py check/conformance_examples.py; do
    run_counted "$script" /usr/bin/python3 "tests/$script" build/release/apps/tensorop/tensorop
  done
}

fuzz_part() {
  run_counted fuzz tests/fuzz/run.sh 10
}

mutations_part() {
  run_judge mutations tests/mutations/run.py --work build/mutations --seconds 150 --cmake=-DTENSOROP_ALL_TESTS=ON \
    --share "$(( day % 3 + 1 ))/3"
}

speed_part() {
  build release -- tensorop
  build_before
  run_judge speed /usr/bin/python3 tests/bench/workloads.py build/release/apps/tensorop/tensorop \
    --before build/before/build/release/apps/tensorop/tensorop --limit 1.3
}

threads_part() {
  build tsan -- tensorop_thread_tests
  run_ctest tsan --label-regex threads
}

ranks_part() {
  build release -DTENSOROP_MPI=ON -- tensorop tensorop-mpi tensorop_mpi_tests
  run_ctest release --label-regex mpi
}

# The tests of parts and the faults under the address sanitizer. Threads are for the thread sanitizer to watch, and what
# starts the program starts the one of the release.
run_sanitizer_tests() {
  TENSOROP_BINARY=$PWD/build/release/apps/tensorop/tensorop run_ctest asan --label-exclude 'script|threads|cli' \
    --exclude-regex NOT_BUILT
}

sanitizer_part() {
  local quarters=('[a-d]' '[e-n]' '[o-q]' '[r-z]')
  build release -- tensorop tensorop_cli_tests
  build asan -- "${sanitizer_targets[@]}" tensorop
  run_sanitizer_tests
  heading "transcripts under the address sanitizer"
  TENSOROP_BINARY=$PWD/build/asan/apps/tensorop/tensorop run_ctest release --label-regex cli \
    --tests-regex "cli/${quarters[day % 4]}.*[.]md"
}

sanitizer_targets=(tensorop_tests tensorop_long_tests tensorop_fault_tests)
install_missing "${packages[@]}"
case $mode in
  default)
    build release -- all
    run_ctest release --label-exclude script
    ;;
  nightly)
    export TENSOROP_NIGHTLY=1
    for part in "${parts[@]}"; do
      "${part}_part"
    done
    ;;
  all)
    check_format
    # The tests of single parts, which are compiled without optimization here and there, run under the address sanitizer
    # alone, and with more than two ranks at night.
    build release -DTENSOROP_MPI=ON -DTENSOROP_ALL_TESTS=ON -- tensorop tensorop-mpi tensorop_long_tests \
      tensorop_cli_tests tensorop_fault_tests tensorop_mpi_tests tensorop_thread_tests
    start_build asan -- "${sanitizer_targets[@]}" tensorop_fuzz
    run_ctest release --label-exclude unit --exclude-regex 'NOT_BUILT|mpi/3_ranks'
    await_build
    run_sanitizer_tests
    run_counted fuzz tests/fuzz/run.sh seeds
    build tsan -- tensorop_pool_tests
    run_ctest tsan --tests-regex threads/pool
    ;;
esac
heading "done"
