/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_exact.h"

#include <inttypes.h>
#include <string.h>

#include "selftest_row.h"
#include "selftest_work.h"

#define SPEC "instructions"
#define SIZES 4
#define CONSTANT_VISITS 500

/* Returns the maximum number of instructions for all visits of one size. */
static uint64_t work_of(const struct selftest_case *from)
{
	return from->mode == SELFTEST_QUICK ? UINT64_C(10000000)
					    : UINT64_C(100000000);
}

#define VISITS_MAX 20000

static size_t visits_of(const struct selftest_case *from, uint64_t size)
{
	const uint64_t visits = work_of(from) / size;

	return visits < VISITS_MAX ? (size_t)visits : VISITS_MAX;
}

static const uint64_t sizes[SIZES] = { 1000, 10000, 100000, 1000000 };
static const char *const set_names[SIZES] = {
	"set, 10^3 instructions", "set, 10^4 instructions",
	"set, 10^5 instructions", "set, 10^6 instructions",
};
static const char *const region_names[SIZES] = {
	"region, 10^3 instructions", "region, 10^4 instructions",
	"region, 10^5 instructions", "region, 10^6 instructions",
};

static uint64_t exact_sets(const struct selftest_case *from,
			   struct selftest_row *row)
{
	struct selfmon_counters *set;
	uint64_t constant, visits = 0;
	size_t i;

	if (!selftest_open(SPEC, 0, &set, row))
		return 0;
	constant = selftest_constant(set, CONSTANT_VISITS);
	selftest_figure(row, "instructions around a visit", "",
			(double)constant);
	for (i = 0; i < SIZES; i++) {
		struct selftest_counts counts =
			selftest_visits(set, from, sizes[i], constant,
					visits_of(from, sizes[i]), 120);

		counts.what = set_names[i];
		visits += selftest_judge_counts(&counts, row);
		selftest_visits_free(&counts);
	}
	selfmon_counters_close(set);
	return visits;
}

/*
 * Makes visits of one region. Stores in sums how long they took and the number
 * of disturbances.
 */
static void visit_often(const struct selftest_case *from, const char *name,
			uint64_t size, size_t visits,
			struct selftest_sums *sums)
{
	const struct selftest_timer timer = selftest_timer(from, 120);
	struct selfmon_region *const region = selfmon_region(name);
	const uint64_t before = selftest_causes();
	const uint64_t began = selftest_now_ns();
	size_t i;

	for (i = 0; i < visits && !selftest_is_over(&timer); i++)
		selftest_visit_region(region, size / 2);
	sums->ns = selftest_now_ns() - began;
	sums->causes = selftest_causes() - before;
	sums->what = name;
	sums->size = size;
	sums->hypervisor = from->hypervisor;
}

/*
 * Takes the sums of instructions from a report. If the report does not have
 * them, puts the reason in the row and returns false.
 */
static bool take_sums(const struct selfmon_report *report,
		      struct selftest_sums *sums, struct selftest_row *row)
{
	const char *const path[] = { sums->what };
	const struct selfmon_row *of = selfmon_report_find(report, path, 1);
	const struct selfmon_quantity *count =
		selftest_instructions(report, of, row);

	if (!count)
		return false;
	sums->visits = count->visits;
	sums->least = count->min;
	sums->sum = count->sum;
	/* The 1 is for the first visit, which always takes the slow path. */
	sums->retried = of->retried + 1 + of->slow;
	return true;
}

static uint64_t judge_regions(const struct selfmon_report *report,
			      struct selftest_sums *sums, size_t count,
			      struct selftest_row *row)
{
	uint64_t visits = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!take_sums(report, &sums[i], row))
			return 0;
		/*
		 * sums[0] has a loop of 2 instructions, so its minimum minus 2
		 * is the part outside of the loop.
		 */
		sums[i].expected = sums[i].size + sums[0].least - 2;
		if (i > 0)
			selftest_judge_sums(&sums[i], row);
		visits += sums[i].visits;
	}
	return visits;
}

static uint64_t exact_regions(const struct selftest_case *from,
			      struct selftest_row *row)
{
	struct selftest_sums sums[1 + SIZES] = { { 0 } };
	struct selfmon_report *report;
	uint64_t visits;
	size_t i;

	if (!selftest_configure(SPEC, row))
		return 0;
	visit_often(from, "region, 2 instructions", 2, CONSTANT_VISITS,
		    &sums[0]);
	for (i = 0; i < SIZES; i++)
		visit_often(from, region_names[i], sizes[i],
			    visits_of(from, sizes[i]), &sums[1 + i]);
	if (selfmon_report_take(&report)) {
		selftest_absent(row, "no memory for a report");
		return 0;
	}
	visits = judge_regions(report, sums, 1 + SIZES, row);
	selfmon_report_free(report);
	return visits;
}

void selftest_exact(const struct selftest_case *from, struct selftest_row *row)
{
	uint64_t visits;

	selftest_pin(-1);
	visits = exact_sets(from, row);
	selftest_figure(row, "visits of sets", "", (double)visits);
	visits = exact_regions(from, row);
	selftest_figure(row, "visits of regions", "", (double)visits);
	selftest_say(&row->found, "loops of 10^3 to 10^6 instructions: %.0f "
		     "visits of sets, %" PRIu64 " of regions",
		     row->figure[1].value, visits);
}

/* ---- slope --------------------------------------------------------------- */

#define SLOPES 3
/*
 * The share of visits that have the minimum may be high by chance if there are
 * few visits. If fewer than ALIKE visits have the minimum, one is assumed; if
 * there are fewer than ALIKE_OF visits, ALIKE_OF are assumed.
 */
#define ALIKE 5
#define ALIKE_OF 50

static const uint64_t slope_size[SLOPES] = { 1000, 10000, 100000 };

static struct selftest_least least_of(struct selfmon_counters *set,
				      const struct selftest_case *from,
				      uint64_t size)
{
	const struct selftest_timer timer = selftest_timer(from, 70);
	const size_t most = visits_of(from, size) / 2;
	struct selftest_least least = { UINT64_MAX, 0 };
	struct selfmon_delta delta;
	size_t i, alike = 0;

	for (i = 0; i < most && !selftest_is_over(&timer); i++) {
		struct selftest_sample sample;

		selftest_visit(set, size / 2, &delta);
		sample = selftest_sample(set, &delta);
		if (!selftest_is_counted(&sample) || sample.count > least.count)
			continue;
		alike = sample.count == least.count ? alike + 1 : 1;
		least.count = sample.count;
	}
	if (i > 0)
		least.part = (double)(alike < ALIKE ? 1 : alike) /
			     (double)(i < ALIKE_OF ? ALIKE_OF : i);
	return least;
}

static void slope_of(const char *what, unsigned int flags,
		     const struct selftest_case *from,
		     struct selftest_row *row)
{
	struct selfmon_counters *set;
	size_t i;

	if (!selftest_open(SPEC, flags, &set, row))
		return;
	for (i = 0; i < SLOPES; i++) {
		const uint64_t size = slope_size[i];
		const struct selftest_least once = least_of(set, from, size);
		const struct selftest_least twice =
			least_of(set, from, 2 * size);

		if (!(once.part > 0 && twice.part > 0))
			selftest_busy(row, "%s: no visit has a count", what);
		else
			selftest_judge_slope(what, size, &once, &twice, row);
	}
	selfmon_counters_close(set);
}

void selftest_slope(const struct selftest_case *from, struct selftest_row *row)
{
	selftest_pin(-1);
	if (from->user_reads)
		slope_of("user reads", 0, from, row);
	slope_of("read(2)", SELFMON_COUNTERS_SYSCALL, from, row);
	selftest_say(&row->found, "loops of N and 2N, N 10^3 to 10^5, %sby "
		     "read(2)", from->user_reads ? "in user space and " : "");
}
