/* SPDX-License-Identifier: MIT */
/*
 * Recomputes the metrics of random reports from their JSON. The reports contain
 * zeros, estimates and missing values. The script shares no code with the
 * library (tests/tools/metrics.py).
 */
#include <math.h>
#include <unistd.h>

#include "form.h"
#include "unit/test_report_model.h"

#define ROWS_MOST 6

static uint64_t state = 20240611;

/* splitmix64 */
static uint64_t random_bits(void)
{
	uint64_t n = state += UINT64_C(0x9e3779b97f4a7c15);

	n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
	return n ^ n >> 31;
}

static uint64_t below(uint64_t n)
{
	return random_bits() % n;
}

static double fraction(void)
{
	return (double)(random_bits() >> 11) / 9007199254740992.0;
}

static double any_net(void)
{
	switch (below(12)) {
	case 0: return 0;
	case 1: return -10 * fraction();
	case 2: return 1e-300;
	case 3: return 1e300;
	case 4: return below(4) ? fraction() : (double)NAN;
	default: return fraction() * (double)(UINT64_C(1) << below(40));
	}
}

static void any_value(const struct selfmon_row *row,
		      struct selfmon_quantity *value, bool time)
{
	static const enum selfmon_verdict any[] = {
		SELFMON_EXACT, SELFMON_EXACT, SELFMON_SYSCALL, SELFMON_SCALED,
		SELFMON_NOT_COUNTED,
	};

	model_value(value, time ? any[below(8) ? 0 : 4] : any[below(5)],
		    row->measured, 100, 100);
	if (value->verdict == SELFMON_NOT_COUNTED)
		return;
	value->net = any_net();
	value->noise = below(3) ? fraction() * 10 : 0;
	if (value->verdict == SELFMON_SCALED)
		value->guessed = fraction() / 2;
	if (!time && below(3) == 0)
		value->visits = below(3) ? row->whole
					 : below(row->measured + 1);
}

static void any_row(struct selfmon_report *report)
{
	struct selfmon_row *row = model_row(report, -1, "r", 1, 1, 1);
	size_t k;

	row->measured = below(20) ? 1 + below(1000) : 0;
	row->visits = row->measured * (below(3) ? 1 : 1 + below(10));
	row->whole = below(2) ? row->measured : below(row->measured + 1);
	row->whole_ns = any_net();
	if (!isfinite(row->whole_ns)) /* JSON has null for this */
		row->whole_ns = 0;
	row->bytes = below(3) ? 0 : below(1000000);
	row->items = below(3) ? 0 : below(1000);
	any_value(row, &row->time, true);
	for (k = 0; k < report->columns; k++)
		if (report->column[k].verdict != SELFMON_NOT_COUNTED)
			any_value(row, &row->counter[k], false);
}

static void any_column(struct selfmon_report *report, bool kernel)
{
	static const char *const any[] = {
		"cycles", "cpu-cycles", "instructions", "branch-misses",
		"branches", "branch-instructions", "cache-misses",
		"cache-references", "LLC-load-misses", "LLC-loads",
		"dTLB-load-misses", "dTLB-loads", "iTLB-load-misses",
		"stalled-cycles-frontend", "idle-cycles-frontend",
		"stalled-cycles-backend", "page-faults", "faults",
		"minor-faults", "major-faults", "task-clock", "cs", "r1a8",
		"INST_RETIRED.ANY", "cpu_clk_unhalted:thread", "slots",
		"topdown-retiring", "topdown-be-bound",
		"MEM_LOAD_RETIRED.L3_MISS",
	};
	static const char *const around[][2] = {
		{ "", "" }, { "", "" }, { "", "" }, { "", ":u" },
		{ "cpu/", "/" }, { "cpu_atom/", "/" }, { "cpu_core/", "/u" },
	};
	struct selfmon_report_column *column =
		&report->column[report->columns];
	const size_t n = below(sizeof(any) / sizeof(any[0]));

	const size_t k = below(sizeof(around) / sizeof(around[0]));

	model_column(report, "", below(6) ? SELFMON_EXACT
					  : SELFMON_NOT_COUNTED);
	snprintf(column->name, sizeof(column->name), "%s%s%s", around[k][0],
		 any[n], around[k][1]);
	column->kernel = kernel;
}

static void write_any(FILE *stream)
{
	struct selfmon_report *report = model_make(ROWS_MOST);
	const bool kernel = below(2);
	uint64_t n;

	for (n = below(SELFMON_MAX_COUNTERS + 1); n > 0; n--)
		any_column(report, kernel);
	for (n = below(ROWS_MOST + 1); n > 0; n--)
		any_row(report);
	cr_assert_eq(selfmon_report_write(report, SELFMON_JSON, stream), 0);
	model_free();
}

Test(report_recomputed, a_script_of_its_own_comes_to_the_same_metrics)
{
	static const char *const kinds[] = { "exact", "missing", "range",
					     "scaled", "syscall", "value",
					     "visits", "zero" };
	char path[] = "/tmp/selfmon-test-XXXXXX", command[256], said[512] = "";
	const int reports = quick_or_all(200, 1000);
	FILE *stream;
	size_t i;

	if (system("command -v python3 >/dev/null"))
		cr_skip_test("no python3 here");
	if (access("tests/tools/metrics.py", R_OK))
		cr_skip_test("not run in the project's directory");
	stream = fdopen(mkstemp(path), "w");
	cr_assert_not_null(stream);
	for (i = 0; i < (size_t)reports; i++)
		write_any(stream);
	cr_assert_eq(fclose(stream), 0);
	snprintf(command, sizeof(command),
		 "python3 tests/tools/metrics.py %s", path);
	stream = popen(command, "r");
	cr_assert_not_null(stream);
	cr_assert_not_null(fgets(said, sizeof(said), stream));
	cr_assert_eq(pclose(stream), 0, "metrics differ");
	cr_log_info("%s", said);
	cr_assert_eq(atoi(said), reports, "%s", said);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		cr_assert_not_null(strstr(said, kinds[i]), "no %s: %s",
				   kinds[i], said);
	unlink(path);
}
