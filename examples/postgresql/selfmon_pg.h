/* SPDX-License-Identifier: MIT */
/*
 * Shared by the extension's files: hooks.c knows what runs in a backend,
 * counters.c counts it, store.c adds up all backends, view.c shows the sums.
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

/* ---- counts (counters.c) ------------------------------------------------ */

/*
 * Values of one or more spans. count[i] belongs to sm_events.event[i]. A count
 * is valid only if its bit in `counted` is set, which means that every span had
 * a value.
 */
struct sm_values {
	uint64 ticks;
	uint64 count[SELFMON_MAX_COUNTERS];
	uint8 counted;
	uint8 by_read; /* bit i: some span's value came from read(2) */
	uint8 scaled;  /* bit i: some span's value was an estimate */
};

#define SM_NO_SPAN ((struct sm_values){ .counted = 0xff })

extern struct selfmon_events sm_events; /* selfmon.events, parsed */
extern int sm_max;                      /* selfmon.max */
extern bool sm_enabled;                 /* selfmon.enabled */
extern int sm_nodes;                    /* selfmon.nodes */

enum { SM_NODES_OFF, SM_NODES_TIME, SM_NODES_EVENTS };

extern void sm_settings(void);

/*
 * Returns this backend's counters, opened at the first call; NULL if it has
 * none.
 */
extern struct selfmon_counters *sm_counters(void);

/* Begin and end a span: for all events, or only for time. */
extern void sm_begin(const struct selfmon_counters *set, bool events,
		     struct selfmon_snapshot *a);
extern struct sm_values sm_end(struct selfmon_counters *set, bool events,
			       const struct selfmon_snapshot *a);

extern void sm_values_add(struct sm_values *sum, const struct sm_values *part);

/*
 * Subtracts a part from a whole. A count whose part exceeds the whole, as an
 * estimate may, has no value afterwards; a time becomes 0.
 */
extern void sm_values_less(struct sm_values *whole,
			   const struct sm_values *part);

/* ---- sums of all backends, in shared memory (store.c) -------------------- */

#define SM_REASON_SIZE 256

/* How an execution of a query ended. */
enum sm_how {
	SM_CALL,    /* normally: time, runs and counts are added */
	/*
	 * Normally, in a parallel worker: only counts are added, since the
	 * worker's time is part of the leader's call.
	 */
	SM_WORKER,
	SM_ERROR,
	/* It did not end: a cursor whose transaction was rolled back. */
	SM_CUT_OFF
};

/* A query, or (node not T_Invalid) all its plan nodes of one type. */
struct sm_key {
	Oid userid;
	Oid dbid;
	uint64 queryid;
	uint64 node; /* NodeTag, 64 bits to avoid padding in the key */
};

struct sm_entry {
	struct sm_key key;
	slock_t mutex; /* protects all members below */
	uint64 calls, workers, errors, cut_off;
	uint64 runs;   /* executor runs; for a node calls of ExecProcNode() */
	uint64 ticks, max_ticks;
	uint64 count[SELFMON_MAX_COUNTERS];
	/* Number of calls and workers that have a count. */
	uint64 counted[SELFMON_MAX_COUNTERS];
	uint8 by_read, scaled;
};

struct sm_shared {
	LWLock *lock; /* protects the table; exclusive for changes */
	uint64 dropped; /* executions not stored: no room or no counters */
	TimestampTz since;
	/* Why event i was not opened, in the last backend that failed. */
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

extern void sm_store_reason(size_t i, const char *reason);

#endif
