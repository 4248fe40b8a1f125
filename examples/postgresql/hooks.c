/* SPDX-License-Identifier: MIT */
/*
 * Counts what this backend executes: queries in the executor's hooks, plan
 * nodes by a wrapper around their ExecProcNode().
 *
 * Counter sets and not regions: a region's statistics belong to the process,
 * these go to shared memory. A set's counters run from open to close, so the
 * spans of cursors that take turns, of queries inside of queries and of plan
 * nodes are differences of snapshots and may overlap as they like. A span that
 * an ERROR jumps out of leaves nothing behind but a snapshot on a dead stack.
 */
#include "selfmon_pg.h"

#include <access/parallel.h>
#include <executor/executor.h>
#include <fmgr.h>
#include <miscadmin.h>
#include <nodes/nodeFuncs.h>
#include <storage/fd.h>
#include <storage/ipc.h>
#include <utils/backend_status.h>
#include <utils/guc.h>
#include <utils/queryjumble.h>

PG_MODULE_MAGIC;

struct selfmon_events sm_events;
int sm_max;

static char *events_setting;
static bool enabled;
static int nodes_setting;

enum { NODES_OFF, NODES_TIME, NODES_EVENTS };

static ExecutorStart_hook_type next_start;
static ExecutorRun_hook_type next_run;
static ExecutorFinish_hook_type next_finish;
static ExecutorEnd_hook_type next_end;
static shmem_request_hook_type next_request;
static shmem_startup_hook_type next_startup;

/* ---- this backend's counters ---------------------------------------------- */

/* Member k of the set is event member_event[k] of sm_events. */
static size_t member_event[SELFMON_MAX_COUNTERS];

/*
 * A set's members are in an order of its own, and those of an @set share a
 * position: name and position together say which event of the list one is.
 */
static size_t event_of(const struct selfmon_counter_info *info)
{
	for (size_t i = 0; i < sm_events.count; i++)
		if (sm_events.event[i].position == info->position &&
		    strcmp(sm_events.event[i].name, info->name) == 0)
			return i;
	return 0; /* not reached: both were read from one text */
}

static void note_members(const struct selfmon_counters *set)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };

	for (size_t k = 0; selfmon_counters_info(set, k, &info) == 0; k++) {
		char text[SM_REASON_SIZE];
		const size_t name = strlen(info.name);

		member_event[k] = event_of(&info);
		if (!info.failure)
			continue;
		selfmon_explain(info.failure, text, sizeof(text));
		/* "EVENT: reason": events of one reason are shown together */
		sm_store_reason(member_event[k],
				text + (text[name] == ':' ? name + 2 : 0));
	}
}

/*
 * Opened by each backend for itself, at its first call: the postmaster has
 * none that a fork could hand on. With the guard, since a user read that is
 * taken away while the server runs would kill the backend, and with it, by
 * the postmaster's hand, all the others.
 */
struct selfmon_counters *sm_counters(void)
{
	static struct selfmon_counters *set;
	static bool tried;
	int result;

	if (tried)
		return set;
	tried = true;
	result = selfmon_counters_open(events_setting, SELFMON_COUNTERS_GUARD,
				       &set, NULL);
	if (result < 0) { /* time alone, then */
		ereport(LOG, (errmsg("selfmon: events are not counted: %s",
				     strerror(-result))));
		selfmon_counters_open(NULL, 0, &set, NULL);
	}
	if (!set)
		return NULL;
	note_members(set);
	/* a set holds two descriptors at most: fd.c is to leave room */
	ReserveExternalFD();
	ReserveExternalFD();
	return set;
}

/* The span between two snapshots, by the events' order. */
static struct sm_values values_between(struct selfmon_counters *set,
				       const struct selfmon_snapshot *a,
				       const struct selfmon_snapshot *b)
{
	struct sm_values values = { 0 };
	struct selfmon_delta delta;

	selfmon_counters_delta(set, a, b, &delta);
	values.ticks = delta.ticks;
	for (size_t k = 0; k < sm_events.count; k++) {
		const struct selfmon_value *value = &delta.value[k];
		const size_t i = member_event[k];
		const uint8 bit = (uint8)(1u << i);

		if (value->verdict == SELFMON_NOT_COUNTED)
			continue;
		values.count[i] = value->count;
		values.counted |= bit;
		values.by_read |= value->verdict == SELFMON_SYSCALL ? bit : 0;
		values.scaled |= value->verdict == SELFMON_SCALED ? bit : 0;
	}
	return values;
}

static void values_add(struct sm_values *sum, const struct sm_values *part)
{
	sum->ticks += part->ticks;
	for (size_t i = 0; i < sm_events.count; i++)
		sum->count[i] += part->count[i];
	sum->counted &= part->counted;
	sum->by_read |= part->by_read;
	sum->scaled |= part->scaled;
}

/* Estimates may say more of the parts than of the whole: then no number. */
static void values_less(struct sm_values *whole, const struct sm_values *part)
{
	whole->ticks -= Min(part->ticks, whole->ticks);
	whole->counted &= part->counted;
	for (size_t i = 0; i < sm_events.count; i++) {
		if (part->count[i] > whole->count[i])
			whole->counted &= (uint8)~(1u << i);
		else
			whole->count[i] -= part->count[i];
	}
	whole->scaled |= part->scaled;
}

/* ---- a query -------------------------------------------------------------- */

struct node {
	PlanState *state;
	ExecProcNodeMtd real;
	struct sm_values self; /* less what the nodes below took */
	uint64 runs;
};

/*
 * An execution, from ExecutorStart() until its memory context goes: that
 * happens however it ends, and is where it is counted. The context's list of
 * callbacks also leads from a query, and from each of its nodes, to this.
 */
struct query {
	MemoryContextCallback callback;
	struct selfmon_counters *set;
	struct sm_key key;
	struct sm_values sum;
	uint64 runs;
	bool failed, ended;
	int nodes;          /* NODES_*, as it was at the start */
	int node_count;
	struct node *node;  /* by plan_node_id */
};

static void query_gone(void *argument)
{
	struct query *const query = argument;
	enum sm_end end = SM_CALL;

	if (!query->ended)
		end = query->failed ? SM_ERROR : SM_CUT_OFF;
	else if (IsParallelWorker())
		end = SM_WORKER;
	sm_store_add(&query->key, end, &query->sum, query->runs);
	for (int i = 0; query->ended && i < query->node_count; i++) {
		const struct node *node = &query->node[i];
		struct sm_key key = query->key;

		if (node->runs == 0)
			continue;
		key.node = nodeTag(node->state->plan);
		sm_store_add(&key, SM_CALL, &node->self, node->runs);
	}
}

static struct query *query_of(const EState *estate)
{
	MemoryContextCallback *callback = estate->es_query_cxt->reset_cbs;

	for (; callback; callback = callback->next)
		if (callback->func == query_gone)
			return callback->arg;
	return NULL;
}

static int running; /* queries inside of one another */

/*
 * The query inside of DECLARE CURSOR or CREATE TABLE AS has no id in this
 * version of PostgreSQL. It goes by its statement's: the one that the client
 * sent, unless a function did.
 */
static struct sm_key key_of(const QueryDesc *desc)
{
	struct sm_key key = { .userid = GetUserId(),
			      .dbid = MyDatabaseId,
			      .queryid = desc->plannedstmt->queryId };

	if (key.queryid == 0 && running == 0)
		key.queryid = pgstat_get_my_query_id();
	return key;
}

static void query_begin(QueryDesc *desc, const struct sm_key *key)
{
	const MemoryContext context = desc->estate->es_query_cxt;
	struct selfmon_counters *const set = sm_counters();
	struct query *const query =
		set ? MemoryContextAllocExtended(context, sizeof(*query),
						 MCXT_ALLOC_NO_OOM |
						 MCXT_ALLOC_ZERO)
		    : NULL;

	if (!query) {
		sm_store_drop();
		return;
	}
	query->set = set;
	query->key = *key;
	query->sum = SM_NO_SPAN;
	query->nodes = nodes_setting;
	query->callback.func = query_gone;
	query->callback.arg = query;
	MemoryContextRegisterResetCallback(context, &query->callback);
}

/* ---- plan nodes ----------------------------------------------------------- */

/*
 * The nodes that are running, inside of one another, and what those below
 * each took so far. Not on the stack: an ERROR that is caught further up
 * leaves entries of the dead here, until measure() takes them off, and they
 * must not be memory that has become something else.
 */
#define LEVELS 100 /* what is deeper is part of the node above */

static struct sm_values below[LEVELS];
static int level;

static void node_enter(const struct query *query, struct selfmon_snapshot *a)
{
	if (query->nodes == NODES_EVENTS)
		selfmon_counters_begin(query->set, a);
	else
		a->ticks = selfmon_clock_ticks();
}

static void node_leave(const struct query *query, struct node *node,
		       const struct selfmon_snapshot *a)
{
	struct sm_values values = { 0 };
	struct selfmon_snapshot b;

	if (query->nodes == NODES_EVENTS) {
		selfmon_counters_end(query->set, &b);
		values = values_between(query->set, a, &b);
	} else {
		values.ticks = selfmon_clock_ticks() - a->ticks;
	}
	if (level > 0)
		values_add(&below[level - 1], &values);
	values_less(&values, &below[level]);
	values_add(&node->self, &values);
	node->runs++;
}

static TupleTableSlot *node_run(PlanState *state)
{
	struct query *const query = query_of(state->state);
	struct node *const node = &query->node[state->plan->plan_node_id];
	const int mine = level;
	struct selfmon_snapshot a;
	TupleTableSlot *slot;

	if (mine == LEVELS)
		return node->real(state);
	below[mine] = SM_NO_SPAN;
	level = mine + 1;
	node_enter(query, &a);
	slot = node->real(state);
	level = mine;
	node_leave(query, node, &a);
	return slot;
}

static bool find_last_id(PlanState *state, int *last)
{
	*last = Max(*last, state->plan->plan_node_id);
	return planstate_tree_walker(state, find_last_id, last);
}

/*
 * In the place of the real function: ExecProcNodeFirst(), which is there to
 * check the stack, and ExecProcNodeInstr(), for EXPLAIN ANALYZE, lead to it
 * (execProcnode.c).
 */
static bool wrap(PlanState *state, struct query *query)
{
	struct node *const node = &query->node[state->plan->plan_node_id];

	if (!node->state) {
		node->state = state;
		node->self = SM_NO_SPAN;
		node->real = state->ExecProcNodeReal;
		if (state->ExecProcNode == state->ExecProcNodeReal)
			state->ExecProcNode = node_run;
		state->ExecProcNodeReal = node_run;
	}
	return planstate_tree_walker(state, wrap, query);
}

/*
 * At the first run and not at the start: in between a parallel worker gives
 * its hash joins their own function (ExecHashJoinInitializeWorker()).
 */
static void wrap_nodes(struct query *query, QueryDesc *desc)
{
	const MemoryContext context = desc->estate->es_query_cxt;
	int last = -1;

	find_last_id(desc->planstate, &last);
	query->node = MemoryContextAllocExtended(
		context, (Size)(last + 1) * sizeof(struct node),
		MCXT_ALLOC_NO_OOM | MCXT_ALLOC_ZERO);
	if (!query->node) {
		query->nodes = NODES_OFF;
		return;
	}
	query->node_count = last + 1;
	wrap(desc->planstate, query);
}

/* ---- the executor's hooks ------------------------------------------------- */

static void start(QueryDesc *desc, int eflags)
{
	const struct sm_key key = key_of(desc);
	const bool counted = enabled && key.queryid != 0 &&
			     !(eflags & EXEC_FLAG_EXPLAIN_ONLY);

	PG_TRY();
	{
		if (next_start)
			next_start(desc, eflags);
		else
			standard_ExecutorStart(desc, eflags);
	}
	PG_CATCH();
	{
		if (counted)
			sm_store_add(&key, SM_ERROR, NULL, 0);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (counted)
		query_begin(desc, &key);
}

/* What ExecutorRun() and ExecutorFinish() are asked to do. */
struct step {
	bool run;
	ScanDirection direction;
	uint64 count;
	bool once;
};

static void take(QueryDesc *desc, const struct step *step)
{
	if (!step->run && next_finish)
		next_finish(desc);
	else if (!step->run)
		standard_ExecutorFinish(desc);
	else if (next_run)
		next_run(desc, step->direction, step->count, step->once);
	else
		standard_ExecutorRun(desc, step->direction, step->count,
				     step->once);
}

static void measure(QueryDesc *desc, const struct step *step)
{
	struct query *const query = query_of(desc->estate);
	const int outer_level = level, outer_running = running;
	struct selfmon_snapshot a, b;
	struct sm_values values;

	if (!query) {
		take(desc, step);
		return;
	}
	if (query->nodes != NODES_OFF && !query->node)
		wrap_nodes(query, desc);
	selfmon_counters_begin(query->set, &a);
	PG_TRY();
	{
		running++;
		take(desc, step);
		running--;
	}
	PG_CATCH();
	{
		level = outer_level;
		running = outer_running;
		query->failed = true;
		PG_RE_THROW();
	}
	PG_END_TRY();
	selfmon_counters_end(query->set, &b);
	values = values_between(query->set, &a, &b);
	values_add(&query->sum, &values);
	query->runs += step->run;
}

static void run(QueryDesc *desc, ScanDirection direction, uint64 count,
		bool once)
{
	const struct step step = { true, direction, count, once };

	measure(desc, &step);
}

static void finish(QueryDesc *desc)
{
	const struct step step = { .run = false };

	measure(desc, &step);
}

static void end(QueryDesc *desc)
{
	struct query *const query = query_of(desc->estate);

	if (query)
		query->ended = true;
	if (next_end)
		next_end(desc);
	else
		standard_ExecutorEnd(desc);
}

/* ---- loading -------------------------------------------------------------- */

static bool check_events(char **value, void **extra, GucSource source)
{
	struct selfmon_events events;
	struct selfmon_failure failure = { 0 };
	char text[SM_REASON_SIZE];

	if (**value == '\0' ||
	    selfmon_events_parse(*value, &events, &failure) >= 0)
		return true;
	selfmon_explain(&failure, text, sizeof(text));
	GUC_check_errdetail("%s", text);
	return false;
}

static void define_settings(void)
{
	static const struct config_enum_entry choices[] = {
		{ "off", NODES_OFF, false },
		{ "time", NODES_TIME, false },
		{ "events", NODES_EVENTS, false },
		{ NULL, 0, false }
	};

	DefineCustomStringVariable("selfmon.events", "What is counted.",
				   "In perf's words, see selfmon-events(7).",
				   &events_setting,
				   "cycles,instructions,cache-misses,"
				   "page-faults,task-clock,context-switches",
				   PGC_POSTMASTER, 0, check_events, NULL, NULL);
	DefineCustomIntVariable("selfmon.max",
				"Queries, and types of nodes in each, that "
				"are kept apart.", NULL, &sm_max, 5000, 10,
				INT_MAX / 2, PGC_POSTMASTER, 0, NULL, NULL,
				NULL);
	DefineCustomBoolVariable("selfmon.enabled", "Whether queries are "
				 "counted.", NULL, &enabled, true, PGC_SUSET,
				 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("selfmon.nodes", "What is counted for each "
				 "type of plan node.", NULL, &nodes_setting,
				 NODES_OFF, choices, PGC_SUSET, 0, NULL, NULL,
				 NULL);
	MarkGUCPrefixReserved("selfmon");
}

static void request(void)
{
	if (next_request)
		next_request();
	sm_store_request();
}

static void startup(void)
{
	if (next_startup)
		next_startup();
	sm_store_attach();
}

#define HOOK(hook, next, mine) ((next) = (hook), (hook) = (mine))

void _PG_init(void);

void _PG_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return; /* no memory is to be had: the functions say so */
	define_settings();
	if (*events_setting)
		selfmon_events_parse(events_setting, &sm_events, NULL);
	selfmon_clock(); /* chosen once, for all backends */
	EnableQueryId();
	HOOK(shmem_request_hook, next_request, request);
	HOOK(shmem_startup_hook, next_startup, startup);
	HOOK(ExecutorStart_hook, next_start, start);
	HOOK(ExecutorRun_hook, next_run, run);
	HOOK(ExecutorFinish_hook, next_finish, finish);
	HOOK(ExecutorEnd_hook, next_end, end);
}
