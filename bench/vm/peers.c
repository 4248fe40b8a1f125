/* SPDX-License-Identifier: MIT */
/*
 * Counts the instructions of a libselfmon region pair and of PAPI's calls, in a
 * guest with exact counters. Each library counts four hardware events, unless
 * the name of a variant says otherwise. One further counter counts the
 * instructions of user and kernel mode.
 *
 * Each variant is a separate process, so that there are enough counters.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <papi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <selfmon.h>

#define TURNS 100ul
#define REPEAT 15
#define COUNT 4
#define NOINLINE __attribute__((noinline))

/*
 * The same events as for libselfmon. PAPI uses the names of the CPU in
 * LIBPFM_FORCE_PMU.
 */
#define SELFMON_NAMES "cycles,instructions,ref-cycles,bus-cycles"
static const char *const papi_names[COUNT] = {
	"skl::UNHALTED_CORE_CYCLES",
	"skl::INSTRUCTION_RETIRED",
	"skl::UNHALTED_REFERENCE_CYCLES",
	"skl::CPU_CLK_UNHALTED:REF_XCLK",
};

static int papi_set = PAPI_NULL;
static struct selfmon_counters *set, *counting;

static _Noreturn void refuse(const char *what, const char *why)
{
	printf("peers: %s: %s\n", what, why);
	fflush(stdout);
	_exit(1);
}

static void ok(const char *what, int result)
{
	if (result != PAPI_OK)
		refuse(what, PAPI_strerror(result));
}

/* ---- the ways ------------------------------------------------------------ */

static NOINLINE void nothing(unsigned long n)
{
	for (; n > 0; n--)
		selfmon_compiler_fence();
}

static void configure(const char *events, uint32_t every)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.output = NULL;
	options.every = every;
	options.events = events;
	if (selfmon_configure(&options))
		refuse("selfmon_configure", "it failed");
}

static void region_ready(void)
{
	configure(SELFMON_NAMES, 1);
}

static void every_ready(void)
{
	configure(SELFMON_NAMES, 100);
}

#define READY(count, events)                                                   \
	static void ready_##count(void)                                        \
	{                                                                      \
		configure(events, 1);                                           \
	}
READY(0, "none")
READY(1, "cycles")
READY(2, "cycles,instructions")
READY(3, "cycles,instructions,ref-cycles")
READY(5, SELFMON_NAMES ",bus-cycles")
/* six events: the largest number that is measured */
READY(6, SELFMON_NAMES ",bus-cycles,bus-cycles")

static NOINLINE void region(unsigned long n)
{
	for (; n > 0; n--)
		SELFMON_REGION("block")
			selfmon_compiler_fence();
}

static void region_check(void)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	int i;

	if (selfmon_report_take(&report))
		refuse("selfmon_report_take", "it failed");
	row = selfmon_report_row(report, 0);
	for (i = 0; i < COUNT; i++)
		if (!row || row->counter[i].visits != row->visits)
			refuse("libselfmon", "an event was not counted");
	selfmon_report_free(report);
}

static void snapshots_ready(void)
{
	if (selfmon_counters_open(SELFMON_NAMES, SELFMON_COUNTERS_STRICT,
				  &set, NULL) != COUNT)
		refuse("selfmon_counters_open", "it failed");
}

static NOINLINE void snapshots(unsigned long n)
{
	struct selfmon_snapshot begin, end;

	for (; n > 0; n--) {
		selfmon_counters_begin(set, &begin);
		selfmon_counters_end(set, &end);
	}
}

static void snapshots_check(void)
{
	if (set->flags & SELFMON_IMPL_SET_SYSCALL)
		refuse("snapshots", "they are read by read(2)");
}

static void papi_ready(void)
{
	int i;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		refuse("PAPI_library_init", "it failed");
	ok("PAPI_create_eventset", PAPI_create_eventset(&papi_set));
	for (i = 0; i < COUNT; i++)
		ok(papi_names[i],
		   PAPI_add_named_event(papi_set, (char *)papi_names[i]));
	ok("PAPI_start", PAPI_start(papi_set));
}

static NOINLINE void papi_reads(unsigned long n)
{
	long long value[COUNT];

	for (; n > 0; n--) {
		PAPI_read(papi_set, value);
		PAPI_read(papi_set, value);
	}
}

static void papi_check(void)
{
	long long value[COUNT];
	int i;

	ok("PAPI_read", PAPI_read(papi_set, value));
	for (i = 0; i < COUNT; i++)
		if (value[i] <= 0)
			refuse(papi_names[i], "it counts nothing");
}

static NOINLINE void papi_start_stop(unsigned long n)
{
	long long value[COUNT];

	PAPI_stop(papi_set, value);
	for (; n > 0; n--) {
		PAPI_start(papi_set);
		PAPI_stop(papi_set, value);
	}
	PAPI_start(papi_set);
}

static void papi_hl_ready(void)
{
	char names[512] = "";
	int i;

	for (i = 0; i < COUNT; i++) {
		strcat(names, i ? "," : "");
		strcat(names, papi_names[i]);
	}
	setenv("PAPI_EVENTS", names, 1);
	ok("PAPI_hl_region_begin", PAPI_hl_region_begin("block"));
	ok("PAPI_hl_region_end", PAPI_hl_region_end("block"));
}

static NOINLINE void papi_hl(unsigned long n)
{
	for (; n > 0; n--) {
		PAPI_hl_region_begin("block");
		PAPI_hl_region_end("block");
	}
}

/* ---- counting ------------------------------------------------------------ */

static void none(void)
{
}

static const struct way {
	const char *what;
	void (*ready)(void);
	void (*turns)(unsigned long n);
	void (*check)(void);
} ways[] = {
	{ "empty loop", none, nothing, none },
	{ "region pair, 4 counters and time", region_ready, region,
	  region_check },
	{ "region pair, time alone", ready_0, region, none },
	{ "region pair, 1 counter and time", ready_1, region, none },
	{ "region pair, 2 counters and time", ready_2, region, none },
	{ "region pair, 3 counters and time", ready_3, region, none },
	{ "region pair, 5 counters and time", ready_5, region, none },
	{ "region pair, 6 counters and time", ready_6, region, none },
	{ "region pair, 4 counters, one in 100", every_ready, region, none },
	{ "snapshots begin + end, 4 counters", snapshots_ready, snapshots,
	  snapshots_check },
	{ "two PAPI_read", papi_ready, papi_reads, papi_check },
	{ "PAPI_start + PAPI_stop", papi_ready, papi_start_stop, papi_check },
	{ "PAPI_hl_region_begin + _end", papi_hl_ready, papi_hl, none },
};
enum {
	LOOP,
	REGION,
	SNAPSHOTS = REGION + 8,
	READS,
	START_STOP,
	HIGH,
	WAYS
};

/* Instructions of one iteration; shared with the process that prints them. */
static double *cost;

static double turn_of(const struct way *way)
{
	struct selfmon_snapshot at[3];
	struct selfmon_delta one, two;

	selfmon_counters_begin(counting, &at[0]);
	way->turns(TURNS);
	selfmon_counters_begin(counting, &at[1]);
	way->turns(2 * TURNS);
	selfmon_counters_begin(counting, &at[2]);
	selfmon_counters_delta(counting, &at[0], &at[1], &one);
	selfmon_counters_delta(counting, &at[1], &at[2], &two);
	if (one.value[0].verdict != SELFMON_EXACT ||
	    two.value[0].verdict != SELFMON_EXACT)
		refuse(way->what, "the count is not exact");
	return (double)(two.value[0].count - one.value[0].count) / TURNS;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Takes the median of several runs, since few of them contain a kernel tick. */
static void measure(const struct way *way, double *into)
{
	double turn[REPEAT];
	int i;

	way->ready();
	if (selfmon_counters_open("instructions:uk", SELFMON_COUNTERS_STRICT,
				  &counting, NULL) != 1)
		refuse("instructions:uk", "cannot be counted");
	way->turns(TURNS);
	for (i = 0; i < REPEAT; i++)
		turn[i] = turn_of(way);
	way->check();
	qsort(turn, REPEAT, sizeof(turn[0]), compare);
	*into = turn[REPEAT / 2];
}

static bool measured(const struct way *way, double *into)
{
	const pid_t child = fork();
	int status = 0;

	if (child == 0) {
		measure(way, into);
		fflush(stdout);
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void judge(int what, int than, double most)
{
	const double ratio = cost[what] / cost[than];

	printf("ratio: %s / %s: %.3f", ways[what].what, ways[than].what, ratio);
	if (most > 0)
		printf(" (at most %.1f: %s)", most,
		       ratio <= most ? "ok" : "over");
	printf("\n");
}

/* Shows what LIKWID reports on this machine, if it is installed. */
static void ask_likwid(void)
{
	const pid_t child = fork();
	int status = 0;

	if (child == 0) {
		execl("/tests/ld.so", "ld.so", "--library-path", "/tests",
		      "/tests/likwid", "--ask", (char *)NULL);
		printf("LIKWID is not installed: install likwid\n");
		fflush(stdout);
		_exit(0);
	}
	if (child > 0 && waitpid(child, &status, 0) == child && status)
		printf("LIKWID refuses this machine: see above\n");
}

int main(void)
{
	int i, failed = 0;

	cost = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	printf("PAPI %d.%d.%d, CPU for libpfm: %s\n",
	       PAPI_VERSION_MAJOR(PAPI_VERSION),
	       PAPI_VERSION_MINOR(PAPI_VERSION),
	       PAPI_VERSION_REVISION(PAPI_VERSION), getenv("LIBPFM_FORCE_PMU"));
	fflush(stdout);
	for (i = 0; i < WAYS; i++) {
		if (!measured(&ways[i], &cost[i])) {
			printf("failed: %s\n", ways[i].what);
			failed++;
			continue;
		}
		cost[i] -= i == LOOP ? 0 : cost[LOOP];
		printf("cost: %s: %.1f instructions\n", ways[i].what, cost[i]);
		fflush(stdout);
	}
	judge(SNAPSHOTS, READS, 0);
	judge(REGION, READS, 0.3);
	judge(REGION, HIGH, 0.1);
	fflush(stdout);
	ask_likwid();
	printf("%d passed, %d failed, 0 skipped\n", WAYS - failed, failed);
	return failed > 0;
}
