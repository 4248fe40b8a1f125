-- After an ERROR: an error is counted, nothing is open, nothing is held.
CREATE FUNCTION caught(k int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	PERFORM n / (n - 2) FROM generate_series(1, 3) n;
	RETURN 0;
EXCEPTION WHEN division_by_zero THEN
	RETURN 1;
END $$;
CREATE VIEW held AS
	SELECT (SELECT count(*) FROM pg_ls_dir('/proc/self/fd')) AS files,
		(SELECT count(*) FROM pg_backend_memory_contexts
		WHERE name = 'ExecutorState') AS running;

SELECT caught(1);
SELECT files AS files_before, running AS running_before FROM held \gset
SELECT selfmon_reset() IS NOT NULL AS reset;
SELECT sum(caught(n)) FROM generate_series(1, 1000) n;
SELECT calls, errors, cut_off, total_ms IS NULL AS no_time,
	counts[4] IS NULL AS no_count, verdict
FROM selfmon_stat WHERE errors > 0;
-- The query around them ended.
SELECT calls, errors FROM named WHERE query LIKE 'SELECT sum(caught%';
SELECT files = :files_before AS files, running = :running_before AS running
FROM held;

-- The same while plan nodes are measured; a jump leaves 1000 of them.
SET selfmon.nodes = events;
SELECT selfmon_reset() IS NOT NULL AS reset;
SELECT sum(caught(n)) FROM generate_series(1, 1000) n;
SET selfmon.nodes = off;
SELECT calls, errors FROM selfmon_stat WHERE errors > 0;
SELECT node, n.calls, n.runs FROM selfmon_stat_nodes n
JOIN named USING (queryid) WHERE query LIKE 'SELECT sum(caught%'
ORDER BY node COLLATE "C";
SELECT sum(n.self_ms) <= max(q.total_ms) AS parts_within_whole
FROM selfmon_stat_nodes n JOIN named q USING (queryid)
WHERE query LIKE 'SELECT sum(caught%';
SELECT files = :files_before AS files, running = :running_before AS running
FROM held;

-- An error before it runs: ExecutorStart() checks permissions.
CREATE ROLE regress_selfmon;
SELECT selfmon_reset() IS NOT NULL AS reset;
SET ROLE regress_selfmon;
SELECT * FROM numbers;
RESET ROLE;
DROP ROLE regress_selfmon;
SELECT calls, errors, cut_off FROM selfmon_stat WHERE errors > 0;
