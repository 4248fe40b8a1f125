/* SPDX-License-Identifier: MIT */
/*
 * Tests traces (SELFMON_TRACE): which visits are in the file, also if a handler
 * interrupts any instruction of a visit and makes visits itself or jumps out.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "form.h"
#include "platform/kernel.h"
#include "rows.h"
#include "sanitizer.h"
#include "session/trace_blocks.h"
#include "session/trace_writer.h"
#include "store/name.h"
#include "store/self.h"
#include "store/trace_file.h"
#include "store/watch.h"

/* Numbers of visits of a region, of all visits, of lost entries, and others. */
struct found {
	uint64_t visits, entries, lost;
	uint64_t longer;  /* marks of visits longer than the limit */
	uint64_t workers; /* threads with the name "worker" */
	bool ended;
};

static char path[64];

static void trace_to_file(const char *options)
{
	struct selfmon_options with = SELFMON_OPTIONS_INIT;
	char text[96];

	snprintf(path, sizeof(path), "/dev/shm/selfmon-test-trace-%d",
		 (int)getpid());
	snprintf(text, sizeof(text), "%s%s", path, options);
	with.events = "none";
	with.output = NULL;
	with.trace = text;
	cr_assert_eq(selfmon_configure(&with), 0);
	cr_assert_gt(selfmon_trace_ring(), 0);
}

static void count_block(const struct selfmon_trace_block *block,
			uint32_t region, struct found *found)
{
	const struct selfmon_trace_visits *const visits = (const void *)block;
	const struct selfmon_ended *entry = (const void *)(visits + 1);

	found->ended = block->type == SELFMON_TRACE_END;
	if (block->type == SELFMON_TRACE_THREAD)
		found->workers += !strcmp(
			((const struct selfmon_trace_thread *)block)->name,
			"worker");
	if (block->type != SELFMON_TRACE_VISITS)
		return;
	found->lost += visits->lost;
	for (; (const char *)entry < (const char *)block + block->size;
	     entry++) {
		const uint64_t of =
			entry->ticks_region & SELFMON_ENDED_REGION_MASK;

		found->entries += of < SELFMON_ENDED_SPECIAL;
		found->visits += of == region;
		found->longer += of == SELFMON_ENDED_LONGER;
	}
}

static uint32_t id_of(const char *name)
{
	uint32_t id = 1;

	while (selfmon_name_of(id) &&
	       strcmp(selfmon_name_of(id)->site.name, name) != 0)
		id++;
	return id;
}

/* Reads the whole file, and removes it. */
static struct found find(const char *name)
{
	static char bytes[1 << 20];
	const uint32_t region = id_of(name);
	struct found found = { .visits = 0 };
	struct selfmon_trace_header header;
	const struct selfmon_trace_block *block;
	FILE *const file = fopen(path, "rb");
	size_t size;

	cr_assert_not_null(file);
	cr_assert_eq(fread(&header, sizeof(header), 1, file), 1);
	size = fread(bytes, 1, sizeof(bytes), file);
	cr_assert_lt(size, sizeof(bytes));
	fclose(file);
	unlink(path);
	for (block = (const void *)bytes; (const char *)block < bytes + size;
	     block = (const void *)((const char *)block + block->size))
		count_block(block, region, &found);
	return found;
}

static void visit(const char *name)
{
	struct selfmon_frame frame;

	selfmon_enter(selfmon_region(name), &frame);
	selfmon_leave(&frame);
}

Test(trace, has_each_visit)
{
	struct found found;
	int i;

	trace_to_file("");
	for (i = 0; i < 1000; i++)
		SELFMON_REGION("outer")
			visit("a");
	selfmon_trace_end();
	found = find("a");
	cr_expect_eq(found.visits, 1000);
	cr_expect_eq(found.entries, 2000);
	cr_expect_eq(found.lost, 0);
	cr_expect(found.ended);
}

static void *start_idle(void *options)
{
	const struct sched_param none = { .sched_priority = 0 };

	cr_assert_eq(sched_setscheduler(0, SCHED_IDLE, &none), 0);
	trace_to_file(options);
	return NULL;
}

/*
 * The writer inherits the policy SCHED_IDLE of the thread that starts it, and
 * has the same CPU as this thread and those that it starts. So it runs only
 * while these do not.
 */
static void trace_with_an_idle_writer(const char *options)
{
	pthread_t starter;
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET((size_t)sched_getcpu(), &here);
	cr_assert_eq(sched_setaffinity(0, sizeof(here), &here), 0);
	cr_assert_eq(pthread_create(&starter, NULL, start_idle,
				    (void *)(uintptr_t)options), 0);
	pthread_join(starter, NULL);
}

/*
 * This thread fills the small ring before the writer reads it. Each overwritten
 * entry is counted as lost once.
 */
Test(trace, counts_what_is_overwritten)
{
	const uint64_t visits = (uint64_t)quick_or_all(200000, 1000000);
	struct found found;
	uint64_t i;

	trace_with_an_idle_writer(",ring=64k,regions=no such region");
	for (i = 0; i < visits; i++)
		visit("a");
	selfmon_trace_end();
	found = find("a");
	cr_expect_eq(found.visits, 0);
	cr_expect_gt(found.lost, 0);
	cr_expect_leq(found.lost, visits + 1);
}

/* Visits of a forked child are not traced: it has no writer and no file. */
Test(trace, is_the_parent_s)
{
	struct found found;
	pid_t child;
	int status;

	trace_to_file("");
	visit("a");
	child = fork();
	cr_assert_geq(child, 0);
	if (!child) {
		visit("a");
		_exit(selfmon_trace_ring() != 0 ||
		      selfmon_thread_self()->recorder != NULL);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	selfmon_trace_end();
	found = find("a");
	cr_expect_eq(found.visits, 1);
}

/* Makes n visits of a region, each at least this long. */
static void visits_of(struct selfmon_region *region, int n, uint64_t ns)
{
	uint64_t end;

	while (n--)
		SELFMON_REGION_OF(region) {
			end = selfmon_kernel_monotonic_ns() + ns;
			while (selfmon_kernel_monotonic_ns() < end)
				;
		}
}

static void run(void *(*what)(void *), const char *name)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, what, selfmon_region(name)),
		     0);
	pthread_join(thread, NULL);
}

static void *one_long_visit(void *region)
{
	pthread_setname_np(pthread_self(), "worker");
	visits_of(region, 1, 20000);
	return NULL;
}

/*
 * All threads have the same ring, one after another, and most have exited when
 * the writer reads it. Each has its visit and its name in the file.
 */
Test(trace, has_the_bursts_of_threads_that_have_exited)
{
	enum { THREADS = 100 };
	struct found found;
	int i;

	trace_with_an_idle_writer(",ring=64k,longer=10us");
	for (i = 0; i < THREADS; i++)
		run(one_long_visit, "long");
	selfmon_trace_end();
	found = find("long");
	cr_expect_eq(found.visits, THREADS);
	cr_expect_eq(found.longer, THREADS);
	cr_expect_eq(found.workers, THREADS);
}

/* Waits until the ring's bursts are written. */
static void wait_for_writer(const struct selfmon_recorder *recorder)
{
	const struct selfmon_traced *traced;

	do {
		usleep(1000);
		traced = __atomic_load_n(&recorder->trace, __ATOMIC_ACQUIRE);
	} while (!traced || selfmon_load_once(&traced->looked) <
				    selfmon_load_once(&recorder->wanted));
}

/*
 * This thread makes more visits than the ring has entries. Those that are
 * missing were overwritten: neither the rate nor the size was a reason.
 */
Test(trace, counts_what_is_overwritten_before_its_burst)
{
	enum { VISITS = 10000 };
	struct found found;

	trace_with_an_idle_writer(",ring=64k,longer=1us");
	visits_of(selfmon_region("long"), VISITS, 2000);
	selfmon_trace_end();
	found = find("long");
	cr_expect_lt(found.longer, VISITS);
	cr_expect_eq(selfmon_trace.marked, found.longer);
	cr_expect_eq(selfmon_trace.over_rate, 0);
	cr_expect_eq(selfmon_trace.over_size, 0);
}

/* Makes a long visit, and waits until its burst is written. */
static void written_visit(struct selfmon_region *region)
{
	visits_of(region, 1, 2000000);
	wait_for_writer(selfmon_thread_self()->recorder);
}

static void *name_after_burst(void *region)
{
	written_visit(region);
	pthread_setname_np(pthread_self(), "worker");
	return NULL;
}

static void *name_after_many_visits(void *region)
{
	visits_of(region, 10000, 0);
	pthread_setname_np(pthread_self(), "worker");
	return NULL;
}

/* A thread gets its name after its burst, and exits. */
Test(trace, has_the_name_at_the_end_of_a_thread)
{
	int i;

	trace_to_file(",ring=64k,longer=1ms");
	for (i = 0; i < 3; i++)
		run(name_after_burst, "long");
	selfmon_trace_end();
	cr_expect_eq(find("long").workers, 3);
}

static void *only_burst(void *region)
{
	written_visit(region);
	return NULL;
}

/*
 * The second owner of the ring overwrites all entries of the first one, and has
 * no burst. Its name is not taken for the first one's.
 */
Test(trace, does_not_take_a_later_owner_s_name)
{
	struct found found;

	trace_to_file(",ring=64k,longer=1ms,regions=^long$");
	run(only_burst, "long");
	run(name_after_many_visits, "short");
	selfmon_trace_end();
	found = find("long");
	cr_expect_geq(found.longer, 1);
	cr_expect_eq(found.workers, 0);
}

/*
 * The first owner has exited when the writer writes its burst. Later, the
 * second owner overwrites all entries of the first one.
 */
Test(trace, has_a_name_that_is_overwritten_later)
{
	trace_with_an_idle_writer(",ring=64k,longer=10us,regions=^long$");
	run(one_long_visit, "long");
	wait_for_writer(selfmon_process()->threads->recorder);
	run(name_after_many_visits, "short");
	selfmon_trace_end();
	cr_expect_eq(find("long").workers, 1);
}

/* Waits until the trace's writer lowers the limit. Returns the new limit. */
static uint64_t lower_limit(const struct selfmon_watch *watch, uint64_t limit)
{
	while (selfmon_load_once(&watch->trigger) >= limit)
		usleep(10000);
	return selfmon_load_once(&watch->trigger);
}

/*
 * First 90 % of the visits take at least 50 us, later 95 % are short. So the
 * limit falls, and a visit of 20 us is longer than it.
 */
Test(trace, is_triggered_by_visits_longer_than_a_lowered_limit)
{
	struct selfmon_region *const region = selfmon_region("falls");
	struct selfmon_watch *watch;
	uint64_t limit, longer;

	trace_to_file(",ring=64k,longer=p90");
	visits_of(region, 1100, 50000);
	watch = selfmon_watch_of(selfmon_process(), id_of("falls"));
	cr_assert_not_null(watch);
	limit = lower_limit(watch, SELFMON_WATCH_NONE);
	cr_expect_geq(limit, selfmon_watch_ticks(49000));
	visits_of(region, 20000, 0);
	lower_limit(watch, limit);
	longer = selfmon_load_once(&watch->longer);
	visits_of(region, 1, 20000);
	cr_expect_eq(selfmon_load_once(&watch->longer), longer + 1);
	selfmon_trace_end();
	find("falls");
}

#ifdef __x86_64__

static sigjmp_buf out;
static volatile int steps, nested;

/* Unlike visit(), does not call selfmon_region(), which takes a lock. */
static void visit_stepped(void)
{
	SELFMON_REGION("stepped")
		;
}

static void visit_in_handler(void)
{
	SELFMON_REGION("handler's")
		;
}

static void step_by_step(void)
{
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::
				 : "memory", "cc");
	visit_stepped();
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::
				 : "memory", "cc");
}

static void nest(int signal)
{
	(void)signal;
	nested++;
	visit_in_handler();
}

Test(trace, has_each_visit_with_a_handler_at_each_instruction)
{
	struct found found;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	trace_to_file("");
	visit_stepped();
	visit_in_handler();
	signal(SIGTRAP, nest);
	step_by_step();
	step_by_step();
	selfmon_trace_end();
	cr_expect_gt(nested, 100);
	found = find("handler's");
	cr_expect_eq(found.visits, (uint64_t)nested + 1);
	cr_expect_eq(found.entries, (uint64_t)nested + 4);
	cr_expect_eq(found.lost, 0);
}

static void jump_out(int signal)
{
	(void)signal;
	if (--steps == 0)
		siglongjmp(out, 1);
}

static bool jump_after(int instructions)
{
	steps = instructions;
	if (sigsetjmp(out, 1))
		return true;
	step_by_step();
	return false;
}

/*
 * Like jump_after(), but within another region. When that region ends, a visit
 * that the jump left open is cut off.
 */
static bool jump_inside(int instructions)
{
	bool jumped = false;

	SELFMON_REGION("outer")
		jumped = jump_after(instructions);
	return jumped;
}

/*
 * A jump may leave an entry of the ring unwritten. First the writer waits for
 * that entry. Then the writer counts all unread entries as lost, and continues
 * with later entries. No visit is in the file twice.
 */
Test(trace, goes_on_after_a_jump_at_each_instruction)
{
	const int warm = 10;
	struct found found;
	int i, jumps = 0;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	trace_to_file("");
	signal(SIGTRAP, jump_out);
	for (i = 0; i < warm; i++)
		jump_inside(0); /* 0: never jumps */
	while (jump_inside(jumps + 1))
		jumps++;
	signal(SIGTRAP, SIG_DFL);
	cr_expect(jumps > 50 && jumps < 5000, "%d jumps", jumps);
	/* Gives the writer time to stop waiting for unwritten entries. */
	for (i = 0; i < 100; i++) {
		visit("later");
		usleep(10000);
	}
	selfmon_trace_end();
	found = find("later");
	cr_expect_gt(found.visits, 0);
	cr_expect_leq(found.visits, 100);
	cr_expect_leq(found.entries,
		      (uint64_t)(2 * warm + 2 * (jumps + 1) + 100));
}

#endif
