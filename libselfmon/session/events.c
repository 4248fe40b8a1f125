/* SPDX-License-Identifier: MIT */
/*
 * The events that the process counts. They are chosen once, when the first
 * thread opens its set. All later threads open the same events.
 */
#include "session/events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "counters/set.h"
#include "counters/user_read.h"
#include "session/live_facts.h"
#include "store/config.h"
#include "store/live.h"
#include "store/lock.h"
#include "store/process.h"
#include "store/self.h"

#define AUTO_EVENTS "cycles,instructions,branch-misses,cache-misses"
/*
 * A user read that takes at least this long traps to a hypervisor that
 * intercepts RDPMC. With `auto` the process then measures time alone.
 */
#define AUTO_READ_NS_MAX 200

static unsigned int open_flags(void)
{
	const struct selfmon_config *config = selfmon_config();

	return (config->fence ? SELFMON_COUNTERS_FENCE : 0) |
	       (config->strict ? SELFMON_COUNTERS_STRICT : 0) |
	       (config->guard ? SELFMON_COUNTERS_GUARD : 0);
}

static uint32_t column_at(const struct selfmon_process *process,
			  uint32_t place)
{
	uint32_t i = 0;

	while (i + 1 < process->columns && process->column[i].place != place)
		i++;
	return i;
}

static uint32_t all_columns(const struct selfmon_process *process)
{
	return (UINT32_C(1) << process->counted) - 1;
}

static void map_columns(const struct selfmon_process *process,
			struct selfmon_thread *thread)
{
	const struct selfmon_set *set = selfmon_set_of(thread->set);
	uint32_t i;

	thread->missing = all_columns(process);
	for (i = 0; i < thread->set->count; i++) {
		const uint32_t column =
			column_at(process, set->member[i].column);

		thread->column[i] = (uint8_t)column;
		thread->missing &= ~(UINT32_C(1) << column);
	}
}

/*
 * Returns the number of read(2) calls per visit: two for each group that is not
 * read in user space.
 */
static uint32_t calls_of(const struct selfmon_counters *counters)
{
	uint32_t groups = counters->more, others = counters->hardware_count, k;

	for (k = 0; k < counters->more; k++)
		others += counters->more_count[k];
	/* The events that use no counter of the PMU are a group, too. */
	groups += counters->count > others;
	if (counters->hardware_count)
		groups += (counters->flags & SELFMON_IMPL_SET_SYSCALL) != 0;
	return 2 * groups;
}

/*
 * Returns why visits take the slow path although all reads are in user space,
 * or NULL. Checks the types of cores and the widths of counters, as
 * reads_alike() in thread.c does.
 */
static const char *uneven(const struct selfmon_counters *counters)
{
	if (!counters->hardware_count)
		return NULL;
	if (counters->flags & SELFMON_IMPL_SET_CORES)
		return "cores of several types";
	return counters->sign ? NULL : "counters of several widths";
}

/* Fills in the report's columns from the set that the first thread opened. */
static void fill_columns(struct selfmon_process *process,
			 const struct selfmon_counters *counters)
{
	const struct selfmon_set *set = selfmon_set_of(counters);
	struct selfmon_counter_info info = { .size = sizeof(info) };
	uint32_t i;

	process->columns = set->asked;
	process->counted = counters->count;
	process->why_syscall = set->why_syscall;
	process->calls = calls_of(counters);
	process->uneven = uneven(counters);
	process->left_out = set->left_out;
	for (i = 0; i < set->asked; i++) {
		struct selfmon_column *column = &process->column[i];

		selfmon_counters_info(counters, i, &info);
		memcpy(column->name, set->member[i].event.name,
		       sizeof(column->name));
		column->position = info.position;
		column->place = set->member[i].column;
		column->group = info.group;
		/*
		 * Further groups share the PMU by multiplexing, so their
		 * columns are marked as estimates from the beginning. With
		 * cores of several types, values are never estimated.
		 */
		column->verdict = info.group >= SELFMON_GROUP_MORE &&
						  !(counters->flags &
						    SELFMON_IMPL_SET_CORES)
					  ? SELFMON_SCALED
					  : info.verdict;
		column->kernel = info.kernel;
		column->failure = set->member[i].failure;
	}
}

static enum selfmon_choice try_auto(struct selfmon_process *process,
				    struct selfmon_counters **set)
{
	struct selfmon_failure *failure = &process->failure;
	const struct selfmon_failure *unmapped;

	if (selfmon_counters_open(AUTO_EVENTS,
				  open_flags() | SELFMON_COUNTERS_ONE_GROUP,
				  set, failure) < 0)
		return SELFMON_CHOICE_NO_USER_READ;
	if ((*set)->hardware_count == 0)
		return SELFMON_CHOICE_NO_USER_READ;
	unmapped = selfmon_set_unmapped(selfmon_set_of(*set));
	if (unmapped) {
		*failure = *unmapped;
		return SELFMON_CHOICE_NO_USER_READ;
	}
	if ((*set)->flags & SELFMON_IMPL_SET_SYSCALL) {
		memset(failure, 0, sizeof(*failure));
		failure->error = EOPNOTSUPP;
		failure->step = SELFMON_STEP_POLICY;
		snprintf(failure->message, sizeof(failure->message),
			 "hardware events can be counted here, but not read in "
			 "user space: %s; to count them by system call, name "
			 "them in SELFMON_EVENTS",
			 selfmon_set_of(*set)->why_syscall);
		return SELFMON_CHOICE_NO_USER_READ;
	}
	process->read_ns = selfmon_set_read_ns(*set);
	if (process->read_ns >= AUTO_READ_NS_MAX)
		return SELFMON_CHOICE_SLOW_READ;
	memcpy(process->events, AUTO_EVENTS, sizeof(AUTO_EVENTS));
	return SELFMON_CHOICE_AUTO;
}

static enum selfmon_choice try_list(struct selfmon_process *process,
				    struct selfmon_counters **set)
{
	const char *events = selfmon_config()->events;

	if (selfmon_counters_open(events, open_flags(), set,
				  &process->failure) < 0)
		return SELFMON_CHOICE_FAILED;
	memcpy(process->events, events, strlen(events) + 1);
	return SELFMON_CHOICE_LIST;
}

/*
 * Opens a set without members, if fences are requested: the code that reads a
 * set also executes the fences.
 */
static struct selfmon_counters *open_fence(void)
{
	struct selfmon_counters *set = NULL;

	if (selfmon_config()->fence)
		selfmon_counters_open("", SELFMON_COUNTERS_FENCE, &set, NULL);
	return set;
}

/*
 * Closes a set that counts nothing and has no fences, since visits without a
 * set are faster.
 */
static struct selfmon_counters *keep_if_of_use(struct selfmon_counters *set)
{
	if (set->count || set->flags & SELFMON_IMPL_SET_FENCE)
		return set;
	selfmon_counters_close(set);
	return NULL;
}

static void count_limited(struct selfmon_process *process,
			  enum selfmon_step_down step,
			  const struct selfmon_failure *failure)
{
	struct selfmon_limited *const limited = &process->limited[step];

	if (limited->threads++ > 0) {
		selfmon_live_count(process);
		return;
	}
	limited->failure = *failure;
	selfmon_facts_publish(process);
}

/*
 * Counts the thread if its hardware events could not be mapped. The caller
 * holds the process lock.
 */
static void count_unmapped(struct selfmon_process *process,
			   const struct selfmon_thread *thread)
{
	const struct selfmon_failure *const failure =
		selfmon_set_unmapped(selfmon_set_of(thread->set));

	if (failure)
		count_limited(process, SELFMON_LIMITED_SLOW, failure);
}

void selfmon_events_foresee(void)
{
	static uint32_t foreseen;
	const char *const events = selfmon_config()->events;
	struct selfmon_events unwanted;

	if (__atomic_load_n(&foreseen, __ATOMIC_RELAXED))
		return;
	if (*events && strcmp(events, "none") && strcmp(events, "auto"))
		selfmon_events_parse(events, &unwanted, NULL);
	__atomic_store_n(&foreseen, 1, __ATOMIC_RELAXED);
}

static void choose(struct selfmon_process *process,
		   struct selfmon_thread *thread)
{
	const char *events = selfmon_config()->events;
	struct selfmon_counters *set = NULL;

	if (!*events || !strcmp(events, "none"))
		process->choice = SELFMON_CHOICE_TIME;
	else if (!strcmp(events, "auto"))
		process->choice = try_auto(process, &set);
	else
		process->choice = try_list(process, &set);
	if (!process->events[0]) {
		selfmon_counters_close(set);
		set = open_fence();
	}
	thread->set = set;
	thread->missing = 0;
	if (!set)
		return;
	fill_columns(process, set);
	map_columns(process, thread);
	count_unmapped(process, thread);
	thread->set = keep_if_of_use(set);
}

void selfmon_events_choose(struct selfmon_process *process,
			   struct selfmon_thread *thread)
{
	choose(process, thread);
	selfmon_facts_publish(process);
}

/*
 * Returns true if the thread counts fewer events than the process because of a
 * limit. SELFMON_STEP_PARSE means that the list has too many events for a set,
 * so that the same events are missing in all threads.
 */
static bool meets_limit(int count, const struct selfmon_failure *failure)
{
	return count < 0 ||
	       (failure->error && failure->step != SELFMON_STEP_PARSE);
}

/*
 * At a limit, such as the number of open files, the thread counts fewer events
 * than the first thread, or measures time alone.
 */
void selfmon_events_open(struct selfmon_process *process,
			 struct selfmon_thread *thread)
{
	const bool is_auto = process->choice == SELFMON_CHOICE_AUTO;
	struct selfmon_failure failure;
	int count;

	thread->missing = all_columns(process);
	if (!process->counted) {
		thread->set = open_fence();
		return;
	}
	count = selfmon_counters_open(
		process->events,
		open_flags() | (is_auto ? SELFMON_COUNTERS_ONE_GROUP : 0),
		&thread->set, &failure);
	if (thread->set)
		map_columns(process, thread);
	selfmon_process_lock(process);
	if (count < (int)process->counted &&
	    /* Otherwise the missing events are of other core types. */
	    meets_limit(count, &failure))
		count_limited(process,
			      count > 0 ? SELFMON_LIMITED_LESS
					: SELFMON_LIMITED_TIME,
			      &failure);
	else if (thread->set)
		count_unmapped(process, thread);
	selfmon_process_unlock(process);
}
