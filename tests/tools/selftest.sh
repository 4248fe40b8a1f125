#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs selfmon selftest on this machine: no check may fail, and the file that it
# writes must match its schema. Usage: selftest.sh PROGRAM [CHECK]. With the
# name of a check only this check must not fail. The duration is not checked,
# because other programs may keep the machine busy.
set -u
cd "$(dirname "$0")/../.." || exit
program=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

complain()
{
	echo "check-selftest: $*"
	bad=1
}

# only CHECK: prints the row of one check
only()
{
	"$program" selftest --quick --perf > "$work/out" 2> "$work/err"
	row=$(grep -A 8 -E "^(pass|fail|not applicable) +$1 " "$work/out")
	case $row in
	pass*) echo "$row" | head -n 1 ;;
	not*) echo "[SKIP] check-selftest-$(echo "$row" | head -n 1)" ;;
	*) complain "$(cat "$work/out" "$work/err")" ;;
	esac
	exit $bad
}
[ $# -lt 2 ] || only "$2"

# run NAME COMMAND...: runs the quick test by this command, into NAME.txt and
# NAME.json
run()
{
	name=$1
	shift
	"$@" --quick --json "$work/$name.json" > "$work/$name.txt" \
		2> "$work/err"
	status=$?
	case $status in
	0 | 77) ;;
	*) complain "status $status: $(cat "$work/$name.txt" "$work/err")" ;;
	esac
	[ ! -s "$work/err" ] || complain "not silent: $(cat "$work/err")"
	grep -q ' contains: CPU, microcode, kernel' "$work/$name.txt" ||
		complain "it does not say what $name.json holds"
}

# is_schema FILE...: checks files against docs/selftest.schema.json
is_schema()
{
	code=0
	python3 tests/tools/schema.py --schema docs/selftest.schema.json \
		"$@" > "$work/said" 2>&1 || code=$?
	case $code in
	0 | 77) ;;
	*) complain "$(cat "$work/said")" ;;
	esac
}

# Compares the rows of the text with those of the JSON.
agrees()
{
	python3 - "$1" "$2" "$status" << 'END' ||
import json, re, sys
result = json.load(open(sys.argv[1]))
text = open(sys.argv[2]).read()
assert result["status"] == int(sys.argv[3]), "exit status"
rows = re.findall(r"^(pass|fail|not applicable) +([a-z-]+)  (.*)$", text, re.M)
assert len(rows) == len(result["results"]) >= 15, rows
for (status, check, said), of in zip(rows, result["results"]):
    assert (status, check) == (of["status"], of["check"]), check
    assert of["found"] in said and of["reason"] in said, said
    assert (status == "not applicable") <= bool(of["reason"]), check
assert "\n\n" + result["verdict"] + "\n" in text
assert (result["status"] == 77) == (not result["counters"]["pmu"])
END
		complain "text and JSON differ: $(cat "$2")"
}

# The file must not contain names of this machine or its users.
names_nobody()
{
	for word in "$(uname -n)" "$(id -un)" "$PWD" "$HOME"; do
		[ "${#word}" -lt 4 ] || [ "$word" = root ] ||
			! grep -qiF -- "$word" "$1" || complain "$word in $1"
	done
	if grep -E '0x[0-9a-f]{9}|[ "]/[a-z]+/' "$1"; then
		complain "a path or an address in $1"
	fi
}

# Checks that variables which the user set for other programs are ignored: no
# file is written, and no second thread runs. The process is examined while
# --json waits for a reader of the FIFO.
mkdir "$work/files"
mkfifo "$work/fifo"
SELFMON_EVENTS=none SELFMON_ENABLE=1 SELFMON_EVERY=7 SELFMON_RECORD=slowest
SELFMON_SAMPLE=task-clock,period=1ms SELFMON_LIVE="$work/files/live"
SELFMON_TRACE="$work/files/trace" SELFMON_OUTPUT="json:$work/files/report"
export SELFMON_EVENTS SELFMON_ENABLE SELFMON_EVERY SELFMON_RECORD \
	SELFMON_SAMPLE SELFMON_LIVE SELFMON_TRACE SELFMON_OUTPUT

"$program" selftest --json "$work/fifo" > "$work/out" 2>&1 &
waiting=$!
until grep -q '^State:.S' "/proc/$waiting/status" &&
	[ "$(readlink "/proc/$waiting/exe")" = "$program" ]; do
	kill -0 "$waiting" 2> "$work/err" || break
done
threads=$(ls "/proc/$waiting/task" | wc -l)
[ "$threads" = 1 ] || complain "$threads threads with SELFMON_SAMPLE"
kill "$waiting"
wait "$waiting" 2> "$work/err"

run mine "$program" selftest
mine=$status
[ -z "$(ls "$work/files")" ] || complain "it writes $(ls "$work/files")"
names_nobody "$work/mine.json"
if command -v python3 > /dev/null; then
	is_schema "$work/mine.json"
	agrees "$work/mine.json" "$work/mine.txt"
else
	echo '[SKIP] check-selftest: its JSON needs python3'
fi

if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null &&
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
		"$program" --version > "$work/out" 2>&1; then
	chmod 777 "$work"
	SELFMON_ENABLE=0
	run nobody setpriv --reuid 65534 --regid 65534 --clear-groups \
		--inh-caps=-all "$program" selftest
	if command -v python3 > /dev/null; then
		is_schema "$work/nobody.json"
		agrees "$work/nobody.json" "$work/nobody.txt"
	fi
else
	echo '[SKIP] check-selftest: no privileges to give up'
fi

# refused ARGUMENT...: checks that wrong options are refused
refused()
{
	"$program" selftest "$@" > "$work/out" 2> "$work/err"
	[ $? = 2 ] || complain "status of selftest $*"
	[ ! -s "$work/out" ] || complain "selftest $* prints"
}
refused --quick --full
refused --json
refused --json "$work/no/folder"
refused word

[ $bad = 0 ] && echo "check-selftest: $(grep -c '^pass' "$work/mine.txt")" \
	"checks pass, exit status $mine: $(tail -n 2 "$work/mine.txt" |
		head -n 1)"
exit $bad
