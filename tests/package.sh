#!/usr/bin/env bash
# The packages of a build folder, in which `tensorop` is built: made twice, they are the same bytes; they hold what they
# are to hold and nothing else. All artefacts: made in two folders, they are the same bytes; lintian finds no fault; and in a
# fresh Debian in a folder each is installed, used and removed, those of arm64 by an emulator, and apps/quickstart.sh builds
# the sources.
#
#     tests/package.sh                        makes build/artefacts, and tests all of it
#     tests/package.sh build/release quick    the packages of a build folder, made once; with TENSOROP_NIGHTLY=1 twice
#
# The fresh Debian takes root, debootstrap and a mirror of Debian: without them a line says what was skipped.
# The last line has the counts.
set -euo pipefail
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
artefacts=$source/build/artefacts
build=$(realpath -m "${1:-$artefacts/x86_64}")  # which does not exist yet in a fresh clone
mode=${2:-default}
binary=$build/apps/tensorop/tensorop
work=$(mktemp -d "${TMPDIR:-/tmp}/tensorop-package.XXXXXX")
root=$work/root
passed=0
failed=0

finish() {
  local status=$?
  rm -rf --one-file-system "$work"
  if (( status != 0 && failed == 0 )); then
    failed=1
  fi
  echo "$passed passed, $failed failed"
  exit $(( failed > 0 ))
}
trap finish EXIT

if [[ $mode != quick ]]; then
  "$source/apps/packaging/artefacts.sh" "$artefacts"
fi

# check NAME COMMAND...: passed if the command succeeds; else what it printed is shown.
check() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    passed=$(( passed + 1 ))
  else
    failed=$(( failed + 1 ))
    printf 'FAILED: %s\n%s\n' "$name" "$output"
  fi
}

# equal ACTUAL EXPECTED
equal() {
  [[ $1 == "$2" ]] || { printf 'actual:   %s\nexpected: %s\n' "$1" "$2"; return 1; }
}

# shows PATTERN COMMAND...: the command prints a line that matches the pattern.
shows() {
  local pattern=$1 output
  shift
  output=$("$@" 2>&1) || { printf '%s\n' "$output"; return 1; }
  grep -qE -- "$pattern" <<<"$output" || { printf 'no line matches %s:\n%s\n' "$pattern" "$output"; return 1; }
}

# only PATTERN LINES: all of the lines match.
only() {
  ! grep -vE "$1" <<<"$2"
}

# ---- making

# xz takes as long as all else.
compression=$([[ $mode == quick ]] && echo gzip || echo xz)

# make_packages FOLDER [OPTION...]: cpack is what the target `package` runs.
make_packages() {
  local folder=$1
  shift
  (cd "$build" && cpack --config CPackConfig.cmake -B "$folder" -D CPACK_DEBIAN_COMPRESSION_TYPE=$compression "$@") >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

fails_without_notices() {
  local log
  if log=$(cd "$build" && cpack --config CPackConfig.cmake -B "$work/none" -D CPACK_TENSOROP_GLIBC_NOTICES=/none 2>&1); then
    echo "cpack made a package"
    return 1
  fi
  shows "TENSOROP_GLIBC_NOTICES: /none does not exist" cat <<<"$log"
}

manifest() {
  cat "$build/install_manifest.txt" 2>/dev/null || true
}

installed=$(manifest)
make_packages "$work/one"
deb=$(echo "$work"/one/tensorop_*.deb)
tarball=$(echo "$work"/one/*.tar.gz)
if [[ $mode != quick || ${TENSOROP_NIGHTLY:-} == 1 ]]; then
  # Neither tensorop-mpi beside it nor the environment has a part in it.
  (umask 077 && TZ=Pacific/Auckland LC_ALL=C.UTF-8 make_packages "$work/two" -D CPACK_TENSOROP_MPI=OFF)
  check "two packages are the same bytes" cmp "$deb" "$work/two/${deb##*/}"
  check "two archives are the same bytes" cmp "$tarball" "$work/two/${tarball##*/}"
fi
check "the list of what cmake --install wrote stays" equal "$(manifest)" "$installed"

# ---- contents

version=$("$binary" --version | awk 'NR == 1 { print $2 }')
mkdir "$work/deb" "$work/tar"
dpkg-deb --extract "$deb" "$work/deb"
tar -xzf "$tarball" -C "$work/tar"
tree=$work/tar/${tarball##*/}
tree=${tree%.tar.gz}
files=$(cd "$work/deb" && find . ! -type d -printf '%P\n')
doc=$work/deb/usr/share/doc/tensorop

check "the version is the program's" equal "$(dpkg-deb --field "$deb" Package Version)" "Package: tensorop
Version: $version"
check "the changelog begins with the version" shows "^tensorop \\($version\\) " zcat "$doc/changelog.gz"
check "so does the list of changes" equal "$(grep -m 1 '^## ' "$doc/changes.md")" "## ${version%\~dev}"
check "copyright has the form of Debian" only '^([A-Z][A-Za-z-]*: .*| .*|)$' "$(cat "$doc/copyright")"
check "it has the licence, or says that there is none" grep -qF "$(tail -n 1 "$source/apps/packaging/licence.txt")" "$doc/copyright"
check "only the program and its documentation" only \
  '^usr/(bin/tensorop|share/(man/man1/tensorop(-[a-z-]+)?\.1\.gz|bash-completion/completions/tensorop|zsh/vendor-completions/_tensorop|fish/vendor_completions\.d/tensorop\.fish|doc/tensorop/(copyright|changelog\.gz|README\.md|(ops/)?[a-z-]+\.(md|svg)|examples/[a-z_]+\.(py|c)|report\.schema\.json)|lintian/overrides/tensorop))$' \
  "$files"
check "all manual pages" equal "$(grep -c /man1/ <<<"$files")" "$("$binary" man --list | wc -l)"
for file in bin/tensorop share/bash-completion/completions/tensorop share/zsh/vendor-completions/_tensorop \
  share/fish/vendor_completions.d/tensorop.fish share/doc/tensorop/copyright share/doc/tensorop/ops/gather.md share/doc/tensorop/ops/gather.svg \
  share/doc/tensorop/examples/gathernd.c share/doc/tensorop/report.schema.json; do
  check "$file is in the package" test -f "$work/deb/usr/$file"
done
check "all is root's, and readable" only '^(-rwxr-xr-x root/root .* \./usr/bin/tensorop|(-rw-r--r--|drwxr-xr-x) root/root .*)$' \
  "$(dpkg-deb --contents "$deb")"
check "the archive has the same program" cmp "$tree/bin/tensorop" "$work/deb/usr/bin/tensorop"
check "the archive has only the program and its documentation" only \
  '^(bin/tensorop|share/(man/man1/tensorop(-[a-z-]+)?\.1|bash-completion/completions/tensorop|zsh/site-functions/_tensorop|fish/vendor_completions\.d/tensorop\.fish|doc/tensorop/(copyright|README\.md|(ops/)?[a-z-]+\.(md|svg)|examples/[a-z_]+\.(py|c)|report\.schema\.json)))$' \
  "$(cd "$tree" && find . ! -type d -printf '%P\n')"
links=$(grep -oE '\]\([a-z/-]+\.(md|svg)' "$doc/README.md" | cut -c 3-)
check "README.md links to what is beside it" env -C "$doc" ls $links
check "the archive has the same notices" cmp "$tree/share/doc/tensorop/copyright" "$doc/copyright"
if grep -q 'CPACK_TENSOROP_STATIC "ON"' "$build/CPackConfig.cmake"; then
  check "glibc's own are among them" grep -q "Carnegie Mellon University" "$doc/copyright"
  check "without glibc's there is no package" fails_without_notices
fi
if grep -q 'set(CPACK_TENSOROP_MPI ' "$build/CPackConfig.cmake"; then
  mpi=$(echo "$work"/one/tensorop-mpi_*.deb)
  check "tensorop-mpi has a package of its own" shows "libopenmpi" dpkg-deb --field "$mpi" Depends
  check "with its files only" equal "$(dpkg-deb --contents "$mpi" | awk '!/^d/ { print $6 }' | LC_ALL=C sort)" "./usr/bin/tensorop-mpi
./usr/share/doc/tensorop-mpi/changelog.gz
./usr/share/doc/tensorop-mpi/copyright
./usr/share/lintian/overrides/tensorop-mpi
./usr/share/man/man1/tensorop-mpi.1.gz"
fi
check "the archive has one folder" equal "$(ls "$work/tar")" "${tree##*/}"

if [[ $mode == quick ]]; then
  exit
fi

# ---- all artefacts

# Another folder, without what a compiler cache knows: the same bytes.
make_elsewhere() {
  local copy=$work/another-folder
  mkdir "$copy"
  git -C "$source" ls-files -z | tar -C "$source" --null --files-from=- -c | tar -x -C "$copy"
  env -u CMAKE_CXX_COMPILER_LAUNCHER CCACHE_DISABLE=1 "$copy/apps/packaging/artefacts.sh" >"$work/log" 2>&1 || { tail "$work/log"; return 1; }
  diff "$artefacts/SHA256SUMS" "$copy/build/artefacts/SHA256SUMS"
}

# what_is_inside LIST: the names and versions of an SPDX list, tensorop first.
what_is_inside() {
  python3 -c '
import json, sys
document = json.load(open(sys.argv[1]))
packages = {package["SPDXID"]: package for package in document["packages"]}
inside = [line["relatedSpdxElement"] for line in document["relationships"] if line["spdxElementId"] != "SPDXRef-DOCUMENT"]
print(*(packages[name]["name"] + " " + packages[name]["versionInfo"] for name in ["SPDXRef-tensorop"] + inside), sep="\n")
' "$1"
}

wheel_version=${version/\~dev/.dev0}
arm_deb=$artefacts/tensorop_${version}_arm64.deb
arm_tarball=$artefacts/tensorop-$version-linux-aarch64.tar.gz
wheel=tensorop-$wheel_version-py3-none-manylinux_2_17
check "what there is" equal "$(cd "$artefacts" && ls -d -- *.* SHA256SUMS | LC_ALL=C sort)" "$(LC_ALL=C sort <<<"SHA256SUMS
${wheel}_aarch64.whl
${wheel}_x86_64.whl
tensorop-$version-linux-aarch64.spdx.json
tensorop-$version-linux-aarch64.tar.gz
tensorop-$version-linux-x86_64.spdx.json
tensorop-$version-linux-x86_64.tar.gz
tensorop_${version}_amd64.deb
tensorop_${version}_arm64.deb")"
check "SHA256SUMS" env -C "$artefacts" sha256sum --check --strict --quiet SHA256SUMS
check "it has all files" equal "$(wc -l <"$artefacts/SHA256SUMS")" 8
check "these are the packages" cmp "$deb" "$artefacts/${deb##*/}"
check "and the archive" cmp "$tarball" "$artefacts/${tarball##*/}"
for machine in x86_64 aarch64; do
  inside=$(what_is_inside "$artefacts/tensorop-$version-linux-$machine.spdx.json")
  check "SPDX of $machine: tensorop" equal "$(head -n 1 <<<"$inside")" "tensorop $version"
  # The program names the versions of what it was compiled with.
  for library in zlib CLI11 nlohmann/json; do
    check "SPDX of $machine: $library" shows "^$library (1:)?$("$binary" --version | grep -oE "$library [0-9.]+" | cut -d ' ' -f 2)[^0-9]" \
      cat <<<"$inside"
  done
done
check "another folder, the same bytes" make_elsewhere

if command -v lintian >/dev/null; then
  check "lintian" lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$deb" "$arm_deb"
else
  echo "SKIPPED: lintian is not there"
fi

# ---- a fresh Debian

# In a mount namespace of its own: what is mounted goes when the command ends.
# in_root COMMAND...
in_root() {
  unshare --mount sh -c '
    root=$1; shift
    mount --bind /proc "$root/proc" && mount --bind /dev "$root/dev" &&
      exec env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        chroot "$root" "$@"' sh "$root" "$@"
}

fresh_root() {
  local suite=bookworm mirror
  if (( EUID != 0 )); then
    echo "only root can make one"
    return 1
  fi
  if ! command -v debootstrap >/dev/null; then
    echo "debootstrap is not there"
    return 1
  fi
  mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $suite" 'Origin: Debian' 'Identifier: Packages' |
    head -n 1)
  unshare --mount debootstrap --variant=minbase --include=man-db,bash-completion,zsh,fish,python3-pip,python3-venv \
    "$suite" "$root" "${mirror:-http://deb.debian.org/debian}"
}

# What is installed, but for what the package manager and the index of manual pages keep.
list_root() {
  find "$root" -xdev \( -path "$root/var/lib/dpkg" -o -path "$root/var/log" -o -path "$root/var/cache/man" \
    -o -path "$root/tmp" -o -path "$root/root" \) -prune -o -print | LC_ALL=C sort
}

# Each prints what completing the word `gathern` offers.
cat >"$work/bash" <<'END'
source /usr/share/bash-completion/bash_completion
_completion_loader tensorop
COMP_LINE="tensorop gathern"
COMP_POINT=${#COMP_LINE}
function=$(complete -p tensorop | sed 's/.*-F \([^ ]*\).*/\1/')
$function tensorop gathern tensorop
printf '%s\n' "${COMPREPLY[@]}"
END
cat >"$work/zsh" <<'END'
autoload -Uz compinit && compinit -D
[[ $_comps[tensorop] == _tensorop ]] && autoload +X -Uz _tensorop && print gathernd
END
cat >"$work/fish" <<'END'
complete -C "tensorop gathern" | string split -f 1 \t
END

# In a Debian for x86-64, whose programs can run those of arm64 by name of the emulator only.
check_arm64() {
  local emulator=/tmp/qemu-aarch64-static program
  if ! cp "$(command -v qemu-aarch64-static)" "$root$emulator"; then
    echo "SKIPPED: arm64: qemu-aarch64-static is not there"
    return
  fi
  check "the architecture arm64" in_root dpkg --add-architecture arm64
  check "dpkg -i for arm64" in_root dpkg -i "/tmp/${arm_deb##*/}"
  check "the files for arm64 are what the package has" equal "$(in_root dpkg --verify tensorop:arm64)" ""
  mkdir "$root/root/arm64"
  tar -xzf "$arm_tarball" -C "$root/root/arm64" --strip-components=1
  check "pip install for arm64" in_root /root/environment/bin/pip install --no-index --platform manylinux_2_17_aarch64 \
    --only-binary :all: --target /root/arm64/python "/tmp/${wheel}_aarch64.whl"
  for program in /usr/bin/tensorop /root/arm64/bin/tensorop /root/arm64/python/bin/tensorop; do
    check "$program of arm64" shows "AArch64" readelf -h "$root$program"
    check "$program of arm64 runs" shows "^tensorop $version" in_root "$emulator" "$program" --version
    check "$program of arm64 computes" equal "$(in_root "$emulator" "$program" gather '[10,20,30]' '[2,0]' --format nested)" "[30,10]"
  done
  check "the manual page of arm64" shows '^TENSOROP\(1\) ' in_root man -P cat tensorop
  check "the manual pages of both are the same" diff -r "$root/root/arm64/share/man" "$tree/share/man"
  check "dpkg -r for arm64" in_root dpkg -r tensorop
}

check_fresh_root() {
  local before shell
  cp "$deb" "$work"/{bash,zsh,fish} "$root/tmp"
  before=$(list_root)

  check "dpkg -i" in_root dpkg -i "/tmp/${deb##*/}"
  check "the files are what the package has" equal "$(in_root dpkg --verify tensorop)" ""
  check "tensorop --version" shows "^tensorop $version" in_root tensorop --version
  check "tensorop gather" equal "$(in_root tensorop gather '[10,20,30]' '[2,0]' --format nested)" "[30,10]"
  check "man tensorop" shows '^TENSOROP\(1\) ' in_root man -P cat tensorop
  check "man tensorop-gathernd" shows '^TENSOROP-GATHERND\(1\) ' in_root man -P cat tensorop-gathernd
  check "whatis tensorop" shows '^tensorop \(1\) ' in_root whatis tensorop
  for shell in bash zsh fish; do
    check "completion in $shell" equal "$(in_root "$shell" "/tmp/$shell")" gathernd
  done
  check "dpkg -r" in_root dpkg -r tensorop
  check "nothing is left" diff <(cat <<<"$before") <(list_root)
  check "the package is forgotten" equal "$(in_root dpkg-query --show tensorop 2>/dev/null || true)" ""

  tar -xzf "$tarball" -C "$root/usr/local" --strip-components=1
  check "the archive in /usr/local" shows "^tensorop $version" in_root tensorop --version
  check "its manual page" shows '^TENSOROP\(1\) ' in_root man -P cat tensorop

  cp "$artefacts"/*.{deb,whl} "$root/tmp"
  check "an empty environment of Python" in_root python3 -m venv /root/environment
  check "pip install" in_root /root/environment/bin/pip install --no-index "/tmp/${wheel}_x86_64.whl"
  check "the wheel's program" shows "^tensorop $version" in_root /root/environment/bin/tensorop --version
  check "it computes" equal "$(in_root /root/environment/bin/tensorop gather '[10,20,30]' '[2,0]' --format nested)" "[30,10]"
  check "pip check" in_root /root/environment/bin/pip check
  check "pip uninstall" in_root /root/environment/bin/pip uninstall --yes tensorop
  check "it is gone" test ! -e "$root/root/environment/bin/tensorop"

  check_arm64

  mkdir "$root/root/sources"
  git -C "$source" archive HEAD | tar -x -C "$root/root/sources"
  check "apps/quickstart.sh" shows 'result\.npy' in_root /root/sources/apps/quickstart.sh
}

if fresh_root >"$work/log" 2>&1; then
  check_fresh_root
else
  echo "SKIPPED: a fresh Debian: $(tail -n 1 "$work/log")"
fi
