#!/usr/bin/env bash
# From a fresh Debian to a first result: installs the packages that the build needs, builds tensorop, and runs gathernd
# on two arrays that NumPy wrote.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source apps/packages.sh

install_missing "${build_packages[@]}"

# tests/run.sh goes on in the same folder with the tests, which need more packages.
build=build/release
[[ -f $build/build.ninja ]] || cmake --preset release -DTENSOROP_BUILD_TESTS=OFF
cmake --build "$build" --target tensorop

binary=$build/apps/tensorop/tensorop
data=testdata/quickstart/data.npy
indices=testdata/quickstart/indices.npy
result=$build/result.npy

# Shows the command as it would be typed, then runs it.
run() {
  local word
  printf '\n$ tensorop'
  for word in "$@"; do
    if [[ $word == *[^A-Za-z0-9_./-]* ]]; then
      word="'$word'"
    fi
    printf ' %s' "$word"
  done
  printf '\n'
  "$binary" "$@"
}

printf '\nTwo arrays that NumPy wrote: temperatures by room and hour, and pairs (room, hour) to look up.\n'
run info "$data" "$indices"
run convert "$data" --format nested
run convert "$indices" --format nested

printf '\nThe temperature at each pair:\n'
run gathernd --data "$data" --indices "$indices" -o "$result"
run info "$result"
run convert "$result" --format nested

printf '\nThe same operator on inline JSON, without files:\n'
run gathernd --data '[[0,1],[2,3]]' --indices '[[0,0],[1,1]]'

cat <<END

The binary is $PWD/$binary
Install it:   cmake --install $build --prefix /usr/local
Read more:    $binary --help
END
