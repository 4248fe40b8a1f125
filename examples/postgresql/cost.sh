#!/bin/sh
# SPDX-License-Identifier: MIT
# What the extension costs: pgbench's selects on a server without it and on
# one with it, by turns, and the median of what the pairs say. Called by
# `make cost`, with PG_CONFIG and the build folder; PAIRS and SELECTS may be
# set.
. "$(dirname "$0")/server.sh"

pairs=${PAIRS:-9}
selects=${SELECTS:-20000}
hz=$(getconf CLK_TCK)

ready() { # ready NAME [LINE ...]
	server_start "$@" || { tail -n 5 "$home/$1.log"; exit 1; }
	PGPORT=$port pgbench -iq -s 1 2>/dev/null
	PGPORT=$port pgbench -n -S -t 5000 >/dev/null 2>&1
	echo "$1" >"$home/$port"
}

# The CPU time of all backends of a server that have ended, in ticks: unlike
# the time by the clock, it is not longer where others use the machine too.
cpu_ticks() { # cpu_ticks PORT
	postmaster=$(head -n 1 "$home/$(cat "$home/$1")/postmaster.pid")
	while [ "$(wc -w <"/proc/$postmaster/task/$postmaster/children")" -gt \
		"$(cat "$home/children" 2>/dev/null || echo 99)" ]; do
		sleep 0.05
	done
	awk '{ print $16 + $17 }' "/proc/$postmaster/stat"
}

select_us() { # select_us PORT [SETTING]: CPU time of a select
	before=$(cpu_ticks "$1")
	PGPORT=$1 PGOPTIONS=${2:+-c $2} pgbench -n -S -t "$selects" \
		>/dev/null 2>&1
	echo "$before $(cpu_ticks "$1")" | awk -v hz="$hz" -v n="$selects" \
		'{ print ($2 - $1) * 1e6 / hz / n }'
}

median() {
	sort -n | awk '{ v[NR] = $1 } END {
		print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# pairs_of TEXT PORT [SETTING]
pairs_of() {
	: >"$home/pairs"
	for i in $(seq "$pairs"); do
		echo "$(select_us "$plain") $(select_us "$2" "$3")" \
			>>"$home/pairs"
	done
	without=$(awk '{ print $1 }' "$home/pairs" | median)
	with=$(awk '{ print $2 }' "$home/pairs" | median)
	cost=$(awk '{ print 100 * ($2 / $1 - 1) }' "$home/pairs" | median)
	printf '%-26s %8.2f %8.2f %+7.1f %%\n' "$1" "$without" "$with" "$cost"
}

ready plain
plain=$port
ready selfmon "shared_preload_libraries = '$preload'"
selfmon=$port
ready software "shared_preload_libraries = '$preload'" \
	"selfmon.events = 'page-faults,task-clock,context-switches'"
software=$port
ready statements "shared_preload_libraries = 'pg_stat_statements'"
statements=$port

# The executor alone, with parser and planner: $selects of pgbench's selects
# in one session, its CPU time in ns of the scheduler's.
loop_us() { # loop_us PORT [SETTING ...]
	PGPORT=$1
	shift
	PGPORT=$PGPORT PGOPTIONS=$(printf -- '-c %s ' "$@" jit=off) \
	psql -Atq <<EOF
SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1) AS ns \gset
DO \$\$
DECLARE
	found int;
BEGIN
	FOR i IN 1 .. $selects LOOP
		EXECUTE 'SELECT abalance FROM pgbench_accounts WHERE aid = ' ||
			1 + i % 100000 INTO found;
	END LOOP;
END \$\$;
SELECT (split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint -
	:ns) / 1e3 / $selects;
EOF
}

loop_row() { # loop_row TEXT PORT [SETTING ...]
	: >"$home/pairs"
	text=$1
	shift
	for i in $(seq "$pairs"); do
		echo "$(loop_us "$plain") $(loop_us "$@")" >>"$home/pairs"
	done
	awk '{ print $2 - $1 }' "$home/pairs" | median |
		xargs printf '%-26s %+6.2f us\n' "$text"
}

echo "A select in a loop on the server takes $(loop_us "$plain") us of CPU"
echo "time; $pairs pairs of $selects of them, the median of what is added by"
loop_row "the same server again" "$plain"
loop_row "compute_query_id = on" "$plain" compute_query_id=on
loop_row "selfmon" "$selfmon"
loop_row "  nodes = time" "$selfmon" selfmon.nodes=time
loop_row "  enabled = off" "$selfmon" selfmon.enabled=off
loop_row "  software events" "$software"
loop_row "  those, nodes = events" "$software" selfmon.nodes=events
loop_row "pg_stat_statements, all" "$statements" pg_stat_statements.track=all

postmaster=$(head -n 1 "$home/plain/postmaster.pid")
sleep 1 # until they are gone
wc -w <"/proc/$postmaster/task/$postmaster/children" >"$home/children"
echo "pgbench -S, $pairs pairs of $selects: the server's CPU time, us a select"
echo "                            without     with   median"
pairs_of "the same server again" "$plain"
pairs_of "selfmon" "$selfmon"
pairs_of "  nodes = time" "$selfmon" selfmon.nodes=time
pairs_of "  software events" "$software"
pairs_of "pg_stat_statements" "$statements"

# A node's cost is paid for each of its rows.
scan() { # scan [SETTING]: milliseconds, the best of five
	yes 'SELECT count(aid) FROM pgbench_accounts;' | head -n 5 |
		PGPORT=$software PGOPTIONS="${1:+-c $1} -c \
max_parallel_workers_per_gather=0" psql -Atq -c '\timing on' -f - |
		sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' | sort -n | head -n 1
}
echo "a scan of 100,000 rows, ms: $(scan), nodes = time $(
	scan selfmon.nodes=time), nodes = events $(scan selfmon.nodes=events)"
