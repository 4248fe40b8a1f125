/* SPDX-License-Identifier: MIT */
/*
 * Tests the slowest visits of each region (SELFMON_RECORD): that they are the
 * slowest, what happened inside of them, and what may interrupt the recording.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/fibers.h"
#include "kernel/slow.h"
#include "sanitizer.h"
#include "store/name.h"
#include "store/self.h"

/* ---- which are kept ------------------------------------------------------ */

Test(slowest, are_none_unless_requested)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;

	options.events = "none";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	visit("a", 0);
	report = rows_take();
	cr_expect_null(report->slow);
	cr_expect(rows_say(report, SELFMON_JSON, "\"slowest\": null"));
	selfmon_report_free(report);
}

Test(slowest, of_few_visits_are_all_of_them)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	uint64_t sum = 0;
	size_t i;

	record();
	for (i = 0; i < 5; i++)
		visit("a", 1000);
	report = rows_take();
	cr_assert_eq(kept(report, "a", &first), 5);
	for (i = 0; i < 5; i++) {
		sum += first[i].ns;
		if (i)
			cr_expect_leq(first[i].ns, first[i - 1].ns);
	}
	/* Each is rounded down. */
	cr_expect_leq(sum, (uint64_t)ROWS_GET(report, "a")->time.sum + 5);
	cr_expect_geq(sum + 5, (uint64_t)ROWS_GET(report, "a")->time.sum);
	selfmon_report_free(report);
}

/* Compares with what the program itself measured around each visit. */
Test(slowest, are_the_slowest)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	size_t i;

	record();
	for (i = 0; i < 2000; i++)
		visit("a", i % 250 == 100 ? LONG_NS : 0);
	report = rows_take();
	cr_assert_eq(kept(report, "a", &first), SELFMON_SLOW_VISITS);
	for (i = 0; i < SELFMON_SLOW_VISITS; i++)
		cr_expect_geq(first[i].ns, LONG_LEAST_NS);
	/* A row's longest visit excludes the overhead, and is rounded. */
	cr_expect_geq(first->ns + 1, ROWS_GET(report, "a")->max_ns);
	cr_expect_lt(first->ns, ROWS_GET(report, "a")->max_ns + 1000);
	selfmon_report_free(report);
}

/*
 * With rising times each visit is a new slowest one, with falling times none
 * is.
 */
Test(slowest, are_the_slowest_in_any_order)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	uint64_t i;

	record();
	for (i = 0; i < 40; i++) {
		visit("growing", i * 100000);
		visit("falling", (40 - i) * 100000);
	}
	report = rows_take();
	cr_assert_eq(kept(report, "growing", &first), SELFMON_SLOW_VISITS);
	for (i = 0; i < SELFMON_SLOW_VISITS; i++)
		cr_expect_geq(first[i].ns, 31 * 100000);
	cr_assert_eq(kept(report, "falling", &first), SELFMON_SLOW_VISITS);
	for (i = 0; i < SELFMON_SLOW_VISITS; i++)
		cr_expect_geq(first[i].ns, 32 * 100000);
	selfmon_report_free(report);
}

static void *visit_in_thread(void *name)
{
	int i;

	for (i = 0; i < 300; i++)
		visit(name, i % 100 == 50 ? LONG_NS : 0);
	return NULL;
}

Test(slowest, are_those_of_all_threads)
{
	const struct selfmon_slow *first = NULL;
	struct selfmon_report *report;
	uint32_t tid[2] = { 0, 0 };
	pthread_t thread[4];
	char name[] = "a";
	size_t i;

	record();
	for (i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, visit_in_thread,
					    name), 0);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	report = rows_take();
	cr_assert_eq(kept(report, "a", &first), SELFMON_SLOW_VISITS);
	for (i = 0; i < SELFMON_SLOW_VISITS; i++) {
		cr_expect_geq(first[i].ns, LONG_LEAST_NS);
		cr_expect(first[i].tid != (uint32_t)getpid());
		tid[first[i].tid != first->tid] = first[i].tid;
	}
	cr_expect(tid[1] != 0, "12 visits of 4 threads, 8 kept: of one thread");
	selfmon_report_free(report);
}

/* ---- what was inside ----------------------------------------------------- */

Test(slowest, have_what_was_inside_of_them)
{
	const struct selfmon_slow_moment *part;
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	int i;

	record();
	for (i = 0; i < 100; i++)
		request(i == 50);
	report = rows_take();
	slow = slow_with(report, "request", "store", LONG_LEAST_NS);
	part = slow->part;
	cr_assert_eq(slow->parts, 3);
	cr_expect_eq(slow->inner, 3);
	cr_expect_str_eq(part[0].region, "parse");
	cr_expect_str_eq(part[1].region, "token");
	cr_expect_str_eq(part[2].region, "store");
	cr_expect(part[0].outermost && !part[1].outermost &&
		  part[2].outermost);
	cr_expect_geq(part[2].ns, LONG_LEAST_NS);
	cr_expect_leq(part[2].begin_ns + part[2].ns, slow->ns + 1);
	cr_expect_geq(part[2].begin_ns, part[0].begin_ns + part[0].ns);
	cr_expect_leq(part[1].begin_ns + part[1].ns,
		      part[0].begin_ns + part[0].ns + 1);
	cr_expect_eq(slow->flags & SELFMON_SLOW_OVERWRITTEN, 0);
	cr_expect(rows_say(report, SELFMON_TEXT, "inside: store "));
	selfmon_report_free(report);
}

Test(slowest, keep_the_longest_parts)
{
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	size_t i, longs = 0;

	record();
	SELFMON_REGION("a")
		for (i = 0; i < 1000; i++)
			visit("b", i % 100 == 0 ? LONG_NS / 10 : 0);
	report = rows_take();
	slow = slowest(report, "a");
	cr_expect_eq(slow->inner, 1000);
	cr_expect_eq(slow->parts, SELFMON_SLOW_PARTS);
	for (i = 0; i < slow->parts; i++)
		longs += slow->part[i].ns >= LONG_LEAST_NS / 10;
	cr_expect_geq(longs, 10);
	/* Sums over the kept parts are not sums over the whole visit. */
	cr_expect(rows_say(report, SELFMON_TEXT, "longest of 1000"));
	cr_expect_eq(slow->flags & SELFMON_SLOW_OVERWRITTEN, 0);
	selfmon_report_free(report);
}

/* The ring has room for 4096 visits. */
Test(slowest, say_if_parts_were_overwritten)
{
	struct selfmon_report *report;
	int i;

	record();
	SELFMON_REGION("a")
		for (i = 0; i < 5000; i++)
			visit("b", 0);
	report = rows_take();
	cr_expect((slowest(report, "a")->flags & SELFMON_SLOW_OVERWRITTEN) != 0);
	cr_expect(rows_say(report, SELFMON_TEXT, "only its last"));
	cr_expect(rows_say(report, SELFMON_JSON, "\"overwritten\": true"));
	selfmon_report_free(report);
}

static void descend(int depth, int breadth)
{
	int i;

	if (depth)
		SELFMON_REGION("deep")
			for (i = 0; i < breadth; i++)
				descend(depth - 1, breadth);
}

Test(slowest, of_a_recursion_have_all_levels)
{
	struct selfmon_report *report;

	record();
	descend(5, 2); /* 31 visits */
	report = rows_take();
	cr_expect_eq(slowest(report, "deep")->inner, 30);
	cr_expect_eq(kept(report, "deep", NULL), SELFMON_SLOW_VISITS);
	selfmon_report_free(report);
}

Test(slowest, have_their_own_counts)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	char *memory;
	size_t i;

	SKIP_IF_SANITIZED("its shadow memory faults too");
	record_with("page-faults");
	memory = mmap(NULL, 100 * page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert(memory != MAP_FAILED);
	madvise(memory, 100 * page, MADV_NOHUGEPAGE);
	for (i = 0; i < 20; i++)
		SELFMON_REGION("a") {
			size_t k;

			for (k = 0; i == 10 && k < 100; k++)
				memory[k * page] = 1;
			if (i == 10)
				work_for(4 * LONG_NS);
		}
	report = rows_take();
	slow = slowest(report, "a");
	cr_assert_eq(report->columns, 1);
	cr_expect_eq(slow->values, 1);
	cr_expect_eq(slow->value[0], 100);
	cr_expect(rows_say(report, SELFMON_JSON, "\"page-faults\": 100"));
	selfmon_report_free(report);
}

Test(slowest, say_how_long_they_were_off_the_cpu)
{
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	uint64_t blocked = 0;
	size_t i;

	record_with("@offcpu");
	for (i = 0; i < 20; i++)
		SELFMON_REGION("a")
			if (i == 10)
				usleep(20000);
	report = rows_take();
	slow = slowest(report, "a");
	for (i = 0; i < slow->parts; i++)
		if (slow->part[i].kind == SELFMON_PART_BLOCKED)
			blocked += slow->part[i].ns;
	cr_expect_geq(slow->ns, 19600000);
	cr_expect_geq(blocked, 19500000, "%lu", (unsigned long)blocked);
	cr_expect_leq(blocked, slow->ns + slow->ns / 50);
	cr_expect(rows_say(report, SELFMON_TEXT, "blocked "));
	selfmon_report_free(report);
}

Test(slowest, of_units_have_their_time)
{
	struct selfmon_report *report;
	int i;

	record();
	for (i = 0; i < 100; i++)
		SELFMON_REGION("a") {
			selfmon_region_items(3);
			if (i == 50)
				work_for(LONG_NS);
		}
	report = rows_take();
	cr_expect_geq(slowest(report, "a")->ns, LONG_LEAST_NS);
	cr_expect_eq(kept(report, "a", NULL), SELFMON_SLOW_VISITS);
	cr_expect_eq(ROWS_GET(report, "a")->items, 300);
	selfmon_report_free(report);
}

Test(slowest, of_detached_spans_are_kept)
{
	struct selfmon_region *const region = selfmon_region("span");
	struct selfmon_report *report;
	int i;

	record();
	for (i = 0; i < 100; i++) {
		struct selfmon_async_span span;

		selfmon_async_begin(region, &span);
		if (i == 50)
			work_for(LONG_NS);
		selfmon_async_end(&span);
	}
	report = rows_take();
	cr_expect_geq(slowest(report, "span")->ns, LONG_LEAST_NS);
	cr_expect_eq(kept(report, "span", NULL), SELFMON_SLOW_VISITS);
	cr_expect(rows_say(report, SELFMON_JSON, "\"detached\": true"));
	selfmon_report_free(report);
}

static void pause_once(struct job *job)
{
	SELFMON_REGION("paused") {
		visit("b", 0);
		job_pause(job);
	}
}

/* Meanwhile the thread does other things, which do not belong to the visit. */
Test(slowest, of_a_fiber_say_that_they_were_suspended)
{
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	struct job job;

	record();
	job_make(&job, "fiber", pause_once);
	job_run(&job);
	visit("c", LONG_NS);
	job_run(&job);
	job_end(&job);
	report = rows_take();
	slow = slowest(report, "paused");
	cr_expect((slow->flags & SELFMON_SLOW_RESUMED) != 0);
	cr_expect_eq(slow->parts, 0);
	cr_expect_lt(slow->ns, LONG_NS);
	cr_expect(rows_say(report, SELFMON_JSON, "\"suspended\": true"));
	selfmon_report_free(report);
}

/* ---- interrupted --------------------------------------------------------- */

static void visit_in_handler(int signal)
{
	(void)signal;
	visit("handler's", 0);
}

/* Handlers run between any two instructions of a visit's end. */
Test(slowest, and_their_parts_are_whole_with_handlers)
{
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } },
			       never = { { 0, 0 }, { 0, 0 } };
	const struct selfmon_slow *slow;
	struct selfmon_report *report;
	const struct selfmon_row *row;
	uint64_t parts = 0;
	size_t i;

	record();
	signal(SIGALRM, visit_in_handler);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 300; i++)
		SELFMON_REGION("a") {
			visit("b", 0);
			visit("b", i == 200 ? 4 * LONG_NS : 0);
		}
	setitimer(ITIMER_REAL, &never, NULL);
	report = rows_take();
	slow = slow_with(report, "a", "b", 4 * LONG_LEAST_NS);
	for (i = 0; i < slow->parts; i++)
		parts += slow->part[i].ns >= 4 * LONG_LEAST_NS;
	cr_expect_eq(parts, 1);
	cr_expect_geq(slow->inner, 2);
	row = ROWS_GET(report, "a");
	cr_expect_eq(row->measured, 300);
	cr_expect_eq(ROWS_GET(report, "a", "b")->measured, 600);
	selfmon_report_free(report);
}

#ifdef __x86_64__

#define TRAP_FLAG "0x100"

/*
 * The kernel clears the trap flag for the handler, so the handler is not
 * stepped.
 */
static void step_by_step(void (*what)(void))
{
	__asm__ volatile("pushfq; orq $" TRAP_FLAG ", (%%rsp); popfq" ::
				 : "memory", "cc");
	what();
	__asm__ volatile("pushfq; andq $~" TRAP_FLAG ", (%%rsp); popfq" ::
				 : "memory", "cc");
}

static void once(void)
{
	SELFMON_REGION("stepped")
		;
}

static sigjmp_buf out;
static volatile int steps, nested;

static void nest(int signal)
{
	(void)signal;
	nested++;
	SELFMON_REGION("handler's")
		;
}

static void jump_out(int signal)
{
	(void)signal;
	if (--steps == 0)
		siglongjmp(out, 1);
}

/*
 * Stepped visits are slow. Keeping a visit blocks signals, so no handler would
 * run. Prevents visits from being kept.
 */
static void keep_none_any_more(void)
{
	const struct selfmon_node *node = selfmon_thread_self()->root->next;

	for (; node; node = node->next)
		*(uint64_t *)(uintptr_t)node->stats->slow_limit =
			SELFMON_ENDED_TICKS_MAX;
}

/* Returns how many entries of the ring belong to a region. */
static uint64_t entries_of(const char *name)
{
	const struct selfmon_recorder *const recorder =
		selfmon_thread_self()->recorder;
	uint64_t i, n = 0;

	cr_assert_lt(recorder->position, SELFMON_RECORDER_ENTRIES);
	for (i = 0; i < recorder->position; i++)
		n += !strcmp(name, selfmon_name_of((uint32_t)(
						     recorder->entry[i]
							     .ticks_region &
						     SELFMON_ENDED_REGION_MASK))
					   ->site.name);
	return n;
}

Test(slowest, no_visit_is_lost_with_a_handler_at_each_instruction)
{
	const uint64_t warm = SELFMON_SLOW_VISITS + 1;
	uint64_t i;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	record();
	for (i = 0; i < warm; i++) {
		once();
		nest(0);
	}
	keep_none_any_more();
	signal(SIGTRAP, nest);
	for (i = 0; i < 3; i++) /* the ring has room for all */
		step_by_step(once);
	cr_expect_gt(nested, 200);
	cr_expect_eq(entries_of("stepped"), warm + 3);
	cr_expect_eq(entries_of("handler's"), (uint64_t)nested);
	cr_expect_eq(selfmon_thread_self()->recorder->position,
		     warm + 3 + (uint64_t)nested);
}

/*
 * Jumps out after this number of instructions. Returns false if the visit has
 * fewer.
 */
static bool jump_after(int instructions)
{
	steps = instructions;
	if (sigsetjmp(out, 1))
		return true;
	step_by_step(once);
	return false;
}

/*
 * Like jump_after(), inside of another region. The end of that region drops
 * what the jump left.
 */
static bool jump_inside(int instructions)
{
	bool jumped = false;

	SELFMON_REGION("outer")
		jumped = jump_after(instructions);
	return jumped;
}

/* An abandoned entry of the ring at most keeps its old contents. */
Test(slowest, a_jump_at_each_instruction_leaves_the_ring_whole)
{
	uint64_t ended = 0;
	int i;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	record();
	for (i = 0; i <= (int)SELFMON_SLOW_VISITS; i++) {
		SELFMON_REGION("outer")
			once();
		ended++;
	}
	keep_none_any_more();
	signal(SIGTRAP, jump_out);
	for (i = 1; jump_inside(i); i++) {
		SELFMON_REGION("outer")
			once();
		ended++;
	}
	cr_expect(i > 50 && i < 5000, "%d instructions", i);
	cr_expect_geq(entries_of("stepped"), ended);
	cr_expect_leq(entries_of("stepped"), ended + (uint64_t)i);
	cr_expect_eq(entries_of("outer"), ended + (uint64_t)i);
}

#endif

/* ---- processes ----------------------------------------------------------- */

Test(slowest, of_a_child_begin_at_none)
{
	pid_t child;
	int status;

	record();
	visit("a", LONG_NS);
	child = fork();
	cr_assert_geq(child, 0);
	if (!child) {
		struct selfmon_report *report;
		bool right;

		visit("b", 0);
		report = rows_take();
		right = kept(report, "a", NULL) == 0 &&
			kept(report, "b", NULL) == 1;
		_exit(!right);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A process that was killed leaves its slowest visits complete. */
Test(slowest, outlive_a_killed_process_in_a_live_file)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;
	const struct selfmon_slow *slow;
	char path[64];
	pid_t child;
	int status, i;

	snprintf(path, sizeof(path), "/dev/shm/selfmon-test-slowest-%d",
		 (int)getpid());
	child = fork();
	cr_assert_geq(child, 0);
	if (!child) {
		options.events = "none";
		options.output = NULL;
		options.record = "slowest";
		options.live = path;
		if (selfmon_configure(&options))
			_exit(1);
		for (i = 0; i < 100; i++)
			request(i == 50);
		raise(SIGKILL);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSIGNALED(status));
	cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
	unlink(path);
	slow = slow_with(report, "request", "store", LONG_LEAST_NS);
	cr_expect_eq(kept(report, "request", NULL), SELFMON_SLOW_VISITS);
	cr_expect_geq(slow->ns, LONG_LEAST_NS);
	cr_assert_eq(slow->parts, 3);
	cr_expect_str_eq(slow->part[2].region, "store");
	cr_expect_eq(slow->tid, (uint32_t)child);
	selfmon_report_free(report);
}

/* The process is killed at a random time, also while it writes a visit. */
Test(slowest, are_whole_if_the_process_was_killed_while_writing)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	char path[64];
	int round, status;

	snprintf(path, sizeof(path), "/dev/shm/selfmon-test-torn-%d",
		 (int)getpid());
	for (round = 0; round < 20; round++) {
		const struct selfmon_slow *first = NULL;
		struct selfmon_report *report;
		int begun[2];
		pid_t child;
		size_t i;
		char c;

		cr_assert_eq(pipe(begun), 0);
		child = fork();
		cr_assert_geq(child, 0);
		if (!child) {
			uint64_t ns;

			options.events = "none";
			options.output = NULL;
			options.record = "slowest";
			options.live = path;
			if (selfmon_configure(&options))
				_exit(1);
			for (ns = 0;; ns += 200) { /* each one is kept */
				SELFMON_REGION("a")
					visit("b", ns);
				if (ns == 200 * 20 &&
				    write(begun[1], "", 1) != 1)
					_exit(1);
			}
		}
		cr_assert_eq(read(begun[0], &c, 1), 1);
		usleep((useconds_t)(round * 37));
		kill(child, SIGKILL);
		cr_assert_eq(waitpid(child, &status, 0), child);
		close(begun[0]);
		close(begun[1]);
		cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
		unlink(path);
		cr_expect_eq(kept(report, "a", &first), SELFMON_SLOW_VISITS);
		for (i = 0; i < SELFMON_SLOW_VISITS; i++) {
			cr_expect_eq(first[i].parts, 1);
			cr_expect_str_eq(first[i].part[0].region, "b");
			cr_expect_leq(first[i].part[0].ns, first[i].ns + 1);
		}
		selfmon_report_free(report);
	}
}

/* ---- refusals ------------------------------------------------------------ */

Test(slowest, are_not_kept_if_one_visit_in_n_is_measured)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;

	options.events = "none";
	options.output = NULL;
	options.record = "slowest";
	options.every = 10;
	cr_assert_eq(selfmon_configure(&options), 0);
	visit("a", 0);
	report = rows_take();
	cr_expect_null(report->slow);
	cr_expect(rows_say(report, SELFMON_TEXT, "SELFMON_RECORD is ignored"));
	selfmon_report_free(report);
}

Test(slowest, with_an_unknown_word_say_what_is_allowed)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;

	options.events = "none";
	options.output = NULL;
	options.record = "fastest";
	cr_assert_eq(selfmon_configure(&options), 0);
	visit("a", 0);
	report = rows_take();
	cr_expect(rows_say(report, SELFMON_TEXT,
			   "SELFMON_RECORD=fastest: none and slowest are "
			   "allowed"));
	selfmon_report_free(report);
}
