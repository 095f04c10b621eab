#!/usr/bin/env bash
# release_test.sh SOURCE: scripts/release refuses what is no release, and otherwise makes equal files twice. It runs in a small
# repository, in which the scripts that build something are replaced.
set -euo pipefail

source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
command -v git > /dev/null || {
  echo "skipped: git is not installed"
  exit 77
}

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

# refused TEXT OPTION...: scripts/release must exit with 2 and print the text, before it takes a step.
refused() {
  local text=$1 said code=0
  shift
  said=$(scripts/release "$@" 2>&1) || code=$?
  if ((code != 2)) || ! grep -qF -e "$text" <<< "$said" || grep -q '^==' <<< "$said"; then
    fail "'release $*' exits with $code and does not refuse with '$text': $said"
  fi
  echo "ok: refused, $text"
}

# write PATH: makes an executable file of the standard input.
write() {
  mkdir -p "$(dirname "$1")"
  cat > "$1"
  chmod +x "$1"
}

repository=$work/repository
mkdir -p "$repository/scripts"
cd "$repository"
git init --quiet
cp "$source/scripts/release" scripts/
printf '/build/\n/dist/\n' > .gitignore
write runtime/include/tilewright/tilewright.h << 'END'
#define TW_VERSION_MAJOR 0
#define TW_VERSION_MINOR 1
#define TW_VERSION_PATCH 0
END
write scripts/portable << 'END'
#!/bin/bash
mkdir -p build/portable
for arch; do echo "$arch" > "build/portable/tilewright-0.1.0-linux-$arch.tar.xz"; done
touch build/portable/tilewright-0.1.0-py3-none-manylinux_2_27_{x86_64,aarch64,armv7l}.whl
END
write scripts/debs << 'END'
#!/bin/bash
mkdir -p build/debs
for arch; do touch "build/debs/tilewright_0.1.0_$arch.deb"; done
touch build/debs/libtilewright0.1_0.1.0_amd64.deb build/debs/tilewright-profiles-datacenter_0.1.0_all.deb build/debs/tilewright_0.0.9_amd64.deb
END
write scripts/sbom << 'END'
#!/bin/bash
echo "${*:2}" > "$1"
END
write scripts/abi <<< '#!/bin/bash'
changelog() {
  printf '# Changelog\n\n## %s\n\n- It works ([how](docs/calling.md)).\n\n## 0.0.9 (2020-01-01)\n\n- Older.\n' "$1" > CHANGELOG.md
  git add --all && git commit --quiet --message "$1"
}

echo "# Changelog" > CHANGELOG.md
git add --all && git commit --quiet --message "no heading"
refused "no heading" --draft
changelog "0.2.0 (2026-12-01)"
refused "tilewright.h has version 0.1.0" --draft
changelog "0.1.0 (unreleased)"
refused "no date for version 0.1.0"
changelog "0.1.0 (2026-12-01)"
echo change >> CHANGELOG.md
refused "not clean"
refused "not committed" --draft
git checkout --quiet CHANGELOG.md
touch extra
refused "extra"
rm extra
mkdir build && touch build/file
refused "build/"
rm -r build
git tag v0.1.0 HEAD~1
refused "the tag v0.1.0 is at commit"
git tag --force v0.1.0 > /dev/null
echo "check: FAIL (test)" > "$work/check.log"
refused "check.log" --check "$work/check.log"
echo "check: PASS (in 12 s)" > "$work/check.log"
refused "not of scripts/check --full" --check "$work/check.log"

printf 'arm: passed, 12 s\ncheck: PASS (in 12 s)\n' > "$work/check.log"
scripts/release --check "$work/check.log" amd64 arm64
(cd dist && sha256sum --quiet --check SHA256SUMS)
[[ $(xz -dc dist/tilewright-0.1.0.tar.xz | tar -t | grep -c '^tilewright-0.1.0/scripts/release$') == 1 ]] || fail "the source archive lacks a file"
# shellcheck disable=SC2016  # the notes have `code`
for text in '- It works (how (`docs/calling.md`)).' '| `tilewright_0.1.0_arm64.deb` | 0 |' '| arm | passed, 12 s |'; do
  grep -qF -e "$text" dist/release-notes.md || fail "the notes lack '$text': $(cat dist/release-notes.md)"
done
! grep -q -e Older -e _armhf -e draft dist/release-notes.md || fail "the notes have too much: $(cat dist/release-notes.md)"
[[ $(cd dist && echo *) == "SHA256SUMS libtilewright0.1_0.1.0_amd64.deb release-notes.md tilewright-0.1.0-linux-amd64.tar.xz tilewright-0.1.0-linux-arm64.tar.xz \
tilewright-0.1.0-py3-none-manylinux_2_27_aarch64.whl tilewright-0.1.0-py3-none-manylinux_2_27_x86_64.whl \
tilewright-0.1.0.cdx.json tilewright-0.1.0.tar.xz tilewright-profiles-datacenter_0.1.0_all.deb \
tilewright_0.1.0_amd64.deb tilewright_0.1.0_arm64.deb" ]] || fail "other files: $(cd dist && echo *)"
refused "dist exists" --draft

git clone --quiet . "$work/broken"
cd "$work/broken"
sed -i s/tilewright-profiles-datacenter_0.1.0/other/ scripts/debs
git commit --quiet --all --message "without a package"
git tag --force v0.1.0 > /dev/null
! said=$(scripts/release amd64 2>&1) || fail "a missing package is not noticed: $said"
[[ ${said##*$'\n'} == "release: FAIL (collect)" ]] || fail "a missing package fails elsewhere: $said"

git clone --quiet "$repository" "$work/clone"
cd "$work/clone"
scripts/release --check "$work/check.log" amd64 arm64 > /dev/null
diff -r dist "$repository/dist" || fail "a second run makes other files"
