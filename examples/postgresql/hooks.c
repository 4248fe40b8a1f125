/* SPDX-License-Identifier: MIT */
/*
 * Counts what this backend executes: queries by the executor's hooks, plan
 * nodes by a wrapper around their ExecProcNode().
 *
 * Uses counter sets instead of regions: statistics of regions belong to one
 * process, but the extension's are in shared memory. The counters of a set run
 * from open to close. A span is the difference of two snapshots, so the spans
 * of alternating cursors, nested queries and plan nodes may overlap. If an
 * ERROR jumps out of a span, only the snapshot on the abandoned stack is lost.
 */
#include "selfmon_pg.h"

#include <access/parallel.h>
#include <executor/executor.h>
#include <fmgr.h>
#include <miscadmin.h>
#include <nodes/nodeFuncs.h>
#include <storage/ipc.h>
#include <utils/backend_status.h>
#include <utils/queryjumble.h>

PG_MODULE_MAGIC;

static ExecutorStart_hook_type next_start;
static ExecutorRun_hook_type next_run;
static ExecutorFinish_hook_type next_finish;
static ExecutorEnd_hook_type next_end;
static shmem_request_hook_type next_request;
static shmem_startup_hook_type next_startup;

/* ---- a query ------------------------------------------------------------- */

struct node {
	PlanState *state;
	ExecProcNodeMtd real;
	struct sm_values self; /* minus the nodes below */
	uint64 runs;
};

/*
 * An execution of a query, from ExecutorStart() until its memory context is
 * deleted. The context is deleted however the execution ends, so executions are
 * counted at that time. The struct is found, from a query and from each of its
 * plan nodes, by the context's list of callbacks.
 */
struct query {
	MemoryContextCallback callback;
	struct selfmon_counters *set;
	struct sm_key key;
	struct sm_values sum;
	uint64 runs;
	bool failed, ended;
	int nodes;          /* the value of sm_nodes at the start */
	int node_count;
	struct node *node;  /* nodes, indexed by plan_node_id */
};

static void query_gone(void *argument)
{
	struct query *const query = argument;
	enum sm_how how = SM_CALL;

	if (IsParallelWorker()) /* the leader reports the worker's errors too */
		how = SM_WORKER;
	else if (!query->ended)
		how = query->failed ? SM_ERROR : SM_CUT_OFF;
	if (how != SM_WORKER || query->ended)
		sm_store_add(&query->key, how, &query->sum, query->runs);
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

static int running; /* number of nested queries */

/*
 * In PostgreSQL 15 the query inside DECLARE CURSOR or CREATE TABLE AS has no
 * id. Such a query gets the id of the client's statement, unless the query is
 * nested, for example in a function.
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
	query->nodes = sm_nodes;
	query->callback.func = query_gone;
	query->callback.arg = query;
	MemoryContextRegisterResetCallback(context, &query->callback);
}

/* ---- plan nodes ---------------------------------------------------------- */

/*
 * below[i] has the values so far of the nodes directly below the running node
 * at depth i. After an ERROR that is caught further up, entries of abandoned
 * nodes stay here until measure() restores `level`. The entries are not on the
 * C stack, where they could be overwritten in the meantime.
 */
#define LEVELS 100 /* deeper nodes are part of the node above */

static struct sm_values below[LEVELS];
static int level;

static TupleTableSlot *node_run(PlanState *state)
{
	struct query *const query = query_of(state->state);
	struct node *const node = &query->node[state->plan->plan_node_id];
	const bool events = query->nodes == SM_NODES_EVENTS;
	const int mine = level;
	struct sm_values values;
	struct selfmon_snapshot a;
	TupleTableSlot *slot;

	if (mine == LEVELS)
		return node->real(state);
	below[mine] = SM_NO_SPAN;
	level = mine + 1;
	sm_begin(query->set, events, &a);
	slot = node->real(state);
	values = sm_end(query->set, events, &a);
	level = mine;
	if (mine > 0)
		sm_values_add(&below[mine - 1], &values);
	sm_values_less(&values, &below[mine]);
	sm_values_add(&node->self, &values);
	node->runs++;
	return slot;
}

static bool find_last_id(PlanState *state, int *last)
{
	*last = Max(*last, state->plan->plan_node_id);
	return planstate_tree_walker(state, find_last_id, last);
}

/*
 * Replaces ExecProcNodeReal. ExecProcNodeFirst(), which checks the stack, and
 * ExecProcNodeInstr(), for EXPLAIN ANALYZE, still run and call the wrapper
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
 * Wraps the nodes at the first run of the query. The start of the query would
 * be too early: a parallel worker then still sets the function of its hash
 * joins (ExecHashJoinInitializeWorker()).
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
		query->nodes = SM_NODES_OFF;
		return;
	}
	query->node_count = last + 1;
	wrap(desc->planstate, query);
}

/* ---- the executor's hooks ------------------------------------------------ */

static void start(QueryDesc *desc, int eflags)
{
	const struct sm_key key = key_of(desc);
	const bool counted = sm_enabled && key.queryid != 0 &&
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
		if (counted && !IsParallelWorker())
			sm_store_add(&key, SM_ERROR, NULL, 0);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (counted)
		query_begin(desc, &key);
}

/* Arguments of ExecutorRun() and ExecutorFinish(). */
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

/*
 * ExecutorFinish() runs triggers and the rest of data-modifying WITHs. For a
 * SELECT without them the call is too short to be worth two calls of read(2).
 */
static bool has_more_to_do(const QueryDesc *desc)
{
	return desc->operation != CMD_SELECT ||
	       desc->estate->es_auxmodifytables != NIL;
}

static void measure(QueryDesc *desc, const struct step *step)
{
	struct query *const query = query_of(desc->estate);
	const bool events = step->run || has_more_to_do(desc);
	const int outer_level = level, outer_running = running;
	struct selfmon_snapshot a;
	struct sm_values values;

	if (!query) {
		take(desc, step);
		return;
	}
	if (query->nodes != SM_NODES_OFF && !query->node)
		wrap_nodes(query, desc);
	sm_begin(query->set, events, &a);
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
	values = sm_end(query->set, events, &a);
	if (!events) /* all events of interest are already counted */
		values.counted = query->sum.counted;
	sm_values_add(&query->sum, &values);
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

/* ---- loading ------------------------------------------------------------- */

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
		return; /* without shared memory, view.c raises an ERROR */
	sm_settings();
	selfmon_clock(); /* chosen once, for all backends */
	EnableQueryId();
	HOOK(shmem_request_hook, next_request, request);
	HOOK(shmem_startup_hook, next_startup, startup);
	HOOK(ExecutorStart_hook, next_start, start);
	HOOK(ExecutorRun_hook, next_run, run);
	HOOK(ExecutorFinish_hook, next_finish, finish);
	HOOK(ExecutorEnd_hook, next_end, end);
}
