# shellcheck shell=bash
# Sourced by apps/quickstart.sh, apps/packaging/artefacts.sh and tests/run.sh: what is missing of the Debian packages they need, and only that,
# is installed. Root installs itself, anyone else through sudo.

# What building tensorop takes.
# shellcheck disable=SC2034  # for those that source this file
build_packages=(g++ cmake ninja-build libcli11-dev nlohmann-json3-dev zlib1g-dev)

# What apps/packaging/artefacts.sh takes besides: the compiler for arm64, and what runs its programs.
# shellcheck disable=SC2034
artefact_packages=(g++-aarch64-linux-gnu zlib1g-dev:arm64 qemu-user-static dpkg-dev file python3)

# install_missing PACKAGE...: PACKAGE:ARCHITECTURE is of another architecture.
install_missing() {
  local package status missing=()
  for package in "$@"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}\n' "$package" 2>/dev/null || true)
    [[ $status == installed* ]] || missing+=("$package")
  done
  if (( ${#missing[@]} == 0 )); then
    return
  fi
  if ! command -v apt-get >/dev/null; then
    echo "This is no Debian: apt-get is missing. Going on without installing ${missing[*]}." >&2
    return
  fi

  local as_root=()
  if (( EUID != 0 )); then
    if ! command -v sudo >/dev/null; then
      echo "Packages are missing, and neither root nor sudo is there to install them. As root, run:" >&2
      echo "    apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}"
  for package in "${missing[@]}"; do
    if [[ $package == *:* ]]; then
      "${as_root[@]}" dpkg --add-architecture "${package#*:}"
    fi
  done
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
}
