-- What counts as a call, and the reasons for uncounted events.
CREATE EXTENSION selfmon;
CREATE EXTENSION pg_stat_statements;
CREATE VIEW named AS
	SELECT s.query, s.calls AS pgss_calls, m.*
	FROM selfmon_stat m JOIN pg_stat_statements s
		USING (userid, dbid, queryid);
CREATE TABLE numbers AS SELECT n FROM generate_series(1, 1000) n;
CREATE FUNCTION doubled(k int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT 2 * sum(n) FROM numbers WHERE n <= k);
END $$;

SELECT selfmon_reset() IS NOT NULL AS reset,
	pg_stat_statements_reset() IS NOT NULL AS reset;

SELECT count(*) FROM numbers WHERE n > 10;
SELECT count(*) FROM numbers WHERE n > 20;
SELECT doubled(n) FROM numbers WHERE n <= 3 ORDER BY n;
INSERT INTO numbers SELECT -n FROM numbers;
PREPARE counted AS SELECT max(n) FROM numbers;
EXECUTE counted;
EXECUTE counted;
EXPLAIN (COSTS OFF) SELECT min(n) FROM numbers;
EXPLAIN (COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF)
	SELECT avg(n) FROM numbers;

-- Queries inside a function count for themselves and for the outer query.
SELECT query, calls = pgss_calls AS equal, calls, runs, errors, cut_off,
	total_ms > 0 AND max_ms > 0 AND max_ms <= total_ms AS timed
FROM named
WHERE query LIKE '%numbers%' AND query NOT LIKE 'EXPLAIN%'
ORDER BY query COLLATE "C";
SELECT sum(outside.total_ms) >= sum(inside.total_ms) AS holds_it
FROM named outside, named inside
WHERE outside.query LIKE 'SELECT doubled%'
	AND inside.query LIKE '(SELECT $2 * sum%';

-- NULL or a number, depending on the verdict: never 0 for an uncounted event.
SELECT bool_and((counts[i] IS NULL) = (verdict ~ ('(^|; |, )' || event ||
	'(, [a-z-]+)*: not counted: .'))) AS said,
	bool_and(counts[i] IS NOT NULL OR (verdict ~ 'not counted')) AS why
FROM selfmon_stat,
	unnest(string_to_array(current_setting('selfmon.events'), ','))
		WITH ORDINALITY AS asked(event, i);
SELECT bool_and((ipc IS NULL) = (cycles IS NULL OR instructions IS NULL))
	AS ipc_of_both FROM selfmon_stat;

-- All 64 MB are touched, in pages of at most 2 MB.
SELECT length(repeat('x', n)) FROM generate_series(67108864, 67108864) n;
SELECT page_faults >= 32 OR verdict ~ 'page-faults[^:;]*: not counted'
	AS touched
FROM named WHERE query LIKE 'SELECT length(repeat%';
-- CPU time cannot exceed wall time.
SELECT counts[selfmon_position('task-clock')] <= total_ms * 1.001e6
	OR verdict ~ 'task-clock[^:;]*: not counted' AS within
FROM named WHERE query LIKE 'SELECT length(repeat%';

-- Events under other names; events that were not requested.
SELECT selfmon_position('cycles') AS cycles,
	selfmon_position('cpu-cycles') AS cpu_cycles,
	selfmon_position('faults') AS faults,
	selfmon_position('branches') AS branches,
	selfmon_position('no such') AS none;

-- Switched off; switched on for some only.
SELECT selfmon_reset() IS NOT NULL AS reset;
SET selfmon.enabled = off;
SELECT min(n) FROM numbers WHERE n > 3;
RESET selfmon.enabled;
SELECT count(*) AS rows, sum(calls) AS calls FROM selfmon_stat;
SELECT dropped FROM selfmon_info();

-- Not for everyone.
CREATE ROLE regress_selfmon;
SET ROLE regress_selfmon;
SELECT count(*) FROM selfmon_stat;
SELECT selfmon_reset();
SET selfmon.enabled = off;
RESET ROLE;
GRANT pg_read_all_stats TO regress_selfmon;
SET ROLE regress_selfmon;
SELECT count(*) > 0 AS seen FROM selfmon_stat;
RESET ROLE;
DROP ROLE regress_selfmon;
