/* SPDX-License-Identifier: MIT */
/*
 * Runs one operation n times and nothing else, to be counted by callgrind:
 *
 *	instructions WHAT N
 *	instructions address 0
 *
 * The second form prints the address of selfmon_impl_enter(), for
 * bench/lines.sh. The operation "start" sets no options and uses the
 * environment. Prints the name of the clock, since regions take another path if
 * timestamps are unreliable. Prints "no ring" if an operation needs a ring
 * buffer and the thread has none. See bench/callgrind.sh.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <selfmon.h>

#define SOFTWARE "page-faults,minor-faults,major-faults,task-clock"
/* A period that is longer than any run, so that no sample is taken. */
#define RARE "task-clock@1000s"
/* No visit takes this long, so nothing is written to the file. */
#define TRACE_FILE "/dev/shm/selfmon-bench.trace"
#define TRACE TRACE_FILE ",longer=100s"
#define NOINLINE __attribute__((noinline))

static struct selfmon_counters *set;
static struct selfmon_snapshot at_begin, at_end;

static NOINLINE void visit(unsigned long n)
{
	for (; n > 0; n--)
		SELFMON_REGION("visit")
			selfmon_compiler_fence();
}

/* visit() in another region. */
static NOINLINE void inner(unsigned long n)
{
	SELFMON_REGION("outer")
		visit(n);
}

/* visit() without its region. */
static NOINLINE void loop(unsigned long n)
{
	for (; n > 0; n--)
		selfmon_compiler_fence();
}

static NOINLINE void nested(unsigned long n)
{
	SELFMON_REGION("outer")
		visit(n);
}

static NOINLINE void same_function(unsigned long n)
{
	SELFMON_REGION("outer")
		for (; n > 0; n--)
			SELFMON_REGION("inner")
				selfmon_compiler_fence();
}

static NOINLINE void both_in_function(unsigned long n)
{
	for (; n > 0; n--)
		SELFMON_REGION("outer")
			SELFMON_REGION("inner")
				selfmon_compiler_fence();
}

static NOINLINE void span(unsigned long n)
{
	struct selfmon_region *const region = selfmon_region("span");
	struct selfmon_frame frame;

	for (; n > 0; n--) {
		selfmon_enter(region, &frame);
		selfmon_compiler_fence();
		selfmon_leave(&frame);
	}
}

static NOINLINE void items(unsigned long n)
{
	for (; n > 0; n--)
		SELFMON_REGION("items")
			selfmon_region_items(1);
}

static NOINLINE void rows(unsigned long n)
{
	const struct selfmon_unit *const unit = selfmon_unit("rows");

	for (; n > 0; n--)
		SELFMON_REGION("rows")
			selfmon_region_count(unit, 1);
}

static NOINLINE void two_units(unsigned long n)
{
	for (; n > 0; n--)
		SELFMON_REGION("both") {
			selfmon_region_bytes(100);
			selfmon_region_items(1);
		}
}

#define CHILDREN_MAX 1000

/*
 * Visits `count` children of one place one after the other; n is a multiple of
 * count.
 */
static NOINLINE void children(unsigned long n, unsigned long count)
{
	static struct selfmon_region *region[CHILDREN_MAX];
	char name[16];
	unsigned long i;

	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "child %lu", i);
		region[i] = selfmon_region(name);
	}
	for (; n > 0; n -= count)
		for (i = 0; i < count; i++)
			SELFMON_REGION_OF(region[i])
				selfmon_compiler_fence();
}

static void children_32(unsigned long n)
{
	children(n / 32 * 32, 32);
}

static void children_1000(unsigned long n)
{
	children(n, 1000);
}

static NOINLINE void detached(unsigned long n)
{
	struct selfmon_region *const region = selfmon_region("detached");
	struct selfmon_async_span open;

	for (; n > 0; n--) {
		selfmon_async_begin(region, &open);
		selfmon_compiler_fence();
		selfmon_async_end(&open);
	}
}

static NOINLINE void marked(unsigned long n)
{
	for (; n > 0; n--)
		selfmon_frame_mark(NULL);
}

/*
 * Switches between two fibers that have open visits. The fibers have no stacks
 * of their own.
 */
static NOINLINE void switched(unsigned long n, int open)
{
	struct selfmon_fiber *const fiber[2] = {
		selfmon_fiber_create("even"), selfmon_fiber_create("odd")
	};
	struct selfmon_region *const region = selfmon_region("switched");
	static struct selfmon_frame frame[2][2];
	int i, k;

	for (i = 0; i < 2; i++) {
		selfmon_fiber_switch(fiber[i]);
		for (k = 0; k < open; k++)
			selfmon_enter(region, &frame[i][k]);
	}
	for (; n > 0; n--)
		selfmon_fiber_switch(fiber[n & 1]);
	selfmon_fiber_switch(NULL);
	for (i = 0; i < 2; i++)
		selfmon_fiber_destroy(fiber[i]);
}

static void switched_1(unsigned long n)
{
	switched(n, 1);
}

static void switched_2(unsigned long n)
{
	switched(n, 2);
}

static ucontext_t thread, coroutine;
static unsigned long coroutine_visits;

static void visit_elsewhere(void)
{
	visit(coroutine_visits);
}

/* Visits on a stack that is not the thread's own. */
static NOINLINE void elsewhere(unsigned long n)
{
	static char stack[64 << 10];

	coroutine_visits = n;
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof(stack);
	coroutine.uc_link = &thread;
	makecontext(&coroutine, visit_elsewhere, 0);
	swapcontext(&thread, &coroutine);
}

static NOINLINE void snapshot(unsigned long n)
{
	for (; n > 0; n--)
		selfmon_counters_begin(set, &at_begin);
}

static NOINLINE void delta(unsigned long n)
{
	struct selfmon_delta between;

	selfmon_counters_begin(set, &at_begin);
	selfmon_counters_end(set, &at_end);
	for (; n > 0; n--)
		selfmon_counters_delta(set, &at_begin, &at_end, &between);
}

static const struct way {
	const char *name;
	void (*run)(unsigned long n);
	const char *events;
	bool enable, with_set;
	const char *record, *sample, *trace;
} ways[] = {
	{ "loop", loop, "none", true, false, NULL, NULL, NULL },
	{ "time", visit, "none", true, false, NULL, NULL, NULL },
	{ "nested", nested, "none", true, false, NULL, NULL, NULL },
	{ "same", same_function, "none", true, false, NULL, NULL, NULL },
	{ "both", both_in_function, "none", true, false, NULL, NULL, NULL },
	{ "children-32", children_32, "none", true, false, NULL, NULL, NULL },
	{ "children-1000", children_1000, "none", true, false, NULL, NULL, NULL },
	{ "rows", rows, "none", true, false, NULL, NULL, NULL },
	{ "two-units", two_units, "none", true, false, NULL, NULL, NULL },
	{ "items", items, "none", true, false, NULL, NULL, NULL },
	{ "span", span, "none", true, false, NULL, NULL, NULL },
	{ "detached", detached, "none", true, false, NULL, NULL, NULL },
	{ "marked", marked, "none", true, false, NULL, NULL, NULL },
	{ "switched-1", switched_1, "none", true, false, NULL, NULL, NULL },
	{ "switched", switched_2, "none", true, false, NULL, NULL, NULL },
	{ "switched-1-software", switched_1, SOFTWARE, true, false, NULL,
	  NULL, NULL },
	{ "switched-software", switched_2, SOFTWARE, true, false, NULL,
	  NULL, NULL },
	{ "elsewhere", elsewhere, "none", true, false, NULL, NULL, NULL },
	{ "recorded", visit, "none", true, false, "slowest", NULL, NULL },
	{ "recorded-inner", inner, "none", true, false, "slowest", NULL, NULL },
	{ "traced", visit, "none", true, false, NULL, NULL, TRACE },
	{ "sampled", visit, "none", true, false, NULL, RARE, NULL },
	{ "recorded-sampled", visit, "none", true, false, "slowest", RARE, NULL },
	{ "off-cpu", visit, "@offcpu", true, false, NULL, NULL, NULL },
	{ "both-rings", visit, "@offcpu", true, false, NULL, RARE, NULL },
	{ "off", visit, "none", false, false, NULL, NULL, NULL },
	{ "start", visit, NULL, false, false, NULL, NULL, NULL },
	{ "software", visit, SOFTWARE, true, false, NULL, NULL, NULL },
	{ "snapshot", snapshot, "none", true, true, NULL, NULL, NULL },
	{ "delta", delta, "none", true, true, NULL, NULL, NULL },
};

static const struct way *way_named(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(ways[i].name, name) == 0)
			return &ways[i];
	return NULL;
}

/*
 * Returns true if the thread has a ring buffer: a mapping of a perf event that
 * is longer than two pages. The page of a counter is shorter.
 */
static bool has_ring(void)
{
	FILE *const maps = fopen("/proc/self/maps", "r");
	unsigned long begin, end;
	bool found = false;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[perf_event]") &&
		    sscanf(line, "%lx-%lx", &begin, &end) == 2)
			found |= end - begin > 2 * 4096;
	if (maps)
		fclose(maps);
	return found;
}

int main(int argc, char **argv)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	const struct way *const way = argc == 3 ? way_named(argv[1]) : NULL;

	if (argc == 3 && strcmp(argv[1], "address") == 0)
		return printf("%lx\n",
			      (unsigned long)selfmon_impl_enter) < 0;
	if (!way)
		return 2;
	if (!way->events) { /* use the environment */
		way->run(strtoul(argv[2], NULL, 10));
		return 0;
	}
	options.output = NULL;
	options.events = way->events;
	options.enable = way->enable;
	options.record = way->record;
	options.sample = way->sample;
	options.trace = way->trace;
	if (selfmon_configure(&options))
		return 1;
	if (way->trace)
		unlink(TRACE_FILE);
	if (way->with_set && selfmon_counters_open(SOFTWARE, 0, &set, NULL) < 1)
		return 1;
	way->run(strtoul(argv[2], NULL, 10));
	if ((way->sample || strstr(way->events, "@offcpu")) && !has_ring()) {
		printf("no ring\n");
		return 1;
	}
	printf("%s\n", selfmon_clock_source_name(selfmon_clock()->source));
	return 0;
}
