-- A DECLARE's query is found by the text of the DECLARE.
SET pg_stat_statements.track_utility = on;

-- Alternating cursors: each has its own time, without the time in between.
SELECT selfmon_reset() IS NOT NULL AS reset,
	pg_stat_statements_reset() IS NOT NULL AS reset;
SELECT clock_timestamp() AS begun \gset
BEGIN;
DECLARE one CURSOR FOR SELECT n AS one FROM generate_series(1, 100000) n;
DECLARE two CURSOR FOR SELECT n AS two FROM generate_series(1, 100000) n;
MOVE 100 IN one;
MOVE 100 IN two;
SELECT pg_sleep(0.2);
MOVE 100 IN one;
CLOSE two;
MOVE 100 IN one;
FETCH one;
CLOSE one;
COMMIT;
SELECT extract(epoch FROM clock_timestamp() - :'begun') * 1000 AS ms \gset
SELECT query, calls, runs, errors, cut_off FROM named
WHERE query LIKE 'DECLARE%' ORDER BY query COLLATE "C";
SELECT sum(total_ms) FILTER (WHERE query LIKE '%pg_sleep%') >= 190 AS slept,
	sum(total_ms) <= :ms + 1 AS none_twice
FROM named;

-- Cut off with the transaction, by ROLLBACK or ERROR; held beyond its end.
SELECT selfmon_reset() IS NOT NULL AS reset;
BEGIN;
DECLARE gone CURSOR FOR SELECT n AS gone FROM numbers;
MOVE 1 IN gone;
ROLLBACK;
BEGIN;
DECLARE gone CURSOR FOR SELECT n AS gone FROM numbers;
MOVE 1 IN gone;
SELECT n / (n - n) FROM numbers;
ROLLBACK;
BEGIN;
DECLARE kept CURSOR WITH HOLD FOR SELECT n AS kept FROM numbers;
MOVE 1 IN kept;
COMMIT;
MOVE 1 IN kept;
CLOSE kept;
SELECT calls, errors, cut_off FROM selfmon_stat
WHERE errors > 0 OR cut_off > 0 ORDER BY errors;
SELECT calls, errors, cut_off FROM named WHERE query LIKE 'DECLARE kept%';
