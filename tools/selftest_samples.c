/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_samples.h"

#include <link.h>
#include <string.h>

#include "selftest_judge_rest.h"
#include "selftest_row.h"
#include "selftest_work.h"
#include "store/process.h"

/*
 * The library chooses the event: cycles with this frequency, or task-clock with
 * a period of 200 us. It uses a longer period if samples cost too much.
 */
#define SAMPLE "auto@5000hz"

/*
 * The shortest visit works for 4 units; others are 2 to 32 times as long. If
 * each visit took one sampling period, each would be sampled at the same place:
 * most samples of the outer region would be at the end of the inner region.
 */
#define UNIT_NS 20000
#define LENGTHS 6
#define BATCH 12 /* visits between two reports */

#define OWN_CODE(name) __attribute__((noinline, section(#name)))

static OWN_CODE(selftest_outer) void work_outer(uint64_t n)
{
	selftest_loop(n);
}

static OWN_CODE(selftest_inner) void work_inner(uint64_t n)
{
	selftest_loop(n);
}

/* Bounds of the sections; the linker defines these symbols. */
extern const char __start_selftest_outer[], __stop_selftest_outer[],
	__start_selftest_inner[], __stop_selftest_inner[];

static SELFTEST_NOINLINE void visit(uint64_t n)
{
	SELFMON_REGION("samples, outer") {
		work_outer(n);
		SELFMON_REGION("samples, inner")
			work_inner(2 * n);
		work_outer(n);
	}
}

/*
 * Returns the number of iterations that take UNIT_NS, from the fastest of
 * several measurements. The measured loop is another copy of the code, since it
 * runs outside of the regions.
 */
static uint64_t unit(void)
{
	const uint64_t n = 100000;
	uint64_t least = UINT64_MAX;
	int i;

	for (i = 0; i < 5; i++) {
		const uint64_t began = selftest_now_ns();
		uint64_t ns;

		selftest_loop(n);
		ns = selftest_now_ns() - began;
		least = ns < least ? ns : least;
	}
	return least ? n * UNIT_NS / least + 1 : n;
}

/* ---- addresses in the report --------------------------------------------- */

/* Stores the base address of the first module, which is the program itself. */
static int take_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

static bool is_between(uint64_t address, const char *begin, const char *end)
{
	return address >= (uint64_t)(uintptr_t)begin &&
	       address < (uint64_t)(uintptr_t)end;
}

/*
 * Adds the samples of a row to those in the right region or to those elsewhere.
 */
static void add_row(const struct selfmon_report *report, size_t at,
		    uint64_t base, struct selftest_places *to)
{
	const struct selfmon_row *const of = selfmon_report_row(report, at);
	const bool outer = of && !strcmp(of->name, "samples, outer");
	const bool inner = of && !strcmp(of->name, "samples, inner");
	struct selfmon_call_stack stack = { .size = sizeof(stack) };
	size_t i;

	for (i = 0; !selfmon_row_stack(report, at, i, &stack); i++) {
		const uint64_t address = stack.address[0].address + base;

		if (is_between(address, __start_selftest_outer,
			       __stop_selftest_outer))
			*(outer ? &to->right : &to->outer_elsewhere) +=
				stack.count;
		if (is_between(address, __start_selftest_inner,
			       __stop_selftest_inner))
			*(inner ? &to->right : &to->inner_elsewhere) +=
				stack.count;
	}
}

static bool take_places(struct selftest_places *to)
{
	struct selfmon_report *report;
	uint64_t base = 0;
	size_t i;

	if (selfmon_report_take(&report))
		return false;
	dl_iterate_phdr(take_base, &base);
	to->right = to->outer_elsewhere = to->inner_elsewhere = 0;
	for (i = 0; i < selfmon_report_row_count(report); i++)
		add_row(report, i, base, to);
	add_row(report, SELFMON_NO_ROW, base, to);
	selfmon_report_free(report);
	return true;
}

/* ---- the check ----------------------------------------------------------- */

static uint64_t wanted(enum selftest_mode mode)
{
	static const uint64_t samples[] = { [SELFTEST_QUICK] = 50,
					    [SELFTEST_NORMAL] = 300,
					    [SELFTEST_FULL] = 3000 };

	return samples[mode];
}

static bool gather(const struct selftest_case *from,
		   struct selftest_places *to)
{
	const struct selftest_timer timer = selftest_timer(from, 900);
	const uint64_t n = unit();
	unsigned int i;

	to->wanted = wanted(from->mode);
	do {
		for (i = 0; i < BATCH && !selftest_is_over(&timer); i++)
			visit(n << i % LENGTHS);
		if (!take_places(to))
			return false;
	} while (to->right < to->wanted && !selftest_is_over(&timer));
	return true;
}

/* Makes the first visit, so that the library chooses an event. */
static const struct selfmon_sampling *choose(struct selftest_row *row)
{
	const struct selfmon_process *process;

	if (!selftest_configure_sampling("none", SAMPLE, row))
		return NULL;
	visit(1);
	process = selfmon_process_made();
	if (!process) {
		selftest_absent(row, "no memory");
	} else if (!process->sampling.on) {
		selftest_explain(&process->sampling.failure, row);
	} else if (process->limited[SELFMON_LIMITED_SAMPLES].threads) {
		selftest_explain(
			&process->limited[SELFMON_LIMITED_SAMPLES].failure,
			row);
	} else {
		return &process->sampling;
	}
	return NULL;
}

void selftest_samples(const struct selftest_case *from,
		      struct selftest_row *row)
{
	struct selftest_places places = { .wanted = 0 };
	const struct selfmon_sampling *sampling;

	selftest_pin(-1);
	sampling = choose(row);
	if (!sampling)
		return;
	if (!gather(from, &places)) {
		selftest_absent(row, "no report");
		return;
	}
	selftest_judge_places(&places, row);
	selftest_figure(row, "samples", "", (double)places.right);
	if (sampling->cost_ticks)
		selftest_figure(row, "a sample", "ns",
				(double)selfmon_clock_ns(
					selfmon_clock(),
					sampling->cost_ticks));
	selftest_say(&row->found, "%s: %.0f samples in two regions",
		     sampling->clock ? "task-clock" : "cycles",
		     (double)places.right);
	if (row->status == SELFTEST_PASS)
		selftest_say(&row->found, ", none in the wrong one");
}
