/* SPDX-License-Identifier: MIT */
/* Tests CPU time beside wall time in the headers of text and JSON. */
#include "unit/test_report_model.h"

TestSuite(report_cpu_time, .fini = model_free);

#define HAS(text, part) cr_assert_not_null(strstr(text, part), "%s", text)
#define LACKS(text, part) cr_assert_null(strstr(text, part), "%s", text)

static const char *written(double cpu_ns, uint64_t threads,
			   enum selfmon_format format)
{
	struct selfmon_report *report = model_time();

	report->elapsed_ns = 1e9;
	report->cpu_ns = (uint64_t)cpu_ns;
	report->threads = report->threads_at_once = threads;
	return model_written(report, format);
}

Test(report_cpu_time, is_beside_wall_time)
{
	HAS(written(950e6, 1, SELFMON_TEXT),
	    "\nCPU time     950.0 ms of 1.000 s since the first use\n");
	HAS(written(950e6, 1, SELFMON_JSON), "\n  \"cpu_ns\": 950000000,\n");
}

Test(report_cpu_time, says_if_the_thread_was_off_the_cpu)
{
	HAS(written(610e6, 1, SELFMON_TEXT),
	    "610.0 ms of 1.000 s since the first use: off the CPU for 39.0% of "
	    "it, waiting");
	HAS(written(890e6, 1, SELFMON_TEXT), "off the CPU for 11.0%");
	LACKS(written(910e6, 1, SELFMON_TEXT), "off the CPU");
	LACKS(written(1090e6, 1, SELFMON_TEXT), "CPUs on average");
	HAS(written(1900e6, 1, SELFMON_TEXT),
	    ": 1.90 CPUs on average; threads without regions");
}

Test(report_cpu_time, is_per_wall_time_for_several_threads)
{
	const char *text = written(610e6, 4, SELFMON_TEXT);

	HAS(text, ": 0.61 CPUs on average, for at most 4 threads");
	LACKS(text, "off the CPU");
	HAS(written(3.2e9, 4, SELFMON_TEXT), ": 3.20 CPUs on average");
}

Test(report_cpu_time, is_left_out_where_it_is_not_known)
{
	const char *text = written(0, 1, SELFMON_TEXT);

	LACKS(text, "CPU time");
	HAS(text, "1.000 s since the first use;");
	HAS(written(0, 1, SELFMON_JSON), "\n  \"cpu_ns\": null,\n");
}
