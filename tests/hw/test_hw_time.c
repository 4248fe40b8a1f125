/* SPDX-License-Identifier: MIT */
/*
 * Compares the library's time with the kernel's. In a guest all time is
 * virtual: a second of sleep ends immediately. On machines that count exactly,
 * each instruction takes one nanosecond.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "clock/clock.h"
#include "hw/tool.h"
#include "platform/kernel.h"
#include "rows.h"

#define SECOND UINT64_C(1000000000)
#define PPM_MAX 200
#define RAW_TRIES 100

/* Ticks and CLOCK_MONOTONIC_RAW, read as close together as possible. */
struct moment {
	uint64_t ticks, ns, spread_ns;
};

static struct moment now(void)
{
	struct moment best = { .spread_ns = UINT64_MAX };
	int i;

	for (i = 0; i < RAW_TRIES; i++) {
		const uint64_t before = selfmon_kernel_monotonic_raw_ns();
		const uint64_t ticks = selfmon_clock_ticks();
		const uint64_t after = selfmon_kernel_monotonic_raw_ns();

		if (after - before < best.spread_ns)
			best = (struct moment){ ticks, before / 2 + after / 2,
						after - before };
	}
	return best;
}

static void sleep_ns(uint64_t ns)
{
	struct timespec rest = { .tv_sec = (time_t)(ns / SECOND),
				 .tv_nsec = (long)(ns % SECOND) };

	while (nanosleep(&rest, &rest))
		cr_assert_eq(errno, EINTR);
}

Test(hw_time, a_second_of_the_clock_is_a_second_of_the_kernels)
{
	const struct selfmon_clock *clock = selfmon_clock();
	const struct moment a = now();
	struct moment b;
	uint64_t ns, raw, slack;

	sleep_ns(SECOND);
	b = now();
	ns = selfmon_clock_ns(clock, b.ticks - a.ticks);
	raw = b.ns - a.ns;
	slack = raw / 1000000 * PPM_MAX + a.spread_ns + b.spread_ns;
	cr_assert(ns + slack >= raw && ns <= raw + slack,
		  "%s: %llu ns, the kernel's %llu ns",
		  selfmon_clock_source_name(clock->source),
		  (unsigned long long)ns, (unsigned long long)raw);
}

Test(hw_time, the_pages_clock_is_taken_where_there_is_one)
{
	struct perf_event_attr attr;
	const struct selfmon_page *page;
	bool has;

	tool_attr(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	page = tool_map(tool_open(&attr, 0, -1, -1));
	has = selfmon_load_once(&page->capabilities) &
	      SELFMON_PAGE_CAP_USER_TIME;
	if (!has || !selfmon_clock_direct())
		cr_skip_test("the timestamp counter is not steady here");
	cr_assert_eq(selfmon_clock()->source, SELFMON_CLOCK_PERF_PAGE);
}

/* ---- time_zero ----------------------------------------------------------- */

/*
 * A perf ring of one page, in which the kernel records this thread's context
 * switches with their times.
 */
#define RING_PAGES 2

struct ring {
	const struct selfmon_page *page;
	const unsigned char *data;
	uint64_t head; /* position of the next record */
	size_t size;
};

/* Offset in struct perf_event_mmap_page, after the members of selfmon_page. */
#define DATA_HEAD 1024

static struct ring open_ring(void)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr;
	struct ring ring;
	void *map;
	int fd;

	tool_attr(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	attr.context_switch = 1;
	attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_TIME;
	fd = tool_open(&attr, 0, -1, -1);
	map = mmap(NULL, RING_PAGES * size, PROT_READ, MAP_SHARED, fd, 0);
	cr_assert(map != MAP_FAILED, "mmap: %s", strerror(errno));
	tool_enable(fd);
	ring.page = map;
	ring.data = (const unsigned char *)map + size;
	ring.size = size;
	ring.head = 0;
	return ring;
}

/*
 * Finds the time of the next switch in the ring. Returns false if there is
 * none. Records consist of whole words, and the ring never wraps in a test.
 */
static bool next_time(struct ring *ring, uint64_t *ns)
{
	const unsigned char *page = (const void *)ring->page;
	struct perf_event_header header;
	uint64_t head;

	memcpy(&head, page + DATA_HEAD, sizeof(head));
	while (ring->head < head) {
		const unsigned char *at = ring->data + ring->head;

		cr_assert_lt(head, ring->size, "the ring wrapped");
		memcpy(&header, at, sizeof(header));
		cr_assert_gt(header.size, 0);
		ring->head += header.size;
		if (header.type != PERF_RECORD_SWITCH)
			continue;
		memcpy(ns, at + sizeof(header), sizeof(*ns));
		return true;
	}
	return false;
}

/* Returns the time of the kernel's perf clock at these ticks. */
static uint64_t perf_ns(const struct selfmon_page *page, uint64_t ticks)
{
	return selfmon_load_once(&page->time_zero) +
	       selfmon_clock_ns(selfmon_clock(), ticks);
}

/* The error of two conversions, each of which rounds down. */
#define ROUNDING_NS 2

Test(hw_time, time_zero_and_ticks_give_the_kernels_own_timestamps)
{
	const uint64_t needed =
		SELFMON_PAGE_CAP_USER_TIME | SELFMON_PAGE_CAP_USER_TIME_ZERO;
	struct ring ring = open_ring();
	uint64_t before, after, ns, last;
	unsigned int switches;
	int i;

	if ((selfmon_load_once(&ring.page->capabilities) & needed) != needed ||
	    selfmon_clock()->source != SELFMON_CLOCK_PERF_PAGE)
		cr_skip_test("the timestamp counter is not steady here");
	while (next_time(&ring, &ns))
		;
	for (i = 0; i < 20; i++) {
		before = last = perf_ns(ring.page, selfmon_clock_ticks());
		sleep_ns(100000);
		after = perf_ns(ring.page, selfmon_clock_ticks());
		for (switches = 0; next_time(&ring, &ns); switches++) {
			cr_assert(ns + ROUNDING_NS >= last &&
					  ns <= after + ROUNDING_NS,
				  "switch %u at %llu, slept from %llu to %llu",
				  switches, (unsigned long long)ns,
				  (unsigned long long)before,
				  (unsigned long long)after);
			last = ns;
		}
		cr_assert_geq(switches, 2, "%u switches", switches);
	}
}

/* ---- the time of regions ------------------------------------------------- */

/*
 * Machines that count exactly take one nanosecond per instruction, without
 * overlap. So times must be right within NS_OFF.
 */
#define VISITS 20000
#define BATCH 100
#define NS_OFF 1.0
/* Additional instructions of a function with regions, which saves registers. */
#define NS_OFF_SELF 7.0

static HW_NOINLINE void bare_inner(uint64_t turns)
{
	HW_KEPT(n) = turns;

	HW_LOOP(n);
}

static HW_NOINLINE void bare_outer(uint64_t turns)
{
	HW_KEPT(n) = turns;

	HW_LOOP(n);
	bare_inner(turns);
}

static HW_NOINLINE void visit_inner(uint64_t turns)
{
	HW_KEPT(n) = turns;

	SELFMON_REGION("inner")
		HW_LOOP(n);
}

static HW_NOINLINE void visit_outer(uint64_t turns)
{
	HW_KEPT(n) = turns;

	SELFMON_REGION("outer") {
		HW_LOOP(n);
		visit_inner(turns);
	}
}

/* Returns the mean time of a visit in the batch with the fewest interrupts. */
static double ns_of(void (*visit)(uint64_t turns), uint64_t turns)
{
	uint64_t least = UINT64_MAX;
	int batch, i;

	for (batch = 0; batch < VISITS / BATCH; batch++) {
		const uint64_t before = selfmon_clock_ticks();
		uint64_t ticks;

		for (i = 0; i < BATCH; i++)
			visit(turns);
		ticks = selfmon_clock_ticks() - before;
		least = ticks < least ? ticks : least;
	}
	return (double)selfmon_clock_ns(selfmon_clock(), least) / BATCH;
}

static void configure(bool fence)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = "none";
	options.output = NULL;
	options.fence = fence;
	cr_assert_eq(selfmon_configure(&options), 0);
	hw_grow_old();
}

/*
 * Returns the net time of the shortest visit, in which there was no interrupt.
 */
static double net_of(const struct selfmon_row *row)
{
	return (double)row->time.min - row->own_ns;
}

static void expect_ns(const char *name, double net, double ns, double off)
{
	cr_expect(net - ns <= off && ns - net <= off,
		  "%s: %.2f ns, not %.2f", name, net, ns);
}

static void expect_times(bool fence)
{
	const uint64_t turns = 50;
	const double ns = 2 * (double)turns;
	struct selfmon_report *report;
	double self_ns, inner;

	hw_require_exact();
	if (selfmon_clock()->hz < 500000000)
		cr_skip_test("timestamps are %.0f ns apart here",
			     1e9 / (double)selfmon_clock()->hz);
	hw_pin(0);
	configure(fence);
	ns_of(hw_visit_region, turns);
	ns_of(visit_outer, turns);
	self_ns = ns_of(bare_outer, turns) - ns_of(bare_inner, turns);
	report = rows_take();
	inner = net_of(ROWS_GET(report, "outer", "inner"));
	expect_ns("alone", net_of(ROWS_GET(report, "loop")), ns, NS_OFF);
	expect_ns("inner", inner, ns, NS_OFF);
	expect_ns("outer's self", net_of(ROWS_GET(report, "outer")) - inner,
		  self_ns, NS_OFF_SELF);
	selfmon_report_free(report);
}

Test(hw_time, regions_of_known_work_have_its_time)
{
	expect_times(false);
}

Test(hw_time, fenced_regions_of_known_work_have_its_time)
{
	expect_times(true);
}
