/* SPDX-License-Identifier: MIT */
/*
 * Records of a thread's ring buffer, summed up by node: context switches
 * (@offcpu) and samples. Kept outside of the nodes, which have no room for
 * them.
 */
#ifndef SELFMON_STORE_RING_STATE_H
#define SELFMON_STORE_RING_STATE_H

#include <pthread.h>

#include "platform/ring.h"
#include "store/stacks.h"
#include "store/state.h"

/*
 * Written under the ring's lock; each word is updated separately. samples are
 * those of the place itself, all else includes the places below.
 */
struct selfmon_ring_sums {
	uint64_t blocked_ns, preempted_ns;
	uint64_t blocked, preempted; /* times */
	uint64_t samples;
};

/* Places of one record, by ordinal. */
#define SELFMON_RING_PLACES 64u
#define SELFMON_RING_RECORDS (SELFMON_PLACES_MAX / SELFMON_RING_PLACES)

struct selfmon_ring_record {
	struct selfmon_record record;
	uint32_t thread, first; /* its number; ordinal of the first place */
	struct selfmon_ring_sums place[SELFMON_RING_PLACES];
};

/* Context switches: see session/switches.c. */
struct selfmon_switches {
	bool on;
	/* The last record, if the thread went off the CPU by it. */
	struct {
		uint64_t position, ns;
		uint32_t cpu;
		bool off, preempted;
	} out;
	uint64_t moved; /* position of the last return to another CPU */
	/*
	 * Sums of the records read since the last look at the thread's usage:
	 */
	struct selfmon_ring_sums seen;
	struct {
		uint64_t ns, cpu_ns, blocked, preempted;
	} base; /* that usage */
	bool lost;			/* records, as another thread read */
	uint64_t begin_ns, begin_ticks; /* as the ring was opened */
};

/* Samples: see session/sample_records.c. */
struct selfmon_thread_samples {
	bool on;
	uint64_t label; /* selfmon_label() */
	uint64_t lost;
	struct selfmon_node *full; /* innermost as the ring was found full */
	bool more;		   /* no record since: some were lost */
	bool throttled;		   /* the kernel left some out */
	/*
	 * By entry: samples whose cost is not taken off yet, of the visit that
	 * began at this position.
	 */
	struct {
		uint32_t samples, begin;
	} debt[SELFMON_DEPTH_MAX + 1 + SELFMON_DEPTH_SLACK];
	struct selfmon_stacks stacks;
};

/* Wiped. A state keeps it for the threads that have the state later. */
struct selfmon_thread_ring {
	/*
	 * Taken to read the records, by the thread or another one: signals are
	 * blocked, and no other lock but the process's is taken.
	 */
	pthread_mutex_t lock; /* zeros are PTHREAD_MUTEX_INITIALIZER */
	struct selfmon_ring ring; /* page NULL: this thread has none */
	struct selfmon_switches switches;
	struct selfmon_thread_samples samples;
	struct selfmon_ring_record *record[SELFMON_RING_RECORDS];
};

/* Returns true if the thread has a ring now. */
static inline bool selfmon_thread_ring_on(const struct selfmon_thread *thread)
{
	return thread->ring && thread->ring->ring.page;
}

/*
 * An entry has the low half of the head as its visit began, in place of the CPU.
 * It is stored before the mark. A ring does not grow by 2 GiB during a visit. To
 * another reader an entry may be newer than the head that it has read.
 */
static inline uint64_t selfmon_ring_began_at(uint32_t begin, uint64_t head)
{
	return head - (uint64_t)(int64_t)(int32_t)((uint32_t)head - begin);
}

/*
 * Returns the sums of a place, made if need be. Takes the process lock; signals
 * are blocked. NULL: no memory.
 */
struct selfmon_ring_sums *selfmon_ring_sums_of(struct selfmon_thread *thread,
					       uint32_t ordinal);
/* For readers: adds the sums of a place to a sum, if it has any. */
void selfmon_ring_sums_read(const struct selfmon_thread *thread,
			    uint32_t ordinal, struct selfmon_ring_sums *sum);
/* Adds up, under the ring's lock. */
void selfmon_ring_sums_add(struct selfmon_ring_sums *to,
			   const struct selfmon_ring_sums *n);

#endif
