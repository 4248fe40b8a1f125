/* SPDX-License-Identifier: MIT */
#include "report_json_head.h"

#include <stdlib.h>

#include "report_facts.h"

static const char *const choices[] = { "none", "list", "auto", "time",
				       "no-user-read", "slow-read", "failed",
				       NULL };

#define COPY(in, from, key, to) json_in_copy(in, from, key, to, sizeof(to))

static void read_options(struct json_in *in, json_t *root,
			 struct selfmon_report *to)
{
	to->every = (uint32_t)json_in_integer(in, root, "every", UINT32_MAX);
	to->fence = json_in_boolean(in, root, "fence");
	to->strict = json_in_boolean(in, root, "strict");
	to->guard = json_in_boolean(in, root, "guard");
	if (json_object_get(root, "off_cpu")) /* since 0.2.0 */
		to->off_cpu = json_in_boolean(in, root, "off_cpu");
	to->guard_gone = json_in_boolean(in, root, "guard_gone");
}

static void read_clock(struct json_in *in, json_t *root,
		       struct selfmon_report *to)
{
	COPY(in, root, "when", to->when);
	if (json_object_get(root, "since")) /* since 0.2.0 */
		COPY(in, root, "since", to->since);
	if (json_object_get(root, "start_ticks") && /* since 0.2.0 */
	    !json_in_is_null(in, root, "start_ticks"))
		to->start_ticks = json_in_integer(in, root, "start_ticks",
						  INT64_MAX);
	to->elapsed_ns = json_in_real(in, root, "elapsed_ns");
	/*
	 * Older reports lack cpu_ns. It is null in reports of live files, in
	 * merged reports, and before the library's first use.
	 */
	if (json_object_get(root, "cpu_ns") &&
	    !json_in_is_null(in, root, "cpu_ns"))
		to->cpu_ns = json_in_integer(in, root, "cpu_ns", INT64_MAX);
	COPY(in, root, "clock", to->clock);
	if (!json_in_is_null(in, root, "clock_hz"))
		to->clock_hz = json_in_integer(in, root, "clock_hz", INT64_MAX);
	to->clock_error_ppm = (uint32_t)json_in_integer(
		in, root, "clock_error_ppm", UINT32_MAX);
}

/*
 * Reads the counts of the header. Older reports have only the first
 * REPORT_COUNTS_FIRST.
 */
static void read_counts(struct json_in *in, json_t *root,
			struct selfmon_report *to)
{
	size_t i;

	for (i = 0; i < REPORT_COUNTS; i++) {
		const char *const key = report_count[i].key;

		if (i >= REPORT_COUNTS_FIRST && !json_object_get(root, key))
			continue;
		*report_fact_of(to, &report_count[i]) =
			json_in_integer(in, root, key, INT64_MAX);
	}
}

static void read_head(struct json_in *in, json_t *root,
		      struct selfmon_report *to)
{
	COPY(in, root, "program", to->program);
	if (!json_in_is_null(in, root, "pid"))
		to->pid = (int32_t)json_in_integer(in, root, "pid", INT32_MAX);
	to->forked = json_in_boolean(in, root, "forked");
	COPY(in, root, "cpu", to->cpu);
	COPY(in, root, "hypervisor", to->hypervisor);
	COPY(in, root, "kernel", to->kernel);
	read_clock(in, root, to);
	to->choice = (enum selfmon_choice)json_in_word(in, root, "choice",
						       choices);
	COPY(in, root, "events", to->events);
	COPY(in, root, "events_reason", to->events_reason);
	COPY(in, root, "read_reason", to->read_reason);
	if (json_object_get(root, "counters_off")) /* since 0.2.0 */
		COPY(in, root, "counters_off", to->counters_off);
	if (json_object_get(root, "slow_path")) /* since 0.2.0 */
		COPY(in, root, "slow_path", to->slow_path);
	to->read_ns = json_in_integer(in, root, "read_ns", INT64_MAX);
	read_options(in, root, to);
	read_counts(in, root, to);
	COPY(in, root, "slowed_reason",
	     to->limited[SELFMON_LIMITED_SLOW].reason);
	COPY(in, root, "degraded_reason",
	     to->limited[SELFMON_LIMITED_LESS].reason);
	COPY(in, root, "time_alone_reason",
	     to->limited[SELFMON_LIMITED_TIME].reason);
	if (json_object_get(root, "no_off_cpu_reason")) /* since 0.2.0 */
		COPY(in, root, "no_off_cpu_reason",
		     to->limited[SELFMON_LIMITED_OFF_CPU].reason);
	if (json_object_get(root, "no_samples_reason")) /* since 0.2.0 */
		COPY(in, root, "no_samples_reason",
		     to->limited[SELFMON_LIMITED_SAMPLES].reason);
	to->total_ns = json_in_real(in, root, "total_ns");
}

static void read_process(struct json_in *in, json_t *from,
			 struct selfmon_report_process *to)
{
	COPY(in, from, "file", to->file);
	COPY(in, from, "program", to->program);
	to->pid = (int32_t)json_in_integer(in, from, "pid", INT32_MAX);
	to->forked = json_in_boolean(in, from, "forked");
	to->calibrated = json_in_boolean(in, from, "calibrated");
	if (from && json_object_get(from, "inner_ns"))
		to->inner_ns = json_in_real(in, from, "inner_ns");
	COPY(in, from, "when", to->when);
	if (from && json_object_get(from, "since")) /* since 0.2.0 */
		COPY(in, from, "since", to->since);
	if (from && json_object_get(from, "start_ticks")) /* since 0.2.0 */
		to->start_ticks = json_in_integer(in, from, "start_ticks",
						  INT64_MAX);
	to->elapsed_ns = json_in_real(in, from, "elapsed_ns");
	COPY(in, from, "clock", to->clock);
	to->clock_hz = json_in_integer(in, from, "clock_hz", INT64_MAX);
	to->clock_error_ppm = (uint32_t)json_in_integer(
		in, from, "clock_error_ppm", UINT32_MAX);
}

/* Older reports lack the member `processes`. */
static void read_processes(struct json_in *in, json_t *root,
			   struct selfmon_report *to)
{
	json_t *list;
	size_t i;

	if (!json_object_get(root, "processes"))
		return;
	list = json_in_list(in, root, "processes");
	to->process = calloc(json_array_size(list) + 1, sizeof(*to->process));
	if (!to->process) {
		json_in_wrong(in, "no memory");
		return;
	}
	for (i = 0; !in->fault[0] && i < json_array_size(list); i++) {
		read_process(in, json_in_element(in, list, i), &to->process[i]);
		json_in_up(in);
		to->processes++;
	}
	json_in_up(in);
}

/*
 * Checks that a report has a pid and a clock rate, unless it has a list of
 * processes: merged reports may lack both.
 */
static void check_processes(struct json_in *in, json_t *root,
			    const struct selfmon_report *report)
{
	if (in->fault[0])
		return;
	if (!report->processes && json_in_is_null(in, root, "pid"))
		json_in_wrong(in, "pid: a number was expected, not null");
	if (!report->processes && !report->clock_hz)
		json_in_wrong(in, "clock_hz: more than 0 was expected");
}

void report_json_head(struct json_in *in, struct selfmon_report *to)
{
	read_head(in, in->root, to);
	read_processes(in, in->root, to);
	check_processes(in, in->root, to);
}
