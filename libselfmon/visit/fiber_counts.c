/* SPDX-License-Identifier: MIT */
/*
 * Moves the counts of a fiber's visits from one thread's counters to another's.
 * While the fiber is suspended, differences of counts are stored: they stay
 * valid without an event page.
 *
 * The time enabled of a snapshot is of one of two kinds (counters/estimate.c):
 * the current time if the snapshot was read by read(2), else the sum of
 * time_enabled and time_offset of the page, to which the page clock has to be
 * added. Only times of the same kind may be added or subtracted. If the kinds
 * differ, both times are converted to current times, and the result has the
 * flag SELFMON_SNAPSHOT_SLOW, like a snapshot by read(2). Without a page clock
 * this is impossible, and the result has no time (SELFMON_SNAPSHOT_UNTIMED).
 */
#include "visit/fiber_counts.h"

#include <string.h>

#include "counters/estimate.h"
#include "session/thread_ring.h"
#include "visit/counts.h"

struct selfmon_fiber_values
selfmon_fiber_values(const struct selfmon_thread *thread)
{
	struct selfmon_fiber_values values = { .missing = thread->missing };

	if (!thread->set)
		return values;
	values.count = (uint8_t)thread->set->count;
	values.hardware = (uint8_t)thread->set->hardware_count;
	values.more = (uint8_t)thread->set->more;
	memcpy(values.column, thread->column, values.count);
	return values;
}

static bool counts_alike(const struct selfmon_thread *thread,
			 const struct selfmon_fiber *fiber)
{
	const struct selfmon_fiber_values values = selfmon_fiber_values(thread);

	return !memcmp(&values, &fiber->values, sizeof(values));
}

static bool are_mixed(const struct selfmon_snapshot *a,
		      const struct selfmon_snapshot *b)
{
	return (a->flags ^ b->flags) & SELFMON_SNAPSHOT_SLOW;
}

/*
 * Stores the time enabled at the start minus the time enabled at the
 * suspension, which is a negative number.
 */
static void keep_enabled(const struct selfmon_counters *set,
			 const struct selfmon_snapshot *start,
			 const struct selfmon_snapshot *now,
			 struct selfmon_snapshot *to)
{
	uint64_t from = start->enabled_ns, until = now->enabled_ns;

	to->flags = start->flags | now->flags;
	if (are_mixed(start, now) &&
	    (!selfmon_estimate_enabled(set, start, &from) ||
	     !selfmon_estimate_enabled(set, now, &until)))
		to->flags |= SELFMON_SNAPSHOT_UNTIMED;
	to->enabled_ns = from - until;
}

/*
 * Sets *ns to the difference that keep_enabled() stored when the visit was
 * suspended, at the time `since`: as if both times enabled were read by
 * read(2). Returns false if this needs the page clock and the set has none. If
 * from->ticks equals `since`, nothing was stored, because the fiber never ran.
 */
static bool kept_enabled(const struct selfmon_counters *set,
			 const struct selfmon_snapshot *from, uint64_t since,
			 uint64_t *ns)
{
	uint64_t start, suspension;

	*ns = from->enabled_ns;
	if (from->flags & SELFMON_SNAPSHOT_SLOW || from->ticks == since)
		return true;
	if (!selfmon_estimate_clock(set, from->ticks, &start) ||
	    !selfmon_estimate_clock(set, since, &suspension))
		return false;
	*ns += start - suspension;
	return true;
}

static void resume_enabled(const struct selfmon_counters *set,
			   struct selfmon_snapshot *start,
			   const struct selfmon_snapshot *now,
			   const struct selfmon_snapshot *from, uint64_t since)
{
	uint64_t kept = from->enabled_ns, ns = now->enabled_ns;

	start->flags = now->flags | from->flags;
	if (are_mixed(now, from) &&
	    (!selfmon_estimate_enabled(set, now, &ns) ||
	     !kept_enabled(set, from, since, &kept)))
		start->flags |= SELFMON_SNAPSHOT_UNTIMED;
	start->enabled_ns = ns + kept;
}

void selfmon_fiber_keep_counts(const struct selfmon_counters *set,
			       const struct selfmon_visit *open,
			       const struct selfmon_snapshot *now,
			       struct selfmon_suspended *kept)
{
	struct selfmon_snapshot *const to = &kept->start;
	struct selfmon_snapshot start;
	unsigned int i;

	selfmon_start_counts(open, &start);
	for (i = 0; i < set->count; i++)
		to->value[i] = start.value[i] - now->value[i];
	for (i = 0; i < set->more; i++) {
		to->more[i].enabled_ns =
			start.more[i].enabled_ns - now->more[i].enabled_ns;
		to->more[i].off_ns = start.more[i].off_ns - now->more[i].off_ns;
	}
	to->off_ns = start.off_ns - now->off_ns;
	keep_enabled(set, &start, now, to);
	to->cpu = start.cpu;
	to->lock = start.lock - now->lock;
}

void selfmon_fiber_resume_counts(const struct selfmon_counters *set,
				 struct selfmon_visit *open,
				 const struct selfmon_snapshot *now,
				 const struct selfmon_suspended *kept,
				 uint64_t since)
{
	const struct selfmon_snapshot *const from = &kept->start;
	struct selfmon_snapshot *const start = &open->start;
	unsigned int i;

	for (i = 0; i < set->count; i++)
		start->value[i] = now->value[i] + from->value[i];
	for (i = 0; i < set->more; i++) {
		start->more[i].enabled_ns =
			now->more[i].enabled_ns + from->more[i].enabled_ns;
		start->more[i].off_ns =
			now->more[i].off_ns + from->more[i].off_ns;
	}
	start->off_ns = now->off_ns + from->off_ns;
	resume_enabled(set, start, now, from, since);
	start->moved = 0; /* retries at the start are not counted */
	start->lock = now->lock + from->lock;
	start->cpu = selfmon_thread_ring_on(open->thread)
			     ? selfmon_load_once(set->cpu)
			     : from->cpu;
	open->known.locks = SELFMON_LOCKS_UNKNOWN;
}

void selfmon_fiber_match(const struct selfmon_thread *thread,
			 struct selfmon_fiber *fiber, unsigned int n)
{
	unsigned int i;

	if (counts_alike(thread, fiber))
		return;
	for (i = 0; i < n && fiber->since; i++)
		selfmon_fiber_visit(fiber, i)->start.flags |=
			SELFMON_SNAPSHOT_LOST;
	fiber->values = selfmon_fiber_values(thread);
}

/*
 * Requires little-endian order. There the lock is the upper half of its word,
 * so a carry out of the lock cannot change the CPU number in the lower half.
 */
uint64_t selfmon_fiber_counted(const struct selfmon_thread *thread,
			       const struct selfmon_fiber *fiber,
			       unsigned int visits)
{
	const struct selfmon_counters *const set = thread->set;

	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && set && !set->more &&
			       set->count <= SELFMON_FIBER_VALUES &&
			       !thread->random && !fiber->units &&
			       visits <= SELFMON_FIBER_VISITS
		       ? selfmon_fiber_number(thread)
		       : 0;
}
