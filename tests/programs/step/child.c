/* SPDX-License-Identifier: MIT */
/*
 * The child: runs a scene, handles the signal at each step, and checks the
 * library's state.
 */
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "open/entry.h"
#include "store/process.h"
#include "store/self.h"
#include "step.h"
#include "store/statistics.h"
#include "store/work.h"

struct step_shared *step_shared;

static const struct step_scene *scene;
static const struct step_variant *variant;
static bool jumping, quiet;
static sigjmp_buf out;
static volatile unsigned int handled;

static void stop(enum step_phase phase)
{
	if (quiet)
		return;
	step_shared->phase = phase;
	__asm__ __volatile__("int3" : : : "memory");
	step_shared->phase = STEP_NONE;
}

void step_wrong(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(step_shared->why, sizeof(step_shared->why), format,
		  arguments);
	va_end(arguments);
	stop(STEP_WRONG);
	_exit(1);
}

/* ---- the state ------------------------------------------------------------
 */

struct place {
	const struct selfmon_visit *top;
	const struct selfmon_node *node;
};

static struct place place(void)
{
	const struct selfmon_thread *const thread = selfmon_thread_self();

	return (struct place){ thread->top,
			       thread->top ? selfmon_entry_place(thread)
					   : NULL };
}

struct totals {
	uint64_t visits, cut_off, unready;
	/*
	 * Bytes that are counted, plus reported bytes that are not yet counted.
	 */
	uint64_t bytes;
	uint64_t works;
};

/*
 * Sums over all nodes. Each update of statistics is complete, since no visit is
 * ending.
 */
static struct totals totals(void)
{
	const struct selfmon_thread *const thread = selfmon_thread_self();
	struct totals all = { .unready = selfmon_thread_unready() };
	const struct selfmon_node *node = thread->root;
	const struct selfmon_work *work;

	for (; node; node = node->next) {
		const struct selfmon_stats *const stats = node->stats;
		const uint64_t visits = selfmon_stats_visits(stats);

		if (stats->sequence & 1)
			step_wrong("a node is being updated for ever");
		if (visits && (stats->ticks.sum < visits * stats->ticks.min ||
			       stats->ticks.sum > visits * stats->ticks.max))
			step_wrong("a sum does not lie between its extremes");
		all.visits += visits;
		all.cut_off += stats->rare[SELFMON_RARE_CUT_OFF];
		all.bytes += stats->units[SELFMON_IMPL_BYTES];
		work = selfmon_work_of(node, SELFMON_IMPL_BYTES);
		if (work)
			all.bytes += work->open;
	}
	all.unready += thread->record->unready + thread->record->too_deep;
	all.works = step_counters_found(scene, !jumping);
	return all;
}

static void check_idle(void)
{
	struct selfmon_process *const process = selfmon_process();
	const struct selfmon_thread *const thread = selfmon_thread_self();

	if (!thread->top)
		step_wrong("the thread has lost its state");
	if (thread->mode & SELFMON_MODE_BUSY)
		step_wrong("the thread is busy for ever");
	if (pthread_mutex_trylock(&process->lock))
		step_wrong("the library's lock is held for ever");
	pthread_mutex_unlock(&process->lock);
}

void step_handler(int number)
{
	const struct place before = place();
	struct place after;

	(void)number;
	handled++;
	step_shared->handling = true;
	if (variant->moves)
		stepped_pmu_move(&step_shared->pmu);
	if (variant->ends)
		stepped_pmu_end_user_reads(&step_shared->pmu);
	variant->visit();
	if (variant->moves)
		stepped_pmu_move(&step_shared->pmu);
	if (jumping)
		siglongjmp(out, 1);
	after = place();
	/* If the thread's first visit was interrupted, before.top is NULL. */
	if (before.top && after.top > before.top)
		step_wrong("a handler left open visits behind");
	if (before.top && after.top < before.top && !scene->far)
		step_wrong("a handler took open visits with it");
	if (before.top == after.top && before.node != after.node)
		step_wrong("a handler left its thread elsewhere in the tree");
	step_shared->handling = false;
	stop(STEP_HANDLED);
}

/* ---- rounds ---------------------------------------------------------------
 */

static __attribute__((noinline)) void stepped_part(void)
{
	if (scene->prepare)
		scene->prepare();
	step_shared->reads = 0;
	if (sigsetjmp(out, 1)) {
		step_shared->handling = false;
		return;
	}
	stop(STEP_BEGIN);
	scene->visit();
	stop(STEP_END);
}

/* The region around the scene cuts off visits that a jump has left open. */
static __attribute__((noinline)) void play(void)
{
	if (scene->cold) {
		stepped_part();
		step_visit_other();
		return;
	}
	SELFMON_REGION("around")
	{
		stepped_part();
	}
}

/*
 * Work of cut-off visits is lost, and in a cold scene, which has no region
 * around it, so is work of a handler. All other work must be counted once.
 */
static void check_bytes(uint64_t bytes)
{
	const uint64_t reported = scene->bytes + handled * variant->bytes;

	if (bytes > reported ||
	    (bytes != reported && !jumping && !scene->cut_off && !scene->cold))
		step_wrong("%lld bytes in place of %llu", (long long)bytes,
			   (unsigned long long)reported);
}

/*
 * After a jump, the work of cut-off visits is missing. The kernel's events may
 * count more than the work.
 */
static void check_works(uint64_t works)
{
	if ((!jumping && works < scene->works) ||
	    (scene->counters == STEP_USER && works > scene->works))
		step_wrong("%lld times work found in place of %u",
			   (long long)works, scene->works);
}

/*
 * Returns true for an entry that a jump left half filled in or half removed. If
 * no region is around it, such an entry stays until its place is needed.
 */
static bool is_no_visit(const struct selfmon_visit *open)
{
	return jumping && scene->cold && !selfmon_entry_is_open(open);
}

static void check(const struct totals *before, const struct place *base)
{
	const struct place here = place();
	struct totals now;
	uint64_t visits, cut_off;

	check_idle();
	if (here.node != base->node ||
	    (here.top != base->top &&
	     !(here.top == base->top + 1 && is_no_visit(here.top))))
		step_wrong("visits are open that are over");
	now = totals();
	if (now.unready != before->unready)
		step_wrong("%llu visits were not measured",
			   (unsigned long long)(now.unready - before->unready));
	/*
	 * Bytes of an earlier round may disappear with a visit that is cut off
	 * now.
	 */
	if (now.bytes >= before->bytes)
		check_bytes(now.bytes - before->bytes);
	check_works(now.works - before->works);
	visits = now.visits - before->visits - 1 - handled * variant->visits;
	cut_off = now.cut_off - before->cut_off - handled * variant->cut_off;
	if (!jumping && (visits != scene->visits || cut_off != scene->cut_off))
		step_wrong("%lld visits in place of %u, %lld cut off of %u",
			   (long long)visits, scene->visits, (long long)cut_off,
			   scene->cut_off);
	/*
	 * After a jump, a visit that had begun is either counted or cut off,
	 * never both.
	 */
	if (jumping && ((int64_t)visits < 0 || (int64_t)cut_off < 0 ||
			visits + cut_off > scene->visits + scene->cut_off))
		step_wrong("a jump: %lld visits, %lld cut off; of %u and %u",
			   (long long)visits, (long long)cut_off, scene->visits,
			   scene->cut_off);
}

/*
 * A stepped visit takes longer than all earlier visits, so leave would take the
 * path of a longest visit. Sets the longest visit of every node to a long time,
 * so that leave takes its usual path.
 */
static void make_usual(void)
{
	struct selfmon_node *node = selfmon_thread_self()->root;

	for (; node; node = node->next) {
		node->stats->unusual = SELFMON_TICKS_LONG;
		node->stats->ticks.max = SELFMON_TICKS_LONG;
	}
}

static void set_handler(void)
{
	struct sigaction action = { .sa_handler = step_handler };

	if (variant->other_stack)
		action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, NULL);
}

static void warm_up(void)
{
	step_counters_prepare(scene);
	step_scenes_prepare();
	quiet = true;
	if (!scene->cold) {
		play();
		step_visit_other();
	}
	quiet = false;
}

static void play_for_ever(void)
{
	struct totals before = { .visits = 0 };
	struct place base = { NULL, NULL };

	for (;;) {
		handled = 0;
		if (!scene->cold) {
			base = place();
			before = totals();
			make_usual();
			step_counters_again();
		}
		play();
		if (scene->cold) {
			base.top = selfmon_thread_self()->open;
			base.node = selfmon_thread_self()->root;
		}
		check(&before, &base);
		stop(STEP_CHECKED);
	}
}

void step_child(const struct step_scene *what, const struct step_variant *with,
		bool jump)
{
	static char apart[1 << 16];
	char inside[1 << 16];
	const stack_t stack = {
		.ss_sp = with->inner_stack ? inside : apart,
		.ss_size = sizeof(inside),
	};

	scene = what;
	variant = with;
	if (variant->other_stack)
		sigaltstack(&stack, NULL);
	warm_up();
	set_handler();
	jumping = jump;
	play_for_ever();
}
