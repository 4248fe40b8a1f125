/* SPDX-License-Identifier: MIT */
/*
 * Reads a trace in one pass over its blocks. Times are ticks until all clock
 * blocks are read; the first and the last of them then give the rate.
 */
#include "trace_read.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/trace_file.h"

/* A file that exceeds these limits is damaged. */
#define BLOCK_MAX ((size_t)1 << 20)
#define COLUMNS_MAX SELFMON_MAX_COUNTERS
#define RINGS_MAX ((uint32_t)1 << 20)

/* State of a ring after the entries that were read so far. */
struct ring {
	uint32_t tid;
	uint64_t fiber; /* the fiber that runs; 0: the thread's own stack */
	uint64_t from;	/* ticks when the fiber was resumed */
	/*
	 * The fiber is running. If no entry shows the end of the run, the run
	 * ends with the trace.
	 */
	bool switched;
	bool has_start; /* the previous entry was a START */
	uint64_t start;
	uint64_t what; /* SELFMON_START_ */
	struct trace_visit *newest; /* the next counts belong to this visit */
	uint64_t newest_end;
	bool gap; /* entries are missing after newest_end */
	bool between; /* a burst begins: entries before it were not written */
	uint64_t burst; /* number of the burst; 0: none so far */
};

struct reader {
	struct trace *trace;
	struct ring *ring;
	size_t rings;
	struct selfmon_trace_clock first, last;
	bool clocks; /* first_clock and last_clock are set */
	char *why;
	bool failed;
};

static void *grown(struct reader *reader, void *array, size_t *room,
		   size_t count, size_t size)
{
	const size_t more = *room ? *room * 2 : 64;
	void *longer;

	if (count < *room)
		return array;
	longer = realloc(array, more * size);
	if (!longer) {
		snprintf(reader->why, TRACE_WHY_SIZE, "no memory");
		reader->failed = true;
		return array;
	}
	memset((char *)longer + *room * size, 0, (more - *room) * size);
	*room = more;
	return longer;
}

static void damaged(struct reader *reader, const char *what)
{
	if (!reader->failed)
		snprintf(reader->why, TRACE_WHY_SIZE, "the file is damaged: %s",
			 what);
	reader->failed = true;
}

/* ---- tracks -------------------------------------------------------------- */

static struct trace_track *track_of(struct reader *reader, enum trace_kind kind,
				    uint64_t id)
{
	struct trace *const trace = reader->trace;
	size_t i;

	for (i = 0; i < trace->tracks; i++)
		if (trace->track[i].kind == kind && trace->track[i].id == id)
			return &trace->track[i];
	trace->track = grown(reader, trace->track, &trace->track_room,
			     trace->tracks, sizeof(*trace->track));
	if (reader->failed)
		return NULL;
	trace->track[trace->tracks].kind = kind;
	trace->track[trace->tracks].id = id;
	return &trace->track[trace->tracks++];
}

static struct trace_visit *add_visit(struct reader *reader,
				     struct trace_track *track, uint64_t begin,
				     uint64_t end, uint32_t region)
{
	size_t room;

	if (!track || track->visits == UINT32_MAX - 1)
		return NULL;
	room = track->room;
	track->visit = grown(reader, track->visit, &room, track->visits,
			     sizeof(*track->visit));
	if (reader->failed)
		return NULL;
	track->room = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
	track->visit[track->visits] = (struct trace_visit){
		.begin = begin < end ? begin : end,
		.end = end,
		.region = region,
		.order = track->visits,
	};
	return &track->visit[track->visits++];
}

/* ---- fibers -------------------------------------------------------------- */

static struct trace_track *stack_of(struct reader *reader,
				    const struct ring *ring)
{
	return ring->fiber ? track_of(reader, TRACE_FIBER, ring->fiber)
			   : track_of(reader, TRACE_THREAD, ring->tid);
}

static void add_run(struct reader *reader, struct trace_track *track,
		    uint64_t from, uint64_t to, uint64_t burst)
{
	if (!track)
		return;
	track->run = grown(reader, track->run, &track->run_room, track->runs,
			   sizeof(*track->run));
	if (!reader->failed)
		track->run[track->runs++] =
			(struct trace_run){ from, to, burst };
}

static void take_switch(struct reader *reader, struct ring *ring,
			uint64_t now, uint64_t fiber)
{
	ring->switched = fiber != SELFMON_ENDED_NO_FIBER;
	if (!ring->switched) {
		add_run(reader, stack_of(reader, ring), ring->from, now,
			ring->burst);
		return;
	}
	ring->fiber = fiber;
	ring->from = now;
}

static int by_from(const void *left, const void *right)
{
	const struct trace_run *const a = left, *const b = right;

	return a->from < b->from ? -1 : a->from > b->from;
}

/* Returns the number of the track's runs that began before this time. */
static size_t runs_before(const struct trace_track *track, uint64_t time)
{
	size_t low = 0, high = track->runs;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (track->run[middle].from < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns when a visit of a fiber began. Its recorded time covers only the runs
 * of the fiber, so the function goes back from the visit's end until the runs
 * add up to this time. It stops at an earlier burst, because the runs between
 * two bursts are unknown.
 */
static uint64_t real_begin(const struct trace_track *track,
			   const struct trace_visit *visit)
{
	uint64_t ticks = visit->end - visit->begin, end = visit->end;
	size_t i = runs_before(track, visit->end);
	const uint64_t burst = i ? track->run[i - 1].burst : 0;

	if (!i)
		return visit->begin;
	while (i--) {
		const struct trace_run *const run = &track->run[i];

		if (run->burst != burst)
			return run[1].from;
		if (run->to < end)
			end = run->to;
		if (end < run->from)
			continue;
		if (ticks <= end - run->from)
			return end - ticks;
		ticks -= end - run->from;
	}
	return track->run[0].from;
}

/*
 * Computes the begins at the end, since blocks of different threads are in any
 * order.
 */
static void find_begins(struct reader *reader)
{
	struct trace_track *track;
	size_t i;
	uint32_t j;

	for (i = 0; i < reader->rings; i++)
		if (reader->ring[i].switched)
			add_run(reader, stack_of(reader, &reader->ring[i]),
				reader->ring[i].from, UINT64_MAX,
				reader->ring[i].burst);
	for (i = 0; i < reader->trace->tracks && !reader->failed; i++) {
		track = &reader->trace->track[i];
		if (!track->runs)
			continue;
		qsort(track->run, track->runs, sizeof(*track->run), by_from);
		for (j = 0; j < track->visits; j++)
			track->visit[j].begin =
				real_begin(track, &track->visit[j]);
	}
}

/* ---- entries ------------------------------------------------------------- */

static void take_visit(struct reader *reader, struct ring *ring,
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
		damaged(reader, "a visit's region has no name");
		return;
	}
	track = ring->what == SELFMON_START_SPAN
			? track_of(reader, TRACE_SPANS, 0)
		: ring->what == SELFMON_START_FRAME
			? track_of(reader, TRACE_FRAMES, ring->tid)
			: stack_of(reader, ring);
	if (!track)
		return;
	ring->newest = add_visit(reader, track, begin, end, region);
	trace->visits++;
}

static void take_off_cpu(struct reader *reader, const struct ring *ring,
			 uint64_t end, uint64_t ticks, uint32_t what)
{
	add_visit(reader, track_of(reader, TRACE_OFF_CPU, ring->tid),
		  end - ticks, end, what);
}

/* Adds a count to the visit before it. */
static void take_count(struct reader *reader, struct ring *ring,
		       uint64_t value, uint64_t column)
{
	struct trace *const trace = reader->trace;

	if (!ring->newest)
		return;
	if (column >= COLUMNS_MAX) {
		damaged(reader, "a count has no column");
		return;
	}
	if (!trace->counts)
		trace->counts = 1; /* 0 means none */
	trace->count = grown(reader, trace->count, &trace->count_room,
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
 * The newest visit lasted longer than its limit, in ticks. Adds it to the track
 * of such visits, too.
 */
static void take_longer(struct reader *reader, const struct ring *ring,
			uint64_t limit)
{
	struct trace *const trace = reader->trace;

	if (!ring->newest)
		return;
	if (!trace->longer++ || limit < trace->limit_ns[0])
		trace->limit_ns[0] = limit;
	if (limit > trace->limit_ns[1])
		trace->limit_ns[1] = limit;
	add_visit(reader, track_of(reader, TRACE_LONGER, ring->tid),
		  ring->newest->begin, ring->newest->end, ring->newest->region);
}

/* Adds the gap before this entry: missing entries, or time between bursts. */
static void end_gap(struct reader *reader, struct ring *ring, uint64_t end)
{
	const uint64_t begin = ring->newest_end ? ring->newest_end
						: reader->first.ticks;

	if (ring->between && end > begin)
		add_visit(reader, track_of(reader, TRACE_BETWEEN, ring->tid),
			  begin, end, TRACE_LEFT_OUT);
	if (ring->gap && ring->newest_end && end > begin)
		add_visit(reader, track_of(reader, TRACE_GAPS, ring->tid),
			  begin, end, TRACE_LOST);
	ring->gap = false;
	ring->between = false;
}

static void take_entry(struct reader *reader, struct ring *ring,
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
		*ring = (struct ring){ .tid = (uint32_t)ticks,
				       .from = entry->end,
				       .burst = ring->burst };
	else if (region == SELFMON_ENDED_FIBER)
		take_switch(reader, ring, entry->end, ticks);
	else if (region == SELFMON_ENDED_BLOCKED)
		take_off_cpu(reader, ring, entry->end, ticks, TRACE_BLOCKED);
	else if (region == SELFMON_ENDED_PREEMPTED)
		take_off_cpu(reader, ring, entry->end, ticks, TRACE_PREEMPTED);
	else
		take_visit(reader, ring, entry->end, ticks, (uint32_t)region);
	ring->newest_end = entry->end;
	ring->has_start = false;
}

/* ---- blocks -------------------------------------------------------------- */

/*
 * Begins a gap: the missing entries may include a switch of fibers, or the
 * visit to which counts belong.
 */
static void begin_gap(struct ring *ring)
{
	ring->gap = true;
	ring->newest = NULL;
	ring->has_start = false;
}

static struct ring *ring_of(struct reader *reader, uint32_t number)
{
	if (number >= RINGS_MAX) {
		damaged(reader, "a ring has no valid number");
		return NULL;
	}
	while (number >= reader->rings && !reader->failed)
		reader->ring = grown(reader, reader->ring, &reader->rings,
				     reader->rings, sizeof(*reader->ring));
	return reader->failed ? NULL : &reader->ring[number];
}

/*
 * Begins a burst. The running fiber is unknown until the first switch in the
 * burst. Until then, visits are put on the thread's own track.
 */
static void take_burst(struct reader *reader, const void *block, size_t size)
{
	const struct selfmon_trace_burst *const burst = block;
	struct ring *ring;

	if (size < sizeof(*burst)) {
		damaged(reader, "a burst's block is too short");
		return;
	}
	ring = ring_of(reader, burst->ring);
	if (!ring)
		return;
	reader->trace->bursts++;
	if (!burst->passed)
		return;
	if (ring->switched)
		add_run(reader, stack_of(reader, ring), ring->from,
			ring->newest_end, ring->burst);
	*ring = (struct ring){ .tid = burst->tid,
			       .newest_end = ring->newest_end,
			       .gap = ring->gap,
			       .between = true,
			       .burst = reader->trace->bursts };
}

static void take_visits(struct reader *reader, const void *block, size_t size)
{
	const struct selfmon_trace_visits *const visits = block;
	const struct selfmon_ended *const entry = (const void *)(visits + 1);
	struct ring *ring;
	size_t i;

	if (size < sizeof(*visits) ||
	    (size - sizeof(*visits)) % sizeof(*entry)) {
		damaged(reader, "a block of visits is too short");
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
	for (i = 0; i < (size - sizeof(*visits)) / sizeof(*entry) &&
		    !reader->failed; i++)
		take_entry(reader, ring, &entry[i]);
	ring->newest = NULL;
}

static char *copy_of(const char *text, size_t length)
{
	char *const copy = malloc(length + 1);

	if (copy) {
		memcpy(copy, text, length);
		copy[length] = '\0';
	}
	return copy;
}

static void take_region(struct reader *reader, const void *block, size_t size)
{
	const struct selfmon_trace_region *const from = block;
	const char *const text = (const char *)(from + 1);
	struct trace *const trace = reader->trace;
	struct trace_region *region;
	size_t room = trace->regions;

	if (size < sizeof(*from) || from->id >= SELFMON_ENDED_SPECIAL ||
	    (uint64_t)from->name_length + from->file_length + 2 >
		    size - sizeof(*from)) {
		damaged(reader, "a region's name is too long");
		return;
	}
	while (from->id >= room && !reader->failed)
		trace->region = grown(reader, trace->region, &room, room,
				      sizeof(*trace->region));
	if (reader->failed)
		return;
	trace->regions = room;
	region = &trace->region[from->id];
	if (region->name)
		return;
	region->name = copy_of(text, from->name_length);
	region->file = copy_of(text + from->name_length + 1, from->file_length);
	region->line = from->line;
	if (!region->name || !region->file) {
		snprintf(reader->why, TRACE_WHY_SIZE, "no memory");
		reader->failed = true;
	}
}

/* Stores a thread's name. The last one is used. */
static void take_thread(struct reader *reader, const void *block, size_t size)
{
	const struct selfmon_trace_thread *const from = block;
	struct trace *const trace = reader->trace;
	struct trace_thread *longer;
	size_t i;

	if (size < sizeof(*from)) {
		damaged(reader, "a thread's block is too short");
		return;
	}
	for (i = 0; i < trace->threads; i++)
		if (trace->thread[i].tid == from->tid)
			break;
	if (i == trace->threads) {
		longer = realloc(trace->thread, (i + 1) * sizeof(*longer));
		if (!longer) {
			snprintf(reader->why, TRACE_WHY_SIZE, "no memory");
			reader->failed = true;
			return;
		}
		trace->thread = longer;
		trace->threads++;
	}
	trace->thread[i].tid = from->tid;
	memcpy(trace->thread[i].name, from->name, sizeof(from->name));
	trace->thread[i].name[sizeof(from->name)] = '\0';
}

static void take_column(struct reader *reader, const void *block, size_t size)
{
	const struct selfmon_trace_column *const from = block;
	struct trace *const trace = reader->trace;

	if (size < sizeof(*from) || from->column >= COLUMNS_MAX) {
		damaged(reader, "an event's block is too short");
		return;
	}
	if (!trace->column)
		trace->column = calloc(COLUMNS_MAX, sizeof(*trace->column));
	if (!trace->column)
		return;
	memcpy(trace->column[from->column], from->name,
	       sizeof(*trace->column) - 1);
	if (from->column >= trace->columns)
		trace->columns = from->column + 1;
}

static void take_clock(struct reader *reader, const void *block, size_t size)
{
	if (size < sizeof(reader->last)) {
		damaged(reader, "a clock's block is too short");
		return;
	}
	memcpy(&reader->last, block, sizeof(reader->last));
	if (!reader->clocks)
		reader->first = reader->last;
	reader->clocks = true;
}

static void take_block(struct reader *reader, const void *block, size_t size)
{
	const struct selfmon_trace_block *const head = block;

	switch (head->type) {
	case SELFMON_TRACE_CLOCK: take_clock(reader, block, size); break;
	case SELFMON_TRACE_REGION: take_region(reader, block, size); break;
	case SELFMON_TRACE_THREAD: take_thread(reader, block, size); break;
	case SELFMON_TRACE_COLUMN: take_column(reader, block, size); break;
	case SELFMON_TRACE_VISITS: take_visits(reader, block, size); break;
	case SELFMON_TRACE_BURST: take_burst(reader, block, size); break;
	case SELFMON_TRACE_END: reader->trace->cut_off = false; break;
	}
}

/*
 * Reads a block. Returns false at the end of the file, or if the last block is
 * incomplete.
 */
static bool read_block(struct reader *reader, FILE *file, void *block)
{
	struct selfmon_trace_block *const head = block;

	if (fread(head, 1, sizeof(*head), file) < sizeof(*head))
		return false;
	if (head->size < sizeof(*head) || head->size > BLOCK_MAX ||
	    head->size % 8) {
		damaged(reader, "a block has no valid size");
		return false;
	}
	return fread(head + 1, 1, head->size - sizeof(*head), file) ==
	       head->size - sizeof(*head);
}

static bool read_header(struct reader *reader, FILE *file)
{
	struct selfmon_trace_header header;
	const size_t n = fread(&header, 1, sizeof(header), file);

	if (n < sizeof(header) ||
	    memcmp(header.magic, SELFMON_TRACE_MAGIC, sizeof(header.magic)) != 0)
		snprintf(reader->why, TRACE_WHY_SIZE,
			 "not a trace of SELFMON_TRACE");
	else if (header.order != SELFMON_TRACE_ORDER)
		snprintf(reader->why, TRACE_WHY_SIZE,
			 "a trace of a machine with another byte order");
	else if (header.version != SELFMON_TRACE_VERSION ||
		 header.header_size != sizeof(header))
		snprintf(reader->why, TRACE_WHY_SIZE,
			 "a trace of version %u; this program reads version %d",
			 header.version, SELFMON_TRACE_VERSION);
	else {
		memcpy(reader->trace->program, header.program,
		       sizeof(header.program));
		reader->trace->pid = header.pid;
		reader->trace->cut_off = true;
		return true;
	}
	return false;
}

/* ---- times --------------------------------------------------------------- */

static uint64_t ns_of(const struct reader *reader, double ns_per_tick,
		      uint64_t ticks)
{
	const int64_t since = (int64_t)(ticks - reader->first.ticks);
	const double ns = (double)since * ns_per_tick;

	return ns > 0 ? (uint64_t)ns : 0;
}

static void convert_times(struct reader *reader)
{
	struct trace *const trace = reader->trace;
	const uint64_t ticks = reader->last.ticks - reader->first.ticks;
	double rate;
	size_t i;
	uint32_t j;

	if (!ticks) {
		snprintf(reader->why, TRACE_WHY_SIZE,
			 "the process ended before its first visits were "
			 "written");
		reader->failed = true;
		return;
	}
	rate = (double)(reader->last.raw_ns - reader->first.raw_ns) /
	       (double)ticks;
	trace->begin_raw_ns = reader->first.raw_ns;
	trace->begin_real_ns = reader->first.real_ns;
	for (i = 0; i < 2; i++)
		trace->limit_ns[i] =
			(uint64_t)((double)trace->limit_ns[i] * rate);
	for (i = 0; i < trace->tracks; i++)
		for (j = 0; j < trace->track[i].visits; j++) {
			struct trace_visit *const visit =
				&trace->track[i].visit[j];

			visit->begin = ns_of(reader, rate, visit->begin);
			visit->end = ns_of(reader, rate, visit->end);
			if (visit->end > trace->ns)
				trace->ns = visit->end;
		}
}

/* ---- the whole ----------------------------------------------------------- */

static void read_file(struct reader *reader, FILE *file)
{
	void *const block = malloc(BLOCK_MAX);

	if (!block) {
		snprintf(reader->why, TRACE_WHY_SIZE, "no memory");
		reader->failed = true;
		return;
	}
	reader->failed = !read_header(reader, file);
	while (!reader->failed && read_block(reader, file, block))
		take_block(reader, block,
			   ((struct selfmon_trace_block *)block)->size);
	if (!reader->failed && ferror(file)) {
		snprintf(reader->why, TRACE_WHY_SIZE, "%s", strerror(errno));
		reader->failed = true;
	}
	if (!reader->failed)
		find_begins(reader);
	if (!reader->failed)
		convert_times(reader);
	free(block);
}

struct trace *trace_read(const char *path, char why[TRACE_WHY_SIZE])
{
	struct reader reader = { .why = why };
	FILE *file;

	reader.trace = calloc(1, sizeof(*reader.trace));
	if (!reader.trace) {
		snprintf(why, TRACE_WHY_SIZE, "no memory");
		return NULL;
	}
	file = fopen(path, "rb");
	if (!file) {
		snprintf(why, TRACE_WHY_SIZE, "%s", strerror(errno));
		trace_free(reader.trace);
		return NULL;
	}
	read_file(&reader, file);
	fclose(file);
	free(reader.ring);
	if (!reader.failed)
		return reader.trace;
	trace_free(reader.trace);
	return NULL;
}

void trace_free(struct trace *trace)
{
	size_t i;

	for (i = 0; i < trace->tracks; i++) {
		free(trace->track[i].visit);
		free(trace->track[i].run);
	}
	for (i = 0; i < trace->regions; i++) {
		free(trace->region[i].name);
		free(trace->region[i].file);
	}
	free(trace->track);
	free(trace->region);
	free(trace->thread);
	free(trace->column);
	free(trace->count);
	free(trace);
}

const char *trace_thread_name(const struct trace *trace, uint64_t tid)
{
	size_t i;

	for (i = 0; i < trace->threads; i++)
		if (trace->thread[i].tid == tid)
			return trace->thread[i].name;
	return "";
}

const char *trace_visit_name(const struct trace *trace,
			     const struct trace_visit *visit)
{
	switch (visit->region) {
	case TRACE_PREEMPTED: return "preempted";
	case TRACE_BLOCKED: return "blocked";
	case TRACE_LOST: return "visits are missing here";
	case TRACE_LEFT_OUT: return "not recorded";
	default: return trace->region[visit->region].name;
	}
}
