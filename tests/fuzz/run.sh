#!/usr/bin/env bash
# Builds the fuzz targets and runs them:
#
#     tests/fuzz/run.sh seeds [TARGET...]       each target once with each of its seeds
#     tests/fuzz/run.sh MINUTES [TARGET...]     each target for so long, with inputs that it makes; 5s: seconds
#
# Targets run side by side, as many as there are cores, each from its seeds (the tables of testdata/inputs) and from what
# earlier runs kept in build/fuzz-work/corpus. What breaks a promise is kept in build/fuzz-work/findings:
# tensorop_fuzz TARGET FILE shows it again. The last line is "N passed, N failed", by targets.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source apps/packages.sh

all_targets=(tests/fuzz/fuzz_*.cpp)
all_targets=("${all_targets[@]#*/fuzz_}")
all_targets=("${all_targets[@]%.cpp}")

usage() {
  echo "usage: tests/fuzz/run.sh seeds|MINUTES [TARGET...]   (targets: ${all_targets[*]}; 5s is seconds)" >&2
  exit 2
}

preset=fuzz
case ${1-} in
  seeds) preset=asan ;;
  *[!0-9s]* | "" | s | *s?*) usage ;;
  *s) seconds=${1%s} ;;
  *) seconds=$(( 10#$1 * 60 )) ;;
esac
shift
targets=()
while (( $# > 0 )); do
  [[ " ${all_targets[*]} " == *" $1 "* ]] || usage
  targets+=("$1")
  shift
done
(( ${#targets[@]} > 0 )) || targets=("${all_targets[@]}")

install_missing "${build_packages[@]}" clang lld libclang-rt-dev
cmake --preset "$preset"
cmake --build --preset "$preset" --target tensorop_fuzz

work=build/fuzz-work
mkdir -p "$work"/{findings,logs,seeds}

# The fuzzer takes folders, whole.
gather_seeds() {
  local target=$1 seeds=$work/seeds/$1
  rm -rf "$seeds"
  mkdir -p "$seeds" "$work/corpus/$target"
  "build/$preset/tests/fuzz/tensorop_fuzz" "$target" --seeds "$seeds"
}

# A result that is too large for memory is an error like any other; one block of more than 256 MiB counts as that. What
# an input may cost is counted by the targets themselves.
export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=256
export UBSAN_OPTIONS=print_stacktrace=1

run_target() {
  local target=$1 options=()
  local program=("build/$preset/tests/fuzz/tensorop_fuzz" "$target" -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=256
    -artifact_prefix="$work/findings/$target-")
  if [[ $preset == asan ]]; then
    find "$work/corpus/$target" "$work/seeds/$target" -type f -print0 |
      xargs -0 --no-run-if-empty "${program[@]}" >"$work/logs/$target.log" 2>&1 &&
      grep -aq '^Executed ' "$work/logs/$target.log"
    return
  fi
  if [[ -f tests/fuzz/$target.dict ]]; then
    options+=(-dict="tests/fuzz/$target.dict")
  fi
  case $target in
    # Weighing inputs by how rare their traces are takes longer than these targets themselves.
    arguments) options+=(-entropic=0) ;;
    # Its bytes are choices: after their end what is drawn is always the same.
    operator | compare) options+=(-entropic=0 -len_control=0 -max_len=600) ;;
  esac
  "${program[@]}" -max_total_time="$seconds" -max_len=8192 -print_final_stats=1 "${options[@]}" "$work/corpus/$target" "$work/seeds/$target" >"$work/logs/$target.log" 2>&1 </dev/null
}

# The figures of a target's log; its end too, where it failed.
report() {
  local target=$1 status=$2 log=$work/logs/$1.log runs edges
  if (( status == 0 )) && [[ $preset == asan ]]; then
    echo "$target: $(grep -ac '^Executed ' "$log") inputs, nothing found"
    return
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  edges=$(grep -aoE 'cov: [0-9]+' "$log" | tail -n 1 | cut -d' ' -f2 || true)
  if (( status == 0 )); then
    echo "$target: ${runs:-0} executions, ${edges:-0} edges, nothing found"
  else
    tail -n 60 "$log"
    echo "$target: FAILED after ${runs:-some} executions: see $log and $work/findings"
  fi
}

passed=0
failed=0
declare -A target_of
wait_for_one() {
  local process=0 status=0
  wait -n -p process || status=$?
  report "${target_of[$process]}" "$status"
  if (( status == 0 )); then
    passed=$(( passed + 1 ))
  else
    failed=$(( failed + 1 ))
  fi
}

running=0
for target in "${targets[@]}"; do
  gather_seeds "$target"
  if (( running == $(nproc) )); then
    wait_for_one
    running=$(( running - 1 ))
  fi
  run_target "$target" &
  target_of[$!]=$target
  running=$(( running + 1 ))
done
while (( running > 0 )); do
  wait_for_one
  running=$(( running - 1 ))
done
echo "$passed passed, $failed failed"
(( failed == 0 ))
