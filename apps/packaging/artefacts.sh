#!/usr/bin/env bash
# Makes the files of a version that are passed on, on Debian for x86-64: the static program of x86-64 and of arm64, each as a
# Debian package, an archive and a Python wheel, with an SPDX list of what is inside; and SHA256SUMS.
#
#     apps/packaging/artefacts.sh [FOLDER]    default: build/artefacts
#
# FOLDER/x86_64 and FOLDER/aarch64 are build folders. The same source gives the same bytes in every folder.
set -euo pipefail
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
folder=$(realpath -m "${1:-$source/build/artefacts}")
cd "$source"
source apps/packages.sh
install_missing "${build_packages[@]}" "${artefact_packages[@]}"

mkdir -p "$folder"
rm -f "$folder"/{*.deb,*.tar.gz,*.whl,*.spdx.json,SHA256SUMS}
for machine in x86_64 aarch64; do
  build=$folder/$machine
  options=()
  [[ $machine == x86_64 ]] || options+=(--toolchain "$PWD/apps/packaging/$machine.cmake")
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTENSOROP_STATIC=ON -DTENSOROP_MPI=OFF \
    -DTENSOROP_BUILD_TESTS=OFF "${options[@]}"
  cmake --build "$build" --target tensorop
  rm -rf "$build/packages"
  (cd "$build" && cpack --config CPackConfig.cmake -B "$build/packages")

  mv "$build"/packages/*.{deb,tar.gz} "$folder"
  archive=$(echo "$folder"/*-"$machine".tar.gz)
  apps/packaging/wheel.py "$archive" "$folder"
  apps/packaging/spdx.py "$archive" >"${archive%.tar.gz}.spdx.json"
done
cd "$folder"
sha256sum -- *.deb *.tar.gz *.whl *.spdx.json >SHA256SUMS
