/* SPDX-License-Identifier: MIT */
/*
 * Measures how close reports come to the true cost of real work.
 *
 *	accuracy [--repeats=N | --quick]
 *
 * There are nine kinds of work (bench/accuracy_work.h) in several sizes. Each
 * is measured in two ways: alone in one region, and executed twice, once in a
 * parent region and once in a child region inside of it.
 *
 * The true cost is the time per iteration of the same loop without regions. It
 * is measured right before and right after the loop with regions, in many short
 * rounds. Each round has its own rows in the report, and an error is the median
 * over the rounds.
 *
 * Each repeat is a separate process, because the library measures its overhead
 * once per process. A value is "inside" if its error is at most the noise that
 * the report states. SELFMON_FENCE selects the mode, as in any program. Nothing
 * is asserted, since results depend on the machine and its load.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "accuracy_work.h"

#define REPEATS 100
#define QUICK_REPEATS 5
#define REPEATS_MAX 1000
#define ROUNDS 11
#define VISITS 400
/*
 * A round is busy if its empty loop takes at least this multiple of the fastest
 * empty loop.
 */
#define BUSY 1.5

static const double size_ns[] = { 10, 13, 20, 35, 60, 110, 200, 300 };
#define SIZES (sizeof(size_ns) / sizeof(size_ns[0]))

enum value { ALONE, PARENT, SELF, CHILD, VALUES };
static const char *const value_name[VALUES] = {
	"alone", "parent", "self", "child"
};

/* Results of one process; ns per visit. */
struct found {
	double truth, gross, net, noise;
};

struct results {
	struct found value[VALUES][KINDS][SIZES];
	double busy; /* share of the rounds that were busy */
};

/* Number of units of work for each size: the same in all processes. */
struct units {
	unsigned int of[KINDS][SIZES];
};

struct sample {
	double alone, nested; /* ns a turn of loops without regions */
	struct selfmon_region *region, *parent, *child;
};

static struct sample sample[KINDS][SIZES][ROUNDS];
static double loop_ns[KINDS * SIZES * ROUNDS];
static uint64_t chain; /* each loop begins with the result of the one before */

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *value, size_t count)
{
	qsort(value, count, sizeof(value[0]), compare);
	return value[count / 2];
}

static double ns_since(uint64_t ticks)
{
	return (double)(selfmon_clock_ticks() - ticks) * 1e9 /
	       (double)selfmon_clock()->hz;
}

static double time_loop(loop_fn *loop, const struct work *work)
{
	const uint64_t before = selfmon_clock_ticks();

	chain = loop(work, VISITS, chain);
	return ns_since(before) / VISITS;
}

/* The time of this loop shows other load on the machine best. */
static double time_empty_loop(void)
{
	const uint64_t before = selfmon_clock_ticks();
	unsigned int i;

	for (i = 0; i < 10000; i++)
		__asm__ volatile("");
	return ns_since(before);
}

/* ---- one process --------------------------------------------------------- */

static struct selfmon_region *named(char what, size_t k, size_t s, size_t round)
{
	char name[64];

	snprintf(name, sizeof(name), "%c %zu %zu %zu", what, k, s, round);
	return selfmon_region(name);
}

static void run_round(size_t k, size_t s, size_t round, unsigned int units)
{
	const struct kind *const kind = &kinds[k];
	struct sample *const to = &sample[k][s][round];
	struct work work = { .units = units };

	work.child = to->child = named('c', k, s, round);
	time_loop(kind->bare, &work);
	to->alone = time_loop(kind->bare, &work);
	work.region = to->region = named('r', k, s, round);
	time_loop(kind->region, &work);
	to->alone = (to->alone + time_loop(kind->bare, &work)) / 2;
	to->nested = time_loop(kind->nested_bare, &work);
	work.region = to->parent = named('p', k, s, round);
	time_loop(kind->nested, &work);
	to->nested = (to->nested + time_loop(kind->nested_bare, &work)) / 2;
}

static const struct selfmon_row *row_of(const struct selfmon_report *report,
					const struct selfmon_region *parent,
					const struct selfmon_region *region)
{
	const char *path[2];
	size_t depth = 0;

	if (parent)
		path[depth++] = selfmon_region_name(parent);
	path[depth++] = selfmon_region_name(region);
	return selfmon_report_find(report, path, depth);
}

static struct found found_in(const struct selfmon_report *report,
			     const struct sample *from, enum value value)
{
	const struct selfmon_row *const row =
		value == ALONE ? row_of(report, NULL, from->region)
		: value == CHILD
			? row_of(report, from->parent, from->child)
			: row_of(report, NULL, from->parent);
	const bool self = value == SELF;
	struct found found;

	if (!row || row->visits != VISITS)
		die("a row is missing");
	found.truth = value == PARENT ? from->nested
		      : self          ? from->nested - from->alone
				      : from->alone;
	found.gross = self ? (double)row->time.exclusive
			   : (double)row->time.sum;
	found.gross /= VISITS;
	found.net = (self ? row->time.net_exclusive : row->time.net) / VISITS;
	found.noise = row->time.noise / VISITS;
	return found;
}

static struct found median_of(const struct selfmon_report *report,
			      const struct sample *from, enum value value)
{
	double truth[ROUNDS], gross[ROUNDS], off[ROUNDS];
	struct found found;
	size_t i;

	for (i = 0; i < ROUNDS; i++) {
		found = found_in(report, &from[i], value);
		truth[i] = found.truth;
		gross[i] = found.gross - found.truth;
		off[i] = found.net - found.truth;
	}
	found.truth = median(truth, ROUNDS);
	found.gross = found.truth + median(gross, ROUNDS);
	found.net = found.truth + median(off, ROUNDS);
	return found;
}

static double share_busy(void)
{
	const size_t count = sizeof(loop_ns) / sizeof(loop_ns[0]);
	size_t i = 0;

	qsort(loop_ns, count, sizeof(loop_ns[0]), compare);
	while (i < count && loop_ns[i] < BUSY * loop_ns[0])
		i++;
	return (double)(count - i) / (double)count;
}

static void run_process(const struct units *units, struct results *results)
{
	struct selfmon_report *report;
	double *empty = loop_ns;
	size_t k, s, i;

	for (i = 0; i < ROUNDS; i++)
		for (k = 0; k < KINDS; k++)
			for (s = 0; s < SIZES; s++) {
				*empty++ = time_empty_loop();
				run_round(k, s, i, units->of[k][s]);
			}
	if (selfmon_report_take(&report))
		die("report");
	for (i = 0; i < VALUES; i++)
		for (k = 0; k < KINDS; k++)
			for (s = 0; s < SIZES; s++)
				results->value[i][k][s] = median_of(
					report, sample[k][s], (enum value)i);
	results->busy = share_busy();
	selfmon_report_free(report);
}

static int child_main(void)
{
	static struct results results;
	struct units units;

	if (read(STDIN_FILENO, &units, sizeof(units)) != sizeof(units))
		die("units");
	work_fill_memory();
	run_process(&units, &results);
	if (write(STDOUT_FILENO, &results, sizeof(results)) != sizeof(results))
		die("results");
	return 0;
}

/* ---- all kinds ----------------------------------------------------------- */

static double bare_ns(const struct kind *kind, unsigned int units)
{
	const struct work work = { .units = units };
	double time[7];
	size_t i;

	for (i = 0; i < 7; i++)
		time[i] = time_loop(kind->bare, &work);
	return median(time, 7);
}

/* Returns the smallest number of units, at most 2000, that takes this long. */
static unsigned int units_of(const struct kind *kind, double ns)
{
	unsigned int low = 1, high = 2000;

	while (low < high) {
		const unsigned int middle = (low + high) / 2;

		if (bare_ns(kind, middle) < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void run_child(const struct units *units, struct results *results)
{
	size_t got = 0;
	ssize_t part;
	int end[2], status;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, end))
		die("socketpair");
	pid = fork();
	if (pid == 0) {
		dup2(end[1], STDIN_FILENO);
		dup2(end[1], STDOUT_FILENO);
		close(end[0]);
		execl("/proc/self/exe", "accuracy", "--child", (char *)NULL);
		_exit(127);
	}
	close(end[1]);
	if (write(end[0], units, sizeof(*units)) != sizeof(*units))
		die("write");
	while ((part = read(end[0], (char *)results + got,
			    sizeof(*results) - got)) > 0)
		got += (size_t)part;
	close(end[0]);
	if (waitpid(pid, &status, 0) != pid || status ||
	    got != sizeof(*results))
		die("a repeat failed");
}

static bool is_inside(const struct found *found)
{
	const double off = found->net - found->truth;

	return off <= found->noise && -off <= found->noise;
}

/* Prints medians over the repeats; returns how many repeats are inside. */
static unsigned int print_size(const struct results *results,
			       unsigned int repeats, enum value v, size_t k,
			       size_t s)
{
	double truth[REPEATS_MAX], gross[REPEATS_MAX], off[REPEATS_MAX];
	double noise[REPEATS_MAX];
	unsigned int i, inside = 0;

	for (i = 0; i < repeats; i++) {
		const struct found *const found = &results[i].value[v][k][s];

		truth[i] = found->truth;
		gross[i] = found->gross;
		off[i] = found->net - found->truth;
		noise[i] = found->noise;
		inside += is_inside(found);
	}
	printf("%-22s %-6s %7.1f %7.1f %7.1f %+7.1f %6.1f %4u of %u\n",
	       kinds[k].name, value_name[v], median(truth, repeats),
	       median(gross, repeats),
	       median(truth, repeats) + median(off, repeats),
	       median(off, repeats), median(noise, repeats), inside, repeats);
	return inside;
}

static void print(const struct results *results, unsigned int repeats)
{
	double inside[VALUES][KINDS] = { { 0 } }, busy = 0;
	size_t v, k, s;

	printf("%-22s %-6s %7s %7s %7s %7s %6s  inside\n", "ns a visit",
	       "value", "true", "gross", "net", "error", "noise");
	for (v = 0; v < VALUES; v++)
		for (k = 0; k < KINDS; k++)
			for (s = 0; s < SIZES; s++)
				inside[v][k] += print_size(results, repeats,
							   (enum value)v, k, s);
	printf("\n%-22s %8s %8s %8s %8s\n", "inside, %", "alone", "parent",
	       "self", "child");
	for (k = 0; k < KINDS; k++) {
		printf("%-22s", kinds[k].name);
		for (v = 0; v < VALUES; v++)
			printf(" %8.1f", inside[v][k] * 100 /
						 (double)(repeats * SIZES));
		putchar('\n');
	}
	for (s = 0; s < repeats; s++)
		busy += results[s].busy;
	printf("\n%.0f %% of the rounds on a busy machine\n",
	       busy * 100 / repeats);
}

int main(int argc, char **argv)
{
	static struct results results[REPEATS_MAX];
	unsigned int repeats = REPEATS, i;
	struct units units;
	size_t k, s;

	setenv("SELFMON_EVENTS", "none", 1);
	setenv("SELFMON_OUTPUT", "none", 1);
	if (argc == 2 && strcmp(argv[1], "--child") == 0)
		return child_main();
	if (argc == 2 && strcmp(argv[1], "--quick") == 0)
		repeats = QUICK_REPEATS;
	else if (argc > 2 ||
		 (argc == 2 && (sscanf(argv[1], "--repeats=%u", &repeats) != 1 ||
				repeats < 1 || repeats > REPEATS_MAX))) {
		fprintf(stderr, "usage: accuracy [--quick|--repeats=N]\n");
		return 2;
	}
	work_fill_memory();
	for (k = 0; k < KINDS; k++)
		for (s = 0; s < SIZES; s++)
			units.of[k][s] = units_of(&kinds[k], size_ns[s]);
	for (i = 0; i < repeats; i++)
		run_child(&units, &results[i]);
	print(results, repeats);
	return 0;
}
