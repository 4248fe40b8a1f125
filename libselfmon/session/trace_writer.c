/* SPDX-License-Identifier: MIT */
/*
 * The writer of a trace. Threads write their rings without waiting for the
 * writer. If a thread is faster than the writer, it overwrites entries that are
 * not yet in the file; these are counted as lost.
 *
 * The writer copies a ring only while the number of written entries equals the
 * number of reserved entries. Then no entry is half written. Afterwards it
 * counts entries that the thread has begun to overwrite as lost.
 *
 * With longer=, nothing is written until a visit exceeds its limit. The thread
 * of this visit then stores the position where the burst ends, and wakes the
 * writer, which writes the burst: at most the newer half of the ring. Until the
 * writer runs, the thread may overwrite the older half.
 */
#define _GNU_SOURCE
#include "session/trace_writer.h"

#include <errno.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock/calibrate.h"
#include "platform/futex.h"
#include "platform/kernel.h"
#include "platform/path.h"
#include "session/trace_limits.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/name.h"
#include "store/process.h"
#include "store/trace_file.h"
#include "store/trace_spec.h"

/*
 * At 6 million visits per second, a thread fills a quarter of the default ring
 * within 10 ms.
 */
#define PAUSE_NS 10000000
#define SHORT_PAUSE_NS 1000000
#define WRITER_STACK ((size_t)256 << 10)
/* Maximum number of entries in a block. */
#define BLOCK_ENTRIES 4096u
/*
 * Number of checks whether all reserved entries are written. Few checks are
 * enough: a thread writes an entry within nanoseconds of reserving it.
 */
#define SETTLE_TRIES 64
/* See wait_or_give_up(). */
#define UNSETTLED_MAX 8
/*
 * Other threads may still run at the end of the process. The last reading of a
 * ring waits for them for at most this number of pauses.
 */
#define SETTLE_PAUSES 100
/*
 * Time between two pairs of clock readings, and between two queries of thread
 * names. Even the file of a process that is killed soon needs two pairs.
 */
#define CLOCK_NS 5000000
#define NAMES_NS 1000000000
#define PAIR_TRIES 4
/*
 * Rate limit with longer=, for each ring: bursts of maximum size that may be
 * written at once, and the time after which one more may be written.
 */
#define BURSTS_MAX 8
#define BURST_NS UINT64_C(1000000000)
/* Time after which the writer retries a burst that it could not write. */
#define BURST_PAUSE_NS 20000000
/* Time between two computations of the percentiles of regions. */
#define LIMITS_NS 1000000000
/* The regions' numbers are below: PAGES_MAX of store/name.c. */
#define REGIONS_MAX (UINT32_C(1) << 22)

/* The writer's data about the ring of a thread. */
struct selfmon_traced {
	uint64_t read;	    /* entries that were read, or lost */
	uint64_t unwritten; /* entries that a handler's jump left unwritten */
	/*
	 * Position of the recorder when the writer last found unwritten
	 * entries.
	 */
	uint64_t position;
	/*
	 * Number of consecutive readings that found unwritten entries although
	 * the thread had reserved new ones in between.
	 */
	uint32_t unsettled;
	uint32_t tid;	    /* of the ring's owner, by the entries read */
	/* With longer=: the end of the last burst, written or not. */
	uint64_t looked;
	uint64_t allowed_ns; /* see may_write() */
	char name[SELFMON_THREAD_NAME];	  /* the last one in the file */
	char ending[SELFMON_THREAD_NAME]; /* name of a thread at its end */
};

/* Whether the region's name and visits are in the file. */
enum { REGION_NEW = 0, REGION_WRITTEN, REGION_LEFT_OUT };

static struct {
	pthread_t thread;
	int32_t pid; /* of the traced process, maybe a parent; 0: no trace */
	bool stop;
	struct selfmon_trace_spec spec;
	regex_t regions;   /* if spec.regions */
	/* REGION_* by region number; NULL if out of memory. */
	uint8_t *region;
	uint32_t clocks, columns; /* written so far */
	uint64_t clock_ns, names_ns; /* when they were last written */
	uint64_t entries, lost; /* entries read, entries overwritten unread */
	int error; /* errno of the file: nothing more is written */
	bool bursts;	   /* longer=: only bursts are written */
	bool full;	   /* the file has reached its size */
	uint64_t bytes;	   /* of the file */
	uint64_t limits_ns; /* time when the percentiles were last computed */
	uint64_t marked;   /* visits in the file that triggered a burst */
} trace;

/* The block is contiguous, so that one call writes it. */
static struct {
	struct selfmon_trace_visits head;
	struct selfmon_ended entry[BLOCK_ENTRIES];
} out_block;

static void trace_note(const char *what, const char *why)
{
	struct selfmon_process *const process = selfmon_process();

	if (!process)
		return;
	selfmon_process_lock(process);
	selfmon_config_note("SELFMON_TRACE=%.*s: %s%s",
			    (int)(trace.spec.file_length < 128
					  ? trace.spec.file_length
					  : 128),
			    selfmon_config()->trace, what, why);
	selfmon_process_unlock(process);
}

static void end_of_trace(int error)
{
	if (!error || trace.error)
		return;
	trace.error = error;
	trace_note("the file cannot grow; the trace ends: ", strerror(-error));
}

static void add_block(const void *bytes)
{
	const struct selfmon_trace_block *const head = bytes;

	trace.bytes += head->size;
	if (!trace.error)
		end_of_trace(selfmon_trace_file_add(bytes));
}

/* ---- clock, events, names, regions --------------------------------------- */

static void write_clock(void)
{
	struct selfmon_clock_pair pair;
	struct selfmon_trace_clock clock = {
		.block = { SELFMON_TRACE_CLOCK, sizeof(clock) },
	};

	selfmon_clock_pair_take(&pair, PAIR_TRIES);
	clock.ticks = pair.ticks;
	clock.raw_ns = pair.raw_ns;
	clock.real_ns = selfmon_kernel_realtime_ns();
	trace.clock_ns = pair.raw_ns;
	trace.clocks++;
	add_block(&clock);
}

/*
 * Writes the names of new columns. The process has one list of them for all
 * threads, since threads open the same events.
 */
static void write_columns(struct selfmon_process *process)
{
	struct selfmon_trace_column column = {
		.block = { SELFMON_TRACE_COLUMN, sizeof(column) },
	};
	uint32_t columns;

	selfmon_process_lock(process);
	columns = process->columns;
	selfmon_process_unlock(process);
	for (; trace.columns < columns; trace.columns++) {
		column.column = trace.columns;
		selfmon_process_lock(process);
		memcpy(column.name, process->column[trace.columns].name,
		       sizeof(column.name));
		selfmon_process_unlock(process);
		add_block(&column);
	}
}

static void write_name(struct selfmon_traced *traced, const char *name)
{
	struct selfmon_trace_thread thread = {
		.block = { SELFMON_TRACE_THREAD, sizeof(thread) },
		.tid = traced->tid,
	};

	if (!strncmp(name, traced->name, sizeof(thread.name)))
		return;
	memcpy(thread.name, name, sizeof(thread.name));
	memcpy(traced->name, name, sizeof(traced->name));
	add_block(&thread);
}

/* A thread that has ended keeps its last known name. */
static void look_up_name(struct selfmon_traced *traced)
{
	char path[64], name[SELFMON_THREAD_NAME + 1] = "";

	snprintf(path, sizeof(path), "/proc/self/task/%lu/comm",
		 (unsigned long)traced->tid);
	if (selfmon_kernel_read_file(path, name, sizeof(name)) > 0)
		write_name(traced, name);
}

static void write_all_names(struct selfmon_process *process)
{
	struct selfmon_thread *thread =
		__atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);

	trace.names_ns = selfmon_kernel_monotonic_raw_ns();
	for (; thread; thread = thread->next)
		if (thread->recorder && thread->recorder->trace &&
		    thread->recorder->trace->tid)
			look_up_name(thread->recorder->trace);
}

/*
 * Returns true if the region's visits belong in the file. Writes the region's
 * name first.
 */
static bool is_written(uint32_t id)
{
	const struct selfmon_region *const region = selfmon_name_of(id);

	if (!region || id >= REGIONS_MAX)
		return false;
	if (trace.region[id] == REGION_NEW) {
		trace.region[id] = REGION_WRITTEN;
		if (trace.spec.regions && !trace.bursts &&
		    regexec(&trace.regions, region->site.name, 0, NULL, 0))
			trace.region[id] = REGION_LEFT_OUT;
		else if (!trace.error)
			end_of_trace(selfmon_trace_file_add_region(region));
	}
	return trace.region[id] == REGION_WRITTEN;
}

/* ---- rings --------------------------------------------------------------- */

/*
 * Copies entries from number `from` to the block, as many as fit. *lost is the
 * number of entries that the thread has overwritten, *copied that of the
 * others. Returns how many entries were read in total.
 */
static uint64_t copy_entries(const struct selfmon_recorder *recorder,
			     uint64_t from, uint64_t to, uint64_t *lost,
			     uint32_t *copied)
{
	const uint64_t size = recorder->mask + 1;
	uint64_t position, overwritten, n, i;

	*lost = to - from > size ? to - from - size : 0;
	from += *lost;
	n = to - from < BLOCK_ENTRIES ? to - from : BLOCK_ENTRIES;
	for (i = 0; i < n; i++) {
		const struct selfmon_ended *const entry =
			&recorder->entry[(from + i) & recorder->mask];

		out_block.entry[i].end = selfmon_load_once(&entry->end);
		out_block.entry[i].ticks_region =
			selfmon_load_once(&entry->ticks_region);
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	position = selfmon_load_once(&recorder->position);
	overwritten = position - from > size ? position - from - size : 0;
	if (overwritten > n)
		overwritten = n;
	memmove(out_block.entry, out_block.entry + overwritten,
		(n - overwritten) * sizeof(*out_block.entry));
	*copied = (uint32_t)(n - overwritten);
	*lost += overwritten;
	return *lost + *copied;
}

/* Returns the region of an entry, or the SELFMON_ENDED_ value in its place. */
static uint64_t region_of(const struct selfmon_ended *entry)
{
	return entry->ticks_region & SELFMON_ENDED_REGION_MASK;
}

/* Returns true if the entry belongs to the visit before it. */
static bool follows_visit(const struct selfmon_ended *entry)
{
	return region_of(entry) == SELFMON_ENDED_COUNT ||
	       region_of(entry) == SELFMON_ENDED_LONGER;
}

/*
 * Returns how many entries to write in this block if more follow. Leaves the
 * last visit, with its start and its counts, for the next block, because some
 * of its entries may be missing here.
 */
static uint32_t whole_groups(uint32_t count)
{
	while (count > 1 && follows_visit(&out_block.entry[count - 1]))
		count--;
	if (count > 1)
		count--;
	if (count > 1 &&
	    region_of(&out_block.entry[count - 1]) == SELFMON_ENDED_START)
		count--;
	return count;
}

/* Reads an entry about the thread: its id, or a part of its name. */
static void take_thread_entry(struct selfmon_traced *traced,
			const struct selfmon_ended *entry)
{
	const uint64_t value = entry->ticks_region >> SELFMON_ENDED_REGION_BITS;

	if (region_of(entry) == SELFMON_ENDED_THREAD) {
		traced->tid = (uint32_t)value;
		memset(traced->name, 0, sizeof(traced->name));
		look_up_name(traced);
	} else if (value == 0) {
		memcpy(traced->ending, &entry->end, sizeof(entry->end));
	} else {
		memcpy(traced->ending + sizeof(entry->end), &entry->end,
		       sizeof(entry->end));
		write_name(traced, traced->ending);
	}
}

/*
 * Drops the entries that are not for the file, such as visits of regions that
 * are left out, and returns the number of the others. A START entry belongs to
 * the visit after it, COUNT and LONGER entries to the visit before them.
 */
static uint32_t choose_entries(struct selfmon_traced *traced, uint32_t count)
{
	uint32_t kept = 0, visited = 0, i;
	bool written = false, starts = false;

	for (i = 0; i < count; i++) {
		const struct selfmon_ended entry = out_block.entry[i];
		const uint64_t region = region_of(&entry);

		if (region == SELFMON_ENDED_THREAD ||
		    region == SELFMON_ENDED_NAME)
			take_thread_entry(traced, &entry);
		if (region < SELFMON_ENDED_SPECIAL) {
			visited = (uint32_t)region;
			written = is_written(visited);
			kept -= starts && !written;
		}
		starts = region == SELFMON_ENDED_START;
		if (region == SELFMON_ENDED_NAME ||
		    ((region < SELFMON_ENDED_SPECIAL ||
		      follows_visit(&entry)) &&
		     !written))
			continue;
		if (region == SELFMON_ENDED_LONGER) {
			if (!selfmon_trace_limits_has(selfmon_process_made(),
						      visited))
				continue;
			trace.marked++;
		}
		out_block.entry[kept++] = entry;
	}
	return kept;
}

/*
 * If no entry with the thread's id has been read, queries the id: that entry
 * may be lost.
 */
static void write_block(const struct selfmon_thread *thread, uint32_t count,
			uint64_t lost)
{
	struct selfmon_traced *const traced = thread->recorder->trace;

	if (!traced->tid) {
		traced->tid = selfmon_load_once(&thread->record->tid);
		look_up_name(traced);
	}
	out_block.head.block = (struct selfmon_trace_block){
		SELFMON_TRACE_VISITS,
		(uint32_t)(sizeof(out_block.head) + count * sizeof(*out_block.entry)),
	};
	out_block.head.ring = thread->record->number;
	out_block.head.tid = traced->tid;
	out_block.head.lost = lost;
	trace.lost += lost;
	if (count || lost)
		add_block(&out_block);
}

/*
 * Waits until all entries that the thread has reserved are written, except
 * those that a jump left unwritten. Returns the number of entries then. If
 * there was no such time, returns UINT64_MAX, and stores in *least the smallest
 * number of unwritten entries that was seen.
 */
static uint64_t settled_position(const struct selfmon_recorder *recorder,
				 const struct selfmon_traced *traced,
				 uint64_t *least)
{
	uint64_t position, written;
	int i;

	*least = UINT64_MAX;
	for (i = 0; i < SETTLE_TRIES; i++) {
		written = __atomic_load_n(&recorder->written, __ATOMIC_ACQUIRE);
		position = __atomic_load_n(&recorder->position,
					   __ATOMIC_ACQUIRE);
		if (position - written == traced->unwritten)
			return position;
		if (position - written < *least)
			*least = position - written;
	}
	return UINT64_MAX;
}

/*
 * Called if entries stayed unwritten. A handler that jumps out may leave its
 * entry unwritten forever. This has happened if the thread reserves new entries
 * while old ones stay unwritten, at UNSETTLED_MAX consecutive calls. Then all
 * unread entries are counted as lost, and from then on `least` unwritten
 * entries are expected.
 */
static void wait_or_give_up(const struct selfmon_thread *thread, uint64_t least)
{
	const struct selfmon_recorder *const recorder = thread->recorder;
	struct selfmon_traced *const traced = recorder->trace;
	const uint64_t position = selfmon_load_once(&recorder->position);

	if (position != traced->position)
		traced->unsettled++;
	traced->position = position;
	if (traced->unsettled < UNSETTLED_MAX)
		return;
	write_block(thread, 0, trace.bursts ? 0 : position - traced->read);
	traced->read = position;
	traced->looked = position;
	traced->unwritten = least;
	traced->unsettled = 0;
}

/* Writes the entries from the last one read to this position. */
static void write_entries(struct selfmon_thread *thread, uint64_t to)
{
	struct selfmon_recorder *const recorder = thread->recorder;
	struct selfmon_traced *const traced = recorder->trace;

	while (traced->read < to) {
		uint64_t lost, n;
		uint32_t copied;

		n = copy_entries(recorder, traced->read, to, &lost, &copied);
		if (copied && traced->read + n < to)
			n -= copied - whole_groups(copied);
		copied = (uint32_t)(n - lost);
		traced->read += n;
		trace.entries += copied;
		write_block(thread, choose_entries(traced, copied), lost);
	}
}

/* Writes the ring's new entries. Returns how full it was, 256: full. */
static unsigned int read_ring(struct selfmon_thread *thread)
{
	struct selfmon_recorder *const recorder = thread->recorder;
	struct selfmon_traced *const traced = recorder->trace;
	const uint64_t from = traced->read;
	uint64_t least;
	const uint64_t to = settled_position(recorder, traced, &least);

	if (to == UINT64_MAX) {
		wait_or_give_up(thread, least);
		return 0;
	}
	traced->unsettled = 0;
	write_entries(thread, to);
	return (unsigned int)((to - from) * 256 / (recorder->mask + 1));
}

static bool begin_ring(struct selfmon_process *process,
		       struct selfmon_recorder *recorder)
{
	if (!recorder->trace) {
		selfmon_process_lock(process);
		recorder->trace =
			selfmon_memory_wiped(sizeof(*recorder->trace));
		selfmon_process_unlock(process);
	}
	return recorder->trace;
}

/* Reads all rings. Returns how full the fullest ring was; 256 means full. */
static unsigned int read_traced_rings(void)
{
	struct selfmon_process *const process = selfmon_process_made();
	struct selfmon_thread *thread;
	unsigned int fullest = 0, full;

	if (!process)
		return 0;
	/*
	 * Clocks are written before visits, so that the file has two pairs even
	 * if the process is killed after this.
	 */
	if (trace.clocks < 2 ||
	    selfmon_kernel_monotonic_raw_ns() - trace.clock_ns > CLOCK_NS)
		write_clock();
	write_columns(process);
	thread = __atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);
	for (; thread; thread = thread->next) {
		if (!thread->recorder || !thread->recorder->traced ||
		    !begin_ring(process, thread->recorder))
			continue;
		full = read_ring(thread);
		if (full > fullest)
			fullest = full;
	}
	if (selfmon_kernel_monotonic_raw_ns() - trace.names_ns > NAMES_NS)
		write_all_names(process);
	return fullest;
}

/* ---- bursts (longer=) ---------------------------------------------------- */

/*
 * Returns an entry as it is now. The thread may overwrite the entry during the
 * read, and the result may then be a mix of both.
 */
static struct selfmon_ended entry_at(const struct selfmon_recorder *recorder,
				     uint64_t position)
{
	const struct selfmon_ended *const entry =
		&recorder->entry[position & recorder->mask];

	return (struct selfmon_ended){
		selfmon_load_once(&entry->end),
		selfmon_load_once(&entry->ticks_region),
	};
}

/* Returns true if regions= lets the visit that ends a burst trigger it. */
static bool may_trigger(struct selfmon_process *process,
			const struct selfmon_recorder *recorder,
			uint64_t wanted)
{
	struct selfmon_ended entry;
	uint64_t i = wanted;

	do {
		entry = entry_at(recorder, --i);
	} while (i && follows_visit(&entry));
	return region_of(&entry) >= SELFMON_ENDED_SPECIAL ||
	       selfmon_trace_limits_has(process, (uint32_t)region_of(&entry));
}

/* Returns the maximum number of entries in a burst. */
static uint64_t burst_entries(const struct selfmon_recorder *recorder)
{
	return (recorder->mask + 1) / 2;
}

/*
 * Returns the size of a burst in the file. The blocks around the entries count
 * too: a burst of one visit has more bytes of them than of entries.
 */
static uint64_t burst_bytes(uint64_t entries)
{
	return sizeof(struct selfmon_trace_clock) +
	       sizeof(struct selfmon_trace_burst) +
	       (entries / BLOCK_ENTRIES + 1) *
		       sizeof(struct selfmon_trace_visits) +
	       entries * sizeof(struct selfmon_ended);
}

/*
 * Limits the rate of writing. Returns true if this number of entries of the
 * ring may be written now. Within any time t, at most the size of BURSTS_MAX +
 * t / BURST_NS bursts of maximum length is written. Each write moves allowed_ns
 * forward, by BURST_NS for a burst of maximum length. allowed_ns may be ahead
 * of the present by the time of BURSTS_MAX such bursts.
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

static bool is_file_full(const struct selfmon_recorder *recorder)
{
	if (!trace.full && trace.bytes + burst_bytes(burst_entries(recorder)) >
				   trace.spec.size) {
		trace.full = true;
		trace_note("the file has reached its size=; later visits that "
			   "last longer are not in it",
			   "");
	}
	return trace.full;
}

/*
 * Returns the position where a burst begins. A burst has entries of only one
 * thread, so it does not extend to those of the ring's previous owner. It has
 * the START entry of its first visit.
 */
static uint64_t begin_of_burst(const struct selfmon_recorder *recorder,
			       uint64_t wanted)
{
	const uint64_t entries = burst_entries(recorder),
		       read = recorder->trace->read;
	uint64_t begin = wanted > entries ? wanted - entries : 0, i;
	struct selfmon_ended entry;

	if (begin <= read) {
		begin = read;
	} else {
		entry = entry_at(recorder, begin - 1);
		begin -= region_of(&entry) == SELFMON_ENDED_START;
	}
	for (i = wanted; i > begin; i--) {
		entry = entry_at(recorder, i - 1);
		if (region_of(&entry) == SELFMON_ENDED_THREAD)
			return i - 1;
	}
	return begin;
}

/*
 * A burst that begins where the last one ended continues it, for example if the
 * visit around the first trigger also triggers.
 */
static void write_burst(struct selfmon_process *process,
			struct selfmon_thread *thread, uint64_t begin,
			uint64_t wanted)
{
	struct selfmon_recorder *const recorder = thread->recorder;
	struct selfmon_traced *const traced = recorder->trace;
	const bool continues = traced->read && begin == traced->read;
	const struct selfmon_ended last = entry_at(recorder, wanted - 1);
	struct selfmon_trace_burst burst = {
		.block = { SELFMON_TRACE_BURST, sizeof(burst) },
		.ring = thread->record->number,
		.passed = begin - traced->read,
	};
	const uint32_t tid =
		region_of(&last) == SELFMON_ENDED_LONGER
			? (uint32_t)(last.ticks_region >>
				     SELFMON_ENDED_REGION_BITS)
			: selfmon_load_once(&thread->record->tid);

	if (tid != traced->tid) {
		traced->tid = tid;
		memset(traced->name, 0, sizeof(traced->name));
		look_up_name(traced);
	}
	burst.tid = tid;
	write_clock();
	write_columns(process);
	if (!continues)
		add_block(&burst);
	traced->read = begin;
	write_entries(thread, wanted);
}

/* Returns the time until the ring is read again; 0: wait for a trigger. */
static uint64_t read_burst(struct selfmon_process *process,
			   struct selfmon_thread *thread)
{
	struct selfmon_recorder *const recorder = thread->recorder;
	struct selfmon_traced *const traced = recorder->trace;
	/* Acquire: pairs with the trigger. */
	const uint64_t wanted =
		__atomic_load_n(&recorder->wanted, __ATOMIC_ACQUIRE);
	uint64_t least, begin;

	if (wanted <= traced->looked)
		return 0;
	if (settled_position(recorder, traced, &least) == UINT64_MAX) {
		wait_or_give_up(thread, least);
		return SHORT_PAUSE_NS;
	}
	traced->unsettled = 0;
	if (may_trigger(process, recorder, wanted) && !is_file_full(recorder)) {
		begin = begin_of_burst(recorder, wanted);
		if (!may_write(recorder, wanted - begin))
			return BURST_PAUSE_NS;
		write_burst(process, thread, begin, wanted);
	}
	traced->looked = wanted;
	return 0;
}

static void set_limits(struct selfmon_process *process)
{
	const uint64_t now = selfmon_kernel_monotonic_raw_ns();

	selfmon_trace_limits_choose(process, trace.spec.regions ? &trace.regions
								: NULL);
	if (!trace.spec.above_ppm || now - trace.limits_ns < LIMITS_NS)
		return;
	trace.limits_ns = now;
	selfmon_trace_limits_measure(process, trace.spec.above_ppm);
}

/* Writes the bursts. Returns the time until the rings are read again. */
static uint64_t read_bursts(struct selfmon_process *process)
{
	struct selfmon_thread *thread =
		__atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);
	uint64_t pause = LIMITS_NS, again;

	set_limits(process);
	for (; thread; thread = thread->next) {
		if (!thread->recorder || !thread->recorder->traced ||
		    !begin_ring(process, thread->recorder))
			continue;
		again = read_burst(process, thread);
		if (again && again < pause)
			pause = again;
	}
	if (selfmon_kernel_monotonic_raw_ns() - trace.names_ns > NAMES_NS)
		write_all_names(process);
	return pause;
}

/* Clears the trigger first: visits that trigger later wake the writer again. */
static uint64_t answer_trigger(struct selfmon_process *process)
{
	__atomic_exchange_n(&process->triggered, 0, __ATOMIC_ACQ_REL);
	return read_bursts(process);
}

static void say_what_is_left_out(struct selfmon_process *process)
{
	const uint64_t longer = selfmon_trace_limits_longer(process);
	char text[SELFMON_MESSAGE_SIZE];

	if (longer <= trace.marked)
		return;
	snprintf(text, sizeof(text),
		 "%llu of %llu visits that lasted longer are not in the file; of "
		 "each thread at most half a ring a second is written, and at "
		 "most %d of them at once; a larger limit may help",
		 (unsigned long long)(longer - trace.marked),
		 (unsigned long long)longer, BURSTS_MAX);
	trace_note(text, "");
}

/* ---- beginning and end --------------------------------------------------- */

static void *run_writer(void *unused)
{
	struct selfmon_process *const process = selfmon_process();
	uint64_t pause = LIMITS_NS;

	(void)unused;
	while (trace.bursts && process &&
	       !__atomic_load_n(&trace.stop, __ATOMIC_ACQUIRE)) {
		selfmon_futex_wait(&process->triggered, pause);
		pause = answer_trigger(process);
	}
	while (!__atomic_load_n(&trace.stop, __ATOMIC_ACQUIRE))
		selfmon_kernel_sleep_ns(read_traced_rings() > 64 ? SHORT_PAUSE_NS
							  : PAUSE_NS);
	return NULL;
}

static bool start_writer(void)
{
	struct selfmon_signals signals;
	pthread_attr_t attr;
	int error;

	if (pthread_attr_init(&attr))
		return false;
	pthread_attr_setstacksize(&attr, WRITER_STACK);
	selfmon_kernel_block_signals(&signals);
	error = pthread_create(&trace.thread, &attr, run_writer, NULL);
	if (!error)
		pthread_setname_np(trace.thread, "selfmon-trace");
	selfmon_kernel_restore_signals(&signals);
	pthread_attr_destroy(&attr);
	return !error;
}

static bool take_regions(void)
{
	char why[SELFMON_MESSAGE_SIZE];
	int error;

	if (!trace.spec.regions)
		return true;
	error = regcomp(&trace.regions, trace.spec.regions,
			REG_EXTENDED | REG_NOSUB);
	if (!error)
		return true;
	regerror(error, &trace.regions, why, sizeof(why));
	trace_note("regions= is not a regular expression; no trace is written: ", why);
	return false;
}

static const char *why_no_trace(int error)
{
	switch (error) {
	case -EEXIST: return "the existing file is not a trace";
	case -EBUSY:
		return "another process is writing it; put %p, the process id, "
		       "in the name";
	case -ELOOP: return "symbolic links are not followed";
	case -EINVAL: return "it is not a regular file";
	case -ENAMETOOLONG: return "the name is too long";
	case -EPERM:
		if (selfmon_kernel_is_secure())
			return "the program has more privileges than its "
			       "caller";
		break;
	}
	return strerror(-error);
}

static int begin_file(void)
{
	char path[SELFMON_PATH_SIZE];
	bool names_process;
	void *memory;
	int error;

	if (!selfmon_path_expand(selfmon_config()->trace,
				 trace.spec.file_length, path, &names_process))
		return -ENAMETOOLONG;
	error = selfmon_kernel_map_memory(REGIONS_MAX, false, &memory);
	if (error)
		return error;
	trace.region = memory;
	error = selfmon_trace_file_begin(path);
	if (error)
		selfmon_kernel_unmap_memory(memory, REGIONS_MAX);
	return error;
}

void selfmon_trace_begin(void)
{
	const char *const text = selfmon_config()->trace;
	const int32_t pid = (int32_t)selfmon_kernel_pid();
	char why[SELFMON_MESSAGE_SIZE];
	int error;

	if (!*text || !strcmp(text, "none") || trace.pid == pid)
		return;
	memset(&trace, 0, sizeof(trace));
	if (selfmon_trace_spec_parse(text, &trace.spec, why, sizeof(why))) {
		trace_note("no trace is written: ", why);
		return;
	}
	if (!take_regions())
		return;
	trace.bursts = trace.spec.longer_ns || trace.spec.above_ppm;
	error = begin_file();
	if (error) {
		trace_note("no trace is written: ", why_no_trace(error));
		return;
	}
	selfmon_trace_limits_begin(&trace.spec);
	write_clock();
	if (!start_writer()) {
		selfmon_trace_file_end();
		trace_note("no trace is written: ", "no thread could be started");
		return;
	}
	trace.pid = pid;
	selfmon_config()->traced = true;
}

size_t selfmon_trace_ring(void)
{
	return selfmon_config()->traced ? trace.spec.ring : 0;
}

/*
 * Reads all rings to their ends. Waits for threads that have reserved an entry
 * but not yet written it.
 */
static void read_the_rest(void)
{
	struct selfmon_process *const process = selfmon_process_made();
	struct selfmon_thread *thread;
	int i;

	if (!process)
		return;
	if (trace.bursts) {
		for (i = 0; i < SETTLE_PAUSES &&
			    read_bursts(process) == SHORT_PAUSE_NS;
		     i++)
			selfmon_kernel_sleep_ns(SHORT_PAUSE_NS / 10);
		write_all_names(process);
		return;
	}
	read_traced_rings();
	thread = __atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);
	for (; thread; thread = thread->next) {
		const struct selfmon_recorder *const recorder = thread->recorder;

		if (!recorder || !recorder->trace)
			continue;
		for (i = 0; i < SETTLE_PAUSES &&
			    recorder->trace->read <
				    selfmon_load_once(&recorder->position);
		     i++) {
			read_ring(thread);
			selfmon_kernel_sleep_ns(SHORT_PAUSE_NS / 10);
		}
	}
	write_all_names(process);
}

static void say_what_is_lost(void)
{
	const uint64_t all = trace.lost + trace.entries;
	char text[SELFMON_MESSAGE_SIZE];

	if (!trace.lost)
		return;
	snprintf(text, sizeof(text),
		 "%llu of %llu entries were overwritten before they were "
		 "written to the file; a larger ring=SIZE (now %zuk), or fewer "
		 "regions, may help",
		 (unsigned long long)trace.lost, (unsigned long long)all,
		 trace.spec.ring >> 10);
	trace_note(text, "");
}

void selfmon_trace_end(void)
{
	const struct selfmon_trace_block end = { SELFMON_TRACE_END,
						 sizeof(end) };
	struct selfmon_process *const process = selfmon_process_made();

	if (trace.pid != (int32_t)selfmon_kernel_pid())
		return;
	__atomic_store_n(&trace.stop, true, __ATOMIC_RELEASE);
	if (process && trace.bursts) {
		__atomic_store_n(&process->triggered, 1, __ATOMIC_RELEASE);
		selfmon_futex_wake(&process->triggered);
	}
	pthread_join(trace.thread, NULL);
	read_the_rest();
	write_clock();
	add_block(&end);
	selfmon_trace_file_end();
	trace.pid = 0;
	say_what_is_lost();
	if (process && trace.bursts)
		say_what_is_left_out(process);
}

__attribute__((constructor)) static void begin_trace_by_environment(void)
{
	const char *const enable = secure_getenv("SELFMON_ENABLE");
	const char *const text = secure_getenv("SELFMON_TRACE");

	if (text && *text && (!enable || strcmp(enable, "0") != 0) &&
	    selfmon_process())
		selfmon_trace_begin();
}
