#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs each example as a test: examples.sh MEASURED-DIRECTORY OFF-DIRECTORY
#
# The measured build must exit with status 0, print the expected words, and
# report the expected regions. The build with SELFMON_DISABLE must print the
# same, without a report.
set -u
measured=$1
off=$2
failures=0
unset SELFMON_EVENTS SELFMON_OUTPUT SELFMON_ENABLE SELFMON_FENCE \
	SELFMON_EVERY SELFMON_STRICT SELFMON_GUARD

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail()
{
	printf '%s: %s\n' "$name" "$1" >&2
	failures=$((failures + 1))
}

# run DIRECTORY KIND: writes the output to KIND.out and the report to KIND.err
run()
{
	if [ -n "$input" ]; then
		"$1/$name" "$option" "$input"
	else
		"$1/$name"
	fi > "$scratch/$2.out" 2> "$scratch/$2.err" < /dev/null ||
		fail "exit status $? ($2)"
}

# has FILE PATTERN...: checks that each PATTERN matches a line of FILE
has()
{
	file=$scratch/$1
	shift
	for word; do
		grep -q -e "$word" "$file" || fail "no '$word' in ${file##*/}"
	done
}

# run_both NAME [OPTION FILE]: runs both builds, and checks what all examples
# have in common. Measured values vary between runs. If an example prints some,
# only the first column of its output is compared.
run_both()
{
	name=$1
	option=${2:-}
	input=${3:-}
	run "$measured" measured
	run "$off" off
	for kind in measured off; do
		sed 's/^\([a-z-]\{2,\}\)  *[0-9].*/\1/' \
			"$scratch/$kind.out" > "$scratch/$kind.same"
	done
	cmp -s "$scratch/measured.same" "$scratch/off.same" ||
		fail 'compiled off, it prints something else'
	[ ! -s "$scratch/off.err" ] || fail 'compiled off, it still reports'
}

run_both hello
has measured.err '^round  *100 ' '^  add  *100 ' '^  print  *100 '

printf 'The cat and the dog.\nThe end' > "$scratch/some words.txt"
run_both textstats -l "$scratch/some words.txt"
has measured.out '^2 lines, 7 words, 5 of them distinct$' '^ *3  the$'
has measured.err '^textstats  *1 ' '^  read  *1 ' '^  split  *1 ' \
	'^    line  *2 ' '^  hash  *1 ' '^  count  *1 ' '^  sort  *1 ' \
	'^  print  *1 '

# The words of each line are counted: none, 5 and 2.
printf '\nThe cat and the dog.\nThe end' > "$scratch/some words.txt"
run_both textstats -w "$scratch/some words.txt"
has measured.out '^3 lines, 7 words, 5 of them distinct$'
has measured.err '^    line  *3 ' '^Units counted by visits' \
	'^    line  *words  *2  *7  *3\.50 .* 2  *5$' \
	'^  split  *bytes  *1  *29$' '^  hash  *items  *1  *7$'

run_both branches
has measured.out '^shuffled: [0-9]' '^sorted:   [0-9]'
has measured.err '^shuffled  *100 ' '^sorted  *100 ' '^sort  *1 ' \
	'branch-misses'

run_both threads
has measured.out '^worker 0: longest chain 324, 5133 primes$' '^worker 3: '
has measured.err '^worker 0  *1 ' '^worker 3  *1 ' '^  work  *1 ' \
	'^    primes  *1 ' '4 threads'

# Checks the words and steps of the jobs. examples/fibers/check.py checks the
# rest.
run_both fibers/ucontext
has measured.out '^parse: 50 jobs, 36940 words$' \
	'^render: 50 jobs, [0-9]* steps$'
has measured.err '^parse  *50 ' '^  block  *200 ' '^    read  *200 ' \
	'^render  *50 ' '^  tile  *50 ' '^worker  *4 ' \
	'^  block  *words  *200  *36940 ' '^Suspended while others ran' \
	'^worker  *450 '

# Without the library the harness cannot measure, and must say so.
name=harness
input=
run "$measured" measured
"$off/harness" > "$scratch/off.out" 2>&1 &&
	fail 'compiled off, it measures'
has off.out '^not counted: compiled with SELFMON_DISABLE'
has measured.out '^per iteration  *median  *minimum$' '^ns  *[0-9]' \
	' batches$'
[ ! -s "$scratch/measured.err" ] || fail 'it reports regions that it has not'

run_both embed
has measured.out '^1,2,3: 6$' '^10,x,30: not a number: x$'
has measured.err '^log: list 1: 1 visits, 0 open$' \
	'^log:   sum: 1 visits, 0 open$' '^log:     parse_number: 2 visits, 0 open$'
grep -q '^selfmon' "$scratch/measured.err" && fail 'it reports at exit'

# Measures only time, because there may be no counters. A benchmark has no build
# with SELFMON_DISABLE.
name=sums
input=
run "$measured" measured
has measured.out '^forwards  *real-time, ns  *[0-9]' \
	'^ *cpu-time, ns  *[0-9]' '^scattered  *real-time, ns  *[0-9]' \
	'^ *instructions ' '^relative to  *forwards ' \
	'^scattered  *cpu-time  *[0-9.]*  *[0-9.]* to [0-9.]*$'
grep -q 'exact' "$scratch/measured.out" && fail 'it prints a usual verdict'

# A run has 101 slots, so a slot of 101 or more shows that the second run, in a
# new process, was measured.
"$measured/sums" --runs=2 --rounds=5 --filter=scat --events= \
	--json="$scratch/sums.json" > "$scratch/filtered.out" 2>&1 ||
	fail "exit status $?"
has sums.json '"scattered", .*"slot": 10[1-5], .*"cpu_time": [0-9]' \
	'"scattered_median"'
grep -q -e '": -[0-9]' "$scratch/sums.json" && fail 'a sample below 0'
grep -q 'forwards' "$scratch/filtered.out" && fail 'the filter leaves forwards'
"$measured/sums" --help > "$scratch/help.out" || fail "--help: exit status $?"
has help.out '--filter=TEXT' '--gate=PERCENT' 'Exit status: 0 .* 1 '
# The gate is 10,000 %, so the result passes.
"$measured/sums" --runs=1 --filter=scat --events= \
	--baseline="$scratch/sums.json" --gate=10000 \
	> "$scratch/gate.out" 2> "$scratch/gate.err" || fail "gate: exit status $?"
has gate.err '^scattered: cpu-time .* -> .* ns (.*limit 10000 %): pass$'

[ "$failures" -eq 0 ] || exit 1
printf 'examples: 8 run, measured, 7 compiled off without the library\n'
