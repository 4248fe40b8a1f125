/* SPDX-License-Identifier: MIT */
#include "session/sample_records.h"

#include <linux/perf_event.h>
#include <string.h>

#include "open/entry.h"
#include "store/process.h"

/*
 * Returns true for an entry of a call chain that is not an address. These
 * entries mark a change of context (kernel, user), and are the highest values.
 */
#define IS_CONTEXT(address) ((address) >= (uint64_t)PERF_CONTEXT_MAX)

void selfmon_samples_start(struct selfmon_thread_samples *samples)
{
	samples->label = 0;
	samples->full = NULL;
	selfmon_store_once(&samples->more, false); /* reports read it */
	memset(samples->debt, 0, sizeof(samples->debt));
}

/* ---- records ------------------------------------------------------------- */

struct record_reader {
	const struct selfmon_ring *ring;
	uint64_t at, end;
};

static uint64_t next_word(struct record_reader *reader)
{
	uint64_t word = 0;

	if (reader->end - reader->at >= sizeof(word)) {
		selfmon_ring_copy(reader->ring, reader->at, &word,
				  sizeof(word));
		reader->at += sizeof(word);
	}
	return word;
}

/*
 * Reads the fields in the order in which the kernel writes them:
 * perf_output_sample().
 */
static uint32_t read_stack(struct record_reader *reader, bool switches, bool data_too,
			   uint32_t chain, uint64_t *address, uint64_t *data)
{
	uint32_t depth = 1;
	uint64_t n, word;

	address[0] = next_word(reader);
	if (switches)
		next_word(reader); /* time */
	*data = data_too ? next_word(reader) : 0;
	if (switches)
		next_word(reader); /* CPU */
	n = next_word(reader);
	if (n > (reader->end - reader->at) / sizeof(word))
		n = (reader->end - reader->at) / sizeof(word);
	/*
	 * Skips the first address of the call chain. It is where the interrupt
	 * arrived, which may be after the sampled instruction (skid).
	 */
	for (word = next_word(reader); n && IS_CONTEXT(word); n--)
		word = next_word(reader);
	for (; n > 1 && depth < chain; n--) {
		word = next_word(reader);
		if (word && !IS_CONTEXT(word))
			address[depth++] = word;
	}
	return depth;
}

static void owe_one(struct selfmon_thread_samples *samples, size_t entry,
		    uint32_t begin)
{
	if (samples->debt[entry].begin != begin)
		samples->debt[entry].samples = 0;
	samples->debt[entry].begin = begin;
	samples->debt[entry].samples++;
}

/*
 * Returns the node of an entry if its visit was open at this ring position,
 * else NULL. Another thread may call this while the visit ends and a new visit
 * begins in the entry; then the mark or the position changes in between, and
 * the result is NULL.
 */
static struct selfmon_node *place_in(struct selfmon_thread *thread,
				     const struct selfmon_visit *open,
				     uint64_t position, uint64_t head,
				     uint32_t *begin)
{
	const uint64_t mark = __atomic_load_n(&open->mark, __ATOMIC_ACQUIRE);
	struct selfmon_node *node;

	*begin = selfmon_load_once(&open->cpu);
	node = selfmon_load_once(&open->node);
	if (!selfmon_mark_is_open(mark) ||
	    selfmon_ring_began_at(thread->ring, (size_t)(open - thread->open),
				  *begin, head) > position)
		return NULL;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&open->mark, __ATOMIC_ACQUIRE) == mark &&
			       selfmon_load_once(&open->cpu) == *begin
		       ? node
		       : NULL;
}

/*
 * Returns the node of the innermost visit at this ring position, or the root.
 * If `owe` is true, also adds the sample to the debt of each visit that was
 * open. All visits that were open then are still open, because a visit with a
 * new record reads the ring when it ends. Visits that began later have a later
 * position. Another thread may read the records too, because an entry's
 * position is stored before its mark.
 */
static struct selfmon_node *sampled_place(struct selfmon_thread *thread,
					  uint64_t position, uint64_t head,
					  bool owe)
{
	const struct selfmon_visit *open =
		__atomic_load_n(&thread->top, __ATOMIC_ACQUIRE);
	struct selfmon_node *place = NULL, *node;
	uint32_t begin;

	for (; open > thread->open; open--) {
		node = place_in(thread, open, position, head, &begin);
		if (!node)
			continue;
		if (!place)
			place = node;
		if (owe)
			owe_one(&thread->ring->samples,
				(size_t)(open - thread->open), begin);
	}
	return place ? place : thread->root;
}

static void count_samples(struct selfmon_thread *thread,
			  const struct selfmon_node *place, uint64_t n)
{
	struct selfmon_ring_sums *const sums =
		selfmon_ring_sums_of(thread, place->ordinal);

	if (sums)
		selfmon_arch_add(&sums->samples, n);
}

void selfmon_samples_record(struct selfmon_thread *thread, size_t size,
			    uint64_t head)
{
	const struct selfmon_sampling *const sampling =
		&selfmon_process()->sampling;
	struct selfmon_thread_ring *const ring = thread->ring;
	const uint64_t position = ring->ring.tail;
	struct record_reader reader = {
		&ring->ring, position + sizeof(struct perf_event_header),
		position + size
	};
	struct selfmon_stack_key key = { .label = ring->samples.label };
	uint64_t address[SELFMON_STACK_DEPTH_MAX + 1], data;
	const struct selfmon_node *place;

	key.depth = read_stack(&reader, ring->switches.on, sampling->data,
			       sampling->chain, address, &data);
	place = sampled_place(thread, position, head, true);
	key.ordinal = place->ordinal;
	count_samples(thread, place, 1);
	selfmon_stacks_add(&ring->samples.stacks, &key, address, data);
}

/* ---- missing samples ----------------------------------------------------- */

void selfmon_samples_note_full(struct selfmon_thread *thread, bool full,
			       uint64_t head)
{
	struct selfmon_thread_samples *const samples = &thread->ring->samples;

	if (!full)
		return;
	samples->full = sampled_place(thread, head - 1, head, false);
	selfmon_store_once(&samples->more, true);
}

/*
 * Counts lost samples. Their number follows the event's id in the record. If
 * context switches are recorded in the same ring, the number includes lost
 * switches, and is not added to a node. Otherwise the samples are added to the
 * node that selfmon_samples_note_full() found. Visits that began after the last
 * record get none of them. The call stacks of these samples are unknown.
 */
void selfmon_samples_lost(struct selfmon_thread *thread)
{
	struct selfmon_thread_ring *const ring = thread->ring;
	struct record_reader reader = {
		&ring->ring,
		ring->ring.tail + sizeof(struct perf_event_header) +
			sizeof(uint64_t),
		ring->ring.tail + sizeof(struct perf_event_header) +
			2 * sizeof(uint64_t)
	};
	uint64_t lost;

	if (!ring->samples.on)
		return;
	lost = next_word(&reader);
	selfmon_store_once(&ring->samples.more, false);
	selfmon_store_once(&ring->samples.lost, ring->samples.lost + lost);
	if (ring->samples.full && !ring->switches.on)
		count_samples(thread, ring->samples.full, lost);
}

/* ---- cost of samples ----------------------------------------------------- */

/*
 * Subtracts the cost of samples from the time of a visit. A sample may have
 * cost less than the median, which is subtracted. Therefore a result below the
 * minimum so far becomes the minimum, or the whole time if that is shorter. For
 * a first visit, a result below half of the time becomes the whole time.
 */
static uint64_t net_ticks(const struct selfmon_sums *sums, uint64_t ticks,
			  uint64_t owed)
{
	const uint64_t net = owed < ticks ? ticks - owed : 0;

	if (!owed || (sums->min == UINT64_MAX ? net >= ticks / 2
					      : net >= sums->min))
		return net;
	return ticks < sums->min ? ticks : sums->min;
}

static uint64_t take_debt(struct selfmon_thread *thread,
			  const struct selfmon_visit *open)
{
	struct selfmon_thread_samples *const samples = &thread->ring->samples;
	const size_t entry = (size_t)(open - thread->open);
	const uint64_t n = samples->debt[entry].begin == open->cpu
				   ? samples->debt[entry].samples
				   : 0;

	samples->debt[entry].samples = 0;
	return n * selfmon_process()->sampling.cost_ticks;
}

uint64_t selfmon_samples_settle(struct selfmon_thread *thread, uint64_t ticks)
{
	struct selfmon_visit *open = thread->top;
	uint64_t owed, net = ticks, spared = 0;

	if (ticks != UINT64_MAX && open > thread->open) {
		owed = take_debt(thread, open);
		net = net_ticks(&open->node->stats->ticks, ticks, owed);
		spared = owed - (ticks - net);
		open--;
	}
	/*
	 * The cost that was not subtracted from this visit is not subtracted
	 * from the enclosing visits either.
	 */
	for (; open > thread->open; open--) {
		owed = take_debt(thread, open);
		if (owed > spared && open->start.ticks &&
		    selfmon_entry_is_open(open))
			selfmon_store_once(&open->start.ticks,
					   open->start.ticks + owed - spared);
	}
	return net;
}
