/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "session/thread_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "open/entry.h"
#include "platform/kernel.h"
#include "platform/thread_cpu.h"
#include "session/live_facts.h"
#include "session/ring_room.h"
#include "session/sample_records.h"
#include "session/sampling.h"
#include "session/switches.h"
#include "store/config.h"
#include "store/copy.h"
#include "store/live.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/self.h"

/*
 * Without samples, the ring has two pages, enough for 150 switches. If there
 * are more switches before the ring is read, the kernel overwrites records. The
 * number of lost switches is then found by getrusage(2): see
 * selfmon_switches_take_lost(). If the kernel dropped new records instead, the
 * head of a full ring would stand still. A visit detects switches by a change
 * of the head, so no visit would read the ring again.
 */
#define SWITCHES_ORDER 1

/*
 * Records of a ring that overwrites are not read if they are this close to
 * those that the kernel overwrites next: more may follow during the read.
 */
#define SWITCHES_MARGIN 1024u

/* Maximum size of the record of a sample. */
#define SAMPLE_SIZE (64 + SELFMON_STACK_DEPTH_MAX * 8)

/* ---- lock ---------------------------------------------------------------- */

/*
 * The lock is held for microseconds: while records are read, entries are moved
 * or removed, the label changes, or the ring is started or closed.
 */
static void lock_ring(struct selfmon_thread_ring *ring,
		      struct selfmon_signals *signals)
{
	selfmon_kernel_block_signals(signals);
	pthread_mutex_lock(&ring->lock);
}

static void unlock_ring(struct selfmon_thread_ring *ring,
			const struct selfmon_signals *signals)
{
	pthread_mutex_unlock(&ring->lock);
	selfmon_kernel_restore_signals(signals);
}

/* ---- begin and end ------------------------------------------------------- */

/*
 * Counts a thread that has no ring, and stores the failure of the first one:
 * memory that may not be locked (SELFMON_STEP_MAP), or an event that cannot be
 * opened. The caller holds the process lock.
 */
static void count_without(struct selfmon_process *process,
			  enum selfmon_step_down what, const char *event,
			  int error, const struct selfmon_ring *ring)
{
	struct selfmon_limited *const limited = &process->limited[what];

	if (limited->threads++ > 0) {
		selfmon_live_count(process);
		return;
	}
	limited->failure = (struct selfmon_failure){
		.error = -error,
		.step = ring->unmapped ? SELFMON_STEP_MAP : SELFMON_STEP_OPEN,
	};
	snprintf(limited->failure.event, sizeof(limited->failure.event), "%s",
		 event);
	selfmon_facts_publish(process);
}

/* Release: a reader that loads the pointer sees the initialised ring. */
static struct selfmon_thread_ring *make_ring(struct selfmon_thread *thread)
{
	struct selfmon_thread_ring *const ring =
		selfmon_memory_wiped(sizeof(*ring));

	__atomic_store_n(&thread->ring, ring, __ATOMIC_RELEASE);
	return ring;
}

struct opened_ring {
	struct selfmon_ring ring;
	bool samples, switches;
};

static int open_samples(const struct selfmon_process *process,
			struct opened_ring *opened)
{
	return selfmon_sampling_open(&process->sampling, opened->switches,
				     &opened->ring);
}

/* Opens a dummy event, which uses no counter and only records switches. */
static int open_switches(const struct selfmon_process *process,
			 struct opened_ring *opened)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.watermark = 1, /* hardly any wakeups */
		.wakeup_watermark = UINT32_MAX,
	};

	(void)process;
	selfmon_switches_attr(&attr);
	return selfmon_ring_open(&opened->ring, &attr, SWITCHES_ORDER, true);
}

/*
 * Opens an event whose ring has 2^order pages. Returns 0 or -errno; -ENOBUFS if
 * the remaining locked memory is reserved for counters.
 */
static int open_in_room(struct selfmon_process *process, unsigned int order,
			int (*open)(const struct selfmon_process *process,
				    struct opened_ring *opened),
			struct opened_ring *opened)
{
	const uint64_t bytes = selfmon_ring_bytes(order);
	int error;

	opened->ring.unmapped = true;
	if (!selfmon_ring_room_take(process, bytes))
		return -ENOBUFS;
	error = open(process, opened);
	if (error)
		selfmon_ring_room_return(process, bytes);
	return error;
}

/*
 * Opens the thread's event and its ring. If there can be no samples, the
 * thread's context switches may still be recorded, in a smaller ring. Returns
 * false if nothing is recorded.
 */
static bool open_ring(struct selfmon_process *process,
		      struct opened_ring *opened)
{
	const unsigned int order = process->sampling.ring_order;
	int error = -ENOMEM;

	opened->switches = selfmon_config()->off_cpu;
	if (process->sampling.on) {
		error = open_in_room(process, order, open_samples, opened);
		opened->samples = !error;
		if (error)
			count_without(process, SELFMON_LIMITED_SAMPLES,
				      process->sampling.event.name, error,
				      &opened->ring);
	}
	if (error && opened->switches) {
		error = open_in_room(process, SWITCHES_ORDER, open_switches,
				     opened);
		if (error)
			count_without(process, SELFMON_LIMITED_OFF_CPU,
				      "@offcpu", error, &opened->ring);
	}
	return !error;
}

/*
 * Makes the ring visible to other threads. Takes the lock, since another thread
 * may still be reading the previous ring of this state.
 */
static void start_ring(struct selfmon_thread_ring *ring,
		       const struct opened_ring *opened)
{
	struct selfmon_signals signals;

	lock_ring(ring, &signals);
	/* Positions in the previous ring look like positions in this one. */
	memset(ring->visit, 0, sizeof(ring->visit));
	ring->samples.on = opened->samples;
	ring->switches.on = opened->switches;
	if (opened->switches)
		selfmon_switches_start(&ring->switches);
	selfmon_samples_start(&ring->samples);
	ring->ring.data = opened->ring.data;
	ring->ring.size = opened->ring.size;
	ring->ring.tail = 0;
	ring->ring.overwrites = opened->ring.overwrites;
	__atomic_store_n(&ring->ring.page, opened->ring.page,
			 __ATOMIC_RELEASE);
	unlock_ring(ring, &signals);
}

void selfmon_thread_ring_begin(struct selfmon_process *process,
			       struct selfmon_thread *thread)
{
	struct opened_ring opened = { .ring = { .page = NULL } };
	bool on;

	if (!selfmon_config()->off_cpu && !process->sampling.on)
		return;
	selfmon_process_lock(process);
	on = (thread->ring || make_ring(thread)) &&
	     open_ring(process, &opened);
	selfmon_process_unlock(process);
	if (!on)
		return;
	/*
	 * Call this without the process lock, to avoid a deadlock: it takes the
	 * ring's lock, and a reader takes the process lock while it holds the
	 * ring's lock.
	 */
	start_ring(thread->ring, &opened);
	thread->cpu = selfmon_ring_head_word(&thread->ring->ring);
	if (thread->set)
		thread->set->cpu = thread->cpu;
}

void selfmon_thread_ring_end(struct selfmon_thread *thread)
{
	struct selfmon_signals signals;
	uint64_t bytes;

	if (!selfmon_thread_ring_on(thread))
		return;
	selfmon_thread_ring_read(thread, UINT64_MAX);
	bytes = selfmon_ring_bytes_of(&thread->ring->ring);
	thread->cpu = selfmon_thread_cpu();
	if (thread->set)
		thread->set->cpu = thread->cpu;
	lock_ring(thread->ring, &signals);
	selfmon_ring_close(&thread->ring->ring);
	unlock_ring(thread->ring, &signals);
	selfmon_ring_room_return(selfmon_process(), bytes);
}

/* ---- records ------------------------------------------------------------- */

/*
 * Reads the record at the ring's tail. Returns false for a PERF_RECORD_LOST,
 * which means that the kernel dropped records before it.
 */
static bool read_record(struct selfmon_thread *thread,
			const struct perf_event_header *header, uint64_t head,
			uint64_t newest)
{
	struct selfmon_thread_ring *const ring = thread->ring;

	switch (header->type) {
	case PERF_RECORD_LOST:
		selfmon_samples_lost(thread);
		return false;
	/*
	 * The kernel stops sampling for a while, because there were more
	 * samples than kernel.perf_event_max_sample_rate allows.
	 */
	case PERF_RECORD_THROTTLE:
		selfmon_store_once(&ring->samples.throttled, true);
		return true;
	case PERF_RECORD_SWITCH:
		if (ring->switches.on)
			selfmon_switches_record(thread, head, newest);
		return true;
	case PERF_RECORD_SAMPLE:
		if (ring->samples.on)
			selfmon_samples_record(thread, header->size, head);
		return true;
	default:
		return true;
	}
}

/*
 * Reads all records up to the head. Returns false if the kernel dropped
 * records.
 */
static bool read_all(struct selfmon_thread *thread, uint64_t head,
		     uint64_t newest)
{
	struct selfmon_ring *const ring = &thread->ring->ring;
	struct perf_event_header header;
	bool whole = true;

	while (ring->tail < head) {
		selfmon_ring_copy(ring, ring->tail, &header, sizeof(header));
		if (header.size < sizeof(header) ||
		    header.size > head - ring->tail) {
			whole = false;
			break;
		}
		whole &= read_record(thread, &header, head, newest);
		selfmon_store_once(&ring->tail, ring->tail + header.size);
	}
	selfmon_store_once(&ring->tail, head);
	selfmon_ring_release(ring);
	return whole;
}

/*
 * In a ring that overwrites, moves the tail to the oldest record that can be
 * read. All its records have the same size.
 */
static void skip_overwritten(struct selfmon_thread_ring *ring, uint64_t head)
{
	const uint64_t room = ring->ring.size - SWITCHES_MARGIN;
	uint64_t tail = ring->ring.tail;

	if (!ring->ring.overwrites || head - tail <= room)
		return;
	tail += (head - tail - room + SELFMON_SWITCH_SIZE - 1) /
		SELFMON_SWITCH_SIZE * SELFMON_SWITCH_SIZE;
	selfmon_switches_lose(&ring->switches, ring->ring.tail, tail);
	selfmon_store_once(&ring->ring.tail, tail);
}

/*
 * Handles the switches of a ring from which records were lost. A ring with
 * samples that was full has lost the newest records.
 */
static void settle_switches(struct selfmon_thread *thread, uint64_t head,
			    uint64_t newest, bool lost, bool own)
{
	struct selfmon_switches *const switches = &thread->ring->switches;

	if (lost && !switches->lost.some)
		selfmon_switches_lose(switches, switches->out.position,
				      switches->out.position);
	if (!own)
		return;
	if (switches->lost.some)
		selfmon_switches_take_lost(thread, head, newest);
	else
		selfmon_switches_look_again(switches);
}

/*
 * Reads the records of a ring, and handles lost ones. The caller holds the
 * ring's lock. own is true if the ring belongs to the calling thread.
 */
static void read_records(struct selfmon_thread *thread, uint64_t head,
			 uint64_t newest, bool own)
{
	struct selfmon_thread_ring *const ring = thread->ring;
	const bool full = !ring->ring.overwrites &&
			  head - ring->ring.tail + SAMPLE_SIZE >
				  ring->ring.size;
	bool whole;

	skip_overwritten(ring, head);
	if (ring->samples.on)
		selfmon_samples_note_full(thread, full, head);
	whole = read_all(thread, head, newest);
	if (ring->switches.on)
		settle_switches(thread, head, newest, full || !whole, own);
}

/*
 * Signals are blocked during the read, because a handler that jumped out would
 * leave a record half added. A handler of a blocked signal runs after the read,
 * so the records read here are not added to its visits.
 */
struct selfmon_ring_end selfmon_thread_ring_read(struct selfmon_thread *thread,
						 uint64_t ticks)
{
	struct selfmon_thread_ring *const ring = thread->ring;
	const uint64_t head = selfmon_ring_head(&ring->ring);
	struct selfmon_ring_end end = { .ticks = ticks };
	const struct selfmon_visit *const newest = thread->top;
	struct selfmon_signals signals;
	uint64_t began = UINT64_MAX, ns = UINT64_MAX;

	lock_ring(ring, &signals);
	if (newest > thread->open)
		began = selfmon_ring_began_at(ring,
					      (size_t)(newest - thread->open),
					      newest->cpu, head);
	else
		end.ticks = UINT64_MAX;
	if (ring->ring.tail < head) {
		if (ring->switches.on)
			ns = selfmon_switches_newest_ns(&ring->switches, ticks);
		read_records(thread, head, ns, true);
	}
	if (ring->samples.on)
		end.ticks = selfmon_samples_settle(thread, end.ticks);
	end.moved = ring->switches.moved && ring->switches.moved >= began;
	unlock_ring(ring, &signals);
	return end;
}

void selfmon_thread_ring_hold(struct selfmon_thread *thread,
			      struct selfmon_signals *signals)
{
	if (!selfmon_thread_ring_on(thread))
		return;
	selfmon_thread_ring_read(thread, UINT64_MAX);
	lock_ring(thread->ring, signals);
}

void selfmon_thread_ring_release(struct selfmon_thread *thread,
				 const struct selfmon_signals *signals)
{
	if (selfmon_thread_ring_on(thread))
		unlock_ring(thread->ring, signals);
}

/*
 * A full ring must be read between visits: its head does not move, so no visit
 * could see that it has new records.
 */
static bool is_half_full(const struct selfmon_ring *ring)
{
	return selfmon_ring_head(ring) - ring->tail > ring->size / 2;
}

void selfmon_thread_ring_read_other(struct selfmon_thread *thread)
{
	struct selfmon_thread_ring *const ring =
		__atomic_load_n(&thread->ring, __ATOMIC_ACQUIRE);
	struct selfmon_signals signals;
	uint64_t head;

	if (!ring || !__atomic_load_n(&ring->ring.page, __ATOMIC_ACQUIRE))
		return;
	lock_ring(ring, &signals);
	if (ring->ring.page && ring->samples.on) {
		head = selfmon_ring_head(&ring->ring);
		if (ring->switches.on ||
		    __atomic_load_n(&thread->fiber, __ATOMIC_ACQUIRE)) {
			if (is_half_full(&ring->ring))
				selfmon_thread_request(thread);
		} else if (ring->ring.tail < head) {
			read_records(thread, head, UINT64_MAX, false);
		}
	}
	unlock_ring(ring, &signals);
}

void selfmon_thread_ring_answer(struct selfmon_thread *thread)
{
	selfmon_stats_answer(thread);
	if (selfmon_thread_ring_on(thread) && is_half_full(&thread->ring->ring))
		selfmon_thread_ring_read(thread, UINT64_MAX);
}
