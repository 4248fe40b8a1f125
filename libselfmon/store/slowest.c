/* SPDX-License-Identifier: MIT */
#include "store/slowest.h"

#include <string.h>

#include "clock/clock.h"
#include "platform/kernel.h"
#include "store/live.h"
#include "store/memory.h"
#include "store/watch.h"

/* ---- regions ------------------------------------------------------------- */

static struct selfmon_slowest *make_slowest(const struct selfmon_process *process,
					    uint32_t region)
{
	struct selfmon_slowest *slowest = selfmon_live_take(
		process, SELFMON_RECORD_SLOWEST, sizeof(*slowest));

	if (!slowest)
		slowest = selfmon_memory_wiped(sizeof(*slowest));
	if (!slowest)
		return NULL;
	slowest->region = region;
	if (slowest->record.type)
		selfmon_live_publish(process, &slowest->record);
	return slowest;
}

struct selfmon_slowest *selfmon_slowest_of(struct selfmon_process *process,
					   uint32_t region)
{
	struct selfmon_slowest *const slowest =
		process->slow_regions < SELFMON_SLOW_REGIONS
			? make_slowest(process, region)
			: NULL;

	if (!slowest)
		return NULL;
	process->slow_regions++;
	slowest->next = process->slowest;
	/* Release: a reader that sees the pointer sees the complete struct. */
	__atomic_store_n(&process->slowest, slowest, __ATOMIC_RELEASE);
	return slowest;
}

/* ---- parts of a slow visit ----------------------------------------------- */

/*
 * The parts found so far. `least` is the index of the shortest part, valid when
 * all slots are used.
 */
struct parts {
	struct selfmon_slow_visit *visit;
	size_t least;
};

static uint64_t ticks_of_part(const struct selfmon_slow_part *part)
{
	return part->ticks_region >> SELFMON_ENDED_REGION_BITS;
}

static struct selfmon_slow_part part_of(const struct selfmon_recorded_visit *of,
					uint64_t begin,
					const struct selfmon_ended *entry)
{
	struct selfmon_slow_part part = { 0, entry->ticks_region };

	if (begin > of->start)
		part.begin = begin - of->start;
	else if (of->frame)
		part.ticks_region = selfmon_ended_pack(entry->end - of->start,
						       entry->ticks_region);
	return part;
}

static void find_least(struct parts *parts)
{
	const struct selfmon_slow_part *const part = parts->visit->part;
	size_t i;

	parts->least = 0;
	for (i = 1; i < SELFMON_SLOW_PARTS; i++)
		if (ticks_of_part(&part[i]) <
		    ticks_of_part(&part[parts->least]))
			parts->least = i;
}

static void add_part(struct parts *parts, struct selfmon_slow_part part)
{
	struct selfmon_slow_visit *const visit = parts->visit;

	visit->inner++;
	if (visit->parts < SELFMON_SLOW_PARTS) {
		visit->part[visit->parts++] = part;
		if (visit->parts == SELFMON_SLOW_PARTS)
			find_least(parts);
	} else if (ticks_of_part(&part) >
		   ticks_of_part(&visit->part[parts->least])) {
		visit->part[parts->least] = part;
		find_least(parts);
	}
}

/*
 * Returns true if the entry at this position of a traced ring is a detached
 * span or a frame. These are never parts of a slow visit.
 */
static bool is_apart(const struct selfmon_recorder *recorder, uint64_t position)
{
	const uint64_t before =
		recorder->entry[(position - 1) & recorder->mask].ticks_region;

	return (before & SELFMON_ENDED_REGION_MASK) == SELFMON_ENDED_START &&
	       before >> SELFMON_ENDED_REGION_BITS != SELFMON_START_LONG;
}

/*
 * Finds the parts of a slow visit that has just ended: walks the ring
 * backwards, until visits that ended before the slow visit began, but at most
 * SELFMON_RECORDER_ENTRIES entries, even in the larger ring of a trace.
 * The ring is not sorted exactly: times off the CPU are added when the kernel's
 * records are read, possibly after visits that ended later. An entry that was
 * never written looks like an old visit. Therefore only two old visits in a row
 * end the walk.
 *
 * An entry is a part of the visit if its middle is inside the visit. The middle
 * decides because subtracting the cost of samples may have moved the ends. A
 * visit that was open at a frame's first mark is cut to the time inside the
 * frame.
 */
static void find_parts(const struct selfmon_recorder *recorder,
		       const struct selfmon_recorded_visit *of,
		       struct selfmon_slow_visit *visit)
{
	const uint64_t position = selfmon_load_once(&recorder->position);
	struct parts parts = { .visit = visit };
	unsigned int older = 0;
	uint64_t oldest = 0, n;

	for (n = 1; n <= position && n <= SELFMON_RECORDER_ENTRIES; n++) {
		const struct selfmon_ended *const entry =
			&recorder->entry[(position - n) & recorder->mask];
		const uint64_t end = entry->end,
			       ticks = entry->ticks_region >>
				       SELFMON_ENDED_REGION_BITS,
			       region = entry->ticks_region &
					SELFMON_ENDED_REGION_MASK,
			       begin = end - ticks, middle = end - ticks / 2;

		if (region >= SELFMON_ENDED_SPECIAL &&
		    region < SELFMON_ENDED_BLOCKED)
			continue;
		if (recorder->traced && is_apart(recorder, position - n))
			continue;
		oldest = end;
		if (middle >= of->start && middle <= of->end)
			add_part(&parts, part_of(of, begin, entry));
		else if (region < SELFMON_ENDED_BLOCKED && end < of->start &&
			 ++older > 1)
			return;
		if (end >= of->start)
			older = 0;
	}
	if (n > SELFMON_RECORDER_ENTRIES && oldest > of->start) {
		visit->flags |= SELFMON_SLOW_OVERWRITTEN;
		visit->known = oldest - of->start;
	}
}

/* ---- visits -------------------------------------------------------------- */

static void write_visit(const struct selfmon_thread *thread,
			const struct selfmon_recorded_visit *from,
			struct selfmon_slow_visit *to)
{
	to->start = from->start;
	to->real_ns = selfmon_kernel_realtime_ns();
	to->tid = thread->record->tid;
	to->cpu = selfmon_kernel_cpu();
	to->flags = (from->moved ? SELFMON_SLOW_MOVED : 0) |
		    (from->resumed ? SELFMON_SLOW_RESUMED : 0) |
		    (from->alone ? SELFMON_SLOW_ALONE : 0) |
		    (from->off_cpu ? SELFMON_SLOW_OFF_CPU : 0);
	to->off_cpu = from->off_cpu ? *from->off_cpu
				    : (struct selfmon_off_cpu){ 0 };
	to->values = from->values;
	memcpy(to->value, from->value, sizeof(to->value));
	to->known = 0;
	to->inner = 0;
	to->parts = 0;
	if (!from->resumed && !from->alone)
		find_parts(thread->recorder, from, to);
}

/*
 * Returns true if `visit` is faster than `than`. The earlier of two equally
 * slow visits counts as slower, so there are always at most 8 slowest visits.
 */
static bool is_faster(const struct selfmon_slow_visit *visit,
		      const struct selfmon_slow_visit *than)
{
	return visit->ticks < than->ticks ||
	       (visit->ticks == than->ticks && visit->serial > than->serial);
}

/*
 * If the interval has one visit too many, returns its fastest visit, else NULL.
 * Sets *limit: a visit of at most this time is neither among the slowest of the
 * interval nor among the slowest of all.
 */
static struct selfmon_slow_visit *find_fastest(struct selfmon_slowest *slowest,
					       uint64_t *limit)
{
	struct selfmon_slow_visit *fastest = NULL, *next = NULL;
	size_t i, visits = 0;

	for (i = 0; i < SELFMON_SLOW_SLOTS; i++) {
		struct selfmon_slow_visit *const visit = &slowest->visit[i];

		if (!visit->ticks || visit->serial <= slowest->begin)
			continue;
		visits++;
		if (!fastest || is_faster(visit, fastest)) {
			next = fastest;
			fastest = visit;
		} else if (!next || is_faster(visit, next)) {
			next = visit;
		}
	}
	*limit = visits < SELFMON_SLOW_VISITS	 ? 0
		 : visits == SELFMON_SLOW_VISITS ? fastest->ticks
						 : next->ticks;
	return visits > SELFMON_SLOW_VISITS ? fastest : NULL;
}

static bool is_slowest_of_all(const struct selfmon_slowest *slowest,
			      const struct selfmon_slow_visit *visit)
{
	size_t i, slower = 0;

	for (i = 0; i < SELFMON_SLOW_SLOTS; i++)
		slower += slowest->visit[i].ticks &&
			  is_faster(visit, &slowest->visit[i]);
	return slower < SELFMON_SLOW_VISITS;
}

/*
 * Frees the slots of visits that are neither among the slowest of the interval
 * nor among the slowest of all. Returns the new limit.
 */
static uint64_t give_up_fastest(struct selfmon_slowest *slowest)
{
	uint64_t limit;
	const struct selfmon_slow_visit *const fastest =
		find_fastest(slowest, &limit);
	size_t i;

	for (i = 0; i < SELFMON_SLOW_SLOTS; i++) {
		struct selfmon_slow_visit *const visit = &slowest->visit[i];

		if (visit->ticks &&
		    (visit == fastest || visit->serial <= slowest->begin) &&
		    !is_slowest_of_all(slowest, visit))
			selfmon_store_once(&visit->ticks, 0);
	}
	return limit;
}

/*
 * Returns a time: shorter parts of the visit may have no entry. The limit of the
 * interval in which the visit began may have been higher than the visit's time.
 */
static uint64_t listed_since(const struct selfmon_watch *watch,
			     const struct selfmon_recorded_visit *visit,
			     uint64_t listed)
{
	const uint64_t limit = selfmon_load_once(&watch->before),
		       before = limit / SELFMON_SLOW_FRACTION;

	if (visit->alone || visit->resumed)
		return 0; /* has no parts */
	return visit->start < selfmon_process()->slow_since &&
			       visit->ticks < limit && listed < before
		       ? before
		       : listed;
}

static void keep_slow_visit(const struct selfmon_thread *thread,
			    struct selfmon_slowest *slowest, uint64_t serial,
			    const struct selfmon_recorded_visit *visit,
			    uint64_t listed)
{
	struct selfmon_slow_visit *slot = slowest->visit;
	uint64_t limit;

	while (slot->ticks) /* at least one slot is free */
		slot++;
	write_visit(thread, visit, slot);
	slot->listed = listed;
	slot->serial = serial;
	/* Release: a reader that sees the time sees the complete visit. */
	__atomic_store_n(&slot->ticks, visit->ticks, __ATOMIC_RELEASE);
	limit = give_up_fastest(slowest);
	selfmon_store_once(&slowest->limit, limit < SELFMON_ENDED_TICKS_MAX
						    ? limit
						    : SELFMON_ENDED_TICKS_MAX);
}

void selfmon_slowest_keep(const struct selfmon_thread *thread,
			  struct selfmon_watch *watch,
			  const struct selfmon_recorded_visit *visit,
			  uint64_t listed)
{
	struct selfmon_slowest *const slowest = watch->slowest;
	struct selfmon_process *const process = selfmon_process();
	struct selfmon_signals signals;

	selfmon_kernel_block_signals(&signals);
	pthread_mutex_lock(&process->slow_lock);
	/*
	 * Another thread may have raised the limit since the caller compared.
	 */
	if (visit->ticks > slowest->limit)
		keep_slow_visit(thread, slowest, ++process->slow_serial, visit,
				listed_since(watch, visit, listed));
	selfmon_watch_update(watch, slowest->limit);
	pthread_mutex_unlock(&process->slow_lock);
	selfmon_kernel_restore_signals(&signals);
}

static void begin_limit(struct selfmon_watch *watch)
{
	if (watch->before < watch->slowest->limit)
		watch->before = watch->slowest->limit;
	selfmon_store_once(&watch->slowest->limit, 0);
	selfmon_watch_update(watch, 0);
}

/* The caller holds slow_lock. */
static void begin_limits(struct selfmon_process *process)
{
	struct selfmon_watch *watch;
	size_t i;

	for (i = 0; i < SELFMON_WATCH_LISTS; i++)
		for (watch = selfmon_watch_first(process, i); watch;
		     watch = watch->next)
			if (watch->slowest)
				begin_limit(watch);
}

uint64_t selfmon_slowest_begin(struct selfmon_process *process,
			       uint64_t *before)
{
	struct selfmon_slowest *slowest;
	struct selfmon_signals signals;
	uint64_t serial;

	selfmon_kernel_block_signals(&signals);
	pthread_mutex_lock(&process->slow_lock);
	serial = process->slow_serial;
	*before = process->slow_begin;
	process->slow_begin = serial;
	/* Acquire: a region that is in the list is complete. */
	slowest = __atomic_load_n(&process->slowest, __ATOMIC_ACQUIRE);
	for (; slowest; slowest = slowest->next)
		selfmon_store_once(&slowest->begin, serial);
	begin_limits(process);
	process->slow_since = UINT64_MAX;
	pthread_mutex_unlock(&process->slow_lock);
	selfmon_kernel_restore_signals(&signals);
	return serial;
}

void selfmon_slowest_begun(struct selfmon_process *process)
{
	struct selfmon_signals signals;

	selfmon_kernel_block_signals(&signals);
	pthread_mutex_lock(&process->slow_lock);
	process->slow_since = selfmon_clock_ticks();
	pthread_mutex_unlock(&process->slow_lock);
	selfmon_kernel_restore_signals(&signals);
}

size_t selfmon_slowest_read(struct selfmon_process *process,
			    const struct selfmon_slowest *slowest,
			    struct selfmon_slow_visit visit[SELFMON_SLOW_SLOTS])
{
	struct selfmon_signals signals;
	size_t i, n = 0;

	selfmon_kernel_block_signals(&signals);
	pthread_mutex_lock(&process->slow_lock);
	for (i = 0; i < SELFMON_SLOW_SLOTS; i++)
		if (slowest->visit[i].ticks)
			visit[n++] = slowest->visit[i];
	pthread_mutex_unlock(&process->slow_lock);
	selfmon_kernel_restore_signals(&signals);
	return n;
}
