/* SPDX-License-Identifier: MIT */
/*
 * With longer=, nothing is written until a visit exceeds its limit. The thread
 * of this visit then stores the position where the burst ends, and wakes the
 * writer, which writes the burst: at most the newer half of the ring. Until the
 * writer runs, the thread may overwrite the older half.
 */
#define _GNU_SOURCE
#include "session/trace_bursts.h"

#include <stdio.h>
#include <string.h>

#include "platform/kernel.h"
#include "session/trace_limits.h"
#include "session/trace_owners.h"
#include "session/trace_rings.h"
#include "store/trace_file.h"

/*
 * Rate limit with longer=, for each ring: bursts of maximum size that may be
 * written at once, and the time after which one more may be written.
 */
#define BURSTS_MAX 8
#define BURST_NS UINT64_C(1000000000)
/* Time after which the writer retries a burst that it could not write. */
#define BURST_PAUSE_NS 20000000

/* Entries of one thread: from `begin` to a visit that triggered. */
struct burst {
	uint64_t begin, end;
	uint32_t tid;
};

static uint64_t smaller(uint64_t left, uint64_t right)
{
	return left < right ? left : right;
}

static uint64_t burst_entries(const struct selfmon_recorder *recorder)
{
	return (recorder->mask + 1) / 2;
}

/*
 * Returns the size of a burst in the file, including the headers of its blocks:
 * in a burst of one visit the headers are larger than the entries.
 */
static uint64_t burst_bytes(uint64_t entries)
{
	return sizeof(struct selfmon_trace_clock) +
	       sizeof(struct selfmon_trace_burst) +
	       (entries / SELFMON_TRACE_BLOCK_ENTRIES + 1) *
		       sizeof(struct selfmon_trace_visits) +
	       entries * sizeof(struct selfmon_ended);
}

/*
 * Limits the rate of writing. Returns true if this number of entries of the
 * ring may be written now. Within any time t, the written bytes are at most the
 * bytes of BURSTS_MAX + t / BURST_NS bursts of maximum length. Each write moves
 * allowed_ns forward, by BURST_NS for a burst of maximum length. allowed_ns may
 * be at most BURSTS_MAX * BURST_NS ahead of the present.
 */
static bool may_write(const struct selfmon_recorder *recorder, uint64_t entries)
{
	struct selfmon_traced *const traced = recorder->trace;
	const uint64_t now = selfmon_kernel_monotonic_raw_ns(),
		       cost = BURST_NS * burst_bytes(entries) /
			      burst_bytes(burst_entries(recorder));
	const uint64_t from = traced->allowed_ns > now ? traced->allowed_ns
						       : now;

	if (from + cost > now + BURSTS_MAX * BURST_NS)
		return false;
	traced->allowed_ns = from + cost;
	return true;
}

/*
 * Returns how many entries the next burst may have, so that the file does not
 * grow beyond size=. The last clock and the END block must fit too.
 */
static uint64_t entries_that_fit(void)
{
	const uint64_t used = selfmon_trace_file_size() + burst_bytes(0) +
			      sizeof(struct selfmon_trace_clock) +
			      sizeof(struct selfmon_trace_block);
	const uint64_t bytes = selfmon_trace.spec.size > used
				       ? selfmon_trace.spec.size - used
				       : 0;
	const uint64_t block = sizeof(struct selfmon_trace_visits) +
			       SELFMON_TRACE_BLOCK_ENTRIES *
				       sizeof(struct selfmon_ended);

	return (bytes - bytes / block * sizeof(struct selfmon_trace_visits)) /
	       sizeof(struct selfmon_ended);
}

/*
 * The file is full if not even the visit that triggered fits. A longer burst is
 * cut instead, see most_entries().
 */
static bool is_file_full(void)
{
	return entries_that_fit() < SELFMON_ENDED_GROUP_MAX;
}

/*
 * Returns the largest number of entries of the next burst: half a ring, or what
 * the file still has room for. One entry less, since a START may precede them.
 */
static uint64_t most_entries(const struct selfmon_recorder *recorder)
{
	return smaller(entries_that_fit() - 1, burst_entries(recorder));
}

/*
 * Returns the later one of two positions: `oldest`, and `entries` before `end`.
 * Includes the START entry of the first visit.
 */
static uint64_t begin_of_burst(const struct selfmon_recorder *recorder,
			       uint64_t oldest, uint64_t end, uint64_t entries)
{
	const uint64_t begin = end > entries ? end - entries : 0;
	struct selfmon_ended entry;

	if (begin <= oldest)
		return oldest;
	entry = selfmon_trace_entry(recorder, begin - 1);
	return begin - (selfmon_ended_region(&entry) == SELFMON_ENDED_START);
}

/*
 * Finds the oldest burst that is not written yet, at most half a ring before
 * `wanted`. A burst has entries of only one thread: it begins at the entry that
 * marks a new owner of the ring, or later. So if a thread triggers and exits,
 * and the next owner triggers too before the writer runs, these are two bursts.
 * A burst ends with the thread's last visit that triggered, unless regions=
 * excludes this visit. Returns false if there is no burst.
 */
static bool find_burst(struct selfmon_process *process,
		       const struct selfmon_recorder *recorder, uint64_t wanted,
		       struct burst *burst)
{
	uint64_t i = begin_of_burst(recorder, recorder->trace->read, wanted,
				    burst_entries(recorder));
	uint32_t visited = 0;

	*burst = (struct burst){ .begin = i };
	for (; i < wanted; i++) {
		const struct selfmon_ended entry =
			selfmon_trace_entry(recorder, i);
		const uint64_t region = selfmon_ended_region(&entry);

		if (region == SELFMON_ENDED_THREAD) {
			if (burst->end)
				break;
			burst->begin = i;
		} else if (region < SELFMON_ENDED_SPECIAL) {
			visited = (uint32_t)region;
		} else if (region == SELFMON_ENDED_LONGER &&
			   selfmon_trace_limits_has(process, visited)) {
			burst->end = i + 1;
			burst->tid = (uint32_t)(entry.ticks_region >>
						SELFMON_ENDED_REGION_BITS);
		}
	}
	return burst->end;
}

/*
 * A burst that begins where the last one ended continues it, for example if the
 * visit around the first trigger also triggers.
 */
static void write_burst(struct selfmon_process *process,
			struct selfmon_thread *thread,
			const struct burst *found)
{
	struct selfmon_recorder *const recorder = thread->recorder;
	struct selfmon_traced *const traced = recorder->trace;
	const struct selfmon_ended first =
		selfmon_trace_entry(recorder, found->begin);
	const bool continues =
		traced->read && found->begin == traced->read &&
		selfmon_ended_region(&first) != SELFMON_ENDED_THREAD;
	struct selfmon_trace_burst burst = {
		.block = { SELFMON_TRACE_BURST, sizeof(burst) },
		.ring = thread->record->number,
		.tid = found->tid,
		.passed = found->begin - traced->read,
	};

	if (found->tid != traced->tid)
		selfmon_trace_take_last_name(recorder);
	selfmon_trace_owned_by(traced, found->tid);
	selfmon_trace_write_clock();
	selfmon_trace_write_columns(process);
	if (!continues)
		selfmon_trace_add(&burst);
	traced->read = found->begin;
	selfmon_trace_write_entries(thread, found->end);
	selfmon_trace_take_last_name(recorder);
}

/* Returns false if the rate limit leaves a burst for later. */
static bool write_bursts(struct selfmon_process *process,
			 struct selfmon_thread *thread, uint64_t wanted)
{
	struct selfmon_recorder *const recorder = thread->recorder;
	struct burst burst;

	while (!is_file_full() &&
	       find_burst(process, recorder, wanted, &burst)) {
		burst.begin = begin_of_burst(recorder, burst.begin, burst.end,
					     most_entries(recorder));
		if (!may_write(recorder, burst.end - burst.begin))
			return false;
		write_burst(process, thread, &burst);
	}
	return true;
}

/*
 * Counts visits of the ring that triggered and will not be in the file, by
 * cause. Call after the bursts were written for the first `triggers` triggers,
 * or left out. Visits that have no other cause were overwritten, or the thread
 * made more than half a ring of entries after them, before the writer ran.
 */
static void count_left_out(const struct selfmon_recorder *recorder,
			   uint64_t triggers)
{
	struct selfmon_traced *const traced = recorder->trace;
	const uint64_t known = traced->marked + traced->left_out,
		       more = triggers > known ? triggers - known : 0;

	traced->left_out += more;
	if (more && is_file_full()) {
		if (!selfmon_trace.over_size)
			selfmon_trace_note("the file has reached its size=; "
					   "later visits longer than the limit "
					   "are not in the file", "");
		selfmon_trace.over_size += more;
	} else if (traced->held) {
		selfmon_trace.over_rate += more;
	}
	traced->held = false;
}

/* Returns the ns until the ring is read again; 0: wait for a trigger. */
static uint64_t read_burst(struct selfmon_process *process,
			   struct selfmon_thread *thread)
{
	struct selfmon_recorder *const recorder = thread->recorder;
	struct selfmon_traced *const traced = recorder->trace;
	/* Read before `wanted`, which includes the entries of these triggers. */
	const uint64_t triggers =
		__atomic_load_n(&recorder->triggers, __ATOMIC_ACQUIRE);
	/* Acquire: the entries before this position are visible. */
	const uint64_t wanted =
		__atomic_load_n(&recorder->wanted, __ATOMIC_ACQUIRE);
	uint64_t least;

	if (wanted <= traced->looked)
		return 0;
	if (selfmon_trace_settled(recorder, traced, &least) == UINT64_MAX) {
		selfmon_trace_unsettled(thread, least);
		return SELFMON_TRACE_SHORT_PAUSE_NS;
	}
	traced->unsettled = 0;
	if (!write_bursts(process, thread, wanted)) {
		traced->held = true;
		return BURST_PAUSE_NS;
	}
	count_left_out(recorder, triggers);
	selfmon_store_once(&traced->looked, wanted);
	return 0;
}

static void set_limits(struct selfmon_process *process)
{
	const uint64_t now = selfmon_kernel_monotonic_raw_ns();

	selfmon_trace_limits_choose(process, selfmon_trace.spec.regions
						     ? &selfmon_trace.regions
						     : NULL);
	if (!selfmon_trace.spec.above_ppm ||
	    now - selfmon_trace.limits_ns < SELFMON_TRACE_LIMITS_NS)
		return;
	selfmon_trace.limits_ns = now;
	selfmon_trace_limits_measure(process, selfmon_trace.spec.above_ppm);
}

uint64_t selfmon_trace_read_bursts(struct selfmon_process *process)
{
	struct selfmon_thread *thread =
		__atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);
	uint64_t pause = SELFMON_TRACE_LIMITS_NS, again;

	set_limits(process);
	for (; thread; thread = thread->next) {
		if (!thread->recorder || !thread->recorder->traced ||
		    !selfmon_trace_begin_ring(process, thread->recorder))
			continue;
		again = read_burst(process, thread);
		if (again && again < pause)
			pause = again;
	}
	selfmon_trace_write_due_names(process);
	return pause;
}

/* Clears the trigger first: visits that trigger later wake the writer again. */
uint64_t selfmon_trace_answer(struct selfmon_process *process)
{
	__atomic_exchange_n(&process->triggered, 0, __ATOMIC_ACQ_REL);
	return selfmon_trace_read_bursts(process);
}

/* Appends a number of visits and why they are left out, unless it is 0. */
static void put_cause(char *text, size_t size, uint64_t visits, const char *why)
{
	const size_t length = strlen(text);

	if (visits)
		snprintf(text + length, size - length, "%s%llu %s",
			 text[length - 1] == '(' ? "" : "; ",
			 (unsigned long long)visits, why);
}

static void say_left_out(uint64_t visits, uint64_t longer)
{
	const uint64_t size = smaller(selfmon_trace.over_size, visits),
		       rate = smaller(selfmon_trace.over_rate, visits - size);
	char text[SELFMON_MESSAGE_SIZE];

	snprintf(text, sizeof(text),
		 "%llu of %llu visits longer than the limit are not in the "
		 "file (", (unsigned long long)visits,
		 (unsigned long long)longer);
	put_cause(text, sizeof(text), rate,
		  "exceed the rate of half a ring per second and thread");
	put_cause(text, sizeof(text), size, "exceed size=");
	put_cause(text, sizeof(text), visits - rate - size,
		  "were more than half a ring old when the writer ran");
	selfmon_trace_note(text, visits == size ? "); raise longer="
						: "); raise longer= or ring=");
}

void selfmon_trace_say_left_out(struct selfmon_process *process)
{
	const uint64_t longer = selfmon_trace_limits_longer(process);
	const struct selfmon_thread *thread =
		__atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);

	for (; thread; thread = thread->next)
		if (thread->recorder && thread->recorder->trace)
			count_left_out(thread->recorder,
				       selfmon_load_once(
					       &thread->recorder->triggers));
	if (longer > selfmon_trace.marked)
		say_left_out(longer - selfmon_trace.marked, longer);
}
