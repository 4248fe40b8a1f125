/* SPDX-License-Identifier: MIT */
/*
 * Above the table of a merged report: what all processes have alike stands as
 * it was, what differs is listed, and what would give sums another meaning is
 * refused.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_file.h"
#include "tool.h"

/* ---- texts ----------------------------------------------------------------- */

static bool holds(const char *list, const char *between, const char *text)
{
	const size_t length = strlen(text), gap = strlen(between);
	const char *at = list;

	while ((at = strstr(at, text))) {
		if ((at == list || (at >= list + gap &&
				    !strncmp(at - gap, between, gap))) &&
		    (!at[length] || !strncmp(at + length, between, gap)))
			return true;
		at++;
	}
	return false;
}

/* Those that differ, one behind the other; what finds no room is `...`. */
static void join(char *to, size_t size, const char *between, const char *text)
{
	const size_t used = strlen(to);

	if (!*text || holds(to, between, text))
		return;
	if (used + strlen(between) + strlen(text) + 5 < size)
		snprintf(to + used, size - used, "%s%s", used ? between : "",
			 text);
	else if (used + 4 < size && !holds(to, "", "..."))
		strcpy(to + used, "...");
	else if (!used)
		snprintf(to, size, "%.*s...", (int)size - 5, text);
}

#define JOIN(to, between, text) join(to, sizeof(to), between, text)

static void note(struct selfmon_report *to, const char *text)
{
	static const char more[] = "not all messages are shown";
	size_t i;

	for (i = 0; i < to->notes; i++)
		if (!strcmp(to->note[i], text))
			return;
	if (to->notes == SELFMON_NOTES_MAX)
		strcpy(to->note[to->notes - 1], more);
	else
		snprintf(to->note[to->notes++], SELFMON_MESSAGE_SIZE, "%s",
			 text);
}

static void join_texts(struct selfmon_report *to,
		       const struct selfmon_report *from)
{
	size_t i;

	JOIN(to->program, ", ", from->program);
	JOIN(to->cpu, "; ", from->cpu);
	JOIN(to->hypervisor, ", ", from->hypervisor);
	JOIN(to->kernel, "; ", from->kernel);
	JOIN(to->clock, ", ", from->clock);
	JOIN(to->events_reason, "; ", from->events_reason);
	JOIN(to->read_reason, "; ", from->read_reason);
	for (i = 0; i < SELFMON_LIMITED_COUNT; i++)
		JOIN(to->limited[i].reason, "; ", from->limited[i].reason);
	for (i = 0; i < from->notes; i++)
		note(to, from->note[i]);
}

/* ---- processes ------------------------------------------------------------- */

static void describe(struct selfmon_report_process *to,
		     const struct report_file *file)
{
	const struct selfmon_report *const from = file->report;

	snprintf(to->file, sizeof(to->file), "%s", file->path);
	memcpy(to->program, from->program, sizeof(to->program));
	to->pid = from->pid;
	to->forked = from->forked;
	to->calibrated = from->calibrated;
	memcpy(to->when, from->when, sizeof(to->when));
	to->elapsed_ns = from->elapsed_ns;
	memcpy(to->clock, from->clock, sizeof(to->clock));
	to->clock_hz = from->clock_hz;
	to->clock_error_ppm = from->clock_error_ppm;
}

static bool is_same_process(const struct selfmon_report_process *a,
			    const struct selfmon_report_process *b)
{
	return a->pid == b->pid && !strcmp(a->program, b->program) &&
	       !strcmp(a->when, b->when) &&
	       !memcmp(&a->elapsed_ns, &b->elapsed_ns, sizeof(a->elapsed_ns));
}

/* Nothing is counted twice. */
static int check_process(const struct selfmon_report *to)
{
	const struct selfmon_report_process *const last =
		&to->process[to->processes - 1];
	size_t i;

	for (i = 0; i + 1 < to->processes; i++)
		if (is_same_process(&to->process[i], last))
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

/* ---- columns --------------------------------------------------------------- */

/* Which one of its name it is. */
static size_t turn_of(const struct selfmon_report *report, size_t column)
{
	size_t turn = 0, i;

	for (i = 0; i < column; i++)
		turn += !strcmp(report->column[i].name,
				report->column[column].name);
	return turn;
}

size_t report_column_find(const struct selfmon_report *report,
			  const struct selfmon_report *of, size_t column)
{
	size_t i;

	for (i = 0; i < report->columns; i++)
		if (!strcmp(report->column[i].name, of->column[column].name) &&
		    turn_of(report, i) == turn_of(of, column))
			return i;
	return REPORT_NO_COLUMN;
}

static size_t processes_of(const struct selfmon_report *report)
{
	return report->processes ? report->processes : 1;
}

#define WITHOUT_SIZE 80

/* "", or what the reason of a merged column ends with. */
static void tell_without(const struct selfmon_report *report,
			 const struct selfmon_report_column *column,
			 char text[WITHOUT_SIZE])
{
	text[0] = '\0';
	if (column->without && column->verdict != SELFMON_NOT_COUNTED)
		snprintf(text, WITHOUT_SIZE, "not counted in %lu of %zu "
			 "processes", (unsigned long)column->without,
			 report->processes);
}

/* Without that end: it is told anew, of all files. */
static void join_reason(char to[SELFMON_TEXT_MAX],
			const struct selfmon_report *report,
			const struct selfmon_report_column *from)
{
	char reason[SELFMON_TEXT_MAX], end[WITHOUT_SIZE];
	size_t length;

	snprintf(reason, sizeof(reason), "%s", from->reason);
	tell_without(report, from, end);
	length = strlen(reason) - strlen(end);
	if (strlen(end) <= strlen(reason) && !strcmp(reason + length, end)) {
		reason[length] = '\0';
		if (length >= 2 && !strcmp(reason + length - 2, "; "))
			reason[length - 2] = '\0';
	}
	join(to, SELFMON_TEXT_MAX, "; ", reason);
}

static int add_column(struct selfmon_report *to, const struct report_file *file,
		      size_t column)
{
	const struct selfmon_report_column *const from =
		&file->report->column[column];
	const size_t k = report_column_find(to, file->report, column);
	struct selfmon_report_column *const at = &to->column[k];

	if (k == REPORT_NO_COLUMN) {
		if (to->columns == SELFMON_MAX_COUNTERS)
			return tool_fail("report", "%s: columns[%zu]: %s would "
					 "be the event %d of all files, and a "
					 "report has %d", file->path, column,
					 from->name, SELFMON_MAX_COUNTERS + 1,
					 SELFMON_MAX_COUNTERS);
		to->column[to->columns] = *from;
		to->column[to->columns].reason[0] = '\0';
		join_reason(to->column[to->columns++].reason, file->report,
			    from);
		return 0;
	}
	join_reason(at->reason, file->report, from);
	if (from->verdict == SELFMON_NOT_COUNTED)
		return 0;
	if (at->verdict != SELFMON_NOT_COUNTED && at->kernel != from->kernel)
		return tool_fail("report", "%s: columns[%zu].kernel: %s was "
				 "counted in kernel mode %s, unlike in files "
				 "before", file->path, column, from->name,
				 from->kernel ? "too" : "not");
	if (at->verdict == SELFMON_NOT_COUNTED || from->verdict < at->verdict)
		at->verdict = from->verdict;
	at->kernel = from->kernel;
	return 0;
}

static int add_columns(struct selfmon_report *to,
		       const struct report_file *file)
{
	size_t i;
	int status = 0;

	for (i = 0; i < file->report->columns && !status; i++)
		status = add_column(to, file, i);
	return status;
}

/* In how many it was not asked for, or could not be counted. */
static void tell_column(struct selfmon_report *to, size_t column,
			const struct report_file *files, size_t count)
{
	struct selfmon_report_column *const at = &to->column[column];
	char text[WITHOUT_SIZE];
	size_t i, k;

	at->without = 0;
	for (i = 0; i < count; i++) {
		const struct selfmon_report *const from = files[i].report;

		k = report_column_find(from, to, column);
		if (k == REPORT_NO_COLUMN ||
		    from->column[k].verdict == SELFMON_NOT_COUNTED)
			at->without += (uint32_t)processes_of(from);
		else
			at->without += from->column[k].without;
	}
	tell_without(to, at, text);
	JOIN(at->reason, "; ", text);
}

/* ---- the rest -------------------------------------------------------------- */

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
			note(to, "not all errata of these CPUs are shown");
		else
			to->erratum[to->errata++] = file->report->erratum[i];
	}
}

static void tell_option(struct selfmon_report *to, const char *name, bool *value,
			bool other)
{
	char text[SELFMON_MESSAGE_SIZE];

	if (*value == other)
		return;
	*value = true;
	snprintf(text, sizeof(text), "the option %s was not that of all "
		 "processes", name);
	note(to, text);
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
	if (to->clock_hz != from->clock_hz)
		to->clock_hz = 0;
	if (to->clock_error_ppm < from->clock_error_ppm)
		to->clock_error_ppm = from->clock_error_ppm;
	if (to->choice != from->choice)
		to->choice = SELFMON_CHOICE_LIST;
	if (to->read_ns != from->read_ns)
		to->read_ns = 0;
	tell_option(to, "fence", &to->fence, from->fence);
	tell_option(to, "strict", &to->strict, from->strict);
	tell_option(to, "guard", &to->guard, from->guard);
}

/* What the others are compared with. */
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
	memcpy(to->events, from->events, sizeof(to->events));
}

static int add_file(struct selfmon_report *to, struct report_file *file,
		    const char *first)
{
	int status = add_processes(to, file);

	if (!status && to->every != file->report->every)
		status = tool_fail("report", "%s: every: %lu, and %lu in %s: "
				   "their visits stand for different numbers "
				   "of visits", file->path,
				   (unsigned long)file->report->every,
				   (unsigned long)to->every, first);
	if (!status)
		status = add_counts(to, file);
	if (!status)
		status = add_columns(to, file);
	if (status)
		return status;
	join_texts(to, file->report);
	add_facts(to, file->report);
	add_errata(to, file);
	return 0;
}

/* Where they were not asked alike: what is in the table. */
static void tell_events(struct selfmon_report *to,
			const struct report_file *files, size_t count)
{
	bool alike = true;
	size_t i;

	for (i = 0; i < to->columns; i++)
		tell_column(to, i, files, count);
	for (i = 1; i < count; i++)
		alike = alike && !strcmp(files[i].report->events, to->events);
	if (alike)
		return;
	to->events[0] = '\0';
	for (i = 0; i < to->columns; i++)
		JOIN(to->events, ",", to->column[i].name);
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
	if (!status)
		tell_events(to, files, count);
	return status;
}
