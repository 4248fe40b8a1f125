/* SPDX-License-Identifier: MIT */
/*
 * Regions nested three deep, cycling over 16 sites, measuring only time. The
 * bench fails if the report does not contain every visit.
 */
#include <string.h>

#include <selfmon.h>

#include "bench.h"

#define DEEP 3
#define SITES 16

static uint64_t cycles_apart, cycles_within;

/* ---- each site in a function of its own, each of them at all depths ------ */

#define DECLARE(k) static void site_##k(int below);
#define DEFINE(k, next)                                                        \
	static __attribute__((noinline)) void site_##k(int below)              \
	{                                                                      \
		SELFMON_REGION("apart " #k)                                    \
		{                                                              \
			if (below)                                             \
				site_##next(below - 1);                        \
			selfmon_compiler_fence();                              \
		}                                                              \
	}

/* X(k, next): site_k() calls site_next(), which makes 16 different paths. */
#define SITE_LIST(X)                                                           \
	X(0, 5) X(1, 6) X(2, 7) X(3, 8) X(4, 9) X(5, 10) X(6, 11) X(7, 12)     \
	X(8, 13) X(9, 14) X(10, 15) X(11, 0) X(12, 1) X(13, 2) X(14, 3)        \
	X(15, 4)

#define DECLARE_EACH(k, next) DECLARE(k)
#define CALL_EACH(k, next) site_##k(DEEP - 1);

SITE_LIST(DECLARE_EACH)
SITE_LIST(DEFINE)

static void apart(uint64_t n)
{
	cycles_apart += n;
	for (; n > 0; n--) {
		SITE_LIST(CALL_EACH)
	}
}

/* ---- the same, with a bare timestamp pair in place of each region -------- */

#define BARE_DECLARE(k, next) static void bare_##k(int below);
#define BARE_DEFINE(k, next)                                                   \
	static __attribute__((noinline)) void bare_##k(int below)              \
	{                                                                      \
		const uint64_t start = selfmon_arch_timestamp();               \
									       \
		if (below)                                                     \
			bare_##next(below - 1);                                \
		bench_keep(selfmon_arch_timestamp() - start);                  \
	}
#define BARE_CALL(k, next) bare_##k(DEEP - 1);

SITE_LIST(BARE_DECLARE)
SITE_LIST(BARE_DEFINE)

static void bare_apart(uint64_t n)
{
	for (; n > 0; n--) {
		SITE_LIST(BARE_CALL)
	}
}

/* ---- all sites in one function ------------------------------------------- */

/*
 * Each k makes three sites, one for each depth. In site_##k() above, a single
 * site is visited at all depths.
 */
#define WITHIN(k, next)                                                        \
	SELFMON_REGION("within " #k)                                           \
		SELFMON_REGION("within " #k " b")                              \
			SELFMON_REGION("within " #k " c")                      \
				selfmon_compiler_fence();

static void within(uint64_t n)
{
	cycles_within += n;
	for (; n > 0; n--) {
		SITE_LIST(WITHIN)
	}
}

/* ---- every visit must be there ------------------------------------------- */

static void check_rows(const struct selfmon_report *report, const char *prefix,
		       uint64_t visits)
{
	size_t rows = 0, i;

	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *row = selfmon_report_row(report, i);

		if (strncmp(row->name, prefix, strlen(prefix)) != 0)
			continue;
		rows++;
		if (row->visits != visits || row->measured != visits)
			bench_fail("%s, depth %u: %llu visits, must be %llu",
				   row->name, row->depth,
				   (unsigned long long)row->visits,
				   (unsigned long long)visits);
	}
	if (rows != (size_t)SITES * DEEP)
		bench_fail("%zu rows of '%s', must be %d", rows, prefix,
			   SITES * DEEP);
}

static void check(void)
{
	struct selfmon_report *report;

	if (selfmon_report_take(&report))
		bench_fail("no report");
	check_rows(report, "apart ", cycles_apart);
	check_rows(report, "within ", cycles_within);
	selfmon_report_free(report);
}

void bench_case_nested(void)
{
	const uint64_t n = bench_effort.visits / (SITES * DEEP);
	const uint64_t each = (uint64_t)SITES * DEEP;
	struct bench_operation operation[] = {
		{ "bare timestamp pair", bench_bare_timestamps, n * each, 0, -1,
		  NULL, 0, BENCH_INFORM, { 0 } },
		{ "bare pairs in 3 deep calls", bare_apart, n, each, 0,
		  "timestamp pair", 0, BENCH_INFORM, { 0 } },
		{ "region pair, 3 deep, 16 sites, functions apart", apart, n,
		  each, 0, "timestamp pair", 1.25, BENCH_RATIO, { 0 } },
		{ "region pair, 3 deep, 16 sites, one function", within, n,
		  each, 0, "timestamp pair", 1.25, BENCH_RATIO, { 0 } },
	};

	bench_configure(NULL);
	bench_measure(operation, sizeof(operation) / sizeof(operation[0]));
	check();
}
