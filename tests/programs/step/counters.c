/* SPDX-License-Identifier: MIT */
/*
 * Checks the counts of the child's visits. A handler's visits do no work, so
 * all work must be in other visits.
 */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/process.h"
#include "store/self.h"
#include "step.h"
#include "store/statistics.h"

/*
 * The first event counts the work, and possibly more. Any Linux has both
 * events.
 */
#define KERNEL_EVENTS "page-faults,task-clock"
#define KERNEL_MEMBERS 2
#define WORK 10

static enum step_counters counters;
/* Each piece of work unmaps this memory and touches it again. */
static volatile char *fresh;

static void prepare_kernel_events(void)
{
	const struct selfmon_thread *thread;

	setenv("SELFMON_EVENTS", KERNEL_EVENTS, 1);
	fresh = mmap(NULL, (size_t)getpagesize(), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fresh == MAP_FAILED || selfmon_prepare())
		step_wrong("the child is short of memory");
	thread = selfmon_thread_self();
	if (thread->set && thread->set->count == KERNEL_MEMBERS)
		return;
	step_shared->cannot = true;
	step_wrong(KERNEL_EVENTS " cannot be counted here");
}

static void prepare_model(uint16_t members)
{
	setenv("SELFMON_EVENTS", "none", 1);
	if (selfmon_prepare())
		step_wrong("the child is short of memory");
	stepped_pmu_attach(&step_shared->pmu, members);
	if (selfmon_thread_self()->mode != SELFMON_MODE_USER)
		step_wrong("the model is not read in user space");
}

void step_counters_prepare(const struct step_scene *scene)
{
	counters = scene->counters;
	if (counters == STEP_SYSCALL)
		prepare_kernel_events();
	else if (counters == STEP_USER)
		prepare_model(scene->members);
	else
		setenv("SELFMON_EVENTS", "none", 1);
}

void step_counters_again(void)
{
	if (counters != STEP_USER)
		return;
	step_shared->pmu.set.head.flags &= ~SELFMON_IMPL_SET_SYSCALL;
	selfmon_thread_set_mode(selfmon_thread_self(), SELFMON_MODE_USER);
}

void step_work(void)
{
	if (counters == STEP_USER)
		stepped_pmu_count(&step_shared->pmu, WORK);
	if (counters != STEP_SYSCALL)
		return;
	madvise((void *)(uintptr_t)fresh, (size_t)getpagesize(), MADV_DONTNEED);
	*fresh = 1;
}

/* Checks that no visit has lost a value or has an impossible one. */
static void check_node(const struct selfmon_stats *stats, unsigned int members)
{
	const uint64_t visits = selfmon_stats_visits(stats);
	unsigned int k;

	if (stats->partial || stats->rare[SELFMON_RARE_IMPOSSIBLE] ||
	    stats->rare[SELFMON_RARE_LOST] || stats->rare[SELFMON_RARE_REFUSED])
		step_wrong("a visit has lost values");
	for (k = 0; k < members && visits; k++) {
		const struct selfmon_sums *const sums = &stats->counter[k];

		if (stats->left_out[k] || sums->sum < visits * sums->min ||
		    sums->sum > visits * sums->max)
			step_wrong("%llu of %u in %llu visits, %llu to %llu",
				   (unsigned long long)sums->sum, k,
				   (unsigned long long)visits,
				   (unsigned long long)sums->min,
				   (unsigned long long)sums->max);
	}
}

/* Member k of the model counts k + 1 times as fast as the first one. */
static void check_members(const uint64_t *sum, unsigned int members)
{
	unsigned int k;

	for (k = 1; k < members; k++)
		if (sum[k] != (k + 1) * sum[0])
			step_wrong("%llu of event %u, %llu of the first",
				   (unsigned long long)sum[k], k,
				   (unsigned long long)sum[0]);
}

uint64_t step_counters_found(const struct step_scene *scene, bool whole)
{
	const struct selfmon_node *node = selfmon_thread_self()->root;
	const unsigned int members = scene->counters == STEP_SYSCALL
					     ? KERNEL_MEMBERS
					     : scene->members;
	uint64_t sum[SELFMON_MAX_COUNTERS] = { 0 };
	unsigned int k;

	if (scene->counters == STEP_TIME)
		return 0;
	for (; node; node = node->next) {
		check_node(node->stats, members);
		for (k = 0; k < members; k++)
			sum[k] += node->stats->counter[k].sum;
	}
	if (scene->counters == STEP_SYSCALL)
		return sum[0];
	if (whole)
		check_members(sum, members);
	if (sum[0] % WORK)
		step_wrong("%llu counted, of work that is %d each",
			   (unsigned long long)sum[0], WORK);
	return sum[0] / WORK;
}
