/* SPDX-License-Identifier: MIT */
/*
 * How long visits were off the CPU, by place. Recorded only if the process
 * records context switches (@offcpu), and then beside the nodes: a node has no
 * room for it.
 */
#ifndef SELFMON_STORE_OFF_CPU_H
#define SELFMON_STORE_OFF_CPU_H

#include "platform/ring.h"
#include "store/state.h"

/* One writer, the owning thread; each word is updated separately. */
struct selfmon_off_cpu {
	uint64_t blocked_ns, preempted_ns;
	uint64_t blocked, preempted; /* times */
};

/* Places of one record, by ordinal. */
#define SELFMON_OFF_CPU_PLACES 64u
#define SELFMON_OFF_CPU_RECORDS (SELFMON_PLACES_MAX / SELFMON_OFF_CPU_PLACES)

struct selfmon_off_cpu_record {
	struct selfmon_record record;
	uint32_t thread, first; /* its number; ordinal of the first place */
	struct selfmon_off_cpu place[SELFMON_OFF_CPU_PLACES];
};

/* Wiped. A state keeps it for the threads that have the state later. */
struct selfmon_switches {
	struct selfmon_ring ring; /* page NULL: this thread has none */
	/* The last record, if the thread went off the CPU by it. */
	struct {
		uint64_t position, ns;
		uint32_t cpu;
		bool off, preempted;
	} out;
	uint64_t moved; /* position of the last return to another CPU */
	/* Of the records read since the last look at the thread's usage: */
	struct selfmon_off_cpu seen;
	struct {
		uint64_t ns, cpu_ns, blocked, preempted;
	} base; /* that usage */
	uint64_t begin_ns, begin_ticks; /* as the ring was opened */
	struct selfmon_off_cpu_record *record[SELFMON_OFF_CPU_RECORDS];
};

/*
 * Returns the sums of a place, made if need be. Takes the process lock; signals
 * are blocked. NULL: no memory.
 */
struct selfmon_off_cpu *selfmon_off_cpu_of(struct selfmon_thread *thread,
					   uint32_t ordinal);
/* For readers: adds the sums of a place to a sum, if it has any. */
void selfmon_off_cpu_read(const struct selfmon_thread *thread,
			  uint32_t ordinal, struct selfmon_off_cpu *sum);
/* Adds up, by the owning thread. */
void selfmon_off_cpu_add(struct selfmon_off_cpu *to,
			 const struct selfmon_off_cpu *n);

#endif
