/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_clock.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform/kernel.h"
#include "selftest_judge_rest.h"
#include "selftest_row.h"
#include "selftest_work.h"

#define READINGS 200

/*
 * A reading of the library's clock and one of CLOCK_MONOTONIC_RAW. The two were
 * taken at most width_ns / 2 apart.
 */
struct reading {
	uint64_t ticks, raw_ns;
	double width_ns;
};

static struct reading read_clocks(void)
{
	const struct selfmon_clock *clock = selfmon_clock();
	struct reading best = { .width_ns = INFINITY };
	int i;

	for (i = 0; i < READINGS; i++) {
		const uint64_t before = selfmon_kernel_monotonic_raw_ns();
		const uint64_t ticks = selfmon_clock_ticks();
		const uint64_t after = selfmon_kernel_monotonic_raw_ns();
		const double width = (double)(after - before) + 2 +
				     1e9 / (double)clock->hz;

		if (width < best.width_ns)
			best = (struct reading){ ticks,
						 before + (after - before) / 2,
						 width };
	}
	return best;
}

/*
 * If the widths of the two readings add up to more than this, the check reports
 * a busy machine instead of a result.
 */
#define WIDTH_MAX_NS 20000.0

static uint64_t clock_ns(const struct selftest_case *from)
{
	static const uint64_t ms[] = { [SELFTEST_QUICK] = 400,
				       [SELFTEST_NORMAL] = 2000,
				       [SELFTEST_FULL] = 10000 };

	return ms[from->mode] * 1000000;
}

void selftest_clock(const struct selftest_case *from, struct selftest_row *row)
{
	const struct selfmon_clock *clock = selfmon_clock();
	struct reading first, last;
	struct selftest_clocks in;

	selftest_pin(-1);
	first = read_clocks();
	selfmon_kernel_sleep_ns(clock_ns(from));
	last = read_clocks();
	in.seen_ns = (double)selfmon_clock_ns(clock, last.ticks - first.ticks);
	in.true_ns = (double)(last.raw_ns - first.raw_ns);
	in.error_ns = (first.width_ns + last.width_ns) / 2;
	in.stated_ppm = clock->error_ppm;
	if (first.width_ns + last.width_ns > WIDTH_MAX_NS)
		selftest_busy(row, "the clocks could not be read within 20 us");
	else
		selftest_judge_clock(&in, row);
	selftest_figure(row, "off", "ppm",
			(in.seen_ns - in.true_ns) * 1e6 / in.true_ns);
	selftest_figure(row, "stated", "ppm", in.stated_ppm);
	selftest_figure(row, "readings", "ppm", in.error_ns * 1e6 / in.true_ns);
	selftest_say(&row->found, "%s, %.1f s: off by %.2f ppm, stated %.0f "
		     "and %.2f of the readings",
		     selfmon_clock_source_name(clock->source),
		     in.true_ns / 1e9, row->figure[0].value, in.stated_ppm,
		     row->figure[2].value);
}

/* ---- faults -------------------------------------------------------------- */

#define PAGES 1000

static void touch(volatile char *memory, size_t page)
{
	size_t i;

	for (i = 0; i < PAGES; i++)
		memory[i * page] = 1;
}

static void count_faults(struct selfmon_counters *set, char *memory,
			 size_t page, struct selftest_row *row)
{
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;
	double seen;

	selfmon_counters_begin(set, &a);
	touch(memory, page);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	seen = (double)delta.value[0].count;
	/* Allows for faults on the stack or in the library. */
	if (delta.value[0].verdict != SELFMON_SYSCALL || seen < PAGES ||
	    seen > PAGES + 3)
		selftest_differs(row, PAGES, PAGES + 3, seen, "page faults");
	selftest_figure(row, "pages", "", PAGES);
	selftest_figure(row, "faults", "", seen);
	selftest_say(&row->found, "%d fresh pages: %.0f page faults", PAGES,
		     seen);
}

void selftest_faults(const struct selftest_case *from, struct selftest_row *row)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct selfmon_counters *set;
	void *memory;

	(void)from;
	if (!selftest_open("page-faults", 0, &set, row))
		return;
	memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		selftest_absent(row, "no memory");
	} else {
		madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
		count_faults(set, memory, page, row);
		munmap(memory, PAGES * page);
	}
	selfmon_counters_close(set);
}
