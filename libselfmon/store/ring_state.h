/* SPDX-License-Identifier: MIT */
/*
 * Sums of the records of a thread's ring buffer by node: context switches
 * (@offcpu) and samples. They are kept outside of the nodes, which have no room
 * for them.
 */
#ifndef SELFMON_STORE_RING_STATE_H
#define SELFMON_STORE_RING_STATE_H

#include <pthread.h>

#include "platform/ring.h"
#include "store/stacks.h"
#include "store/state.h"

/*
 * Written under the ring's lock; each word is updated separately. samples
 * counts those of the node itself; all other members include the nodes below.
 */
struct selfmon_ring_sums {
	uint64_t blocked_ns, preempted_ns;
	uint64_t blocked, preempted; /* times */
	uint64_t samples;
};

/* Number of nodes that one record covers, by ordinal. */
#define SELFMON_RING_PLACES 64u
#define SELFMON_RING_RECORDS (SELFMON_PLACES_MAX / SELFMON_RING_PLACES)

struct selfmon_ring_record {
	struct selfmon_record record;
	/* The thread's number; ordinal of the first node. */
	uint32_t thread, first;
	struct selfmon_ring_sums place[SELFMON_RING_PLACES];
};

/* Context switches: see session/switches.c. */
struct selfmon_switches {
	bool on;
	/* The last record, if it says that the thread went off the CPU. */
	struct {
		uint64_t position, ns;
		uint32_t cpu;
		bool off, preempted;
	} out;
	uint64_t moved; /* position of the last return to another CPU */
	/*
	 * Sums of the records that were read since the thread's usage was last
	 * computed:
	 */
	struct selfmon_ring_sums seen;
	struct {
		uint64_t ns, cpu_ns, blocked, preempted;
	} base; /* the thread's usage when it was last computed */
	bool lost; /* another thread saw that records were lost */
	uint64_t begin_ns, begin_ticks; /* when the ring was opened */
};

/* Samples: see session/sample_records.c. */
struct selfmon_thread_samples {
	bool on;
	uint64_t label; /* selfmon_label() */
	uint64_t lost;
	/* Innermost node when the ring was found full. */
	struct selfmon_node *full;
	bool more; /* records were lost after the last record read */
	bool throttled;		   /* the kernel throttled the samples */
	/*
	 * For each entry: samples whose cost was not subtracted yet, and the
	 * start position of the visit to which they belong.
	 */
	struct {
		uint32_t samples, begin;
	} debt[SELFMON_DEPTH_MAX + 1 + SELFMON_DEPTH_SLACK];
	struct selfmon_stacks stacks;
};

/*
 * In wiped memory. The thread's state keeps it for threads that use the state
 * later.
 */
struct selfmon_thread_ring {
	/*
	 * Held while the records are read, by the thread or by another one. Its
	 * holder has signals blocked, and takes no other lock but the
	 * process's.
	 */
	pthread_mutex_t lock; /* zeros are PTHREAD_MUTEX_INITIALIZER */
	/* If its page is NULL, this thread has no ring. */
	struct selfmon_ring ring;
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
 * Returns the ring's head at the start of a visit. begin is the low half of
 * that head, which the visit's entry stores in place of the CPU. A ring does
 * not grow by 2 GiB during a visit, so the low half is sufficient. The
 * difference is signed, because another thread may read an entry that is newer
 * than `head`.
 */
static inline uint64_t selfmon_ring_began_at(uint32_t begin, uint64_t head)
{
	return head - (uint64_t)(int64_t)(int32_t)((uint32_t)head - begin);
}

/*
 * Returns the sums of a node; makes them if needed. Takes the process lock; the
 * caller has blocked signals. Returns NULL without memory.
 */
struct selfmon_ring_sums *selfmon_ring_sums_of(struct selfmon_thread *thread,
					       uint32_t ordinal);
/* For readers: adds the sums of a node, if it has any. */
void selfmon_ring_sums_read(const struct selfmon_thread *thread,
			    uint32_t ordinal, struct selfmon_ring_sums *sum);
/* Adds up sums. The caller holds the ring's lock. */
void selfmon_ring_sums_add(struct selfmon_ring_sums *to,
			   const struct selfmon_ring_sums *n);

#endif
