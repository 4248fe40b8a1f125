/* SPDX-License-Identifier: MIT */
/* The SQL functions under the views; see selfmon--1.0.sql. */
#include "selfmon_pg.h"

#include <catalog/pg_type.h>
#include <fmgr.h>
#include <funcapi.h>
#include <lib/stringinfo.h>
#include <utils/array.h>
#include <utils/builtins.h>
#include <utils/timestamp.h>

static void need_shared(void)
{
	if (!sm_shared)
		ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("selfmon must be loaded via "
				"shared_preload_libraries")));
}

/*
 * Returns the node's name as in EXPLAIN, or "other". Hash, Bitmap Index Scan
 * and similar nodes are missing: they are not run by ExecProcNode().
 */
static const char *node_name(uint64 tag)
{
	static const struct {
		NodeTag tag;
		const char *name;
	} names[] = {
		{ T_Result, "Result" },
		{ T_ProjectSet, "ProjectSet" },
		{ T_ModifyTable, "ModifyTable" },
		{ T_Append, "Append" },
		{ T_MergeAppend, "Merge Append" },
		{ T_RecursiveUnion, "Recursive Union" },
		{ T_SeqScan, "Seq Scan" },
		{ T_SampleScan, "Sample Scan" },
		{ T_IndexScan, "Index Scan" },
		{ T_IndexOnlyScan, "Index Only Scan" },
		{ T_BitmapHeapScan, "Bitmap Heap Scan" },
		{ T_TidScan, "Tid Scan" },
		{ T_TidRangeScan, "Tid Range Scan" },
		{ T_SubqueryScan, "Subquery Scan" },
		{ T_FunctionScan, "Function Scan" },
		{ T_ValuesScan, "Values Scan" },
		{ T_TableFuncScan, "Table Function Scan" },
		{ T_CteScan, "CTE Scan" },
		{ T_NamedTuplestoreScan, "Named Tuplestore Scan" },
		{ T_WorkTableScan, "WorkTable Scan" },
		{ T_ForeignScan, "Foreign Scan" },
		{ T_CustomScan, "Custom Scan" },
		{ T_NestLoop, "Nested Loop" },
		{ T_MergeJoin, "Merge Join" },
		{ T_HashJoin, "Hash Join" },
		{ T_Material, "Materialize" },
		{ T_Memoize, "Memoize" },
		{ T_Sort, "Sort" },
		{ T_IncrementalSort, "Incremental Sort" },
		{ T_Group, "Group" },
		{ T_Agg, "Aggregate" },
		{ T_WindowAgg, "WindowAgg" },
		{ T_Unique, "Unique" },
		{ T_Gather, "Gather" },
		{ T_GatherMerge, "Gather Merge" },
		{ T_SetOp, "SetOp" },
		{ T_LockRows, "LockRows" },
		{ T_Limit, "Limit" },
	};

	for (size_t i = 0; i < lengthof(names); i++)
		if (names[i].tag == tag)
			return names[i].name;
	return "other";
}

/* ---- the verdict --------------------------------------------------------- */

/*
 * Describes how event i was counted, or why not. verdict_of() merges events
 * with equal texts.
 */
static char *fate(const struct sm_entry *entry, size_t i)
{
	const uint64 parts = entry->calls + entry->workers;
	enum selfmon_verdict verdict = SELFMON_EXACT;

	if (entry->counted[i] == 0)
		return psprintf("not counted: %s",
				sm_shared->reason[i][0] ? sm_shared->reason[i]
				: entry->key.node ? "selfmon.nodes was 'time'"
				: "off the PMU for too long");
	if (entry->scaled & 1u << i)
		verdict = SELFMON_SCALED;
	else if (entry->by_read & 1u << i)
		verdict = SELFMON_SYSCALL;
	if (entry->counted[i] < parts)
		return psprintf("%s in " UINT64_FORMAT " of " UINT64_FORMAT
				" calls", selfmon_verdict_name(verdict),
				entry->counted[i], parts);
	return pstrdup(selfmon_verdict_name(verdict));
}

/* Returns "page-faults, task-clock: syscall; cycles: not counted: REASON". */
static char *verdict_of(const struct sm_entry *entry)
{
	char *fates[SELFMON_MAX_COUNTERS];
	StringInfoData text;

	if (entry->calls + entry->workers == 0)
		return pstrdup("not counted: no call has ended");
	if (sm_events.count == 0)
		return pstrdup("not counted: selfmon.events is empty");
	for (size_t i = 0; i < sm_events.count; i++)
		fates[i] = fate(entry, i);
	initStringInfo(&text);
	for (size_t i = 0; i < sm_events.count; i++) {
		const char *const mine = fates[i];

		if (!mine)
			continue;
		appendStringInfo(&text, "%s%s", text.len ? "; " : "",
				 sm_events.event[i].name);
		for (size_t k = i + 1; k < sm_events.count; k++) {
			if (!fates[k] || strcmp(fates[k], mine) != 0)
				continue;
			appendStringInfo(&text, ", %s",
					 sm_events.event[k].name);
			fates[k] = NULL;
		}
		appendStringInfo(&text, ": %s", mine);
	}
	return text.data;
}

/* ---- rows ---------------------------------------------------------------- */

static Datum counts_of(const struct sm_entry *entry)
{
	Datum counts[SELFMON_MAX_COUNTERS];
	bool nulls[SELFMON_MAX_COUNTERS];
	int dimension = (int)sm_events.count, lower = 1;

	for (size_t i = 0; i < sm_events.count; i++) {
		counts[i] = Int64GetDatum((int64)entry->count[i]);
		nulls[i] = entry->counted[i] == 0;
	}
	return PointerGetDatum(construct_md_array(
		counts, nulls, 1, &dimension, &lower, INT8OID, sizeof(int64),
		FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static Datum milliseconds(uint64 ticks)
{
	return Float8GetDatum(
		(double)selfmon_clock_ns(selfmon_clock(), ticks) / 1e6);
}

enum { USERID, DBID, QUERYID, NODE, CALLS, WORKERS, ERRORS, CUT_OFF, RUNS,
       TOTAL_MS, MAX_MS, COUNTS, VERDICT, COLUMNS };

static void put_row(ReturnSetInfo *result, const struct sm_entry *entry)
{
	Datum value[COLUMNS];
	bool null[COLUMNS] = { false };

	value[USERID] = ObjectIdGetDatum(entry->key.userid);
	value[DBID] = ObjectIdGetDatum(entry->key.dbid);
	value[QUERYID] = UInt64GetDatum(entry->key.queryid);
	null[NODE] = entry->key.node == T_Invalid;
	if (!null[NODE])
		value[NODE] = CStringGetTextDatum(node_name(entry->key.node));
	value[CALLS] = UInt64GetDatum(entry->calls);
	value[WORKERS] = UInt64GetDatum(entry->workers);
	value[ERRORS] = UInt64GetDatum(entry->errors);
	value[CUT_OFF] = UInt64GetDatum(entry->cut_off);
	value[RUNS] = UInt64GetDatum(entry->runs);
	null[TOTAL_MS] = null[MAX_MS] = entry->calls == 0;
	value[TOTAL_MS] = milliseconds(entry->ticks);
	value[MAX_MS] = milliseconds(entry->max_ticks);
	value[COUNTS] = counts_of(entry);
	value[VERDICT] = CStringGetTextDatum(verdict_of(entry));
	tuplestore_putvalues(result->setResult, result->setDesc, value, null);
}

PG_FUNCTION_INFO_V1(sm_rows);
Datum sm_rows(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *const result = (ReturnSetInfo *)fcinfo->resultinfo;
	HASH_SEQ_STATUS all;
	struct sm_entry *entry;

	need_shared();
	InitMaterializedSRF(fcinfo, 0);
	LWLockAcquire(sm_shared->lock, LW_SHARED);
	hash_seq_init(&all, sm_table);
	while ((entry = hash_seq_search(&all))) {
		struct sm_entry copy;

		SpinLockAcquire(&entry->mutex);
		copy = *entry;
		SpinLockRelease(&entry->mutex);
		put_row(result, &copy);
	}
	LWLockRelease(sm_shared->lock);
	return (Datum)0;
}

/*
 * Compares two events without their modes: "cycles" is found if "cycles:u" is
 * counted.
 */
static bool is_same(const struct selfmon_event *a,
		    const struct selfmon_event *b)
{
	return a->type == b->type && a->config == b->config &&
	       a->config1 == b->config1 && a->config2 == b->config2;
}

/*
 * Returns the position of an event in counts, by any of its names; or NULL. A
 * name with a '/' may be a file, which is not opened on behalf of the user.
 */
PG_FUNCTION_INFO_V1(sm_position);
Datum sm_position(PG_FUNCTION_ARGS)
{
	const char *const name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	struct selfmon_events wanted;
	bool known;

	need_shared();
	known = !strchr(name, '/') &&
		selfmon_events_parse(name, &wanted, NULL) == 1;
	for (size_t i = 0; i < sm_events.count; i++)
		if (strcmp(sm_events.event[i].name, name) == 0 ||
		    (known && is_same(&sm_events.event[i], wanted.event)))
			PG_RETURN_INT32((int32)i + 1);
	PG_RETURN_NULL();
}

PG_FUNCTION_INFO_V1(sm_info);
Datum sm_info(PG_FUNCTION_ARGS)
{
	Datum value[4];
	bool null[4] = { false };
	TupleDesc columns;

	need_shared();
	if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "selfmon_info() returns a row");
	LWLockAcquire(sm_shared->lock, LW_SHARED);
	value[0] = Int64GetDatum(hash_get_num_entries(sm_table));
	value[1] = UInt64GetDatum(sm_shared->dropped);
	value[2] = TimestampTzGetDatum(sm_shared->since);
	LWLockRelease(sm_shared->lock);
	value[3] = CStringGetTextDatum(
		selfmon_clock_source_name(selfmon_clock()->source));
	PG_RETURN_DATUM(HeapTupleGetDatum(
		heap_form_tuple(BlessTupleDesc(columns), value, null)));
}

PG_FUNCTION_INFO_V1(sm_reset);
Datum sm_reset(PG_FUNCTION_ARGS)
{
	need_shared();
	sm_store_reset();
	PG_RETURN_VOID();
}
