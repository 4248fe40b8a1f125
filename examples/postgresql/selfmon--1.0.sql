/* SPDX-License-Identifier: MIT */
\echo Use "CREATE EXTENSION selfmon" to load this file. \quit

CREATE FUNCTION selfmon_rows(
	OUT userid oid, OUT dbid oid, OUT queryid bigint, OUT node text,
	OUT calls bigint, OUT workers bigint, OUT errors bigint,
	OUT cut_off bigint, OUT runs bigint, OUT total_ms float8,
	OUT max_ms float8, OUT counts bigint[], OUT verdict text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'sm_rows' LANGUAGE C STRICT VOLATILE;

CREATE FUNCTION selfmon_position(event text) RETURNS integer
AS 'MODULE_PATHNAME', 'sm_position' LANGUAGE C STRICT STABLE;

CREATE FUNCTION selfmon_info(
	OUT entries bigint, OUT dropped bigint, OUT since timestamptz,
	OUT clock text)
AS 'MODULE_PATHNAME', 'sm_info' LANGUAGE C STRICT VOLATILE;

CREATE FUNCTION selfmon_reset() RETURNS void
AS 'MODULE_PATHNAME', 'sm_reset' LANGUAGE C STRICT VOLATILE;

-- Uncounted values are NULL, and verdict has the reason.
CREATE VIEW selfmon_all AS
	SELECT userid, dbid, queryid, node, calls, workers, errors, cut_off,
		runs, total_ms, max_ms, cycles, instructions,
		instructions::float8 / nullif(cycles, 0) AS ipc,
		cache_misses, page_faults, counts, verdict
	FROM (SELECT *,
		counts[selfmon_position('cycles')] AS cycles,
		counts[selfmon_position('instructions')] AS instructions,
		counts[selfmon_position('cache-misses')] AS cache_misses,
		counts[selfmon_position('page-faults')] AS page_faults
		FROM selfmon_rows()) rows;

CREATE VIEW selfmon_stat AS
	SELECT userid, dbid, queryid, calls, workers, errors, cut_off, runs,
		total_ms, max_ms, cycles, instructions, ipc, cache_misses,
		page_faults, counts, verdict
	FROM selfmon_all WHERE node IS NULL;

CREATE VIEW selfmon_stat_nodes AS
	SELECT userid, dbid, queryid, node, calls, runs, total_ms AS self_ms,
		cycles, instructions, ipc, cache_misses, page_faults, counts,
		verdict
	FROM selfmon_all WHERE node IS NOT NULL;

REVOKE ALL ON FUNCTION selfmon_rows(), selfmon_position(text),
	selfmon_reset() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION selfmon_rows(), selfmon_position(text)
	TO pg_read_all_stats;
GRANT SELECT ON selfmon_all, selfmon_stat, selfmon_stat_nodes
	TO pg_read_all_stats;
