#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the README's statements about the extension on a real server. Called
# by `make check`, with PG_CONFIG and the build folder.
. "$(dirname "$0")/server.sh"

passed=0
failed=0
check() { # check TEXT COMMAND ...
	text=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
		echo "ok      $text"
	else
		failed=$((failed + 1))
		echo "FAILED  $text"
	fi
}

finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
	exit
}

# ask QUERY: prints the result, such as a number, t or f
ask() { psql -Atqc "$1"; }
holds() { [ "$(ask "$1")" = t ]; }

# ---- the regression tests --------------------------------------------------

events=cycles,instructions,cache-misses,page-faults,task-clock,context-switches
check "a server starts with the extension" server_start main \
	"shared_preload_libraries = 'pg_stat_statements,$preload'" \
	"selfmon.events = '$events'" \
	"pg_stat_statements.track = all" \
	"pg_stat_statements.track_utility = off"
export PGPORT="$port"
[ "$failed" = 0 ] || { tail -n 20 "$home/main.log"; finish; }

regress() {
	"$(dirname "$($pg_config --pgxs)")/../test/regress/pg_regress" \
		--bindir="$bin" --inputdir="$source" \
		--outputdir="$home/regress" --host="$home" --port="$port" \
		--user=tester --dbname=regression \
		basic errors cursors nodes >"$home/regress.out" 2>&1 &&
		return
	cat "$home/regress.out" "$home/regress/regression.diffs"
	return 1
}
mkdir "$home/regress"
check "pg_regress: basic, errors, cursors, nodes" regress

# ---- pgbench beside pg_stat_statements --------------------------------------

ask 'CREATE EXTENSION pg_stat_statements; CREATE EXTENSION selfmon;
	CREATE VIEW both_of AS SELECT query, p.calls AS pgss_calls,
		p.total_exec_time AS pgss_ms, m.*
	FROM pg_stat_statements p FULL JOIN selfmon_stat m
		USING (userid, dbid, queryid)'
pgbench -iq -s 2 2>/dev/null
perf_files() { # of the postmaster
	find "/proc/$(head -n 1 "$home/main/postmaster.pid")/fd" \
		-lname '*perf_event*' | wc -l
}
files=$(perf_files)
ask 'SELECT selfmon_reset(), pg_stat_statements_reset()' >/dev/null
began=$(date +%s%3N)
load() {
	{
		pgbench -n -c 4 -j 2 -t 500 -b tpcb-like &&
			pgbench -n -c 4 -j 2 -t 2000 -S -M prepared &&
			pgbench -n -c 4 -j 2 -t 50 -S -C # each a fork
	} >"$home/pgbench.out" 2>&1
}
check "pgbench runs TPC-B, selects, and one connection per query" load
elapsed=$(($(date +%s%3N) - began))
bench="query ~ 'pgbench_|^BEGIN|^END'"
check "at least 10200 calls; for each query, pg_stat_statements has the same count" \
	holds "SELECT count(*) >= 5 AND sum(pgss_calls) >= 10200 AND
		bool_and(calls IS NOT DISTINCT FROM pgss_calls)
		FROM both_of WHERE $bench"
check "no call failed, was cut off or was dropped" \
	holds "SELECT sum(errors + cut_off) = 0 AND
		(SELECT dropped = 0 FROM selfmon_info())
		FROM both_of WHERE $bench"
# This always holds, because the extension's interval contains that of
# pg_stat_statements.
check "each query has at least the time in pg_stat_statements" \
	holds "SELECT bool_and(total_ms >= 0.999 * pgss_ms)
		FROM both_of WHERE $bench"
check "all queries have at most the time of the 4 clients" \
	holds "SELECT sum(total_ms) <= 4 * $elapsed FROM both_of WHERE $bench"
echo "        selfmon's time / pg_stat_statements': $(ask "SELECT
	round((sum(total_ms) / sum(pgss_ms))::numeric, 3) FROM both_of
	WHERE $bench")"
if holds "SELECT bool_and(verdict ~ 'page-faults[^:]*: not counted')
		FROM both_of WHERE $bench"; then
	echo "skipped page faults: $(ask 'SELECT verdict FROM selfmon_stat
		LIMIT 1')"
else
	check "page faults and CPU time were counted in all backends" \
		holds "SELECT bool_and(page_faults IS NOT NULL AND
			counts[selfmon_position('task-clock')] > 0 AND
			verdict !~ 'page-faults[^:]*: [a-z]+ in')
			FROM both_of WHERE $bench"
fi
check "cycles are counted, or are NULL and the verdict has the reason" \
	holds "SELECT bool_and(cycles > 0 OR (cycles IS NULL AND
		verdict ~ '(^|; |, )cycles[^:]*: not counted: .'))
		FROM both_of WHERE $bench"
check "the postmaster has no more perf event descriptors than before" \
	[ "$(perf_files)" = "$files" ]

# The two runs sleep for a second in total, so that no disturbance can add half
# of that time.
ask 'SELECT pg_sleep(0.5)' >/dev/null
ask 'SELECT pg_sleep(0.5)' >/dev/null
check "one second of sleep is one second, as in pg_stat_statements" \
	holds "SELECT calls = 2 AND total_ms >= 990 AND
		total_ms >= 0.999 * pgss_ms AND total_ms < 1.5 * pgss_ms
		FROM both_of
		WHERE query ~ '^SELECT pg_sleep'"
ask "CREATE FUNCTION sleepy() RETURNS trigger LANGUAGE plpgsql AS
	'BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END';
	CREATE TABLE slow (n int);
	CREATE TRIGGER after AFTER INSERT ON slow EXECUTE FUNCTION sleepy()"
ask 'INSERT INTO slow VALUES (1)'
check "half a second of sleep in a trigger is part of its query" \
	holds "SELECT calls = 1 AND total_ms >= 490 AND
		total_ms >= 0.999 * pgss_ms AND total_ms < 1.5 * pgss_ms
		FROM both_of WHERE query ~ '^INSERT INTO slow'"

# ---- a thousand errors in one session ---------------------------------------

yes 'SELECT n / (n - 7) FROM generate_series(1, 9) n;' | head -n 1000 \
	>"$home/errors.sql"
ask 'SELECT selfmon_reset()' >/dev/null
cat >"$home/session.sql" <<'EOF'
SELECT count(*) AS files FROM pg_ls_dir('/proc/self/fd') \gset
\i errors.sql
SELECT count(*) = :files FROM pg_ls_dir('/proc/self/fd')
EOF
session() { (cd "$home" && psql -Atqf session.sql 2>errors.out); }
check "a thousand errors in a session leave no file open" \
	[ "$(echo '\;' >>"$home/session.sql" && session)" = t ]
check "the session has a thousand errors, and no call" \
	holds 'SELECT calls = 0 AND errors = 1000 AND cut_off = 0 AND
		total_ms IS NULL FROM selfmon_stat WHERE errors > 0'
check "each error is a division by zero" \
	[ "$(grep -c 'division by zero' "$home/errors.out")" = 1000 ]

# ---- what goes wrong --------------------------------------------------------

backend_killed() {
	psql -Atqc "SELECT pg_backend_pid()" -c "SELECT pg_sleep(60)" \
		>"$home/pid" 2>/dev/null &
	client=$!
	while ! [ -s "$home/pid" ]; do sleep 0.1; done
	kill -KILL "$(cat "$home/pid")"
	wait "$client"
	for try in $(seq 60); do
		ask 'SELECT 1' >/dev/null 2>&1 && break
		sleep 1
	done
	holds 'SELECT count(*) > 0 FROM selfmon_stat'
}
check "a server that restarts after a crash counts again" backend_killed
check "its log has only the requested crash" \
	[ "$(grep -c 'was terminated by signal' "$home/main.log")" = 1 ]

check "a server starts with a table of 10 entries and an invalid event" \
	server_start full "shared_preload_libraries = '$preload'" \
	"selfmon.max = 10" "selfmon.events = 'cycels'"
PGPORT=$port
check "its log suggests the valid event" \
	grep -q "did you mean 'cycles'" "$home/full.log"
ask 'CREATE EXTENSION selfmon'
for columns in 1 1,2 1,2,3 1,2,3,4 1,2,3,4,5 1,2,3,4,5,6 1,2,3,4,5,6,7 \
		1,2,3,4,5,6,7,8 1,2,3,4,5,6,7,8,9 1,2,3,4,5,6,7,8,9,10 \
		1,2,3,4,5,6,7,8,9,10,11; do
	ask "SELECT $columns" >/dev/null
done
check "ten queries have entries, the others are dropped and counted" \
	holds 'SELECT entries = 10 AND dropped >= 1 FROM selfmon_info()'

check "a server starts without the preloaded extension" server_start plain
PGPORT=$port
ask 'CREATE EXTENSION selfmon'
not_loaded() {
	ask 'SELECT * FROM selfmon_stat' 2>&1 |
		grep -q 'must be loaded via shared_preload_libraries' &&
		holds 'SELECT true'
}
check "the error message says that it must be preloaded" not_loaded
finish
