/* SPDX-License-Identifier: MIT */
/* Context switches of a thread, read from its ring. */
#define _GNU_SOURCE
#include "session/switches.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clock/clock.h"
#include "open/entry.h"
#include "platform/kernel.h"
#include "platform/thread_cpu.h"
#include "session/live_facts.h"
#include "store/config.h"
#include "store/live.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/self.h"

/*
 * Two pages hold the records of 170 switches, 5 and more of which lie between
 * two ends of visits only in a long visit that waits often. What is lost then
 * is known from the thread's usage: see take_lost().
 */
#define RING_ORDER 1

/* ---- begin and end ------------------------------------------------------- */

/*
 * A dummy event counts nothing and takes no counter. Its ring gets the records
 * of the thread's switches (attr.context_switch, Linux 4.3; allowed to all for
 * their own threads). CLOCK_MONOTONIC_RAW is the same on all CPUs.
 */
static int open_switches(struct selfmon_ring *ring)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.context_switch = 1,
		.watermark = 1, /* no wakeups */
		.wakeup_watermark = UINT32_MAX,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
	};

	return selfmon_ring_open(ring, &attr, RING_ORDER);
}

static void look_at_usage(struct selfmon_switches *switches)
{
	selfmon_kernel_thread_usage(&switches->base.cpu_ns,
				    &switches->base.preempted,
				    &switches->base.blocked);
	switches->base.ns = selfmon_kernel_monotonic_raw_ns();
	memset(&switches->seen, 0, sizeof(switches->seen));
}

/* Under the process lock. Without memory the state has no failure's step. */
static void count_without(struct selfmon_process *process, int error)
{
	struct selfmon_limited *const limited =
		&process->limited[SELFMON_LIMITED_OFF_CPU];

	if (limited->threads++ > 0) {
		selfmon_live_count(process);
		return;
	}
	limited->failure = (struct selfmon_failure){
		.error = -error,
		.step = error == -EPERM || error == -ENOMEM ? SELFMON_STEP_MAP
							    : SELFMON_STEP_OPEN,
	};
	snprintf(limited->failure.event, sizeof(limited->failure.event),
		 "@offcpu");
	selfmon_facts_publish(process);
}

/* A reader may look: what it finds is complete. */
static struct selfmon_switches *make_switches(struct selfmon_thread *thread)
{
	struct selfmon_switches *const switches =
		selfmon_memory_wiped(sizeof(*switches));

	__atomic_store_n(&thread->switches, switches, __ATOMIC_RELEASE);
	return switches;
}

void selfmon_switches_begin(struct selfmon_process *process,
			    struct selfmon_thread *thread)
{
	struct selfmon_switches *switches = thread->switches;
	int error = -ENOMEM;

	if (!selfmon_config()->off_cpu)
		return;
	selfmon_process_lock(process);
	if (!switches)
		switches = make_switches(thread);
	if (switches)
		error = open_switches(&switches->ring);
	if (error)
		count_without(process, error);
	selfmon_process_unlock(process);
	if (error)
		return;
	memset(&switches->out, 0, sizeof(switches->out));
	switches->moved = 0;
	look_at_usage(switches);
	switches->begin_ns = switches->base.ns;
	switches->begin_ticks = selfmon_clock_ticks();
	thread->cpu = selfmon_ring_head_word(&switches->ring);
	if (thread->set)
		thread->set->cpu = thread->cpu;
}

void selfmon_switches_end(struct selfmon_thread *thread)
{
	if (!selfmon_switches_on(thread))
		return;
	selfmon_switches_read(thread, UINT64_MAX);
	thread->cpu = selfmon_thread_cpu();
	if (thread->set)
		thread->set->cpu = thread->cpu;
	selfmon_ring_close(&thread->switches->ring);
}

/* ---- records ------------------------------------------------------------- */

/* With sample_id_all: what sample_type names follows each record. */
struct switch_record {
	struct perf_event_header header;
	uint64_t ns;
	uint32_t cpu, reserved;
};

/* The thread was off the CPU once, or several times. */
struct slice {
	uint64_t position;
	struct selfmon_off_cpu time;
};

/* How long the newest visit took, which ends; UINT64_MAX: it does not end. */
static uint64_t newest_ns(const struct selfmon_switches *switches,
			  uint64_t ticks)
{
	uint64_t ns, all;

	if (ticks == UINT64_MAX)
		return ticks;
	all = selfmon_clock_ticks() - switches->begin_ticks;
	ns = selfmon_kernel_monotonic_raw_ns() - switches->begin_ns;
	return all ? (uint64_t)((double)ticks * (double)ns / (double)all) : 0;
}

/*
 * An entry has the low half of the head as its visit began. A ring does not
 * grow by 4 GiB during a visit: each switch takes 48 bytes.
 */
static uint64_t began_at(const struct selfmon_visit *open, uint64_t head)
{
	const uint32_t begin =
		open->thread->set ? open->start.cpu : open->cpu;

	return head - (uint32_t)((uint32_t)head - begin);
}

static void add_place(struct selfmon_thread *thread, uint32_t ordinal,
		      const struct selfmon_off_cpu *time)
{
	struct selfmon_off_cpu *const sum = selfmon_off_cpu_of(thread, ordinal);

	if (sum)
		selfmon_off_cpu_add(sum, time);
}

/*
 * Adds to the visits that were open then, and to the root, which has all of the
 * thread. A visit reads the head a few instructions before its start, and after
 * its end: what was longer than the visit happened there.
 */
static void add_slice(struct selfmon_thread *thread, const struct slice *slice,
		      uint64_t head, uint64_t newest)
{
	const struct selfmon_visit *open = thread->top;

	selfmon_off_cpu_add(&thread->switches->seen, &slice->time);
	if (slice->time.blocked_ns + slice->time.preempted_ns > newest)
		open--;
	for (; open > thread->open; open--)
		if (selfmon_entry_is_open(open) &&
		    began_at(open, head) <= slice->position)
			add_place(thread, open->node->ordinal, &slice->time);
	add_place(thread, 0, &slice->time);
}

/* PERF_RECORD_SWITCH; PREEMPT is known from Linux 4.17 on. */
static void add_switch(struct selfmon_thread *thread,
			const struct switch_record *record, uint64_t head,
			uint64_t newest)
{
	struct selfmon_switches *const switches = thread->switches;
	const uint64_t ns = record->ns - switches->out.ns;
	struct slice slice = { .position = switches->out.position };

	if (record->header.misc & PERF_RECORD_MISC_SWITCH_OUT) {
		switches->out.position = switches->ring.tail;
		switches->out.ns = record->ns;
		switches->out.cpu = record->cpu;
		switches->out.preempted =
			record->header.misc &
			PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		switches->out.off = true;
		return;
	}
	if (!switches->out.off)
		return;
	switches->out.off = false;
	if (switches->out.cpu != record->cpu)
		switches->moved = switches->ring.tail;
	if (switches->out.preempted)
		slice.time = (struct selfmon_off_cpu){ .preempted_ns = ns,
						       .preempted = 1 };
	else
		slice.time = (struct selfmon_off_cpu){ .blocked_ns = ns,
						       .blocked = 1 };
	add_slice(thread, &slice, head, newest);
}

/* Returns true if the kernel says that records are missing. */
static bool read_all(struct selfmon_thread *thread, uint64_t head,
		     uint64_t newest)
{
	struct selfmon_ring *const ring = &thread->switches->ring;
	struct switch_record record;
	bool lost = false;

	while (ring->tail < head) {
		selfmon_ring_copy(ring, ring->tail, &record.header,
				  sizeof(record.header));
		if (record.header.size < sizeof(record.header) ||
		    record.header.size > head - ring->tail)
			break;
		if (record.header.type == PERF_RECORD_LOST)
			lost = true;
		if (record.header.type == PERF_RECORD_SWITCH &&
		    record.header.size >= sizeof(record)) {
			selfmon_ring_copy(ring, ring->tail, &record,
					  sizeof(record));
			add_switch(thread, &record, head, newest);
		}
		ring->tail += record.header.size;
	}
	ring->tail = head;
	selfmon_ring_release(ring);
	return lost;
}

static uint64_t beyond(uint64_t all, uint64_t seen)
{
	return all > seen ? all - seen : 0;
}

/*
 * The ring was full: the kernel left records out. The thread's usage has all
 * switches and its CPU time. What is missing goes to the visits that were open
 * when the last record was written; its time is divided by the number of
 * switches.
 */
static void take_lost(struct selfmon_thread *thread, uint64_t head,
		      uint64_t newest)
{
	struct selfmon_switches *const switches = thread->switches;
	const struct selfmon_off_cpu seen = switches->seen;
	const uint64_t ns = switches->base.ns, cpu_ns = switches->base.cpu_ns,
		       blocked = switches->base.blocked,
		       preempted = switches->base.preempted;
	struct slice slice = { .position = switches->out.position };
	uint64_t lost_ns, n;

	look_at_usage(switches);
	slice.time.blocked =
		beyond(switches->base.blocked - blocked, seen.blocked);
	slice.time.preempted =
		beyond(switches->base.preempted - preempted, seen.preempted);
	lost_ns = beyond(switches->base.ns - ns,
			 switches->base.cpu_ns - cpu_ns + seen.blocked_ns +
				 seen.preempted_ns);
	n = slice.time.blocked + slice.time.preempted;
	if (!n)
		return;
	slice.time.preempted_ns =
		(uint64_t)((double)lost_ns * (double)slice.time.preempted /
			   (double)n);
	slice.time.blocked_ns = lost_ns - slice.time.preempted_ns;
	switches->out.off = false;
	add_slice(thread, &slice, head, newest);
	memset(&switches->seen, 0, sizeof(switches->seen));
}

/*
 * Signals are blocked: a handler that jumped out would leave a record half
 * added. A handler's own visits before that find the ring read.
 */
bool selfmon_switches_read(struct selfmon_thread *thread, uint64_t ticks)
{
	struct selfmon_switches *const switches = thread->switches;
	struct selfmon_ring *const ring = &switches->ring;
	const uint64_t head = selfmon_ring_head(ring);
	struct selfmon_signals signals;

	if (ring->tail != head) {
		const uint64_t newest = newest_ns(switches, ticks);
		bool full;

		selfmon_kernel_block_signals(&signals);
		full = head - ring->tail + sizeof(struct switch_record) >
		       ring->size;
		if (read_all(thread, head, newest) || full)
			take_lost(thread, head, newest);
		selfmon_kernel_restore_signals(&signals);
	}
	return thread->top > thread->open &&
	       switches->moved >= began_at(thread->top, head) &&
	       switches->moved;
}
