#!/usr/bin/env bash
# The packages of a build folder, in which `tensorop` is built: made twice, they are the same bytes; they hold what they
# are to hold and nothing else; lintian finds no fault; and in a fresh Debian in a folder the Debian package is installed,
# used and removed, and apps/quickstart.sh builds the sources.
#
#     tests/package.sh build/release
#     tests/package.sh build/release quick    without lintian and the fresh Debian
#
# The fresh Debian takes root, debootstrap and a mirror of Debian: without them a line says what was skipped.
# The last line has the counts.
set -euo pipefail
build=$(realpath "${1:?usage: tests/package.sh BUILD_FOLDER [quick]}")
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
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

# make_packages FOLDER [OPTION...]: cpack is what the target `package` runs.
make_packages() {
  local folder=$1
  shift
  (cd "$build" && cpack --config CPackConfig.cmake -B "$folder" "$@") >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
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
TZ=Pacific/Auckland LC_ALL=C.UTF-8 make_packages "$work/two"
(umask 077 && make_packages "$work/three" -G TGZ)
deb=$(echo "$work"/one/*.deb)
tarball=$(echo "$work"/one/*.tar.gz)
check "two packages are the same bytes" cmp "$deb" "$work/two/${deb##*/}"
check "two archives are the same bytes" cmp "$tarball" "$work/two/${tarball##*/}"
check "the list of what cmake --install wrote stays" equal "$(manifest)" "$installed"
check "the umask has no part in it" cmp "$tarball" "$work/three/${tarball##*/}"

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
check "so does the list of changes" equal "$(grep -m 1 -oE '^## [0-9.]+' "$doc/changes.md")" "## $version"
check "only the program and its documentation" only \
  '^usr/(bin/tensorop|share/(man/man1/tensorop(-[a-z-]+)?\.1\.gz|bash-completion/completions/tensorop|zsh/vendor-completions/_tensorop|fish/vendor_completions\.d/tensorop\.fish|doc/tensorop/(copyright|changelog\.gz|(ops/)?[a-z-]+\.(md|svg)|examples/[a-z_]+\.(py|c)|report\.schema\.json)|lintian/overrides/tensorop))$' \
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
  '^(bin/tensorop|share/(man/man1/tensorop(-[a-z-]+)?\.1|bash-completion/completions/tensorop|zsh/site-functions/_tensorop|fish/vendor_completions\.d/tensorop\.fish|doc/tensorop/(copyright|(ops/)?[a-z-]+\.(md|svg)|examples/[a-z_]+\.(py|c)|report\.schema\.json)))$' \
  "$(cd "$tree" && find . ! -type d -printf '%P\n')"
check "the archive has the same notices" cmp "$tree/share/doc/tensorop/copyright" "$doc/copyright"
if grep -q 'CPACK_TENSOROP_STATIC "ON"' "$build/CPackConfig.cmake"; then
  check "glibc's own are among them" grep -q "Carnegie Mellon University" "$doc/copyright"
  check "without glibc's there is no package" fails_without_notices
fi
check "the archive has one folder" equal "$(ls "$work/tar")" "${tree##*/}"

if [[ $mode == quick ]]; then
  exit
fi

if command -v lintian >/dev/null; then
  check "lintian" lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$deb"
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
  unshare --mount debootstrap --variant=minbase --include=man-db,bash-completion,zsh,fish \
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

  mkdir "$root/root/sources"
  git -C "$source" archive HEAD | tar -x -C "$root/root/sources"
  check "apps/quickstart.sh" shows 'result\.npy' in_root /root/sources/apps/quickstart.sh
}

if fresh_root >"$work/log" 2>&1; then
  check_fresh_root
else
  echo "SKIPPED: a fresh Debian: $(tail -n 1 "$work/log")"
fi
