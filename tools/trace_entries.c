/* SPDX-License-Identifier: MIT */
#include "trace_entries.h"

#include "trace_fibers.h"

/* A file with more rings is damaged. */
#define RINGS_MAX ((uint32_t)1 << 20)

/* Returns what the ring's newest visit is, or the next one after a START. */
static enum trace_what what_of(const struct trace_ring *ring)
{
	return ring->what == SELFMON_START_SPAN	   ? TRACE_SPAN
	       : ring->what == SELFMON_START_FRAME ? TRACE_FRAME
						   : TRACE_VISIT;
}

static struct trace_track *track_of_visit(struct trace_reader *reader,
					  const struct trace_ring *ring)
{
	switch (what_of(ring)) {
	case TRACE_SPAN: return trace_track_of(reader, TRACE_SPANS, 0);
	case TRACE_FRAME: return trace_track_of(reader, TRACE_FRAMES, ring->tid);
	default: return trace_stack_of(reader, ring);
	}
}

static void take_visit(struct trace_reader *reader, struct trace_ring *ring,
		       uint64_t end, uint64_t ticks, uint32_t region)
{
	struct trace *const trace = reader->trace;
	struct trace_track *track;
	uint64_t begin = end - ticks;

	if (ring->has_start)
		begin = ring->start;
	else
		ring->what = SELFMON_START_LONG;
	if (region >= trace->regions || !trace->region[region].name) {
		trace_damaged(reader, "a visit's region has no name");
		return;
	}
	track = track_of_visit(reader, ring);
	if (!track)
		return;
	ring->newest = trace_add_visit(reader, track, begin, end, region);
	trace->visits++;
}

static void take_off_cpu(struct trace_reader *reader,
			 const struct trace_ring *ring, uint64_t end,
			 uint64_t ticks, uint32_t what)
{
	trace_add_visit(reader,
			trace_track_of(reader, TRACE_OFF_CPU, ring->tid),
			end - ticks, end, what);
}

/* Adds a count to the ring's newest visit. */
static void take_count(struct trace_reader *reader, struct trace_ring *ring,
		       uint64_t value, uint64_t column)
{
	struct trace *const trace = reader->trace;

	if (!ring->newest)
		return;
	if (column >= TRACE_COLUMNS_MAX) {
		trace_damaged(reader, "a count has no column");
		return;
	}
	if (!trace->counts)
		trace->counts = 1; /* 0 means: no counts */
	trace->count = trace_grown(reader, trace->count, &trace->count_room,
				   trace->counts + 2, sizeof(*trace->count));
	if (reader->failed || trace->counts > UINT32_MAX - 2)
		return;
	if (!ring->newest->counts) {
		ring->newest->counts = (uint32_t)trace->counts;
		trace->count[trace->counts++] = 0;
	}
	trace->count[ring->newest->counts] |= UINT64_C(1) << column;
	trace->count[trace->counts++] = value;
}

/*
 * Takes an entry which says that the newest visit lasted longer than its limit.
 * Also adds the visit to the track TRACE_LONGER.
 */
static void take_longer(struct trace_reader *reader,
			const struct trace_ring *ring, uint64_t limit_ns)
{
	struct trace *const trace = reader->trace;

	if (!ring->newest)
		return;
	if (!trace->longer++ || limit_ns < trace->limit_ns[0])
		trace->limit_ns[0] = limit_ns;
	if (limit_ns > trace->limit_ns[1])
		trace->limit_ns[1] = limit_ns;
	trace->region[ring->newest->region].longer[what_of(ring)]++;
	trace_add_visit(reader, trace_track_of(reader, TRACE_LONGER, ring->tid),
			ring->newest->begin, ring->newest->end,
			ring->newest->region);
}

/* Adds the gap before this entry: missing entries, or time between bursts. */
static void end_gap(struct trace_reader *reader, struct trace_ring *ring,
		    uint64_t end)
{
	const uint64_t begin =
		ring->newest_end ? ring->newest_end : reader->first.ticks;

	if (ring->between && end > begin)
		trace_add_visit(
			reader,
			trace_track_of(reader, TRACE_BETWEEN, ring->tid), begin,
			end, TRACE_LEFT_OUT);
	if (ring->gap && ring->newest_end && end > begin)
		trace_add_visit(reader,
				trace_track_of(reader, TRACE_GAPS, ring->tid),
				begin, end, TRACE_LOST);
	ring->gap = false;
	ring->between = false;
}

static void take_entry(struct trace_reader *reader, struct trace_ring *ring,
		       const struct selfmon_ended *entry)
{
	const uint64_t ticks = entry->ticks_region >> SELFMON_ENDED_REGION_BITS,
		       region = entry->ticks_region & SELFMON_ENDED_REGION_MASK;

	if (region == SELFMON_ENDED_COUNT) {
		take_count(reader, ring, entry->end, ticks);
		return;
	}
	if (region == SELFMON_ENDED_LONGER) {
		take_longer(reader, ring, entry->end);
		return;
	}
	ring->newest = NULL;
	if (region == SELFMON_ENDED_NAME)
		return;
	if (region == SELFMON_ENDED_START) {
		ring->has_start = true;
		ring->start = entry->end;
		ring->what = ticks;
		return;
	}
	end_gap(reader, ring, entry->end);
	if (region == SELFMON_ENDED_THREAD)
		*ring = (struct trace_ring){ .tid = (uint32_t)ticks,
					     .from = entry->end,
					     .burst = ring->burst };
	else if (region == SELFMON_ENDED_FIBER)
		trace_take_switch(reader, ring, entry->end, ticks);
	else if (region == SELFMON_ENDED_BLOCKED)
		take_off_cpu(reader, ring, entry->end, ticks, TRACE_BLOCKED);
	else if (region == SELFMON_ENDED_PREEMPTED)
		take_off_cpu(reader, ring, entry->end, ticks, TRACE_PREEMPTED);
	else
		take_visit(reader, ring, entry->end, ticks, (uint32_t)region);
	ring->newest_end = entry->end;
	ring->has_start = false;
}

/*
 * Begins a gap. The entry to which the next counts belong, or the visit of the
 * last START, may be missing, so both are forgotten. A switch of fibers may be
 * missing too: until the next switch, visits may be on the wrong track.
 */
static void begin_gap(struct trace_ring *ring)
{
	ring->gap = true;
	ring->newest = NULL;
	ring->has_start = false;
}

static struct trace_ring *ring_of(struct trace_reader *reader, uint32_t number)
{
	if (number >= RINGS_MAX) {
		trace_damaged(reader, "a ring has no valid number");
		return NULL;
	}
	while (number >= reader->rings && !reader->failed)
		reader->ring =
			trace_grown(reader, reader->ring, &reader->rings,
				    reader->rings, sizeof(*reader->ring));
	return reader->failed ? NULL : &reader->ring[number];
}

/*
 * Begins a burst. If entries were left out before the burst, the running fiber
 * is unknown until the first switch in the burst. Until then, visits are put on
 * the thread's own track.
 */
void trace_take_burst(struct trace_reader *reader, const void *block,
		      size_t size)
{
	const struct selfmon_trace_burst *const burst = block;
	struct trace_ring *ring;

	if (size < sizeof(*burst)) {
		trace_damaged(reader, "a burst's block is too short");
		return;
	}
	ring = ring_of(reader, burst->ring);
	if (!ring)
		return;
	reader->trace->bursts++;
	if (!burst->passed)
		return;
	if (ring->switched)
		trace_add_run(reader, trace_stack_of(reader, ring), ring->from,
			      ring->newest_end, ring->burst);
	*ring = (struct trace_ring){ .tid = burst->tid,
				     .newest_end = ring->newest_end,
				     .gap = ring->gap,
				     .between = true,
				     .burst = reader->trace->bursts };
}

void trace_take_visits(struct trace_reader *reader, const void *block,
		       size_t size)
{
	const struct selfmon_trace_visits *const visits = block;
	const struct selfmon_ended *const entry = (const void *)(visits + 1);
	struct trace_ring *ring;
	size_t i;

	if (size < sizeof(*visits) ||
	    (size - sizeof(*visits)) % sizeof(*entry)) {
		trace_damaged(reader, "a block of visits is too short");
		return;
	}
	ring = ring_of(reader, visits->ring);
	if (!ring)
		return;
	if (visits->lost)
		begin_gap(ring);
	if (!ring->tid)
		ring->tid = visits->tid;
	reader->trace->lost += visits->lost;
	for (i = 0;
	     i < (size - sizeof(*visits)) / sizeof(*entry) && !reader->failed;
	     i++)
		take_entry(reader, ring, &entry[i]);
	ring->newest = NULL;
}
