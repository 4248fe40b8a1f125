#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests regions in code that is unloaded. The library is linked into this code,
# or into the program. Plugins are unloaded, rebuilt and loaded again, and a
# process has two copies of the library.
#
# Usage: unload.sh BUILD-DIRECTORY; TEST_FORM=long for the long form
set -eu
build=$1
here=$build/tests/programs/unload
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export SELFMON_OUTPUT=csv:/dev/stderr
times=50
[ "${TEST_FORM:-}" != long ] || times=1000

fail()
{
	printf 'unload: %s\n' "$*" >&2
	sed 's/^/    /' "$scratch/err" >&2
	exit 1
}

# run WHAT COMMAND...: checks that it succeeds, and keeps its standard error
run()
{
	what=$1
	shift
	timeout 300 "$@" > "$scratch/out" 2> "$scratch/err" ||
		fail "$what: exit status $?"
}

# tables N: fails unless N reports were written
tables()
{
	n=$(grep -c '^path,name,' "$scratch/err" || true)
	[ "$n" = "$1" ] || fail "$what: $n reports, not $1"
}

# row TABLE NAME VISITS [ROWS]: checks the sum of visits over all rows of NAME
# in report TABLE. Each row must have another path. If VISITS is "", there must
# be no such row.
row()
{
	got=$(awk -F, -v table="$1" -v name="\"$2\"" '
		/^path,name,/ { n++ }
		n == table && $2 == name {
			visits += $8; rows++; twice += seen[$1]++ > 0 }
		END { if (rows) print visits, rows, twice + 0 }' "$scratch/err")
	rows=${got#* }
	rows=${rows% *}
	[ "$got" = "${3:+$3 ${4:-$rows} 0}" ] || fail "$what: '$2' in report $1 has" \
		"'$got' visits, rows and paths twice, not '$3' ${4:+in $4}"
}

# ---- plugins unloaded ------------------------------------------------------

run 'a thread outlives the plugin it visited, no signal leads there' \
	env SELFMON_OUTPUT=none SELFMON_EVENTS=page-faults SELFMON_GUARD=1 \
	"$here/host" "$here/static.so"
cat "$scratch/out"

run 'the thread that unloads a plugin is cancelled' env \
	SELFMON_EVENTS=page-faults "$here/cancel" "$here/static.so"
for events in page-faults,task-clock none; do
	for how in copies alone; do
		run "$how of the library unloaded $times times ($events)" \
			env SELFMON_OUTPUT=none SELFMON_EVENTS=$events \
			"$here/bare" $how "$times" "$here/static.so"
		case $how$events in
		copiespage*) left=$((2 * times)) ;;
		*) left=0 ;;
		esac
		grep -q "^$left events stand still" "$scratch/out" ||
			fail "$what: not $left: $(cat "$scratch/out")"
	done
done
run "counter sets without regions unloaded $times times" \
	env SELFMON_OUTPUT=none "$here/bare" alone "$times" "$here/sets.so"
run 'the library unloaded, 30 reports' env SELFMON_OUTPUT=csv:/dev/null \
	"$here/bare" copies 30 "$here/static.so"
run 'the library unloaded, a report each time' \
	"$here/bare" copies 3 "$here/static.so"
tables 3
for table in 1 2 3; do
	row $table 'in plugin' 2
	row $table 'made in plugin' 2
	row $table 'plugin is loaded' 1
	row $table 'too late' ''
	row $table 'unloading' 1
done

run "regions of a module made anew, $times times" env \
	SELFMON_EVENTS=page-faults "$here/shared-host" reload "$times" \
	"$here/shared-1.so" "$here/shared-2.so"
tables 1
# The region has two paths: one thread visits it inside of another region, and
# another thread outside of any.
row 1 'in plugin' $((2 * times)) 2
row 1 'plugin is loaded' $((3 * times)) 2
row 1 'made in plugin' $((2 * times)) 2
row 1 'unloading' "$times" 1

run "the shared library stays, its plugins made anew $times times" \
	"$here/bare" reload "$times" "$here/shared-1.so" "$here/shared-2.so"
tables 1
row 1 'in plugin' $((2 * times)) 2

# ---- the program ends ------------------------------------------------------

for how in ends-static ends-shared "ends $here/busy-static.so"; do
	for i in 1 2 3 4 5; do
		run "threads in regions when the program ends, $how, run $i" \
			env SELFMON_EVENTS=page-faults SELFMON_GUARD=$((i % 2)) \
			"$here/"$how
		tables 1
		row 1 'library is loaded' 1
	done
done

# ---- two copies ------------------------------------------------------------

for host in shared-host static-host; do
	for flags in - g d gd gk; do
		run "a static copy in a plugin of $host, dlopen $flags" \
			"$here/$host" once $flags "$here/static.so"
		tables 2
		first=1 second=2 # the reports of plugin and host
		case $host$flags in *k) # unloaded at exit, in any order
			if sed -n 2p "$scratch/err" | grep -q 'in host'; then
				first=2 second=1
			fi ;;
		esac
		row $first 'in plugin' 2
		row $first 'in host' ''
		row $second 'in host' 3
		row $second 'in plugin' ''
	done
done
for flags in - g d gd gk; do
	run "the shared library in both, dlopen $flags" \
		"$here/shared-host" once $flags "$here/shared-1.so"
	tables 1
	row 1 'in plugin' 2
	row 1 'in host' 3
	run "the shared library in a plugin alone, dlopen $flags" \
		"$here/bare" once $flags "$here/shared-1.so"
	tables 1
	row 1 'in plugin' 2
done

run 'two copies that write one file' \
	env SELFMON_OUTPUT="csv:$scratch/one" "$here/static-host" once - \
	"$here/static.so"
[ ! -s "$scratch/err" ] || fail "$what: it said something"
cp "$scratch/one" "$scratch/err"
tables 1
row 1 'in host' 3
row 1 'in plugin' ''

# ---- plugins unloaded while their threads are sampled ----------------------

for sampled in task-clock@1ms task-clock@1ms,drain=border; do
	run "a thread outlives the sampled plugin ($sampled)" env \
		SELFMON_SAMPLE="$sampled" SELFMON_OUTPUT=none SELFMON_GUARD=1 \
		SELFMON_EVENTS=page-faults,@offcpu \
		"$here/host" "$here/static.so"
	run "sampled copies of the library unloaded ($sampled)" env \
		SELFMON_SAMPLE="$sampled" SELFMON_EVENTS=@offcpu \
		"$here/bare" copies 20 "$here/static.so"
	tables 20
	row 20 'in plugin' 2
	run "sampled plugins of the shared library unloaded ($sampled)" env \
		SELFMON_SAMPLE="$sampled" SELFMON_EVENTS=@offcpu \
		"$here/shared-host" reload 20 "$here/shared-1.so"
	tables 1
	row 1 'in plugin' 40
done

# ---- LD_PRELOAD ------------------------------------------------------------

preload=$PWD/$build/libselfmon.so
case $build in /*) preload=$build/libselfmon.so ;; esac
run 'preloaded into a program without regions' env LD_PRELOAD="$preload" \
	/bin/ls /
[ ! -s "$scratch/err" ] || fail "$what: it said something"
run 'preloaded into a static host' env LD_PRELOAD="$preload" \
	"$here/static-host" once - "$here/static.so"
tables 2
row 1 'in plugin' 2
row 2 'in host' 3
run 'preloaded into the host of a static plugin' env LD_PRELOAD="$preload" \
	"$here/bare" once - "$here/static.so"
tables 1
row 1 'in plugin' 2
run 'preloaded into a host with the shared library' env \
	LD_PRELOAD="$preload" "$here/shared-host" once - "$here/shared-1.so"
tables 1
row 1 'in host' 3
row 1 'in plugin' 2

# ---- static TLS used up ----------------------------------------------------

fillers=
for size in 512 64 8; do
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		cp "$here/filler-$size.so" "$scratch/$size-$i.so"
		fillers="$fillers $scratch/$size-$i.so"
	done
done
# shellcheck disable=SC2086 # several names
run 'a static copy, static TLS used up' "$here/bare" full "$here/static.so" \
	$fillers
tables 1
row 1 'in plugin' 2
# shellcheck disable=SC2086
if timeout 60 "$here/bare" full "$here/shared-1.so" $fillers \
	2> "$scratch/err"; then
	fail 'the shared library loaded without static TLS: is it used up?'
fi
grep -q 'static TLS' "$scratch/err" || fail 'dlopen did not say why'
what='the shared library in a program whose plugins use up static TLS'
# shellcheck disable=SC2086
run "$what" "$here/shared-host" full "$here/shared-1.so" $fillers
tables 1
row 1 'in plugin' 2

# ---- guarded reads in plugins ----------------------------------------------

if [ "$(uname -m)" = x86_64 ]; then
	run 'reads that fault in modules, COMDAT and under LTO, loaded again' \
		"$here/faults" "$here"/guarded-*.so
	for library in static shared; do
		grep -q "O0-$library.so: selfmon_counters_begin" \
			"$scratch/out" || fail "$what: not in a COMDAT function"
	done
	guarded=', guarded reads in modules'
else
	echo 'unload: SKIPPED guarded reads: no counter faults natively here'
fi

# ---- symbol versions -------------------------------------------------------

bare=$(nm -D --defined-only "$preload" | awk '{ print $3 }' |
	grep -v '@@SELFMON_\|^SELFMON_' || true)
[ -z "$bare" ] || fail "exported without a version:" $bare
what='a program for a version yet to come'
if timeout 60 "$here/newer" > "$scratch/out" 2> "$scratch/err"; then
	fail "$what: it runs"
fi
[ ! -s "$scratch/out" ] || fail "$what: it was started"
grep -q 'libselfmon.*SELFMON_99\.0.* not found' "$scratch/err" ||
	fail "$what: the loader did not say so"

echo "unload: $times times; two copies, preloaded, static TLS used up${guarded-}"
