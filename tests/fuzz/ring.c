/* SPDX-License-Identifier: MIT */
/*
 * Uses the input as the records of a thread's ring: each sample must belong to
 * the innermost visit open at its position, or to none, and nothing outside of
 * the ring may be read.
 *
 * The input has HEADER bytes of settings (see set_up()), then the ring's bytes.
 * The ring is read in two parts.
 */
#include <linux/perf_event.h>
#include <string.h>

#include <selfmon.h>

#include "fuzz/fuzz.h"
#include "open/entry.h"
#include "session/thread_ring.h"
#include "store/process.h"
#include "store/self.h"

#define HEADER 11
#define RING 4096u
#define VISITS 3

/* ---- memory: of one input ------------------------------------------------ */

/*
 * Memory that the library never frees, but that must be freed after each input.
 */
static void *kept[4096];
static size_t kept_count;
static bool keeping;

void *__real_selfmon_memory_wiped(size_t size);
void *__wrap_selfmon_memory_wiped(size_t size);

void *__wrap_selfmon_memory_wiped(size_t size)
{
	if (!keeping)
		return __real_selfmon_memory_wiped(size);
	if (kept_count == sizeof(kept) / sizeof(*kept))
		return NULL;
	kept[kept_count] = calloc(1, size);
	FUZZ_ASSERT(kept[kept_count]);
	return kept[kept_count++];
}

static void free_memory(void)
{
	while (kept_count)
		free(kept[--kept_count]);
	selfmon_process()->stack_bytes = 0;
	keeping = false;
}

/* ---- the thread, its open visits, its ring ------------------------------- */

static struct selfmon_node *node[VISITS + 1]; /* node[0]: the root */

static void find_nodes(struct selfmon_region *const *region, int depth)
{
	const struct selfmon_thread *thread;

	SELFMON_REGION_OF(region[0]) {
		thread = selfmon_thread_self();
		node[0] = thread->root;
		node[depth] = thread->top->node;
		if (depth < VISITS)
			find_nodes(region + 1, depth + 1);
	}
}

static void make_thread(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_region *region[VISITS];

	if (node[0])
		return;
	options.events = "none";
	options.output = NULL;
	FUZZ_ASSERT(!selfmon_configure(&options));
	region[0] = selfmon_region("a");
	region[1] = selfmon_region("b");
	region[2] = selfmon_region("c");
	find_nodes(region, 1);
}

struct input {
	bool switches, samples, other, ends;
	int visits;
	uint64_t tail, head[2];
	uint32_t begin[VISITS + 1];
};

static unsigned int two_bytes(const uint8_t *data)
{
	return data[0] | (unsigned int)data[1] << 8;
}

/*
 * Sets up the thread's sampling and the input's settings. Positions may exceed
 * 32 bits, and visits store only the lower half.
 */
static void set_up(struct input *input, const uint8_t *data, size_t length)
{
	struct selfmon_sampling *const sampling = &selfmon_process()->sampling;
	int i;

	input->switches = data[0] & 1;
	input->samples = data[0] & 2;
	sampling->data = data[0] & 4;
	input->other = data[0] & 8;
	input->visits = data[0] >> 4 & 3;
	input->ends = data[0] & 64;
	sampling->chain = 1 + data[1] % SELFMON_STACK_DEPTH_MAX;
	input->tail = (UINT64_C(1) << 32) - 0x8000 + two_bytes(data + 2);
	for (i = 1; i <= VISITS; i++)
		input->begin[i] = (uint32_t)input->tail - 256 +
				  two_bytes(data + 2 + 2 * i);
	input->head[1] = input->tail + length;
	input->head[0] = input->tail + length * data[10] / 255;
}

/*
 * Allocates buffers of the exact size, so that sanitizers notice reads beyond
 * them.
 */
static struct selfmon_thread_ring *make_ring(const struct input *input,
					     const uint8_t *bytes,
					     size_t length)
{
	struct selfmon_thread_ring *const ring = calloc(1, sizeof(*ring));
	char *const data = calloc(1, RING);
	size_t i;

	FUZZ_ASSERT(ring && data);
	for (i = 0; i < length; i++)
		data[(input->tail + i) % RING] = (char)bytes[i];
	ring->ring.page = calloc(1, sizeof(*ring->ring.page));
	FUZZ_ASSERT(ring->ring.page);
	ring->ring.data = data;
	ring->ring.size = RING;
	ring->ring.tail = input->tail;
	ring->samples.on = input->samples;
	ring->switches.on = input->switches;
	return ring;
}

static void open_visits(struct selfmon_thread *thread,
			const struct input *input)
{
	int i;

	for (i = 1; i <= input->visits; i++) {
		thread->open[i].node = node[i];
		thread->open[i].cpu = input->begin[i];
		thread->open[i].start.ticks = 1;
		thread->open[i].mark = 0x10000u - (unsigned int)i;
	}
	thread->top = &thread->open[input->visits];
}

static void close_visits(struct selfmon_thread *thread)
{
	for (; thread->top > thread->open; thread->top--)
		thread->top->mark = SELFMON_MARK_NONE;
}

/* ---- expected result ----------------------------------------------------- */

struct expected {
	uint64_t samples[VISITS + 1], all;
	/*
	 * A record says that other records were lost: the numbers are unknown.
	 */
	bool lost;
};

static int innermost(const struct input *input, uint64_t position)
{
	int i;

	for (i = input->visits; i > 0; i--)
		if ((int64_t)(int32_t)(input->begin[i] -
				       (uint32_t)input->tail) <=
		    (int64_t)(position - input->tail))
			break;
	return i;
}

/*
 * Computes the expected result of the records up to head. Reading stops at the
 * first invalid record.
 */
static void expect(struct expected *expected, const struct input *input,
		   const uint8_t *bytes, uint64_t from, uint64_t head)
{
	struct perf_event_header header;

	for (; from < head; from += header.size) {
		memset(&header, 0, sizeof(header));
		memcpy(&header, bytes + (from - input->tail),
		       input->head[1] - from < sizeof(header)
			       ? input->head[1] - from
			       : sizeof(header));
		if (header.size < sizeof(header) || header.size > head - from)
			return;
		expected->lost |= header.type == PERF_RECORD_LOST;
		if (header.type != PERF_RECORD_SAMPLE || !input->samples)
			continue;
		expected->samples[innermost(input, from)]++;
		expected->all++;
	}
}

/* ---- comparison with the result ------------------------------------------ */

struct stored {
	uint64_t samples[VISITS + 1], all;
};

static int add_stored(void *context, const struct selfmon_stack_entry *entry)
{
	struct stored *const stored = context;
	int i;

	FUZZ_ASSERT(entry->key.depth >= 1);
	FUZZ_ASSERT(entry->key.depth <= selfmon_process()->sampling.chain);
	FUZZ_ASSERT(entry->data_low <= entry->data_high);
	for (i = 0; i <= VISITS; i++)
		if (entry->key.ordinal == node[i]->ordinal)
			break;
	FUZZ_ASSERT(i <= VISITS);
	stored->samples[i] += entry->count;
	stored->all += entry->count;
	return 0;
}

static void check(const struct selfmon_thread *thread,
		  const struct expected *expected)
{
	const struct selfmon_thread_samples *const samples =
		&thread->ring->samples;
	struct stored stored = { .all = 0 };
	int i;

	FUZZ_ASSERT(!selfmon_stacks_read(&samples->stacks, add_stored,
					 &stored));
	FUZZ_ASSERT(stored.all + samples->stacks.unstored ==
		    expected->all);
	for (i = 0; i <= VISITS; i++) {
		struct selfmon_ring_sums sums = { 0 };

		selfmon_ring_sums_read(thread, node[i]->ordinal, &sums);
		FUZZ_ASSERT(stored.samples[i] <= expected->samples[i]);
		if (!expected->lost)
			FUZZ_ASSERT(sums.samples == expected->samples[i]);
	}
}

/* ---- one input ----------------------------------------------------------- */

static bool reads(const struct input *input)
{
	return !input->other || (input->samples && !input->switches);
}

static void read_to(struct selfmon_thread *thread, const struct input *input,
		    uint64_t head)
{
	struct selfmon_ring *const ring = &thread->ring->ring;
	const uint64_t before = ring->tail;

	ring->page->data_head = head;
	if (input->other)
		selfmon_thread_ring_read_other(thread);
	else
		selfmon_thread_ring_read(thread,
					 input->ends ? 1000 : UINT64_MAX);
	FUZZ_ASSERT(ring->tail == (reads(input) ? head : before));
}

static void run(const struct input *input, const uint8_t *bytes, size_t length)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	struct expected expected = { .all = 0 };
	struct selfmon_thread_ring *ring;

	ring = make_ring(input, bytes, length);
	thread->ring = ring;
	keeping = true;
	open_visits(thread, input);
	read_to(thread, input, input->head[0]);
	read_to(thread, input, input->head[1]);
	if (reads(input)) {
		expect(&expected, input, bytes, input->tail, input->head[0]);
		expect(&expected, input, bytes, input->head[0],
		       input->head[1]);
	}
	check(thread, &expected);
	close_visits(thread);
	thread->ring = NULL;
	free_memory();
	free((void *)(uintptr_t)ring->ring.data);
	free(ring->ring.page);
	free(ring);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input;

	if (size < HEADER || size - HEADER > RING)
		return 0;
	make_thread();
	set_up(&input, data, size - HEADER);
	run(&input, data + HEADER, size - HEADER);
	return 0;
}
