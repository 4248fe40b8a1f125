/* SPDX-License-Identifier: MIT */
/*
 * The live file: what is kept of a process that ends without a word. Its
 * format, docs/LIVE.md, for what writes it (live.c) and what reads it
 * (report/live_read.c).
 *
 * A header, then records one behind the other, up to header.used. Nothing is
 * ever moved or taken away. A record is whole before used goes past it;
 * statistics and open visits inside of records change in place.
 */
#ifndef SELFMON_REGION_LIVE_H
#define SELFMON_REGION_LIVE_H

#include "clock/calibrate.h"
#include "platform/file.h"
#include "region/overhead.h"

#define SELFMON_LIVE_MAGIC "selfmon\n"
#define SELFMON_LIVE_ORDER UINT32_C(0x01020304)
#define SELFMON_LIVE_VERSION 3
#define SELFMON_LIVE_ALIGN 64
#define SELFMON_LIVE_ROUND(size)                                               \
	(((size) + SELFMON_LIVE_ALIGN - 1) /                                   \
	 SELFMON_LIVE_ALIGN * SELFMON_LIVE_ALIGN)
#define SELFMON_LIVE_REASON 512
/* Names are cut to this many bytes there. */
#define SELFMON_LIVE_NAME_MAX 65535

enum selfmon_live_type {
	SELFMON_LIVE_REST = 1, /* nothing: to the end of what was mapped */
	SELFMON_LIVE_REGION,
	SELFMON_LIVE_THREAD,
	SELFMON_LIVE_NODE
};

struct selfmon_live_record {
	uint32_t type;
	uint32_t owners;  /* of a thread: how many threads had its state */
	uint64_t size;    /* of all of it, a multiple of SELFMON_LIVE_ALIGN */
};

/* Ids are 1, 2, 3 and so on. Behind it the name and the file, each with NUL. */
struct selfmon_live_region {
	struct selfmon_live_record record;
	uint32_t id, line;
	uint32_t name_length, file_length; /* without NUL */
};

/* Numbers are 0, 1, 2 and so on. */
struct selfmon_live_thread {
	struct selfmon_live_record record;
	uint32_t number;
	uint32_t tid;               /* of the last of its owners */
	uint64_t too_deep, unready; /* visits not measured */
	uint64_t displaced;         /* and those at another place */
	char name[SELFMON_THREAD_NAME]; /* of the same */
	/* The first is a sentinel; open are those with an even mark, not 0. */
	struct selfmon_open open[SELFMON_DEPTH_MAX + 1];
};

_Static_assert(sizeof(struct selfmon_live_thread) <= 81 * 1024,
	       "a thread's part of a live file, in docs/COST.md and LIVE.md");

/* Parents come before their children; the root, a thread's first, has none. */
struct selfmon_live_node {
	struct selfmon_live_record record;
	uint64_t address;          /* how open visits name it */
	uint32_t thread, region;
	uint32_t ordinal, parent;  /* in the thread, 0 is the root */
	uint64_t padding[3];
	struct selfmon_stats stats;
	struct selfmon_sampled sampled; /* right behind them */
};

/* What seldom changes; a new copy is written beside the old one. */
struct selfmon_live_facts {
	char program[256], cpu[64], hypervisor[16], kernel[256];
	char boot[40];             /* which run of the machine's system */
	int32_t pid;
	uint32_t forked;
	uint64_t begun;            /* seconds since 1970 */
	uint64_t start_ticks;
	struct selfmon_clock clock; /* source: NONE where not known then */
	uint32_t choice, columns;
	uint32_t every, fence, strict, guard;
	uint64_t read_ns;
	uint64_t taken;
	char events[SELFMON_SPEC_MAX];
	char events_reason[SELFMON_LIVE_REASON];
	char read_reason[SELFMON_LIVE_REASON];
	char slow_path[SELFMON_LIVE_REASON];
	char limited[SELFMON_LIMITED_COUNT][SELFMON_LIVE_REASON];
	struct {
		char name[SELFMON_EVENT_NAME_SIZE];
		uint32_t verdict, kernel, place, group;
		char reason[SELFMON_LIVE_REASON];
	} column[SELFMON_MAX_COUNTERS];
	uint64_t notes;
	char note[SELFMON_NOTES_MAX][SELFMON_MESSAGE_SIZE];
	struct selfmon_calibration calibration;
};

/* Each word on its own. */
struct selfmon_live_counts {
	uint64_t threads, threads_at_once, refused;
	uint64_t limited[SELFMON_LIMITED_COUNT]; /* threads, by step down */
	uint64_t unready, stale, torn;
	uint64_t left_out; /* records for which there was no room */
	uint64_t ended;    /* the library has come to its end */
};

struct selfmon_live_header {
	char magic[SELFMON_FILE_MAGIC_SIZE];
	uint32_t order, version;
	/* Sizes and numbers of what is in the file, by its writer. */
	uint32_t header_size, facts_size, thread_size, node_size;
	uint32_t open_size, entries, counters, buckets, rare;
	uint32_t reserved;
	char machine[16];
	uint64_t used;
	uint64_t which;            /* of the facts: 1 or 2; 0: none yet */
	uint64_t pairs;            /* written: first, then 1 and 2 in turn */
	struct selfmon_clock_pair pair[3];
	struct selfmon_live_counts counts;
	struct selfmon_live_facts facts[2];
};

_Static_assert(offsetof(struct selfmon_live_node, sampled) ==
		       offsetof(struct selfmon_live_node, stats) +
			       sizeof(struct selfmon_stats),
	       "selfmon_sampled_of() finds it behind the statistics");
_Static_assert(offsetof(struct selfmon_live_thread, open) %
			       SELFMON_LIVE_ALIGN == 0 &&
		       offsetof(struct selfmon_live_node, stats) %
				       SELFMON_LIVE_ALIGN == 0,
	       "statistics begin with a cache line, as they do in memory");

/* ---- writing it: live.c, under the process lock unless said otherwise ---- */

/* With the process's first thread, before its state is made. */
void selfmon_live_begin(struct selfmon_process *process);
/* A region that was just registered. */
void selfmon_live_add_region(const struct selfmon_region *region);
/* For a new state of a thread, with its entries; NULL: there is to be none. */
struct selfmon_live_thread *selfmon_live_add_thread(void);
/* Statistics of a new node, whole but for its stats; NULL likewise. */
struct selfmon_stats *selfmon_live_add_node(const struct selfmon_thread *thread,
					    const struct selfmon_node *node);
/* Numbers of threads and the like, as they are now. */
void selfmon_live_count(struct selfmon_process *process);
/* Without the lock: the header's counts, or NULL. */
struct selfmon_live_counts *
selfmon_live_counts(const struct selfmon_process *process);
/* Without the lock: is this address in memory that this process has? */
bool selfmon_live_holds(const void *address);
/* In a forked child: its parent's file is none of its. */
void selfmon_live_forked(void);
/* The process comes to its end; it may go on for a while. Takes the lock. */
void selfmon_live_end(void);

/* live_facts.c: writes them anew. */
void selfmon_live_tell(struct selfmon_process *process);
void selfmon_live_tell_to(struct selfmon_live_header *header,
			  struct selfmon_process *process);
void selfmon_live_tell_time(struct selfmon_live_header *header);

#endif
