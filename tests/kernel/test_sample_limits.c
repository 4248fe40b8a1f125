/* SPDX-License-Identifier: MIT */
/* Tests limits of samples: memory for stacks, and locked memory. */
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernel/nobody.h"
#include "platform/ring.h"
#include "rows.h"

static void ask_for(const char *sample, unsigned int every)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = "none";
	options.output = NULL;
	options.sample = sample;
	options.every = every;
	cr_assert_eq(selfmon_configure(&options), 0);
}

/* ---- memory for stacks --------------------------------------------------- */

/*
 * Each sample has its own label, and therefore its own stack. FEW stacks fill
 * the memory if the kernel finds the callers of a sample, MANY if it does not.
 */
#define FEW 8000u
#define MANY 90000u
#define CALLERS 100

static uint64_t stored(const struct selfmon_report *report)
{
	struct selfmon_call_stack stack = { .size = sizeof(stack) };
	uint64_t sum = 0;
	size_t i;

	for (i = 0; !selfmon_row_stack(report, 0, i, &stack); i++)
		sum += stack.count;
	return sum;
}

/*
 * Calls alloca(), which makes the compiler set up a frame pointer. So the
 * kernel finds the callers.
 */
static __attribute__((noinline)) int fault_deep(char *page, uint64_t from,
						uint64_t to, int depth)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *const room = alloca((size_t)depth + 1);

	room[depth] = 0;
	if (depth)
		return fault_deep(page, from, to, depth - 1) + room[depth];
	for (; from < to; from++) {
		selfmon_label(from + 1);
		*(volatile char *)page = 1;
		madvise(page, size, MADV_DONTNEED);
	}
	return room[depth];
}

static struct selfmon_report *after_faults(char *page, uint64_t from,
					   uint64_t to)
{
	SELFMON_REGION("a")
		fault_deep(page, from, to, CALLERS);
	return rows_take();
}

Test(sample_limits, samples_without_memory_for_their_stack_are_counted)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct selfmon_report *report;
	uint64_t faults = FEW;
	char *page;

	ask_for("page-faults,chain=100", 1);
	page = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(page, MAP_FAILED);
	report = after_faults(page, 0, FEW);
	if (stored(report) >= FEW) {
		selfmon_report_free(report);
		faults = MANY;
		report = after_faults(page, FEW, MANY);
	}
	cr_expect_geq(ROWS_GET(report, "a")->samples, faults);
	cr_expect_gt(stored(report), FEW / 10);
	cr_expect_lt(stored(report), faults);
	cr_expect(!rows_say(report, SELFMON_JSON, "\"unstored\": 0"));
	selfmon_report_free(report);
}

/* ---- locked memory ------------------------------------------------------- */

/* A ring of 256 KiB and its control page of 4 KiB. */
#define RING_KIB 260

static void become_nobody(void)
{
	const struct rlimit none = { 0, 0 };

	nobody_become();
	if (nobody_paranoid() < 0)
		cr_skip_test("perf_event_paranoid is %ld", nobody_paranoid());
	cr_assert_eq(setrlimit(RLIMIT_MEMLOCK, &none), 0);
}

static pthread_barrier_t together;

static int turns = 60000;

static void *visit_beside_others(void *unused)
{
	int i;

	(void)unused;
	cr_assert_eq(selfmon_thread_prepare(), 0);
	pthread_barrier_wait(&together);
	for (i = 0; i < 100; i++)
		SELFMON_REGION("a")
			for (volatile int k = 0; k < turns; k++)
				;
	return NULL;
}

static void visit_in_threads(size_t count)
{
	pthread_t *const thread = calloc(count, sizeof(*thread));
	size_t i;

	cr_assert_not_null(thread);
	pthread_barrier_init(&together, NULL, (unsigned int)count);
	for (i = 0; i < count; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL,
					    visit_beside_others, NULL), 0);
	for (i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	free(thread);
}

Test(sample_limits, threads_without_locked_memory_are_counted_with_the_reason)
{
	const long kib = nobody_number_in(
		"/proc/sys/kernel/perf_event_mlock_kb", 516);
	const long rings = sysconf(_SC_NPROCESSORS_ONLN) * kib / RING_KIB;
	const size_t threads = (size_t)rings + 8;
	struct selfmon_report *report;
	const struct selfmon_row *a;

	if (rings < 1 || rings > 1000)
		cr_skip_test("room for %ld rings", rings);
	become_nobody();
	turns = 600000; /* a thread runs for several periods */
	ask_for("task-clock@300us,ring=256k", 1);
	visit_in_threads(threads);
	report = rows_take();
	a = ROWS_GET(report, "a");
	cr_expect_eq(a->visits, threads * 100);
	cr_expect_eq(a->time.visits, threads * 100);
	cr_expect_gt(a->samples, 0);
	cr_expect(rows_say(report, SELFMON_JSON, "\"samples\": {"));
	cr_expect(!rows_say(report, SELFMON_JSON, "\"no_samples\": 0"));
	cr_expect(rows_say(report, SELFMON_JSON,
			   "\"no_samples_reason\": \"task-clock: "));
	cr_expect(rows_say(report, SELFMON_TEXT, "perf_event_mlock_kb") ||
		  rows_say(report, SELFMON_TEXT, "ulimit -l"));
	selfmon_report_free(report);
	/* The threads have ended, so their locked memory is free again. */
	visit_in_threads(1);
	report = rows_take();
	cr_expect_eq(ROWS_GET(report, "a")->visits, (threads + 1) * 100);
	selfmon_report_free(report);
}

/*
 * Opens rings until no more memory may be locked. Returns the error of the last
 * attempt, which is -EPERM unless another limit came first.
 */
static int lock_all_memory(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	unsigned int order = 8;
	int error = 0;

	for (;;) {
		struct selfmon_ring ring;

		error = selfmon_ring_open(&ring, &attr, order, false);
		if (!error)
			continue;
		cr_assert_eq(ring.unmapped, error == -EPERM);
		if (error != -EPERM || order-- == 0)
			return error;
	}
}

Test(sample_limits, without_any_locked_memory_a_note_has_the_reason)
{
	struct selfmon_report *report;
	int error;

	become_nobody();
	error = lock_all_memory();
	if (error != -EPERM)
		cr_skip_test("another limit comes first: error %d", -error);
	ask_for("task-clock", 1);
	SELFMON_REGION("a")
		;
	report = rows_take();
	cr_expect_eq(ROWS_GET(report, "a")->time.visits, 1);
	cr_expect(rows_say(report, SELFMON_JSON, "\"samples\": null"));
	cr_expect(rows_say(report, SELFMON_JSON,
			   "nothing is sampled: task-clock: no more memory may "
			   "be locked"));
	selfmon_report_free(report);
}

/* ---- one visit in N ------------------------------------------------------ */

Test(sample_limits, nothing_is_sampled_with_one_visit_in_several)
{
	struct selfmon_report *report;

	ask_for("task-clock", 10);
	SELFMON_REGION("a")
		;
	report = rows_take();
	cr_expect(rows_say(report, SELFMON_JSON, "\"samples\": null"));
	cr_expect(rows_say(report, SELFMON_JSON,
			   "nothing is sampled: SELFMON_EVERY=10"));
	selfmon_report_free(report);
}
