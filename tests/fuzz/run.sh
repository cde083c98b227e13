#!/usr/bin/env bash
# Builds the fuzz targets and runs them:
#
#     tests/fuzz/run.sh MINUTES [TARGET...]     each target for so long; 5s: seconds
#
# Targets run side by side, as many as there are cores, each from its seeds (the tables of testdata/inputs)
# and from what earlier runs kept in build/fuzz/corpus. What breaks a promise is kept in build/fuzz/findings:
# tensorop_fuzz TARGET FILE shows it again. The last line is "N passed, N failed", by targets.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source apps/packages.sh

all_targets=(npy json npz safetensors shard_index gguf tensor_proto jobs model operator compare arguments)

usage() {
  echo "usage: tests/fuzz/run.sh MINUTES [TARGET...]   (targets: ${all_targets[*]}; 5s is seconds)" >&2
  exit 2
}

case ${1-} in
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
cmake --preset asan
cmake --build --preset asan --target tensorop_fuzz

work=build/fuzz
mkdir -p "$work"/{findings,logs,seeds}

# The fuzzer takes folders, whole.
gather_seeds() {
  local target=$1 seeds=$work/seeds/$1
  rm -rf "$seeds"
  mkdir -p "$seeds" "$work/corpus/$target"
  build/asan/tests/fuzz/tensorop_fuzz "$target" --seeds "$seeds"
}

# A result that is too large for memory is an error like any other; one block of more than 256 MiB counts as that. What
# an input may cost is counted by the targets themselves.
export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=256
export UBSAN_OPTIONS=print_stacktrace=1

run_target() {
  local target=$1 options=()
  if [[ -f tests/fuzz/$target.dict ]]; then
    options+=(-dict="tests/fuzz/$target.dict")
  fi
  case $target in
    # Weighing inputs by how rare their traces are takes longer than these targets themselves.
    arguments) options+=(-entropic=0) ;;
    # Its bytes are choices: after their end what is drawn is always the same.
    operator | compare) options+=(-entropic=0 -len_control=0 -max_len=600) ;;
  esac
  build/asan/tests/fuzz/tensorop_fuzz "$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=256 \
    -max_len=8192 -print_final_stats=1 -artifact_prefix="$work/findings/$target-" "${options[@]}" \
    "$work/corpus/$target" "$work/seeds/$target" >"$work/logs/$target.log" 2>&1 </dev/null
}

# The figures of a target's log; its end too, where it failed.
report() {
  local target=$1 status=$2 log=$work/logs/$1.log runs edges
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
