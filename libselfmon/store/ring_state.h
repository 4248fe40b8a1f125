/* SPDX-License-Identifier: MIT */
/*
 * Sums of samples and context switches (@offcpu) from a thread's ring, by node.
 * They are stored outside of the nodes, which have no room for them.
 */
#ifndef SELFMON_STORE_RING_STATE_H
#define SELFMON_STORE_RING_STATE_H

#include <pthread.h>

#include "platform/ring.h"
#include "store/off_cpu.h"
#include "store/stacks.h"
#include "store/state.h"

/*
 * Sums for one node. Written under the ring's lock; each word is updated
 * separately. `samples` counts this node alone; all other members include the
 * nodes below it.
 */
struct selfmon_ring_sums {
	struct selfmon_off_cpu off;
	uint64_t samples;
};

/*
 * The visit of an entry. `began` is the ring's head at the visit's start (see
 * selfmon_ring_began_at()), `off` has its times off the CPU since then.
 */
struct selfmon_ring_visit {
	uint64_t began;
	struct selfmon_off_cpu off;
};

/* Number of nodes in one record: those with consecutive ordinals. */
#define SELFMON_RING_PLACES 64u
#define SELFMON_RING_RECORDS (SELFMON_PLACES_MAX / SELFMON_RING_PLACES)

struct selfmon_ring_record {
	struct selfmon_record record;
	/* Number of the thread; ordinal of the first node. */
	uint32_t thread, first;
	struct selfmon_ring_sums place[SELFMON_RING_PLACES];
};

/* Context switches: see session/switches.c. */
struct selfmon_switches {
	bool on;
	/*
	 * The last record read, if it is a switch that took the thread off the
	 * CPU.
	 */
	struct {
		uint64_t position, ns;
		uint32_t cpu;
		bool off, preempted;
	} out;
	uint64_t moved; /* position of the last return to another CPU */
	/* Sums of the records that were read since base.ns. */
	struct selfmon_off_cpu seen;
	struct {
		uint64_t ns, cpu_ns, blocked, preempted;
	} base; /* the kernel's numbers for the thread, read at the time `ns` */
	uint64_t last_ns; /* time of the last record */
	/*
	 * Records that were lost between these positions and times, if `some`
	 * is true. Their switches are not added yet. until_ns is 0 until the
	 * next record is read.
	 */
	struct {
		bool some;
		uint64_t first, last, since_ns, until_ns;
	} lost;
	uint64_t begin_ns, begin_ticks; /* when the ring was opened */
};

/* Samples: see session/sample_records.c. */
struct selfmon_thread_samples {
	bool on;
	uint64_t label; /* selfmon_label() */
	uint64_t lost;
	/* The innermost node when the ring was found full. */
	struct selfmon_node *full;
	bool more; /* records may be lost after the last one that was read */
	/* The kernel reduced the number of samples. */
	bool throttled;
	/*
	 * For each entry: the number of samples whose cost is not subtracted
	 * yet, and the low half of the ring's head at the start of the visit to
	 * which they belong.
	 */
	struct {
		uint32_t samples, begin;
	} debt[SELFMON_DEPTH_MAX + 1 + SELFMON_DEPTH_SLACK];
	struct selfmon_stacks stacks;
};

/*
 * A thread's ring, in memory that is wiped in a forked child. Threads that use
 * the state later use the same memory.
 */
struct selfmon_thread_ring {
	/*
	 * Held while records are read, by this thread or another one, and while
	 * this thread removes entries of visits or changes the label. The
	 * holder has signals blocked, and takes no other lock than the process
	 * lock.
	 */
	pthread_mutex_t lock; /* zeros are PTHREAD_MUTEX_INITIALIZER */
	/* If its page is NULL, the thread has no ring. */
	struct selfmon_ring ring;
	struct selfmon_switches switches;
	struct selfmon_thread_samples samples;
	/* For each entry of open visits. */
	struct selfmon_ring_visit visit[SELFMON_DEPTH_MAX + 1 +
					SELFMON_DEPTH_SLACK];
	struct selfmon_ring_record *record[SELFMON_RING_RECORDS];
};

static inline bool selfmon_thread_ring_on(const struct selfmon_thread *thread)
{
	return thread->ring && thread->ring->ring.page;
}

/*
 * Returns the ring's head at the start of a visit. `begin` is the low half of
 * this position, which the visit's entry stores in place of the CPU. The caller
 * holds the ring's lock.
 *
 * The first call for a visit computes the position and keeps it in
 * visit[entry]; later calls return the kept position. If the low half of the
 * kept position is not `begin`, that position belongs to an earlier visit. Two
 * visits of an entry that began exactly a multiple of 4 GiB apart are not
 * distinguished. Two visits that began at the same position are not either: no
 * record came in between, so the times off the CPU are the same, too.
 *
 * At the first call, the head may have advanced by less than 2 GiB since the
 * start of the visit. The difference is signed, because another thread may read
 * an entry that is newer than `head`. A ring that overwrites is read only by
 * its thread, and its head may advance without a read: by less than 4 GiB, or
 * 90 million switches.
 */
static inline uint64_t selfmon_ring_began_at(struct selfmon_thread_ring *ring,
					     size_t entry, uint32_t begin,
					     uint64_t head)
{
	struct selfmon_ring_visit *const visit = &ring->visit[entry];
	const uint32_t since = (uint32_t)head - begin;

	if ((uint32_t)visit->began != begin || visit->began > head)
		*visit = (struct selfmon_ring_visit){
			head - (ring->ring.overwrites
					? since
					: (uint64_t)(int64_t)(int32_t)since),
			{ 0 }
		};
	return visit->began;
}

/*
 * Returns the times off the CPU of an open visit of the calling thread, or NULL
 * if they are not recorded. Read the ring first. Of a visit that was suspended,
 * the result has only what came after it was resumed.
 */
const struct selfmon_off_cpu *
selfmon_ring_off_of(const struct selfmon_thread *thread,
		    const struct selfmon_visit *open);

/*
 * Returns the sums of a node, and makes them if needed. Takes the process lock.
 * The caller has blocked signals. Returns NULL if out of memory.
 */
struct selfmon_ring_sums *selfmon_ring_sums_of(struct selfmon_thread *thread,
					       uint32_t ordinal);
/* Adds the sums of a node to *sum, if the node has any. For readers. */
void selfmon_ring_sums_read(const struct selfmon_thread *thread,
			    uint32_t ordinal, struct selfmon_ring_sums *sum);

#endif
