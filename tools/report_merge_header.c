/* SPDX-License-Identifier: MIT */
#include "report_merge_header.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_facts.h"
#include "report_join.h"
#include "report_merge_columns.h"
#include "report_note.h"
#include "tool.h"

static void join_texts(struct selfmon_report *to,
		       const struct selfmon_report *from)
{
	size_t i;

	REPORT_JOIN(to->program, ", ", from->program);
	REPORT_JOIN(to->cpu, "; ", from->cpu);
	REPORT_JOIN(to->hypervisor, ", ", from->hypervisor);
	REPORT_JOIN(to->kernel, "; ", from->kernel);
	REPORT_JOIN(to->clock, ", ", from->clock);
	REPORT_JOIN(to->events_reason, "; ", from->events_reason);
	REPORT_JOIN(to->counters_off, "; ", from->counters_off);
	REPORT_JOIN(to->read_reason, "; ", from->read_reason);
	REPORT_JOIN(to->slow_path, "; ", from->slow_path);
	for (i = 0; i < SELFMON_LIMITED_COUNT; i++)
		REPORT_JOIN(to->limited[i].reason, "; ",
			    from->limited[i].reason);
	for (i = 0; i < from->notes; i++)
		report_note(to, "%s", from->note[i]);
}

/* ---- processes ----------------------------------------------------------- */

static void describe(struct selfmon_report_process *to,
		     const struct report_file *file)
{
	const struct selfmon_report *const from = file->report;

	snprintf(to->file, sizeof(to->file), "%s", file->path);
	memcpy(to->program, from->program, sizeof(to->program));
	to->pid = from->pid;
	to->forked = from->forked;
	to->calibrated = from->calibrated;
	to->inner_ns = from->inner_ns;
	memcpy(to->when, from->when, sizeof(to->when));
	memcpy(to->since, from->since, sizeof(to->since));
	to->start_ticks = from->start_ticks;
	to->elapsed_ns = from->elapsed_ns;
	memcpy(to->clock, from->clock, sizeof(to->clock));
	to->clock_hz = from->clock_hz;
	to->clock_error_ppm = from->clock_error_ppm;
}

/* Returns true if the numbers are equal, or if at least one is NaN (unknown). */
static bool is_same(double a, double b)
{
	return !(a < b) && !(a > b);
}

static bool is_same_report(const struct selfmon_report_process *a,
			   const struct selfmon_report_process *b)
{
	return !strcmp(a->program, b->program) && !strcmp(a->when, b->when) &&
	       is_same(a->elapsed_ns, b->elapsed_ns);
}

/*
 * Returns true if both reports cover the same time of one process. Process ids
 * are reused, and processes in different containers may have equal ids. So
 * start_ticks, the timestamp of the first use of the library in the process,
 * must be equal, too. Dates are compared to the second. Reports of early
 * versions have no start_ticks: for these, only copies of one report are
 * recognized.
 */
static bool is_twice(const struct selfmon_report_process *a,
		     const struct selfmon_report_process *b)
{
	if (a->pid != b->pid)
		return false;
	if (!a->start_ticks || !b->start_ticks)
		return is_same_report(a, b);
	return a->start_ticks == b->start_ticks &&
	       (is_same_report(a, b) || (strcmp(a->when, b->since) > 0 &&
					 strcmp(b->when, a->since) > 0));
}

static int check_process(const struct selfmon_report *to)
{
	const struct selfmon_report_process *const last =
		&to->process[to->processes - 1];
	size_t i;

	for (i = 0; i + 1 < to->processes; i++)
		if (is_twice(&to->process[i], last))
			return tool_fail("report", "%s: pid: the report of "
					 "process %ld is in %s already, and "
					 "would be counted twice", last->file,
					 (long)last->pid, to->process[i].file);
	return 0;
}

static int add_processes(struct selfmon_report *to,
			 const struct report_file *file)
{
	const struct selfmon_report *const from = file->report;
	const size_t more = from->processes ? from->processes : 1;
	struct selfmon_report_process *list =
		realloc(to->process, (to->processes + more) * sizeof(*list));
	size_t i;
	int status = 0;

	if (!list)
		return tool_fail("report", "no memory");
	to->process = list;
	for (i = 0; i < more && !status; i++) {
		memset(&list[to->processes], 0, sizeof(*list));
		if (from->processes)
			list[to->processes] = from->process[i];
		else
			describe(&list[to->processes], file);
		to->processes++;
		status = check_process(to);
	}
	return status;
}

/* ---- the rest ------------------------------------------------------------ */

static void add_errata(struct selfmon_report *to, struct report_file *file)
{
	size_t i, k;

	for (i = 0; i < file->report->errata; i++) {
		for (k = 0; k < to->errata; k++)
			if (!strcmp(to->erratum[k]->name,
				    file->report->erratum[i]->name))
				break;
		if (k < to->errata)
			continue;
		if (to->errata == SELFMON_ERRATA_MAX)
			report_note(to, "not all errata of these CPUs are shown");
		else
			to->erratum[to->errata++] = file->report->erratum[i];
	}
}

static void note_option(struct selfmon_report *to, const char *name,
			bool *value, bool other)
{
	if (*value == other)
		return;
	*value = true;
	report_note(to, "the option %s differs between processes", name);
}

static int add_counts(struct selfmon_report *to, const struct report_file *file)
{
	size_t i;

	for (i = 0; i < REPORT_COUNTS; i++) {
		uint64_t *const sum = report_fact_of(to, &report_count[i]);

		if (__builtin_add_overflow(
			    *sum,
			    *report_fact_of(file->report, &report_count[i]),
			    sum))
			return tool_fail("report", "%s: %s: the sum of all "
					 "files is more than a number can hold",
					 file->path, report_count[i].key);
	}
	return 0;
}

static void add_facts(struct selfmon_report *to,
		      const struct selfmon_report *from)
{
	to->forked = to->forked && from->forked;
	to->guard_gone = to->guard_gone || from->guard_gone;
	if (strcmp(from->when, to->when) > 0)
		memcpy(to->when, from->when, sizeof(to->when));
	/*
	 * Takes the earlier start. "" is the start of the process, which is the
	 * earliest of all.
	 */
	if (strcmp(from->since, to->since) < 0)
		memcpy(to->since, from->since, sizeof(to->since));
	if (to->clock_hz != from->clock_hz)
		to->clock_hz = 0;
	if (to->clock_error_ppm < from->clock_error_ppm)
		to->clock_error_ppm = from->clock_error_ppm;
	if (to->choice != from->choice)
		to->choice = SELFMON_CHOICE_LIST;
	if (to->read_ns != from->read_ns)
		to->read_ns = 0;
	note_option(to, "fence", &to->fence, from->fence);
	note_option(to, "strict", &to->strict, from->strict);
	note_option(to, "guard", &to->guard, from->guard);
	note_option(to, "off_cpu", &to->off_cpu, from->off_cpu);
}

/* Stores the values of the first report, with which the others are compared. */
static void take_first(struct selfmon_report *to,
		       const struct selfmon_report *from)
{
	to->forked = from->forked;
	to->clock_hz = from->clock_hz;
	to->choice = from->choice;
	to->read_ns = from->read_ns;
	to->every = from->every;
	to->fence = from->fence;
	to->strict = from->strict;
	to->guard = from->guard;
	to->off_cpu = from->off_cpu;
	memcpy(to->events, from->events, sizeof(to->events));
	memcpy(to->since, from->since, sizeof(to->since));
}

static int add_file(struct selfmon_report *to, struct report_file *file,
		    const char *first)
{
	int status = add_processes(to, file);

	if (!status && to->every != file->report->every)
		status = tool_fail("report", "%s: every: %lu, and %lu in %s: "
				   "their visits have different weights",
				   file->path,
				   (unsigned long)file->report->every,
				   (unsigned long)to->every, first);
	if (!status)
		status = add_counts(to, file);
	if (!status)
		status = report_columns_add(to, file);
	if (status)
		return status;
	join_texts(to, file->report);
	add_facts(to, file->report);
	add_errata(to, file);
	return 0;
}

/*
 * Adds to each column in how many processes it was not counted. If the files
 * requested different events, lists the events of the table instead of the
 * requested ones.
 */
static void list_events(struct selfmon_report *to,
			const struct report_file *files, size_t count)
{
	bool alike = true;
	size_t i;

	for (i = 0; i < to->columns; i++)
		report_column_note(to, i, files, count);
	for (i = 1; i < count; i++)
		alike = alike && !strcmp(files[i].report->events, to->events);
	if (alike)
		return;
	to->events[0] = '\0';
	for (i = 0; i < to->columns; i++)
		REPORT_JOIN(to->events, ",", to->column[i].name);
}

/*
 * Returns the mean inner overhead of a visit over the processes. Net times of
 * single visits are computed with this mean.
 */
static double mean_inner_ns(const struct selfmon_report *merged)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < merged->processes; i++)
		sum += merged->process[i].inner_ns;
	return merged->processes ? sum / (double)merged->processes : 0;
}

int report_merge_header(struct selfmon_report *to, struct report_file *files,
			size_t count)
{
	size_t i;
	int status = 0;

	take_first(to, files[0].report);
	for (i = 0; i < count && !status; i++)
		status = add_file(to, &files[i], files[0].path);
	to->elapsed_ns = (double)NAN;
	to->inner_ns = mean_inner_ns(to);
	if (!status)
		list_events(to, files, count);
	return status;
}
