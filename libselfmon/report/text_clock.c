/* SPDX-License-Identifier: MIT */
/*
 * Writes the lines of the header with the clock, and with CPU time beside wall
 * time.
 */
#include "report/text_clock.h"

#include <inttypes.h>

#include "report/text.h"
#include "report/text_line.h"

void selfmon_text_say_time(struct selfmon_text *text, const char *before,
			   double ns, const char *after)
{
	char number[SELFMON_NUMBER_SIZE];

	selfmon_number_time(number, ns, ns < 100 ? 3 : 4);
	selfmon_text_say(text, "%s", before);
	selfmon_text_say_number(text, number);
	selfmon_text_say(text, "%s", after);
}

/*
 * Prints how much of the wall time was not CPU time, since the times of regions
 * are wall time.
 */
static void say_off_cpu(struct selfmon_text *text, double cpus)
{
	char share[SELFMON_NUMBER_SIZE];

	selfmon_number_share(share, 1 - cpus);
	selfmon_text_say(text, ": off the CPU for %s of it, waiting or "
			 "preempted; the times of regions include this "
			 "time", share);
}

static void say_cpus(struct selfmon_text *text, double cpus)
{
	const uint64_t threads = text->report->threads_at_once;
	char number[SELFMON_NUMBER_SIZE];

	selfmon_number_ratio(number, cpus);
	selfmon_text_say(text, ": %s CPUs on average", number);
	if (threads > 1)
		selfmon_text_say(text, ", for at most %" PRIu64 " threads at "
				 "once", threads);
	else
		selfmon_text_say(text, "; threads without regions ran too");
}

/*
 * Prints CPU time beside wall time. For a single thread, explains the
 * difference only if it is more than 10 %.
 */
static void put_cpu(struct selfmon_text *text)
{
	const struct selfmon_report *report = text->report;
	const double cpus = (double)report->cpu_ns / report->elapsed_ns;

	if (!report->cpu_ns || !(report->elapsed_ns > 0))
		return;
	selfmon_text_begin(text, "CPU time", SELFMON_HEADER_COLUMNS);
	selfmon_text_say_time(text, "", (double)report->cpu_ns, "");
	selfmon_text_say_time(text, " of ", report->elapsed_ns,
			      report->since[0] ? "" : " since the first use");
	if (report->threads_at_once > 1 || cpus > 1.1)
		say_cpus(text, cpus);
	else if (cpus < 0.9)
		say_off_cpu(text, cpus);
	selfmon_text_end(text);
}

void selfmon_text_clock(struct selfmon_text *text)
{
	const struct selfmon_report *report = text->report;
	const uint64_t mhz = report->clock_hz / 1000000;

	selfmon_text_begin(text, "clock", SELFMON_HEADER_COLUMNS);
	selfmon_text_say(text, "%s, ", report->clock);
	if (report->clock_hz || !report->processes)
		selfmon_text_say(text, "%" PRIu64 " MHz, ", mhz);
	selfmon_text_say(text, "within %" PRIu32 " ppm;",
			 report->clock_error_ppm);
	if (!report->processes && (!report->cpu_ns || report->since[0]))
		selfmon_text_say_time(text, " ", report->elapsed_ns,
				      report->since[0] ? ""
						       : " since the first use;");
	if (report->since[0])
		selfmon_text_say(text, " since %s;", report->since);
	selfmon_text_say(text, " %" PRIu64 " thread%s", report->threads,
			 report->threads == 1 ? "" : "s");
	if (report->threads > 1)
		selfmon_text_say(text, ", at most %" PRIu64 " at once",
				 report->threads_at_once);
	selfmon_text_end(text);
	put_cpu(text);
}
