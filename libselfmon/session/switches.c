/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "session/switches.h"

#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

#include "clock/clock.h"
#include "open/entry.h"
#include "platform/kernel.h"
#include "store/frames.h"
#include "store/recorder.h"

/* ---- the ring ------------------------------------------------------------ */

/*
 * Makes the kernel record the thread's context switches (attr.context_switch,
 * since Linux 4.3). A thread needs no privilege to record its own switches. The
 * clock is CLOCK_MONOTONIC_RAW, which is the same on all CPUs.
 */
void selfmon_switches_attr(struct perf_event_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	attr->sample_id_all = 1;
	attr->context_switch = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC_RAW;
}

/*
 * A recorded time off the CPU includes some microseconds that the kernel counts
 * as CPU time. So the kernel's numbers are read again after this number of
 * switches, before these differences add up.
 */
#define LOOK_AFTER 100

static void look_at_usage(struct selfmon_switches *switches)
{
	selfmon_kernel_thread_usage(&switches->base.cpu_ns,
				    &switches->base.preempted,
				    &switches->base.blocked);
	switches->base.ns = selfmon_kernel_monotonic_raw_ns();
	memset(&switches->seen, 0, sizeof(switches->seen));
}

void selfmon_switches_start(struct selfmon_switches *switches)
{
	memset(switches, 0, sizeof(*switches));
	switches->on = true;
	look_at_usage(switches);
	switches->begin_ns = switches->last_ns = switches->base.ns;
	switches->begin_ticks = selfmon_clock_ticks();
}

/* ---- records ------------------------------------------------------------- */

/*
 * A record with sample_id_all: the fields selected by sample_type follow the
 * header.
 */
struct switch_record {
	struct perf_event_header header;
	uint64_t ns;
	uint32_t cpu, reserved;
};

_Static_assert(sizeof(struct switch_record) == SELFMON_SWITCH_SIZE,
	       "the size of a record in a ring that overwrites");

/*
 * The sum of one or more times off the CPU. Their records were at positions
 * from `first` to `last` of the ring, and they were all between since_ns and
 * until_ns. If records were lost, it is unknown where in between.
 */
struct slice {
	uint64_t first, last, since_ns, until_ns;
	bool lost;
	struct selfmon_off_cpu time;
};

/* Returns the number of ticks in a ns, measured since the ring was opened. */
static double ticks_per_ns(const struct selfmon_switches *switches)
{
	const double ticks = (double)(selfmon_clock_ticks() -
				      switches->begin_ticks),
		     ns = (double)(selfmon_kernel_monotonic_raw_ns() -
				   switches->begin_ns);

	return ns > 0 ? ticks / ns : 0;
}

uint64_t selfmon_switches_newest_ns(const struct selfmon_switches *switches,
				    uint64_t ticks)
{
	double rate;

	if (ticks == UINT64_MAX)
		return ticks;
	rate = ticks_per_ns(switches);
	return rate > 0 ? (uint64_t)((double)ticks / rate) : 0;
}

/* A reader in another thread sees whole words. */
static void add_place(struct selfmon_thread *thread, uint32_t ordinal,
		      const struct selfmon_off_cpu *time)
{
	struct selfmon_ring_sums *const sum =
		selfmon_ring_sums_of(thread, ordinal);

	if (!sum)
		return;
	selfmon_arch_add(&sum->off.blocked_ns, time->blocked_ns);
	selfmon_arch_add(&sum->off.preempted_ns, time->preempted_ns);
	selfmon_arch_add(&sum->off.blocked, time->blocked);
	selfmon_arch_add(&sum->off.preempted, time->preempted);
}

/* Returns the share of a slice that was after this position. */
static double share_after(const struct slice *slice, uint64_t position)
{
	if (position <= slice->first)
		return 1;
	if (position > slice->last)
		return 0;
	return (double)(slice->last - position) /
	       (double)(slice->last - slice->first);
}

static uint64_t scaled_by(uint64_t n, double share)
{
	return (uint64_t)((double)n * share + 0.5);
}

/* Returns a share of the times, and another share of their numbers. */
static struct selfmon_off_cpu
off_cpu_share(const struct selfmon_off_cpu *all, double time, double numbers)
{
	return (struct selfmon_off_cpu){
		.blocked_ns = scaled_by(all->blocked_ns, time),
		.preempted_ns = scaled_by(all->preempted_ns, time),
		.blocked = scaled_by(all->blocked, numbers),
		.preempted = scaled_by(all->preempted, numbers),
	};
}

/* Returns how long a visit has run until this time. */
static double ran_until(const struct selfmon_switches *switches,
			const struct selfmon_visit *open, uint64_t ns)
{
	const double start = (double)(int64_t)(open->start.ticks -
					       switches->begin_ticks),
		     until = (double)(int64_t)(ns - switches->begin_ns),
		     rate = ticks_per_ns(switches);

	return rate > 0 ? until - start / rate : 0;
}

/*
 * Returns the time of lost switches that is added to a visit, relative to its
 * share: less than 1 if the share is longer than the visit has run.
 */
static double time_share(const struct selfmon_switches *switches,
			 const struct selfmon_visit *open,
			 const struct slice *slice, double share)
{
	const double ns = share * (double)(slice->time.blocked_ns +
					   slice->time.preempted_ns),
		     ran = ran_until(switches, open, slice->until_ns);

	return ns <= ran ? share : ran > 0 ? share * ran / ns : 0;
}

/*
 * Adds the part of a slice that was in one open visit. A visit reads the ring's
 * head some instructions before its start and after its end. So the time of one
 * switch that is longer than the visit must have passed in these instructions,
 * outside of the visit, and is not added to it.
 */
static void add_to_visit(struct selfmon_thread *thread,
			 const struct selfmon_visit *open,
			 const struct slice *slice, uint64_t head,
			 uint64_t longest)
{
	const size_t entry = (size_t)(open - thread->open);
	const struct selfmon_off_cpu *const all = &slice->time;
	const double share = share_after(
		slice,
		selfmon_ring_began_at(thread->ring, entry, open->cpu, head));
	double time = share;
	struct selfmon_off_cpu part;

	if (share <= 0)
		return;
	if (slice->lost)
		time = time_share(&thread->ring->switches, open, slice, share);
	else if (all->blocked_ns + all->preempted_ns > longest)
		return;
	part = off_cpu_share(all, time, share);
	add_place(thread, open->node->ordinal, &part);
	selfmon_off_cpu_add(&thread->ring->visit[entry].off, &part);
}

static double ticks_at(const struct selfmon_switches *switches, uint64_t ns)
{
	return (double)switches->begin_ticks +
	       (double)(int64_t)(ns - switches->begin_ns) *
		       ticks_per_ns(switches);
}

/*
 * Adds to a frame the share of the slice's time that is inside the frame. A
 * mark is not in the ring, so only times can be compared.
 */
static void add_to_frame(struct selfmon_frame_open *frame,
			 const struct selfmon_off_cpu *time, double since,
			 double until)
{
	struct selfmon_frame_off *const off =
		selfmon_frame_off_of(frame, selfmon_load_once(&frame->start));
	const double start = (double)off->start,
		     end = off->end ? (double)off->end : until,
		     first = since > start ? since : start,
		     last = until < end ? until : end;
	struct selfmon_off_cpu part;
	double share;

	if (!off->start || first >= last)
		return;
	share = (last - first) / (until - since);
	part = off_cpu_share(time, share, share);
	selfmon_off_cpu_add(&off->off, &part);
}

static void add_to_frames(struct selfmon_thread *thread,
			  const struct slice *slice)
{
	const struct selfmon_switches *const switches =
		&thread->ring->switches;
	struct selfmon_frames *const frames = thread->frames;
	double since, until;
	uint32_t i;

	if (!selfmon_frames_are_valid(thread, frames))
		return;
	since = ticks_at(switches, slice->since_ns);
	until = ticks_at(switches, slice->until_ns);
	for (i = 0; i < selfmon_load_once(&frames->names); i++)
		add_to_frame(&frames->open[i], &slice->time, since, until);
}

/*
 * Adds a time off the CPU to the visits that were open then, and to the root,
 * which has the sum of the whole thread.
 */
static void add_slice(struct selfmon_thread *thread, const struct slice *slice,
		      uint64_t head, uint64_t newest)
{
	const struct selfmon_visit *const top = selfmon_load_once(&thread->top);
	const struct selfmon_visit *open;

	selfmon_off_cpu_add(&thread->ring->switches.seen, &slice->time);
	for (open = top; open > thread->open; open--)
		if (selfmon_entry_is_open(open))
			add_to_visit(thread, open, slice, head,
				     open == top ? newest : UINT64_MAX);
	add_to_frames(thread, slice);
	add_place(thread, 0, &slice->time);
}

/*
 * Adds the time off the CPU to the thread's recorder, in an entry of its own.
 */
static void record_off(struct selfmon_thread *thread,
		       const struct selfmon_switches *switches, uint64_t in_ns,
		       uint64_t ns)
{
	const double rate = ticks_per_ns(switches);

	selfmon_recorder_put(
		thread->recorder,
		switches->begin_ticks +
			(uint64_t)((double)(in_ns - switches->begin_ns) * rate),
		selfmon_ended_pack((uint64_t)((double)ns * rate),
				   switches->out.preempted
					   ? SELFMON_ENDED_PREEMPTED
					   : SELFMON_ENDED_BLOCKED));
}

/*
 * The first record after lost ones is the end of their time. If it is of
 * another CPU than the last one before them, the thread has moved. Other moves
 * among lost records stay unknown.
 */
static void note_first_kept(struct selfmon_thread *thread,
			    const struct switch_record *record)
{
	struct selfmon_switches *const switches = &thread->ring->switches;

	if (!switches->lost.some || switches->lost.until_ns)
		return;
	switches->lost.until_ns = record->ns;
	if (switches->out.ns && switches->out.cpu != record->cpu)
		switches->moved = thread->ring->ring.tail;
}

/* PERF_RECORD_MISC_SWITCH_OUT_PREEMPT is set since Linux 4.17. */
static void add_switch(struct selfmon_thread *thread,
		       const struct switch_record *record, uint64_t head,
		       uint64_t newest)
{
	struct selfmon_switches *const switches = &thread->ring->switches;
	const uint64_t ns = record->ns - switches->out.ns;
	struct slice slice = { .first = switches->out.position,
			       .last = switches->out.position,
			       .since_ns = switches->out.ns,
			       .until_ns = record->ns };

	note_first_kept(thread, record);
	switches->last_ns = record->ns;
	if (record->header.misc & PERF_RECORD_MISC_SWITCH_OUT) {
		switches->out.position = thread->ring->ring.tail;
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
		switches->moved = thread->ring->ring.tail;
	if (switches->out.preempted)
		slice.time = (struct selfmon_off_cpu){ .preempted_ns = ns,
						       .preempted = 1 };
	else
		slice.time = (struct selfmon_off_cpu){ .blocked_ns = ns,
						       .blocked = 1 };
	add_slice(thread, &slice, head, newest);
	if (thread->recorder)
		record_off(thread, switches, record->ns, ns);
}

void selfmon_switches_record(struct selfmon_thread *thread, uint64_t head,
			     uint64_t newest)
{
	const struct selfmon_ring *const ring = &thread->ring->ring;
	struct switch_record record;

	selfmon_ring_copy(ring, ring->tail, &record, sizeof(record));
	if (selfmon_ring_is_overwritten(ring))
		selfmon_switches_lose(&thread->ring->switches, ring->tail, head);
	else if (record.header.size >= sizeof(record))
		add_switch(thread, &record, head, newest);
}

void selfmon_switches_lose(struct selfmon_switches *switches, uint64_t first,
			   uint64_t last)
{
	if (!switches->lost.some) {
		switches->lost.first = first;
		switches->lost.since_ns = switches->last_ns;
	}
	switches->lost.some = true;
	switches->lost.last = last;
	switches->lost.until_ns = 0;
	switches->out.off = false;
}

static uint64_t beyond(uint64_t all, uint64_t seen)
{
	return all > seen ? all - seen : 0;
}

static uint64_t at_most(uint64_t n, uint64_t most)
{
	return n < most ? n : most;
}

void selfmon_switches_look_again(struct selfmon_switches *switches)
{
	if (switches->seen.blocked + switches->seen.preempted >= LOOK_AFTER)
		look_at_usage(switches);
}

/*
 * The number of all switches is known from getrusage(2), and their time from
 * the thread's CPU clock. Both are divided: among the visits in proportion to
 * the lost records that were in them, and the time between blocked and
 * preempted in proportion to the numbers of switches.
 */
void selfmon_switches_take_lost(struct selfmon_thread *thread, uint64_t head,
				uint64_t newest)
{
	struct selfmon_switches *const switches = &thread->ring->switches;
	const struct selfmon_off_cpu seen = switches->seen;
	const uint64_t ns = switches->base.ns, cpu_ns = switches->base.cpu_ns,
		       blocked = switches->base.blocked,
		       preempted = switches->base.preempted;
	struct slice slice = { .first = switches->lost.first,
			       .last = switches->lost.last,
			       .since_ns = switches->lost.since_ns,
			       .until_ns = switches->lost.until_ns,
			       .lost = true };
	uint64_t lost_ns, n;

	switches->lost.some = false;
	look_at_usage(switches);
	if (!slice.until_ns)
		slice.until_ns = switches->base.ns;
	slice.time.blocked =
		beyond(switches->base.blocked - blocked, seen.blocked);
	slice.time.preempted =
		beyond(switches->base.preempted - preempted, seen.preempted);
	lost_ns = beyond(switches->base.ns - ns,
			 switches->base.cpu_ns - cpu_ns + seen.blocked_ns +
				 seen.preempted_ns);
	lost_ns = at_most(lost_ns, beyond(slice.until_ns,
					  switches->lost.since_ns));
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
