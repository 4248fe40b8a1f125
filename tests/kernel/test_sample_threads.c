/* SPDX-License-Identifier: MIT */
/*
 * Tests more threads than there is locked memory for their rings: the report
 * counts the threads without a ring and gives the reason. Nothing else changes.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/resource.h>

#include "counters/set.h"
#include "kernel/nobody.h"
#include "kernel/sampled.h"
#include "store/ring_state.h"
#include "store/self.h"

#define THREADS 1000
/* Kilobytes: room for a few more rings than perf_event_mlock_kb gives. */
#define LOCKED 64

/* Summed up by the threads, to compare with the report. */
static struct truth {
	uint64_t visits, items; /* of region "a" */
	uint64_t no_samples, no_off_cpu, sampled; /* threads */
	/*
	 * Bounds for how often threads with switches were blocked, measured
	 * outside and inside of the region "nap".
	 */
	uint64_t blocked_at_most, blocked_at_least;
} truth;

static pthread_barrier_t together;

static void add(uint64_t *sum, uint64_t n)
{
	__atomic_add_fetch(sum, n, __ATOMIC_RELAXED);
}

static uint64_t blocked(void)
{
	struct rusage usage;

	cr_assert_eq(getrusage(RUSAGE_THREAD, &usage), 0);
	return (uint64_t)usage.ru_nvcsw;
}

static void nap(bool counts)
{
	const struct timespec time = { .tv_nsec = 100000 };
	const uint64_t outer = blocked();
	uint64_t inner = 0;

	SELFMON_REGION("nap") {
		inner = blocked();
		nanosleep(&time, NULL);
		inner = blocked() - inner;
	}
	if (!counts)
		return;
	add(&truth.blocked_at_most, blocked() - outer);
	add(&truth.blocked_at_least, inner);
}

static void visit(uint64_t visits, uint64_t number)
{
	uint64_t i;

	for (i = 0; i < visits; i++) {
		SELFMON_REGION("a") {
			work_a(SHORT);
			selfmon_region_items(number);
			SELFMON_REGION("b")
				work_b(SHORT);
		}
		add(&truth.visits, 1);
		add(&truth.items, number);
	}
}

static int add_count(void *sum, const struct selfmon_stack_entry *entry)
{
	*(uint64_t *)sum += entry->count;
	return 0;
}

static uint64_t own_samples(const struct selfmon_thread_ring *ring)
{
	uint64_t sum = 0;

	cr_assert_eq(selfmon_stacks_read(&ring->samples.stacks, add_count,
					 &sum), 0);
	return sum;
}

/* A few visits take less than a period and may get no sample. */
static void visit_until_sampled(const struct selfmon_thread_ring *ring,
				uint64_t number)
{
	do
		visit(100, number);
	while (!own_samples(ring));
	add(&truth.sampled, 1);
}

static void *visit_beside_others(void *argument)
{
	const uint64_t number = (uint64_t)(uintptr_t)argument;
	const struct selfmon_thread_ring *ring;
	bool ringed, sampled, switches;

	cr_assert_eq(selfmon_thread_prepare(), 0);
	ringed = selfmon_thread_ring_on(selfmon_thread_self());
	ring = selfmon_thread_self()->ring;
	sampled = ringed && ring->samples.on;
	switches = ringed && ring->switches.on;
	add(&truth.no_samples, !sampled);
	add(&truth.no_off_cpu, !switches);
	pthread_barrier_wait(&together);
	visit(50 + number % 7, number);
	if (sampled)
		visit_until_sampled(ring, number);
	nap(switches);
	pthread_barrier_wait(&together);
	return NULL;
}

static void visit_in_threads(void)
{
	static pthread_t thread[THREADS];
	uintptr_t i;

	pthread_barrier_init(&together, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL,
					    visit_beside_others, (void *)i), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void become_nobody(void)
{
	const struct rlimit limit = { LOCKED << 10, LOCKED << 10 };

	nobody_become();
	if (nobody_paranoid() < 0)
		cr_skip_test("perf_event_paranoid is %ld", nobody_paranoid());
	cr_assert_eq(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
}

static void assert_said(const struct selfmon_report *report)
{
	char words[64];

	snprintf(words, sizeof(words), "\"no_samples\": %lu,",
		 (unsigned long)truth.no_samples);
	cr_expect(rows_say(report, SELFMON_JSON, words), "not said: %s", words);
	snprintf(words, sizeof(words), "\"no_off_cpu\": %lu,",
		 (unsigned long)truth.no_off_cpu);
	cr_expect(rows_say(report, SELFMON_JSON, words), "not said: %s", words);
	snprintf(words, sizeof(words), "%lu threads took no samples: ",
		 (unsigned long)truth.no_samples);
	cr_expect(rows_say(report, SELFMON_TEXT, words), "not said: %s", words);
	cr_expect(rows_say(report, SELFMON_TEXT, "perf_event_mlock_kb") ||
		  rows_say(report, SELFMON_TEXT, "ulimit -l"));
}

static void assert_counted(const struct selfmon_row *row, uint64_t visits)
{
	cr_expect_eq(row->visits, visits);
	cr_expect_eq(row->measured, visits);
	cr_expect_eq(row->time.visits, visits);
	cr_expect_eq(row->lost + row->cut_off + row->open + row->overlapped, 0);
}

Test(sample_threads, without_a_ring_say_so_and_count_what_others_count)
{
	struct selfmon_report *report;
	const struct selfmon_row *a, *nap;

	become_nobody();
	ask_with("@offcpu", OFTEN);
	visit_in_threads();
	cr_log_info("of %d threads %lu have no samples, %lu no switches",
		    THREADS, (unsigned long)truth.no_samples,
		    (unsigned long)truth.no_off_cpu);
	cr_assert_gt(truth.no_samples, 0);
	cr_assert_lt(truth.no_samples, THREADS);
	cr_assert_eq(truth.no_samples + truth.sampled, THREADS);
	report = rows_take();
	assert_said(report);
	a = ROWS_GET(report, "a");
	nap = ROWS_GET(report, "nap");
	assert_counted(a, truth.visits);
	cr_expect_eq(a->items, truth.items);
	assert_counted(ROWS_GET(report, "a", "b"), truth.visits);
	assert_counted(nap, THREADS);
	cr_expect_geq(nap->switches - nap->preemptions, truth.blocked_at_least);
	cr_expect_leq(nap->switches - nap->preemptions, truth.blocked_at_most);
	cr_expect_eq(number_of(report, "\"lost\": "), 0);
	selfmon_report_free(report);
	assert_apart(1);
}

/* ---- counters ------------------------------------------------------------ */

/*
 * With few descriptors left, a thread keeps the descriptor of the first event
 * only, and the pages of the others. The rings are large, so that a few of them
 * would use up all locked memory. The library gives half of the locked memory
 * to rings.
 */
#define COUNTED "page-faults,task-clock,minor-faults,major-faults,cpu-clock"
#define LARGE_KIB 256
#define DESCRIPTORS 256
#define COUNTING 40 /* at least this many threads have no ring */

/* Totals over all threads. */
static struct pages {
	uint64_t wanted, mapped, ringed;
} pages;

static void add_pages(const struct selfmon_set *set)
{
	size_t i;

	for (i = 0; i < set->head.count; i++) {
		add(&pages.wanted, set->member[i].paged);
		add(&pages.mapped, set->member[i].page != NULL);
	}
}

static void *count_beside_others(void *unused)
{
	cr_assert_eq(selfmon_thread_prepare(), 0);
	cr_assert_not_null(selfmon_thread_self()->set);
	add_pages(selfmon_set_of(selfmon_thread_self()->set));
	add(&pages.ringed, selfmon_thread_ring_on(selfmon_thread_self()));
	pthread_barrier_wait(&together);
	visit(10, 1);
	pthread_barrier_wait(&together);
	return unused;
}

static void count_in_threads(size_t count)
{
	pthread_t *const thread = calloc(count, sizeof(*thread));
	size_t i;

	cr_assert_not_null(thread);
	pthread_barrier_init(&together, NULL, (unsigned int)count);
	for (i = 0; i < count; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL,
					    count_beside_others, NULL), 0);
	for (i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	free(thread);
}

static size_t lockable_kib(void)
{
	const long kib = nobody_number_in(
		"/proc/sys/kernel/perf_event_mlock_kb", 516);

	return (size_t)(sysconf(_SC_NPROCESSORS_ONLN) * kib + LOCKED);
}

static size_t rings_in_locked_memory(void)
{
	return lockable_kib() / LARGE_KIB;
}

static void assert_half_is_said(void)
{
	struct selfmon_report *const report = rows_take();

	cr_expect(rows_say(report, SELFMON_JSON,
			   "rings have half of the memory that may be "
			   "locked"));
	cr_expect(rows_say(report, SELFMON_TEXT, "smaller rings"));
	cr_expect(rows_say(report, SELFMON_JSON, "\"degraded\": 0,"));
	selfmon_report_free(report);
}

Test(sample_threads, leave_locked_memory_to_the_pages_of_counters)
{
	const size_t threads = rings_in_locked_memory() + COUNTING,
		     half = lockable_kib() * 1024 / 2 /
			    (size_t)sysconf(_SC_PAGESIZE);
	struct rlimit files;

	if (threads > THREADS)
		cr_skip_test("room for %zu rings", rings_in_locked_memory());
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
	files.rlim_cur = DESCRIPTORS + 2 * rings_in_locked_memory();
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
	become_nobody();
	ask_with(COUNTED, OFTEN ",ring=256k");
	count_in_threads(threads);
	cr_log_info("%zu threads: %lu rings, %lu of %lu pages of counters",
		    threads, (unsigned long)pages.ringed,
		    (unsigned long)pages.mapped, (unsigned long)pages.wanted);
	assert_half_is_said();
	cr_expect_gt(pages.ringed, 0);
	cr_expect_lt(pages.ringed, threads);
	cr_expect_gt(pages.wanted, LARGE_KIB / 4);
	/*
	 * On a machine with one CPU, the memory that may be locked is too small
	 * for all pages. Then at least half of it must be used for pages.
	 */
	cr_expect_geq(pages.mapped, pages.wanted < half ? pages.wanted : half);
}
