#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures the extension's cost: runs pgbench's selects alternately on a server
# with the extension and on one without, and prints the median over the pairs.
# Both servers compute query ids, whose cost is shown separately. Called by
# `make cost`, with PG_CONFIG and the build folder; PAIRS and SELECTS may be
# set.
. "$(dirname "$0")/server.sh"

pairs=${PAIRS:-11}
selects=${SELECTS:-5000}

ready() { # ready NAME [LINE ...]
	server_start "$@" || { tail -n 5 "$home/$1.log"; exit 1; }
	PGPORT=$port pgbench -iq -s 1 2>/dev/null
	PGPORT=$port psql -qc 'CREATE TABLE spent (us float8)'
}

# Runs the script of pgbench -S. The first thousand selects are not measured.
# The variables live as long as the session, so that the last select can read
# the backend's CPU time. Unlike wall time, CPU time does not include other
# users of the machine.
cat >"$home/select.pgbench" <<'EOF'
\set n :n + 1
\if :n = 1000
SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1) AS ns \gset
\endif
\set aid random(1, 100000)
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
\if :n = :last
INSERT INTO spent SELECT (split_part(pg_read_file('/proc/self/schedstat'),
	' ', 1)::bigint - :ns) / 1e3 / (:last - 1000);
\endif
EOF
select_us() { # select_us PORT [SETTING]: CPU time of a select
	PGPORT=$1 PGOPTIONS=${2:+-c $2} pgbench -n -D n=0 \
		-D last=$((selects + 1000)) -t $((selects + 1000)) \
		-f "$home/select.pgbench" >/dev/null 2>&1
	PGPORT=$1 psql -Atqc 'SELECT us FROM spent' -c 'TRUNCATE spent'
}

median() {
	sort -n | awk '{ v[NR] = $1 } END {
		print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# pairs_of TEXT PORT [SETTING]
pairs_of() {
	: >"$home/pairs"
	for i in $(seq "$pairs"); do
		echo "$(select_us "$ids") $(select_us "$2" "$3")" \
			>>"$home/pairs"
	done
	without=$(awk '{ print $1 }' "$home/pairs" | median)
	with=$(awk '{ print $2 }' "$home/pairs" | median)
	cost=$(awk '{ print $2 - $1 }' "$home/pairs" | median)
	printf '%-26s %8.2f %8.2f %+8.2f us = %+.1f %%\n' "$1" "$without" \
		"$with" "$cost" "$(echo "$cost $without" |
			awk '{ print 100 * $1 / $2 }')"
}

ready plain
plain=$port
ready ids "compute_query_id = on"
ids=$port
ready selfmon "shared_preload_libraries = '$preload'"
selfmon=$port
ready software "shared_preload_libraries = '$preload'" \
	"selfmon.events = 'page-faults,task-clock,context-switches'"
software=$port
ready statements "shared_preload_libraries = 'pg_stat_statements'"
statements=$port

# Prints the CPU time of one of pgbench's selects in us, without the cost of a
# client: one session parses, plans and executes $selects of them in a loop.
# schedstat has the backend's CPU time in ns.
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
		echo "$(loop_us "$ids") $(loop_us "$@")" >>"$home/pairs"
	done
	awk '{ print $2 - $1 }' "$home/pairs" | median |
		xargs printf '%-26s %+6.2f us\n' "$text"
}

echo "A select in a loop on the server takes $(loop_us "$ids" |
	cut -c 1-4) us of CPU"
echo "time; $pairs pairs of $selects of them, the median of what is added by"
loop_row "itself, once more" "$ids"
loop_row "no query ids" "$plain"
loop_row "selfmon" "$selfmon"
loop_row "  nodes = time" "$selfmon" selfmon.nodes=time
loop_row "  enabled = off" "$selfmon" selfmon.enabled=off
loop_row "  software events" "$software"
loop_row "  those, nodes = events" "$software" selfmon.nodes=events
loop_row "pg_stat_statements, all" "$statements" pg_stat_statements.track=all

echo "pgbench -S, $pairs pairs of $selects: the server's CPU time, us a select"
echo "                            without     with   median of the differences"
pairs_of "itself, once more" "$ids"
pairs_of "no query ids" "$plain"
pairs_of "selfmon" "$selfmon"
pairs_of "  nodes = time" "$selfmon" selfmon.nodes=time
pairs_of "  enabled = off" "$selfmon" selfmon.enabled=off
pairs_of "  software events" "$software"
pairs_of "pg_stat_statements" "$statements"

# Measures plan nodes, whose cost is per row.
scan() { # scan [SETTING]: milliseconds, the best of five
	yes 'SELECT count(aid) FROM pgbench_accounts;' | head -n 5 |
		PGPORT=$software PGOPTIONS="${1:+-c $1} -c \
max_parallel_workers_per_gather=0" psql -Atq -c '\timing on' -f - |
		sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' | sort -n | head -n 1
}
echo "a scan of 100,000 rows, ms: $(scan), nodes = time $(
	scan selfmon.nodes=time), nodes = events $(scan selfmon.nodes=events)"
