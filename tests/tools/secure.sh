#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that a setuid program reads no variable of the library and writes no
# file, because it has privileges that its caller does not have. Usage:
# secure.sh PROGRAM LIBRARY
set -eu
program=$1 library=$2

fail()
{
	echo "check-secure: $*" >&2
	exit 1
}

# The library may use only secure_getenv(3), and its one function that creates
# files.
calls=$(nm -u "$library" | awk '{ print $2 }' | sed 's/@.*//' |
	grep -xE 'getenv|fopen(64)?|freopen(64)?|open(64)?|openat(64)?|creat(64)?|mkstemp|popen|system' || true)
[ -z "$calls" ] || fail "the library calls" $calls

[ "$(id -u)" = 0 ] || {
	echo "secure: SKIPPED, needs root to make a program owned by nobody"
	exit 0
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 777 "$dir"

# run PROGRAM OUTPUT VARIABLE: code sets the output to OUTPUT, and the
# environment sets it to VARIABLE
run()
{
	rm -rf "$dir/out"
	mkdir -m 777 "$dir/out"
	status=0
	SELFMON_OUTPUT=$3 SELFMON_EVENTS=nonsense "$1" ${2:+"$2"} 2> "$dir/err" ||
		status=$?
}

files()
{
	find "$dir/out" -type f | wc -l
}

# The same program without the setuid bit writes a file, so the test can detect
# a write.
install -m 755 "$program" "$dir/plain"
run "$dir/plain" "" "json:$dir/out/by-env"
[ "$status" = 3 ] && [ "$(files)" = 1 ] || fail "a plain program wrote nothing"
if command -v python3 > /dev/null; then
	status=0
	python3 "${0%/*}/schema.py" "$dir"/out/* > "$dir/said" 2>&1 ||
		status=$?
	[ "$status" = 0 ] || [ "$status" = 77 ] || fail "$(cat "$dir/said")"
fi

install -o nobody -m 4755 "$program" "$dir/setuid"
run "$dir/setuid" "" "json:$dir/out/by-env"
if [ "$status" = 3 ]; then
	echo "secure: SKIPPED, $dir is mounted nosuid"
	exit 0
fi
[ "$status" = 0 ] || fail "a setuid program ended with $status"
[ "$(files)" = 0 ] || fail "the environment made a setuid program write a file"
grep -q 'SELFMON_ variables are ignored' "$dir/err" ||
	fail "no message that variables are ignored"
grep -q nonsense "$dir/err" && fail "a variable was read"

run "$dir/setuid" "json:$dir/out/by-code" ""
[ "$status" = 0 ] || fail "a setuid program ended with $status"
[ "$(files)" = 0 ] || fail "a setuid program wrote a file"
grep -q "by-code': the program has more privileges than its caller" \
	"$dir/err" || fail "no message why there is no file"
grep -q visited "$dir/err" || fail "the report is lost"
# The same test for a live file, set by the environment and by the program's
# code.
rm -rf "$dir/out"
mkdir -m 777 "$dir/out"
SELFMON_LIVE=$dir/out/plain "$dir/plain" 2> /dev/null || :
[ "$(files)" = 1 ] || fail "a plain program made no live file"
rm -rf "$dir/out"
mkdir -m 777 "$dir/out"
SELFMON_LIVE=$dir/out/by-env "$dir/setuid" text:- "$dir/out/by-code" \
	2> "$dir/err"
[ "$(files)" = 0 ] || fail "a setuid program made a live file"
tr -s ' \n' '  ' < "$dir/err" | grep -q "by-code: cannot be written: the program has more privileges than its caller" ||
	fail "no message why there is no live file"

echo 'secure: a setuid program reads no variable and writes no file'
