/* SPDX-License-Identifier: MIT */
/*
 * What the extension's files share: hooks.c knows what runs in a backend,
 * counters.c counts it, store.c adds up over all backends, view.c shows it.
 */
#ifndef SELFMON_PG_H
#define SELFMON_PG_H

#include <postgres.h>

#include <datatype/timestamp.h>
#include <nodes/nodes.h>
#include <storage/lwlock.h>
#include <storage/spin.h>
#include <utils/hsearch.h>

#include <selfmon.h>

/* ---- what was counted (counters.c) -------------------------------------- */

/*
 * Of one or more spans; count i belongs to sm_events.event[i]. A count is
 * one only if its bit in counted is set: if each span had a value.
 */
struct sm_values {
	uint64 ticks;
	uint64 count[SELFMON_MAX_COUNTERS];
	uint8 counted;
	uint8 by_read; /* a span's value came by read(2) ... */
	uint8 scaled;  /* ... was an estimate */
};

#define SM_NO_SPAN ((struct sm_values){ .counted = 0xff })

extern struct selfmon_events sm_events; /* selfmon.events, in pieces */
extern int sm_max;                      /* selfmon.max */
extern bool sm_enabled;                 /* selfmon.enabled */
extern int sm_nodes;                    /* selfmon.nodes */

enum { SM_NODES_OFF, SM_NODES_TIME, SM_NODES_EVENTS };

extern void sm_settings(void);

/* This backend's counters, opened at the first call; NULL: it has none. */
extern struct selfmon_counters *sm_counters(void);

/* A span, from a until the end: of all events, or of time alone. */
extern void sm_begin(const struct selfmon_counters *set, bool events,
		     struct selfmon_snapshot *a);
extern struct sm_values sm_end(struct selfmon_counters *set, bool events,
			       const struct selfmon_snapshot *a);

extern void sm_values_add(struct sm_values *sum, const struct sm_values *part);

/* Estimates may say more of a part than of the whole: then no number. */
extern void sm_values_less(struct sm_values *whole,
			   const struct sm_values *part);

/* ---- sums of all backends, in shared memory (store.c) -------------------- */

#define SM_REASON_SIZE 256

/* How an execution of a query ended. */
enum sm_how {
	SM_CALL,    /* as it should: the only one whose values are added */
	SM_WORKER,  /* the same, of a parallel worker: a part of a call */
	SM_ERROR,   /* an ERROR left it */
	SM_CUT_OFF  /* it did not end: a cursor whose transaction was undone */
};

/* A query, or (node not T_Invalid) all its plan nodes of one type. */
struct sm_key {
	Oid userid;
	Oid dbid;
	uint64 queryid;
	uint64 node; /* NodeTag, wide so that the key has no holes */
};

struct sm_entry {
	struct sm_key key;
	slock_t mutex; /* over all below */
	uint64 calls, workers, errors, cut_off;
	uint64 runs;   /* executor runs, of a node calls of ExecProcNode() */
	uint64 ticks, max_ticks;
	uint64 count[SELFMON_MAX_COUNTERS];
	uint64 counted[SELFMON_MAX_COUNTERS]; /* calls that have a count */
	uint8 by_read, scaled;
};

struct sm_shared {
	LWLock *lock; /* over the table, exclusive where it changes */
	uint64 dropped; /* executions that found no room or no counters */
	TimestampTz since;
	/* why event i was not opened, in the backend that said so last */
	char reason[SELFMON_MAX_COUNTERS][SM_REASON_SIZE];
};

extern struct sm_shared *sm_shared; /* NULL: not preloaded */
extern HTAB *sm_table;              /* struct sm_key -> struct sm_entry */

extern void sm_store_request(void);
extern void sm_store_attach(void);
extern void sm_store_add(const struct sm_key *key, enum sm_how how,
			 const struct sm_values *values, uint64 runs);
extern void sm_store_drop(void);
extern void sm_store_reset(void);

/* Keeps the reason of event i. */
extern void sm_store_reason(size_t i, const char *reason);

#endif
