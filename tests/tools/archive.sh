#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests an archive of the library's objects, as CMake, Meson or Bazel make it: a
# program that only has regions must print its report at exit.
# Usage: CC=... LIBRARIES=... archive.sh OBJECT...
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cat > "$scratch/program.c" << 'EOF'
#include <selfmon.h>

int main(void)
{
	SELFMON_REGION("work") {
	}
	return 0;
}
EOF
"${AR:-ar}" qcs "$scratch/libobjects.a" "$@"

# report_of LINKER-OPTION...: links and runs the program, and checks that its
# report has the region
report_of()
{
	# shellcheck disable=SC2086 # several words
	${CC:-cc} ${CFLAGS:-} -Iinclude "$scratch/program.c" "$@" \
		"$scratch/libobjects.a" ${LIBRARIES:-} -pthread \
		-o "$scratch/program"
	SELFMON_EVENTS=none SELFMON_OUTPUT=csv:- "$scratch/program" \
		2> "$scratch/report"
	grep -q '"work"' "$scratch/report" || {
		echo "archive: no report, linked with: $*" >&2
		cat "$scratch/report" >&2
		exit 1
	}
}

report_of -O2
report_of -O2 -ffunction-sections -Wl,--gc-sections
report_of -O0
echo 'archive: the report at exit is linked with the regions'
