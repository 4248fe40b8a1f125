/* SPDX-License-Identifier: MIT */
/*
 * For tests of samples: each region works in a function that has its own linker
 * section. So the address of a sample shows its region.
 */
#ifndef SELFMON_TESTS_SAMPLED_H
#define SELFMON_TESTS_SAMPLED_H

#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rows.h"
#include "sanitizer.h"

/* The shortest period that is allowed, which keeps tests short. */
#define OFTEN "task-clock@200us"

static inline void ask_with(const char *events, const char *sample)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.output = NULL;
	options.sample = sample;
	cr_assert_eq(selfmon_configure(&options), 0);
}

static inline void ask_for(const char *sample)
{
	ask_with("none", sample);
}

/* ---- work in code of its own --------------------------------------------- */

#define IN(section_name)                                                       \
	__attribute__((noinline, unused, section(#section_name)))

static IN(samples_a) void work_a(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}

static IN(samples_b) void work_b(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}

extern const char __start_samples_a[], __stop_samples_a[], __start_samples_b[],
	__stop_samples_b[];

/* A few microseconds of work. */
#define SHORT 3000

static inline void work_for(uint64_t ns, void (*work)(int))
{
	struct timespec now;
	uint64_t cpu, end = 0;

	do {
		work(20 * SHORT);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		cpu = (uint64_t)now.tv_sec * 1000000000u +
		      (uint64_t)now.tv_nsec;
		if (!end)
			end = cpu + ns;
	} while (cpu < end);
}

static inline void work_a_for(uint64_t ns)
{
	work_for(ns, work_a);
}

/*
 * Stores the load address of the program, which dl_iterate_phdr(3) lists first.
 * dladdr(3) does not work in static programs.
 */
static inline int take_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1;
}

static inline bool is_of_program(const struct selfmon_address *address)
{
	static char program[PATH_MAX];

	if (!program[0])
		cr_assert_gt(readlink("/proc/self/exe", program,
				      sizeof(program) - 1), 0);
	return strcmp(address->module, program) == 0;
}

/* Code of other modules, such as libc, may have the same addresses. */
static inline bool is_between(const struct selfmon_address *address,
			      const char *begin, const char *end)
{
	uint64_t bias = 0;

	dl_iterate_phdr(take_bias, &bias);
	return is_of_program(address) &&
	       address->address >= (uint64_t)(uintptr_t)begin - bias &&
	       address->address < (uint64_t)(uintptr_t)end - bias;
}

/* ---- visits -------------------------------------------------------------- */

static inline void visit_both(void)
{
	SELFMON_REGION("a")
	work_a(SHORT);
	SELFMON_REGION("b")
	work_b(SHORT);
}

static inline void visit_short(void)
{
	SELFMON_REGION("a")
	work_a(200);
	SELFMON_REGION("b")
	work_b(200);
}

static inline void visit_nested(void)
{
	SELFMON_REGION("a")
	{
		work_a(SHORT);
		SELFMON_REGION("b")
		work_b(SHORT);
		work_a(SHORT);
	}
}

static inline void visit_spans(void)
{
	struct selfmon_frame a, b;

	selfmon_enter(selfmon_region("a"), &a);
	work_a(SHORT);
	selfmon_enter(selfmon_region("b"), &b);
	work_b(SHORT);
	selfmon_leave(&b);
	selfmon_leave(&a);
}

/* ---- values in reports --------------------------------------------------- */

struct counts {
	uint64_t samples, a, b; /* of a row: all, in work_a(), in work_b() */
	uint64_t labelled;
};

static inline struct counts counts_at(const struct selfmon_report *report,
				      size_t row)
{
	struct selfmon_call_stack stack = { .size = sizeof(stack) };
	struct counts counts = { 0 };
	size_t i;

	for (i = 0; !selfmon_row_stack(report, row, i, &stack); i++) {
		const struct selfmon_address *const address =
			&stack.address[0];

		cr_assert_geq(stack.depth, 1);
		counts.samples += stack.count;
		if (is_between(address, __start_samples_a, __stop_samples_a))
			counts.a += stack.count;
		if (is_between(address, __start_samples_b, __stop_samples_b))
			counts.b += stack.count;
		if (stack.label)
			counts.labelled += stack.count;
	}
	return counts;
}

/*
 * Returns the number that follows key in the object "samples" of the JSON
 * report.
 */
static inline double number_of(const struct selfmon_report *report,
			       const char *key)
{
	const char *at;
	char *text = NULL;
	double number;
	size_t size;
	FILE *const stream = open_memstream(&text, &size);

	cr_assert_eq(selfmon_report_write(report, SELFMON_JSON, stream), 0);
	fclose(stream);
	at = strstr(text, "\n  \"samples\": {");
	cr_assert_not_null(at);
	at = strstr(at, key);
	cr_assert_not_null(at);
	number = strtod(at + strlen(key), NULL);
	free(text);
	return number;
}

/*
 * Returns the period of the samples in ns. On a slow machine the period is
 * longer than requested, since a sample may take at most a twentieth of it.
 */
static inline uint64_t period(void)
{
	struct selfmon_report *report;
	double ns;

	cr_assert_eq(selfmon_thread_prepare(), 0);
	report = rows_take();
	ns = number_of(report, "\"period\": ");
	selfmon_report_free(report);
	return (uint64_t)ns;
}

static inline struct counts counts_of(const struct selfmon_report *report,
				      const char *name)
{
	struct counts sum = { 0 };
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct counts counts = counts_at(report, i);

		if (strcmp(selfmon_report_row(report, i)->name, name) != 0)
			continue;
		sum.samples += counts.samples;
		sum.a += counts.a;
		sum.b += counts.b;
		sum.labelled += counts.labelled;
	}
	return sum;
}

static inline uint64_t sum_of(const struct selfmon_report *report,
			      const char *name)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++)
		if (!strcmp(selfmon_report_row(report, i)->name, name))
			n += selfmon_report_row(report, i)->samples;
	return n;
}

static inline uint64_t samples_of(const char *name)
{
	struct selfmon_report *const report = rows_take();
	const uint64_t n = sum_of(report, name);

	selfmon_report_free(report);
	return n;
}

/*
 * Expects that rows a and b have samples only of their own work, and at least
 * `least` of these samples together.
 */
static inline void assert_apart(uint64_t least)
{
	struct selfmon_report *const report = rows_take();
	const struct counts a = counts_of(report, "a"),
			    b = counts_of(report, "b");

	rows_check(report);
	cr_expect_eq(a.b, 0, "%lu samples of b in a", (unsigned long)a.b);
	cr_expect_eq(b.a, 0, "%lu samples of a in b", (unsigned long)b.a);
	/* With a sanitizer, much of the work is in its runtime. */
	if (!SANITIZED)
		cr_expect_geq(a.a + b.b, least);
	selfmon_report_free(report);
}

static inline void say_how_many(const char *event)
{
	struct selfmon_report *const report = rows_take();
	const struct counts a = counts_of(report, "a"),
			    b = counts_of(report, "b");

	cr_log_info("%s, period %.0f: %llu samples in code of a region, "
		    "%llu attributed to the other one",
		    event, number_of(report, "\"period\": "),
		    (unsigned long long)(a.a + a.b + b.a + b.b),
		    (unsigned long long)(a.b + b.a));
	selfmon_report_free(report);
}

/* Makes visits until rows a and b together have at least `least` samples. */
static inline void until(uint64_t least, void (*visit)(void))
{
	do {
		int i;

		for (i = 0; i < 2000; i++)
			visit();
	} while (samples_of("a") + samples_of("b") < least);
}

/*
 * Returns the number of samples in work_a() and work_b(). Samples in other code
 * of the regions, such as calls that move the thread to another CPU, are not
 * counted. With a sanitizer all samples are counted, since much of the work is
 * in its runtime.
 */
static inline uint64_t in_their_code(void)
{
	struct selfmon_report *const report = rows_take();
	const struct counts a = counts_of(report, "a"),
			    b = counts_of(report, "b");

	selfmon_report_free(report);
	return SANITIZED ? a.samples + b.samples : a.a + b.b;
}

/*
 * Makes visits until work_a() and work_b() together have at least `least`
 * samples. For visits that also spend much time in other code.
 */
static inline void until_in_their_code(uint64_t least, void (*visit)(void))
{
	do {
		int i;

		for (i = 0; i < 2000; i++)
			visit();
	} while (in_their_code() < least);
}

#endif
