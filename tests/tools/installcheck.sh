#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs into a staging directory, builds and runs a program against it
# through pkg-config, and uninstalls: installcheck.sh BUILD-DIRECTORY
set -eu
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stage=$scratch/stage
: "${CC:=cc}" "${MAKE:=make}" "${PKG_CONFIG:=pkg-config}"

fail()
{
	printf 'installcheck: %s\n' "$1" >&2
	exit 1
}

in_stage()
{
	"$MAKE" --no-print-directory -s "$1" O="$build" DESTDIR="$stage" \
		PREFIX=/usr LIBDIR=/usr/lib > /dev/null
}

# pkg-config omits system paths such as -I/usr/include. Here it must print them,
# because they are inside the stage.
package()
{
	PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
		PKG_CONFIG_PATH=$stage/usr/lib/pkgconfig \
		PKG_CONFIG_SYSROOT_DIR=$stage "$PKG_CONFIG" "$@" selfmon
}

# says_hello WHICH FLAG...: builds and runs examples/hello.c
says_hello()
{
	which=$1
	shift
	# shellcheck disable=SC2046 # pkg-config prints words
	$CC -std=c11 examples/hello.c -o "$scratch/$which" "$@" ||
		fail "$which: does not build"
	LD_LIBRARY_PATH=$stage/usr/lib "$scratch/$which" \
		> "$scratch/$which.out" 2> "$scratch/$which.err" ||
		fail "$which: does not run"
	grep -q '^round' "$scratch/$which.err" || fail "$which: no report"
}

in_stage install
[ "$(package --modversion)" = "$(sed -n \
	's/^#define SELFMON_VERSION "\(.*\)"/\1/p' include/selfmon/version.h)" ] ||
	fail 'selfmon.pc has another version than the headers'

# shellcheck disable=SC2046
says_hello dynamic $(package --cflags --libs)
readelf -d "$scratch/dynamic" | grep -q 'NEEDED.*\[libselfmon\.so\.[0-9.]*\]' ||
	fail 'the program does not ask for the soname'

if command -v "${CXX:=c++}" > /dev/null; then
	# shellcheck disable=SC2046
	$CXX -std=c++17 examples/embed.cc -o "$scratch/embed" \
		$(package --cflags --libs) || fail 'C++: does not build'
	LD_LIBRARY_PATH=$stage/usr/lib "$scratch/embed" 2>&1 |
		grep -q '^log: ' || fail 'C++: does not run'
else
	printf 'installcheck: skipped C++: no %s\n' "$CXX"
fi

# Links only libselfmon from its archive; then links everything statically.
# shellcheck disable=SC2046
says_hello archive $(package --cflags) "$stage/usr/lib/libselfmon.a" \
	$(PKG_CONFIG_SYSROOT_DIR='' package --static --libs |
		tr ' ' '\n' | grep -v -e '-lselfmon' -e '-L')
readelf -d "$scratch/archive" | grep -q libselfmon &&
	fail 'the static program asks for the shared library'
# shellcheck disable=SC2046
says_hello static -static $(package --static --cflags --libs)

library=$stage/usr/lib/libselfmon.so
# The dynamic loader appears if libc's thread-local storage is used.
needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
	grep -v -e '^libc\.so\.[0-9]*$' -e '^ld-linux' || true)
[ -z "$needed" ] || fail "the library needs more than libc: $needed"
more=$(package --static --libs | tr ' ' '\n' |
	grep -v -e '^-L' -e '^-lselfmon$' -e '^-pthread$' -e '^$' || true)
[ -z "$more" ] || fail "selfmon.pc wants more than libc: $more"
strangers=$(nm -D --defined-only "$library" | awk '{ print $3 }' |
	sed 's/@.*//' | grep -v -e '^selfmon_' -e '^SELFMON_[0-9.]*$' || true)
[ -z "$strangers" ] || fail "exported, and not selfmon_*: $strangers"
nm --defined-only -g "$stage/usr/lib/libselfmon.a" 2> /dev/null |
	awk 'NF == 3 { print $3 }' | grep -v '^selfmon_' > "$scratch/strangers" &&
	fail "global in the archive: $(cat "$scratch/strangers")"

# Before 1.0 the soname includes the minor version.
series=$(sed -n 's/^#define SELFMON_VERSION "\(0\.[0-9]*\|[1-9][0-9]*\)\..*/\1/p' \
	include/selfmon/version.h)
readelf -d "$library" | grep -qF "[libselfmon.so.$series]" ||
	fail "the soname is not libselfmon.so.$series"

in_stage uninstall
left=$(find "$stage" ! -type d)
[ -z "$left" ] || fail "left behind: $left"
left=$(find "$stage" -path '*selfmon*')
[ -z "$left" ] || fail "left behind: $left"
printf 'installcheck: installed, linked in each way, run, removed\n'
