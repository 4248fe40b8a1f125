-- Plan nodes, by type.
CREATE TABLE few AS SELECT n FROM generate_series(1, 10) n;
ANALYZE numbers, few;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SET enable_memoize = off;
SET selfmon.nodes = time;
SELECT selfmon_reset() IS NOT NULL AS reset;
SELECT count(*) FROM few a JOIN few b ON a.n < b.n;
SELECT count(*) FROM few a JOIN few b ON a.n < b.n;
-- The wrapper is between EXPLAIN's own measuring and the node.
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
	SELECT n AS explained FROM few LIMIT 2;
SET selfmon.nodes = events;
SELECT n AS sorted FROM few ORDER BY -n LIMIT 2;
SELECT 0 AS never FROM few WHERE false AND n = random();
SELECT n, (SELECT max(b.n) FROM few b WHERE b.n < a.n) AS sub FROM few a
LIMIT 3;
SET selfmon.nodes = off;

SELECT left(query, 20) AS query, node, n.calls, n.runs
FROM selfmon_stat_nodes n JOIN named USING (queryid)
WHERE query LIKE '%few%' ORDER BY query COLLATE "C", node COLLATE "C";
SELECT bool_and(whole >= parts) AS parts_within_whole
FROM (SELECT sum(DISTINCT q.total_ms) AS whole, sum(n.self_ms) AS parts
	FROM selfmon_stat_nodes n JOIN named q USING (queryid)
	GROUP BY queryid) sums;
SELECT bool_and(n.page_faults IS NULL AND (q.page_faults IS NULL OR
	n.verdict ~ 'page-faults[^:;]*: not counted: selfmon.nodes was'))
	AS time_alone
FROM selfmon_stat_nodes n JOIN named q USING (queryid)
WHERE query LIKE 'SELECT count(*) FROM few%';

-- More levels than the maximum: deeper nodes are part of those above.
CREATE FUNCTION deep(k int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	r int;
BEGIN
	IF k > 0 THEN
		SELECT deep(k - 1) + 1 INTO r FROM generate_series(1, 1);
	END IF;
	RETURN coalesce(r, 0);
END $$;
SET selfmon.nodes = events;
SELECT deep(150);
SELECT deep(150);

-- Parallel workers are separate; their hash joins change their function.
SELECT selfmon_reset() IS NOT NULL AS reset;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_nestloop = off;
SET enable_hashjoin = on;
SELECT count(*) FROM numbers a JOIN numbers b USING (n);
SET selfmon.nodes = off;
SELECT calls, workers > 0 AS workers, errors, cut_off FROM named
WHERE query LIKE 'SELECT count(*) FROM numbers a%';
SELECT bool_or(node = 'Gather') AS gather, bool_or(node = 'Seq Scan') AS scan
FROM selfmon_stat_nodes;
