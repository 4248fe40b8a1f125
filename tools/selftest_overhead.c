/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_overhead.h"

#include <string.h>

#include "platform/kernel.h"
#include "selftest_judge_rest.h"
#include "selftest_row.h"
#include "selftest_work.h"

#define VISITS 3000
#define WORK 100
/*
 * Maximum number of instructions that a compiler adds around a region and its
 * call.
 */
#define EXTRA 12
/*
 * If the noise is higher (instructions per visit), the check is inconclusive.
 * The overhead of a visit is above 100 instructions.
 */
#define NOISE_MAX 20
/*
 * The report is delayed until this many counter reads could have been made
 * since the first visit, but at most most_ns[]. The library may measure the
 * overhead for one hundredth of that time.
 */
#define AGE_READS UINT64_C(1300000)
#define SYSCALL_NS 3000 /* time of a read(2) */
#define A_RETRY 400.0   /* instructions of a repeated end snapshot */
/*
 * With read(2) the library sometimes checks its descriptor
 * (counters/snapshot.c, TRUSTED_TICKS): on an emulated riscv64 in one of 13
 * visits. A check takes about 75 instructions in the outer region. The library
 * measures its overhead as the difference between 20 and 4 visits, divided by
 * 16, and each of the two numbers of checks may be one too high or too low.
 */
#define CHECKS (2 * 75 / 16.0)

/* Executes WORK instructions that use no registers. */
#define WORK_100() __asm__ __volatile__(".rept 100\n\tnop\n\t.endr")

static SELFTEST_NOINLINE void in_one_function(void)
{
	SELFMON_REGION("outer") {
		WORK_100();
		SELFMON_REGION("inner")
			WORK_100();
	}
}

static SELFTEST_NOINLINE void inner_alone(void)
{
	SELFMON_REGION("inner apart")
		WORK_100();
}

static SELFTEST_NOINLINE void apart(void)
{
	SELFMON_REGION("outer apart") {
		WORK_100();
		inner_alone();
	}
}

static void visit_often(void)
{
	int i;

	for (i = 0; i < VISITS; i++) {
		in_one_function();
		apart();
	}
}

/*
 * Time of the first visit. The library may measure the overhead for longer if
 * more time has passed since the first visit. Therefore this check runs after
 * the others.
 */
static uint64_t first_visit_ns;

bool selftest_overhead_prepare(struct selftest_row *row)
{
	first_visit_ns = selftest_now_ns();
	selftest_pin(-1);
	if (!selftest_configure("instructions", row))
		return false;
	visit_often();
	return true;
}

/*
 * Waits until enough time has passed since the first visit for a good
 * measurement of the overhead. If reads trap, the other checks may not have
 * taken long enough.
 */
static void grow_old(const struct selftest_case *from)
{
	static const uint64_t most_ns[] = {
		[SELFTEST_QUICK] = UINT64_C(3900000000),
		[SELFTEST_NORMAL] = UINT64_C(20000000000),
		[SELFTEST_FULL] = UINT64_C(60000000000),
	};
	uint64_t age = AGE_READS * (from->user_reads ? from->read_ns
						     : SYSCALL_NS);
	uint64_t now;

	if (age > most_ns[from->mode])
		age = most_ns[from->mode];
	while ((now = selftest_now_ns()) < first_visit_ns + age)
		selfmon_kernel_sleep_ns(first_visit_ns + age - now);
}

/* Returns the report of an interval, which excludes the first visits. */
static struct selfmon_report *take_interval(void)
{
	struct selfmon_report *before, *after, *interval = NULL;

	if (selfmon_report_take(&before))
		return NULL;
	visit_often();
	if (!selfmon_report_take(&after)) {
		if (selfmon_report_subtract(after, before, &interval))
			interval = NULL;
		selfmon_report_free(after);
	}
	selfmon_report_free(before);
	return interval;
}

/*
 * Returns the number of repeated end snapshots in a region and in its child.
 * The instructions of these snapshots are in the self values of both regions.
 */
static double retried_of(const struct selfmon_report *report,
			 const char *outer, const char *inner)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *of = selfmon_report_row(report, i);

		if (!strcmp(of->name, inner) || !strcmp(of->name, outer))
			sum += (double)of->retried;
	}
	return sum;
}

static void judge_row(const struct selfmon_report *report, const char *what,
		      const char *outer, const char *inner, size_t depth,
		      struct selftest_row *row)
{
	const char *const path[] = { outer, inner };
	const struct selfmon_row *of = selfmon_report_find(report, path, depth);
	const struct selfmon_quantity *count =
		selftest_instructions(report, of, row);
	struct selftest_self self = { .what = path[depth - 1],
				      .known = WORK, .extra = EXTRA };

	if (!count || !count->visits)
		return;
	self.seen = count->net_exclusive / (double)count->visits;
	/*
	 * Adds 2 instructions for interrupts. Repeated end snapshots cost more,
	 * and are counted below.
	 */
	self.noise = count->noise / (double)count->visits + 2;
	if (self.noise > NOISE_MAX) {
		selftest_absent(row, "the report had too little time to "
				"measure the overhead: it is known to +-%.0f "
				"instructions", self.noise);
		return;
	}
	if (depth == 1 && count->verdict == SELFMON_SYSCALL)
		self.noise += CHECKS;
	self.extra += A_RETRY * retried_of(report, outer, inner) /
		      (double)count->visits;
	selftest_judge_self(&self, row);
	selftest_figure(row, what, "", self.seen);
	selftest_say(&row->found, "%s%s %.1f +- %.1f",
		     row->figures > 1 ? ", " : "of 100 instructions: ",
		     self.what, self.seen, self.noise);
}

void selftest_overhead(const struct selftest_case *from,
		       struct selftest_row *row)
{
	struct selfmon_report *report;

	grow_old(from);
	report = take_interval();
	if (!report) {
		selftest_absent(row, "no report");
		return;
	}
	judge_row(report, "outer, one function", "outer", "inner", 1, row);
	judge_row(report, "inner, one function", "outer", "inner", 2, row);
	judge_row(report, "outer, two functions", "outer apart", "inner apart",
		  1, row);
	judge_row(report, "inner, two functions", "outer apart", "inner apart",
		  2, row);
	selfmon_report_free(report);
}
