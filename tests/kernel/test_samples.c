/* SPDX-License-Identifier: MIT */
/*
 * Tests to which region each sample is attributed. Each region works in a
 * function of its own, so the sampled address identifies the region.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "form.h"
#include "kernel/fibers.h"
#include "kernel/sampled.h"
#include "store/ring_state.h"
#include "store/self.h"

/*
 * Turns off the library's thread. Samples that no visit reads in time are
 * attributed later.
 */
#define ALONE OFTEN ",drain=border"

static uint64_t wanted(void)
{
	return (uint64_t)by_form(150, 2000, 20000);
}

/* ---- regions of samples -------------------------------------------------- */

Test(samples, are_of_the_region_that_the_thread_was_in)
{
	ask_for(OFTEN);
	until(wanted(), visit_both);
	assert_apart(wanted() / 2);
}

Test(samples, are_of_visits_of_a_fraction_of_a_microsecond_too)
{
	ask_for(OFTEN);
	until(100, visit_short);
	assert_apart(10);
}

Test(samples, of_a_nested_region_are_not_its_parents)
{
	struct selfmon_report *report;
	const struct selfmon_row *a, *b;

	ask_for(OFTEN);
	until(wanted(), visit_nested);
	assert_apart(wanted() / 2);
	report = rows_take();
	a = ROWS_GET(report, "a");
	b = ROWS_GET(report, "a", "b");
	cr_expect_eq(a->samples_within, a->samples + b->samples);
	cr_expect_eq(b->samples_within, b->samples);
	selfmon_report_free(report);
}

Test(samples, go_with_counters_and_a_fence)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = "page-faults";
	options.output = NULL;
	options.sample = OFTEN;
	options.fence = true;
	cr_assert_eq(selfmon_configure(&options), 0);
	until(wanted(), visit_nested);
	assert_apart(wanted() / 2);
}

static void visit_and_sleep(void)
{
	static int visits;

	visit_nested();
	if (++visits % 100 == 0)
		SELFMON_REGION("nap")
			usleep(100);
}

/* Switches and samples share a ring. */
Test(samples, go_with_time_off_the_cpu)
{
	struct selfmon_report *report;
	const struct selfmon_row *nap;

	ask_with("@offcpu", OFTEN);
	until(wanted(), visit_and_sleep);
	assert_apart(wanted() / 2);
	report = rows_take();
	nap = ROWS_GET(report, "nap");
	cr_expect_geq(nap->switches, nap->visits / 2);
	cr_expect_leq(nap->blocked_ns + nap->preempted_ns, nap->time.sum);
	selfmon_report_free(report);
}

/*
 * Lasts two periods, so each part has samples. The library reads them together.
 */
static uint64_t long_ns;

static void visit_long(void)
{
	SELFMON_REGION("a") {
		work_a_for(long_ns);
		SELFMON_REGION("b")
			work_for(long_ns, work_b);
		work_a_for(long_ns);
	}
}

Test(samples, that_are_read_together_are_of_where_they_were_taken)
{
	int i;

	ask_for(ALONE);
	long_ns = 2 * period();
	for (i = 0; i < 20; i++)
		visit_long();
	assert_apart(30);
}

static jmp_buf env;

static __attribute__((noinline)) void jump_out(void)
{
	SELFMON_REGION("a") {
		work_a(SHORT);
		longjmp(env, 1);
	}
}

static void visit_jumped(void)
{
	SELFMON_REGION("b") {
		if (!setjmp(env))
			jump_out();
		SELFMON_REGION("again")
			;
		work_b(SHORT);
	}
}

Test(samples, of_a_visit_that_is_cut_off_stay_its_own)
{
	ask_for(ALONE);
	until(wanted(), visit_jumped);
	assert_apart(wanted() / 2);
}

static void visit_left_open(void)
{
	SELFMON_REGION("b") {
		if (!setjmp(env))
			jump_out();
		work_b(SHORT);
	}
}

/* The work after the jump belongs to the visit that stays open until b ends. */
Test(samples, of_a_visit_that_its_parents_end_cuts_off_are_not_lost)
{
	struct selfmon_report *report;
	struct counts a, outside;

	ask_for(ALONE);
	until(wanted(), visit_left_open);
	report = rows_take();
	a = counts_of(report, "a");
	outside = counts_at(report, SELFMON_NO_ROW);
	if (!SANITIZED)
		cr_expect_gt(a.a, 0);
	cr_expect_eq(outside.a + outside.b, 0);
	cr_expect_eq(counts_of(report, "b").a, 0);
	selfmon_report_free(report);
}

/*
 * 300 spans exceed a thread's 256 entries, so the oldest are ended and the
 * others move to other entries.
 */
Test(samples, of_spans_that_are_never_left_stay_theirs)
{
	static struct selfmon_frame frame[300];
	struct selfmon_report *report;
	struct counts a;
	uint64_t ns;
	int i;

	ask_for(ALONE);
	ns = period() / 2;
	SELFMON_REGION("b")
		for (i = 0; i < 300; i++) {
			selfmon_enter(selfmon_region("a"), &frame[i]);
			work_a_for(ns);
		}
	report = rows_take();
	a = counts_of(report, "a");
	if (!SANITIZED)
		cr_expect_gt(a.a, 30);
	/* Only the number of samples that a full ring lost is known. */
	cr_expect_eq(sum_of(report, "a"),
		     a.samples + (uint64_t)number_of(report, "\"lost\": "));
	cr_expect_eq(counts_of(report, "b").a, 0);
	cr_expect_eq(counts_at(report, SELFMON_NO_ROW).a, 0);
	selfmon_report_free(report);
}

static void visit_in_handler(int signal)
{
	(void)signal;
	SELFMON_REGION("b")
		work_b(SHORT);
}

static void visit_interrupted(void)
{
	SELFMON_REGION("a") {
		work_a(SHORT);
		raise(SIGUSR1);
		work_a(SHORT);
	}
}

Test(samples, of_a_handlers_regions_are_theirs)
{
	ask_for(OFTEN);
	signal(SIGUSR1, visit_in_handler);
	until(wanted(), visit_interrupted);
	assert_apart(wanted() / 2);
}

Test(samples, of_spans_are_theirs)
{
	ask_for(OFTEN);
	until(wanted(), visit_spans);
	assert_apart(wanted() / 2);
}

/* ---- threads ------------------------------------------------------------- */

static void *visit_in_thread(void *unused)
{
	int i;

	(void)unused;
	for (i = 0; i < 2000; i++)
		visit_nested();
	return NULL;
}

static void in_threads(void)
{
	pthread_t thread[3];
	int i;

	for (i = 0; i < 3; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, visit_in_thread,
					    NULL), 0);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
}

Test(samples, of_threads_that_ended_stay)
{
	ask_for(OFTEN);
	do {
		in_threads();
	} while (samples_of("a") + samples_of("b") < wanted());
	assert_apart(wanted() / 2);
}

static int stop;

static void *work_until_stopped(void *unused)
{
	(void)unused;
	SELFMON_REGION("a")
		while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
			work_a(SHORT);
	return NULL;
}

/* The main thread reads the samples; the visiting thread does not. */
Test(samples, of_a_visit_that_does_not_end_are_in_a_report)
{
	pthread_t thread;

	ask_for(OFTEN);
	cr_assert_eq(pthread_create(&thread, NULL, work_until_stopped, NULL),
		     0);
	while (samples_of("a") < 50)
		;
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	assert_apart(25);
}

/*
 * Reports and visits read samples at the same time. The attribution stays
 * correct.
 */
Test(samples, are_attributed_alike_by_another_thread)
{
	pthread_t thread[2];
	int i;

	ask_for(OFTEN);
	do {
		for (i = 0; i < 2; i++)
			cr_assert_eq(pthread_create(&thread[i], NULL,
						    visit_in_thread, NULL), 0);
		for (i = 0; i < 200; i++)
			selfmon_report_free(rows_take());
		for (i = 0; i < 2; i++)
			pthread_join(thread[i], NULL);
	} while (samples_of("a") + samples_of("b") < wanted());
	assert_apart(wanted() / 2);
}

static int ended;

static void *visit_long_in_thread(void *unused)
{
	int i;

	(void)unused;
	for (i = 0; i < 50; i++)
		visit_long();
	__atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

Test(samples, of_before_a_visit_are_not_its_own_for_another_thread)
{
	pthread_t thread;

	ask_for(OFTEN);
	long_ns = 2 * period();
	cr_assert_eq(pthread_create(&thread, NULL, visit_long_in_thread, NULL),
		     0);
	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE))
		selfmon_report_free(rows_take());
	pthread_join(thread, NULL);
	assert_apart(75);
}

Test(samples, of_a_child_begin_at_zero)
{
	pid_t child;
	int status;

	SKIP_IF_SANITIZED("in a child it still has its parent's threads");
	ask_for(OFTEN);
	until(wanted(), visit_both);
	child = fork();
	cr_assert_geq(child, 0);
	if (!child) {
		const uint64_t before = samples_of("a") + samples_of("b");

		until(50, visit_both);
		_exit(before != 0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	until(wanted() + 50, visit_both);
	assert_apart(wanted() / 2);
}

/* ---- fibers -------------------------------------------------------------- */

static void run_job(struct job *job)
{
	struct selfmon_region *const region = selfmon_region("b");

	for (;;)
		SELFMON_REGION_OF(region) {
			work_b(SHORT);
			job_pause(job);
			work_b(SHORT);
		}
}

static struct job job;

static void visit_beside_job(void)
{
	SELFMON_REGION("a") {
		work_a(SHORT);
		job_run(&job);
		work_a(SHORT);
	}
}

Test(samples, of_a_fiber_are_its_own)
{
	ask_for(OFTEN);
	job_make(&job, "job", run_job);
	until(wanted(), visit_beside_job);
	assert_apart(wanted() / 2);
}

static void run_long_job(struct job *own)
{
	struct selfmon_region *const region = selfmon_region("b");

	for (;;)
		SELFMON_REGION_OF(region) {
			work_for(long_ns, work_b);
			job_pause(own);
			work_for(long_ns, work_b);
		}
}

Test(samples, of_a_fiber_that_is_suspended_stay_its_own)
{
	struct selfmon_report *report;
	struct counts outside;
	int i;

	ask_for(ALONE);
	long_ns = 2 * period();
	job_make(&job, "job", run_long_job);
	for (i = 0; i < 20; i++)
		SELFMON_REGION("a") {
			work_a_for(long_ns);
			job_run(&job);
			work_a_for(long_ns);
		}
	assert_apart(30);
	report = rows_take();
	outside = counts_at(report, SELFMON_NO_ROW);
	cr_expect_eq(outside.a + outside.b, 0);
	selfmon_report_free(report);
}

/* ---- lost samples -------------------------------------------------------- */

#define PAGES 1000

static uint64_t unread_bytes(void)
{
	const struct selfmon_ring *const ring =
		&selfmon_thread_self()->ring->ring;

	return selfmon_ring_head(ring) -
	       __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
}

static char *fresh_memory(void)
{
	const size_t size = PAGES * (size_t)sysconf(_SC_PAGESIZE);
	char *const memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(memory, MAP_FAILED);
	madvise(memory, size, MADV_NOHUGEPAGE);
	return memory;
}

static void touch(char *memory, int pages)
{
	const long size = sysconf(_SC_PAGESIZE);

	for (; pages > 0; pages--, memory += size)
		*(volatile char *)memory = 1;
}

/* A ring of 4 KiB has room for 80 page faults. */
Test(samples, that_a_full_ring_left_out_are_counted_in_their_region)
{
	char *const memory = fresh_memory();
	struct selfmon_report *report;
	const struct selfmon_row *a;
	uint64_t stored;

	SKIP_IF_SANITIZED("deeper stacks, and page faults of its own");
	ask_for("page-faults,ring=4k,drain=border");
	SELFMON_REGION("a")
		touch(memory, PAGES - 1);
	/*
	 * The kernel reports the number of lost samples with the next sample.
	 */
	SELFMON_REGION("b")
		touch(memory + (PAGES - 1) * sysconf(_SC_PAGESIZE), 1);
	report = rows_take();
	a = ROWS_GET(report, "a");
	stored = counts_of(report, "a").samples;
	cr_expect_geq(stored, 20);
	cr_expect_lt(stored, 200);
	cr_expect_geq(a->samples, PAGES - 1);
	cr_expect_lt(a->samples, PAGES + 20);
	cr_expect(rows_say(report, SELFMON_JSON, ",\n    \"lost_more\": 0"));
	cr_expect(!rows_say(report, SELFMON_JSON,
			    "\"lost\": 0,\n    \"lost_more\""));
	selfmon_report_free(report);
}

/* The library's thread reads the samples in time, although no visit ends. */
Test(samples, of_one_long_visit_are_all_there)
{
	char *const memory = fresh_memory();
	struct selfmon_report *report;
	int i;

	ask_for("page-faults,ring=8k");
	SELFMON_REGION("a")
		for (i = 0; i < PAGES / 50; i++) {
			touch(memory + 50 * i * sysconf(_SC_PAGESIZE), 50);
			while (unread_bytes())
				usleep(1000);
		}
	report = rows_take();
	cr_expect_geq(counts_of(report, "a").samples, PAGES);
	if (!SANITIZED)
		cr_expect(rows_say(report, SELFMON_JSON,
				   "\"lost\": 0,\n    \"lost_more\": 0"));
	selfmon_report_free(report);
}

/* ---- labels and call stacks ---------------------------------------------- */

Test(samples, have_the_label_of_their_moment)
{
	struct selfmon_report *report;
	struct counts a, b;

	ask_for(OFTEN);
	cr_assert_eq(selfmon_thread_prepare(), 0);
	do {
		cr_assert_eq(selfmon_label(7), 0);
		SELFMON_REGION("a")
			work_a(100 * SHORT);
		cr_assert_eq(selfmon_label(0), 7);
		SELFMON_REGION("b")
			work_b(100 * SHORT);
	} while (samples_of("a") < 30 || samples_of("b") < 30);
	report = rows_take();
	a = counts_of(report, "a");
	b = counts_of(report, "b");
	cr_expect_eq(a.labelled, a.samples);
	cr_expect_eq(b.labelled, 0);
	selfmon_report_free(report);
}

static void visit_labelled(void)
{
	SELFMON_REGION("a") {
		selfmon_label(7);
		work_a(SHORT);
		selfmon_label(0);
		work_b(SHORT);
	}
}

Test(samples, have_the_label_of_their_moment_within_a_visit)
{
	struct selfmon_call_stack stack = { .size = sizeof(stack) };
	struct selfmon_report *report;
	size_t i;

	ask_for(ALONE);
	until(wanted(), visit_labelled);
	report = rows_take();
	for (i = 0; !selfmon_row_stack(report, 0, i, &stack); i++) {
		const struct selfmon_address *const address =
			&stack.address[0];

		if (is_between(address, __start_samples_a, __stop_samples_a))
			cr_expect_eq(stack.label, 7);
		if (is_between(address, __start_samples_b, __stop_samples_b))
			cr_expect_eq(stack.label, 0);
	}
	cr_expect_gt(i, 1);
	selfmon_report_free(report);
}

/* Has a frame of its own, so that the kernel finds the caller. */
static __attribute__((noinline)) void work_framed(void)
{
	void *volatile frame = __builtin_frame_address(0);

	for (volatile int i = 0; frame && i < SHORT; i++)
		;
}

static void visit_framed(void)
{
	SELFMON_REGION("a")
		work_framed();
}

/* Returns how many stacks of row 0 have a caller. Checks the caller. */
static size_t callers_of(const struct selfmon_report *report)
{
	struct selfmon_call_stack stack = { .size = sizeof(stack) };
	size_t callers = 0, i;

	for (i = 0; !selfmon_row_stack(report, 0, i, &stack); i++) {
		if (stack.depth < 2)
			continue;
		callers++;
		cr_expect(stack.address[0].address != stack.address[1].address);
	}
	cr_expect_gt(i, 0);
	return callers;
}

/* The kernel's markers between addresses must not be reported as addresses. */
Test(samples, have_the_caller_after_where_the_thread_was)
{
	struct selfmon_report *report;

	ask_for(OFTEN);
	until(100, visit_framed);
	report = rows_take();
	cr_expect_gt(callers_of(report), 0);
	selfmon_report_free(report);
}

Test(samples, have_as_many_addresses_as_were_requested)
{
	struct selfmon_report *report;

	ask_for(OFTEN ",chain=1");
	until(100, visit_framed);
	report = rows_take();
	cr_expect_eq(callers_of(report), 0);
	selfmon_report_free(report);
}

Test(samples, of_page_faults_have_the_address_that_was_touched)
{
	const uint64_t size = PAGES * (uint64_t)sysconf(_SC_PAGESIZE);
	struct selfmon_call_stack stack = { .size = sizeof(stack) };
	char *const memory = fresh_memory();
	const uint64_t begin = (uint64_t)(uintptr_t)memory;
	struct selfmon_report *report;
	uint64_t faults = 0;
	size_t i;

	ask_for("page-faults");
	SELFMON_REGION("a")
		touch(memory, 100);
	report = rows_take();
	for (i = 0; !selfmon_row_stack(report, 0, i, &stack); i++)
		if (stack.data >= begin && stack.data_end < begin + size)
			faults += stack.count;
	cr_expect_eq(faults, 100);
	selfmon_report_free(report);
}

static volatile uint64_t watched;

Test(samples, of_a_breakpoint_show_who_writes)
{
	char spec[SELFMON_EVENT_NAME_SIZE];
	struct selfmon_report *report;
	struct counts all = { 0 };
	int i;

	cr_assert_gt(selfmon_event_watch(spec, sizeof(spec),
					(void *)(uintptr_t)&watched,
					sizeof(watched), "w"), 0);
	ask_for(spec);
	SELFMON_REGION("a")
		for (i = 0; i < 20; i++)
			watched = (uint64_t)i;
	report = rows_take();
	all = counts_of(report, "a");
	cr_expect_eq(all.samples, 20);
	selfmon_report_free(report);
}

/*
 * The library subtracts the cost of samples. The child's share of this cost is
 * not part of the parent's time.
 */
/*
 * Returns true if the self time of the parent is less than the cost of its
 * samples.
 */
static bool is_taken_off(const char *name)
{
	struct selfmon_region *const region = selfmon_region(name);
	const uint64_t ns = 4 * period();
	struct selfmon_report *report;
	const struct selfmon_row *outer;
	double cost, self;
	int i;

	SELFMON_REGION_OF(region)
		for (i = 0; i < 10; i++)
			SELFMON_REGION("a")
				work_a_for(ns);
	report = rows_take();
	outer = ROWS_GET(report, name);
	cr_assert_gt(outer->samples_within, 10);
	cost = (double)outer->samples_within *
	       number_of(report, "\"cost_ns\": ");
	self = outer->time.net_exclusive;
	selfmon_report_free(report);
	return self < cost / 2 && self > -cost / 2;
}

/*
 * Tries repeatedly, because another program may take the CPU between two
 * children.
 */
Test(samples, leave_no_self_time_to_a_parent_that_does_nothing)
{
	SKIP_IF_SANITIZED("its runtime takes longer than the samples");
	ask_for(OFTEN);
	cr_expect(is_taken_off("first") || is_taken_off("second") ||
		  is_taken_off("third") || is_taken_off("fourth") ||
		  is_taken_off("fifth"));
}

/*
 * A clock read inside of the region includes the cost of samples. The region's
 * time does not.
 */
Test(samples, take_their_cost_off_the_time_of_a_visit)
{
	struct selfmon_report *report;
	const struct selfmon_row *a;
	double cost, less;
	uint64_t ns, ticks;

	SKIP_IF_SANITIZED("its runtime takes longer than the samples");
	ask_for(OFTEN);
	ns = 50 * period();
	SELFMON_REGION("a") {
		ticks = selfmon_clock_ticks();
		work_a_for(ns);
		ticks = selfmon_clock_ticks() - ticks;
	}
	report = rows_take();
	less = (double)selfmon_clock_ns(selfmon_clock(), ticks);
	a = ROWS_GET(report, "a");
	cost = (double)a->samples * number_of(report, "\"cost_ns\": ");
	less -= (double)a->time.net;
	cr_assert_gt(a->samples, 10);
	cr_expect_gt(cost, 0);
	cr_expect(less > cost * 0.5 && less < cost * 1.5,
		  "%.0f ns taken off, %.0f ns is their cost", less, cost);
	selfmon_report_free(report);
}

/* The mean cost, which is subtracted, may exceed the cost of one sample. */
Test(samples, make_no_visit_the_shortest)
{
	struct selfmon_report *report;

	ask_for(OFTEN);
	until(100, visit_short);
	report = rows_take();
	rows_check(report);
	cr_expect_gt(ROWS_GET(report, "a")->time.min, 0);
	cr_expect_gt(ROWS_GET(report, "b")->time.min, 0);
	selfmon_report_free(report);
}

/* The text writer makes a view of the report itself. */
Test(samples, are_those_of_a_report_after_its_views_too)
{
	struct selfmon_report *report;
	char name[16];
	int i;

	ask_for(OFTEN);
	until(50, visit_both);
	for (i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "inner %d", i);
		SELFMON_REGION_OF(selfmon_region(name))
			SELFMON_REGION("c")
				work_a(SHORT);
	}
	report = rows_take();
	cr_expect(rows_say(report, SELFMON_TEXT, "Most self time"));
	if (!SANITIZED)
		cr_expect_geq(counts_of(report, "a").a +
				      counts_of(report, "b").b, 25);
	cr_expect(rows_say(report, SELFMON_JSON, "\"event\": \"task-clock\""));
	selfmon_report_free(report);
}

Test(samples, of_an_interval_are_those_since)
{
	struct selfmon_report *before, *after, *since;
	const struct selfmon_row *a;

	ask_for(OFTEN);
	until(50, visit_both);
	before = rows_take();
	until(100, visit_both);
	after = rows_take();
	cr_assert_eq(selfmon_report_subtract(after, before, &since), 0);
	a = ROWS_GET(since, "a");
	cr_expect_eq(a->samples, ROWS_GET(after, "a")->samples -
					 ROWS_GET(before, "a")->samples);
	rows_check(since);
	selfmon_report_free(before);
	selfmon_report_free(after);
	selfmon_report_free(since);
}

/*
 * The live file of a killed process has the counts of samples, but no stacks.
 */
Test(samples, are_counted_in_a_live_file)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;
	char path[64];
	pid_t child;
	int status;

	snprintf(path, sizeof(path), "/dev/shm/selfmon-test-samples-%d",
		 (int)getpid());
	child = fork();
	cr_assert_geq(child, 0);
	if (!child) {
		options.events = "none";
		options.output = NULL;
		options.sample = OFTEN;
		options.live = path;
		if (selfmon_configure(&options))
			_exit(1);
		until(50, visit_nested);
		raise(SIGKILL);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSIGNALED(status));
	cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
	unlink(path);
	cr_expect_geq(ROWS_GET(report, "a")->samples_within, 50);
	cr_expect(rows_say(report, SELFMON_JSON, "\"event\": \"task-clock\""));
	cr_expect(rows_say(report, SELFMON_TEXT, "Samples of task-clock: "));
	selfmon_report_free(report);
}

/* ---- refusals ------------------------------------------------------------ */

static void assert_refused(const char *sample, const char *why)
{
	struct selfmon_report *report;
	bool said = false;
	size_t i;

	ask_for(sample);
	visit_both();
	report = rows_take();
	for (i = 0; i < selfmon_report_note_count(report); i++)
		said |= strstr(selfmon_report_note(report, i), why) != NULL;
	cr_expect(said, "'%s' is not said of %s", why, sample);
	cr_expect(rows_say(report, SELFMON_JSON, "\"samples\": null"));
	selfmon_report_free(report);
}

Test(samples, of_too_short_a_period_are_refused)
{
	assert_refused("task-clock@199us", "at least 200us");
}

Test(samples, of_unknown_events_are_refused)
{
	assert_refused("bogus", "unknown event 'bogus'");
}

Test(samples, with_unknown_options_are_refused)
{
	assert_refused("task-clock,depth=3", "chain=N, ring=SIZE");
}

Test(samples, of_two_events_are_refused)
{
	assert_refused("@os", "one event can be sampled");
}
