#!/bin/sh
# SPDX-License-Identifier: MIT
# packaging.sh BUILD-DIRECTORY VERSION
# Makes the tarball twice, and checks that both are equal. Builds Debian packages
# from it, and checks them with lintian. Then builds and runs programs outside of
# the tree with the unpacked packages.
set -eu
build=$1
version=$2
: "${CC:=cc}" "${CXX:=c++}" "${MAKE:=make}" "${PKG_CONFIG:=pkg-config}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root

fail()
{
	printf 'packaging: %s\n' "$1" >&2
	exit 1
}

for tool in dpkg-buildpackage dh lintian git; do
	command -v "$tool" > /dev/null ||
		fail "no $tool (./setup check-integrations installs it)"
done

# ---- the tarball -----------------------------------------------------------

dist()
{
	"$MAKE" --no-print-directory -s dist O="$build" > "$scratch/dist.log" ||
		fail "no tarball: $(cat "$scratch/dist.log")"
	grep 'not committed' "$scratch/dist.log" >&2 || true
	cat "$build/SHA256SUMS"
}

tarball=$build/libselfmon-$version.tar.gz
sums=$(dist)
touch CHANGELOG.md # the tarball must not depend on this time
[ "$sums" = "$(dist)" ] || fail 'another tarball each time'
tar xzf "$tarball" -C "$scratch"
source=$scratch/libselfmon-$version
[ -f "$source/Makefile" ] || fail 'the tarball has another folder'
grep -q "^## \[$version\]" "$source/CHANGELOG.md" ||
	fail "CHANGELOG.md does not have $version"
case $(sed -n '1s/.*(\(.*\)).*/\1/p' "$source/debian/changelog") in
"$version"-*) ;;
*) fail "debian/changelog is not about $version" ;;
esac

# ---- the packages ----------------------------------------------------------

(
	cd "$source"
	unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES MFLAGS CFLAGS CXXFLAGS LDFLAGS
	DEB_BUILD_OPTIONS='nocheck noautodbgsym parallel=2' \
		DEB_BUILD_PROFILES=nocheck dpkg-buildpackage -us -uc -b
) > "$scratch/build.log" 2>&1 || {
	tail -n 40 "$scratch/build.log" >&2
	fail 'dpkg-buildpackage'
}

depends()
{
	dpkg-deb -f "$scratch/$1_$version"-*.deb Depends
}

mkdir "$root"
for package in libselfmon0.2 libselfmon-dev selfmon-tools; do
	set -- "$scratch/${package}_$version"-*.deb
	[ -f "$1" ] || fail "no package $package"
	dpkg-deb -x "$1" "$root"
done
depends libselfmon-dev | grep -q "libselfmon0.2 (= $version-" ||
	fail 'dev goes with any library'
case $(depends libselfmon0.2) in
*,*) fail "libselfmon0.2 depends on more than libc: $(depends libselfmon0.2)" ;;
esac
depends libselfmon-dev | grep libcpuid && fail 'dev depends on libcpuid'
case $(dpkg-architecture -qDEB_HOST_ARCH) in
amd64 | i386 | x32)
	depends selfmon-tools | grep -q libcpuid ||
		fail 'selfmon-tools has no libcpuid' ;;
esac
lintian --allow-root --fail-on error "$scratch"/*.changes > \
	"$scratch/lintian" 2>&1 || {
	cat "$scratch/lintian" >&2
	fail 'lintian'
}

# ---- a program against them ------------------------------------------------

libraries=$root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
cp "$source/examples/hello.c" "$source/examples/embed.cc" "$scratch"
rm -rf "$source"
cd "$scratch"

# Runs pkg-config with this package alone in the search path, since a program
# must need no other.
package()
{
	PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
		PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$libraries/pkgconfig \
		PKG_CONFIG_SYSROOT_DIR=$root "$PKG_CONFIG" "$@" selfmon
}

# reports SOURCE COMPILER...: builds and runs SOURCE; its output is in ./out
reports()
{
	from=$1
	shift
	# shellcheck disable=SC2046 # pkg-config prints words
	"$@" "$from" -o program $(package --cflags --libs) ||
		fail "$from does not build"
	LD_LIBRARY_PATH=$libraries ./program > out 2>&1 ||
		fail "$from does not run"
}

[ "$(package --modversion)" = "$version" ] || fail 'selfmon.pc: version'
reports hello.c "$CC" -std=c11
grep -q '^round  *100 ' out || fail 'hello.c has no report'
LD_LIBRARY_PATH=$libraries ldd ./program |
	grep -q "libselfmon\.so\.[0-9.]* => $libraries" ||
	fail 'the program has another library'
reports embed.cc "$CXX" -std=c++17
grep -q '^log: ' out || fail 'embed.cc has no report'
"$root/usr/bin/selfmon" list task-clock | grep -q task-clock ||
	fail 'the program selfmon does not run'
for page in man1/selfmon.1 man3/selfmon_region.3 man7/selfmon.7 \
	man7/selfmon-events.7; do
	[ -f "$root/usr/share/man/$page.gz" ] || fail "no $page"
done
grep '^[EW]:' lintian || true
printf 'packaging: %s, 3 packages, lintian: %s errors, %s warnings\n' \
	"${tarball##*/}" "$(grep -c '^E:' lintian || true)" \
	"$(grep -c '^W:' lintian || true)"
