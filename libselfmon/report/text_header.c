/* SPDX-License-Identifier: MIT */
/* Writes the header: process, machine, time, counters and warnings. */
#include "report/text_header.h"

#include <inttypes.h>
#include <string.h>

#include <selfmon/version.h>

#include "report/errata.h"
#include "report/text.h"
#include "report/text_clock.h"
#include "report/text_line.h"

static void put_messages(struct selfmon_text *text)
{
	size_t i;

	for (i = 0; i < text->report->notes; i++) {
		selfmon_text_begin(text, "selfmon:", 9);
		selfmon_text_say(text, "%s", text->report->note[i]);
		selfmon_text_end(text);
	}
}

static void put_program(struct selfmon_text *text)
{
	const struct selfmon_report *report = text->report;

	selfmon_text_begin(text, "selfmon", SELFMON_HEADER_COLUMNS);
	if (report->processes)
		selfmon_text_say(text, "%s, %zu processes, merged",
				 report->program, report->processes);
	else
		selfmon_text_say(text, "%s, pid %" PRId32 "%s",
				 report->program, report->pid,
				 report->forked ? " (forked child)" : "");
	selfmon_text_say(text, "; %s, library %s", report->when,
			 SELFMON_VERSION);
	selfmon_text_end(text);
	selfmon_text_begin(text, "machine", SELFMON_HEADER_COLUMNS);
	selfmon_text_say(text, "%s%s%s; %s", report->cpu,
			 report->hypervisor[0] ? ", under " : "",
			 report->hypervisor, report->kernel);
	selfmon_text_end(text);
}

static const char *how_read(enum selfmon_verdict verdict)
{
	switch (verdict) {
	case SELFMON_EXACT: return "read in user space";
	case SELFMON_SYSCALL: return "read by system call";
	default: return "estimated from part of the time";
	}
}

static bool is_alike(const struct selfmon_report_column *a,
		     const struct selfmon_report_column *b)
{
	return a->verdict == b->verdict && a->kernel == b->kernel;
}

/*
 * Prints all columns that are read in the same way as column i. Prints nothing
 * if an earlier line lists column i.
 */
static void put_alike(struct selfmon_text *text, size_t i, bool first)
{
	const struct selfmon_report *report = text->report;
	const struct selfmon_report_column *column = &report->column[i];
	size_t k;

	for (k = 0; k < i; k++)
		if (is_alike(&report->column[k], column))
			return;
	selfmon_text_begin(text, first ? "events" : "", SELFMON_HEADER_COLUMNS);
	if (first && report->choice == SELFMON_CHOICE_AUTO)
		selfmon_text_say(text, "auto: ");
	for (k = i; k < report->columns; k++)
		if (is_alike(&report->column[k], column))
			selfmon_text_say(text, "%s%s", k > i ? ", " : "",
					 report->column[k].name);
	selfmon_text_say(text, ": %s", how_read(column->verdict));
	if (column->verdict == SELFMON_EXACT && report->read_ns)
		selfmon_text_say(text, " (%" PRIu64 " ns each)",
				 report->read_ns);
	selfmon_text_say(text, ", %s", column->kernel
					       ? "user and kernel mode"
					       : "user mode only");
	selfmon_text_end(text);
}

static void put_read_reason(struct selfmon_text *text)
{
	if (!text->report->read_reason[0])
		return;
	selfmon_text_begin(text, "", SELFMON_HEADER_COLUMNS);
	selfmon_text_say(text, "%s", text->report->read_reason);
	selfmon_text_end(text);
}

static void put_events(struct selfmon_text *text)
{
	const struct selfmon_report *report = text->report;
	bool first = true;
	size_t i;

	for (i = 0; i < report->columns; i++) {
		if (report->column[i].verdict == SELFMON_NOT_COUNTED)
			continue;
		put_alike(text, i, first);
		first = false;
	}
	if (!first) {
		put_read_reason(text);
		return;
	}
	selfmon_text_begin(text, "events", SELFMON_HEADER_COLUMNS);
	if (report->choice == SELFMON_CHOICE_NO_USER_READ ||
	    report->choice == SELFMON_CHOICE_SLOW_READ)
		selfmon_text_say(text, "auto: ");
	selfmon_text_say(text, "time only");
	if (report->choice == SELFMON_CHOICE_FAILED)
		selfmon_text_say(text, "; requested: %s", report->events);
	selfmon_text_end(text);
}

static bool is_out(const struct selfmon_report_column *column)
{
	return column->verdict == SELFMON_NOT_COUNTED || column->reason[0];
}

/* Returns the reason without its first words, which are the event's name. */
static const char *reason_of(const struct selfmon_report_column *column)
{
	const size_t length = strlen(column->name);

	if (!column->reason[0])
		return "unknown reason";
	if (!strncmp(column->reason, column->name, length) &&
	    !strncmp(column->reason + length, ": ", 2))
		return column->reason + length + 2;
	return column->reason;
}

static bool same_reason(const struct selfmon_report *report, size_t a, size_t b)
{
	return is_out(&report->column[a]) && is_out(&report->column[b]) &&
	       !strcmp(reason_of(&report->column[a]),
		       reason_of(&report->column[b]));
}

/* Returns true if an earlier line has the same reason as column i. */
static bool is_told(const struct selfmon_report *report, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (same_reason(report, k, i))
			return true;
	return false;
}

/*
 * Prints all events that are not counted for the same reason as column i, then
 * the reason.
 */
static void put_reason(struct selfmon_text *text, size_t i)
{
	const struct selfmon_report *const report = text->report;
	size_t k;

	selfmon_text_say(text, "%s", report->column[i].name);
	for (k = i + 1; k < report->columns; k++)
		if (same_reason(report, i, k))
			selfmon_text_say(text, ", %s", report->column[k].name);
	/* The reason that applies to all hardware events has its own line. */
	if (strcmp(reason_of(&report->column[i]), report->counters_off))
		selfmon_text_say(text, ": %s", reason_of(&report->column[i]));
}

/*
 * Returns true if the line "counters off" already explains
 * report->events_reason. Returns false for a merged report, whose processes may
 * have different reasons. Also returns false if the requested list was opened:
 * events_reason then says why some of its events were left out.
 */
static bool is_off_alone(const struct selfmon_report *report)
{
	return report->counters_off[0] && !report->processes &&
	       report->choice != SELFMON_CHOICE_LIST;
}

static void put_off(struct selfmon_text *text)
{
	if (!text->report->counters_off[0])
		return;
	selfmon_text_begin(text, "counters off", SELFMON_HEADER_COLUMNS);
	selfmon_text_say(text, "%s", text->report->counters_off);
	selfmon_text_end(text);
}

static void put_not_counted(struct selfmon_text *text)
{
	const struct selfmon_report *report = text->report;
	const char *label = "not counted";
	size_t i;

	if (report->events_reason[0] && !is_off_alone(report)) {
		selfmon_text_begin(text, label, SELFMON_HEADER_COLUMNS);
		selfmon_text_say(text, "%s", report->events_reason);
		selfmon_text_end(text);
		label = "";
	}
	for (i = 0; i < report->columns; i++) {
		if (!is_out(&report->column[i]) || is_told(report, i))
			continue;
		selfmon_text_begin(text, label, SELFMON_HEADER_COLUMNS);
		put_reason(text, i);
		selfmon_text_end(text);
		label = "";
	}
}

size_t selfmon_text_calibrated(const struct selfmon_report *report)
{
	size_t count = 0, i;

	for (i = 0; i < report->processes; i++)
		count += report->process[i].calibrated;
	return report->processes ? count : report->calibrated;
}

static void put_cost(struct selfmon_text *text)
{
	const struct selfmon_report *report = text->report;
	const size_t calibrated = selfmon_text_calibrated(report);

	selfmon_text_begin(text, "overhead", SELFMON_HEADER_COLUMNS);
	if (!calibrated) {
		selfmon_text_say(text, "not measured, not subtracted");
	} else if (report->processes) {
		selfmon_text_say(text, "measured in %zu of %zu processes, and "
				 "subtracted there", calibrated,
				 report->processes);
	} else {
		selfmon_text_say_time(text, "", report->inner_ns, " a visit");
		selfmon_text_say_time(text, " and ", report->outer_ns, " in its parent,");
		selfmon_text_say_time(text, " subtracted (noise ",
			 report->inner_ns_spread / 2, "");
		selfmon_text_say_time(text, " and ", report->outer_ns_spread / 2, ")");
	}
	selfmon_text_end(text);
}

static void put_options(struct selfmon_text *text)
{
	const struct selfmon_report *report = text->report;
	const char *before = "";

	if (report->every <= 1 && !report->fence && !report->strict &&
	    !report->guard)
		return;
	selfmon_text_begin(text, "options", SELFMON_HEADER_COLUMNS);
	if (report->every > 1) {
		selfmon_text_say(text, "one visit in %" PRIu32 " is measured "
				 "and stands for all", report->every);
		before = "; ";
	}
	if (report->fence) {
		selfmon_text_say(text, "%sa fence before each read", before);
		before = "; ";
	}
	if (report->strict) {
		selfmon_text_say(text, "%sstrict: all events or none, nothing "
				 "scaled", before);
		before = "; ";
	}
	if (report->guard)
		selfmon_text_say(text, "%sguarded counter reads", before);
	selfmon_text_end(text);
}

static void put_slow_path(struct selfmon_text *text)
{
	if (!text->report->slow_path[0])
		return;
	selfmon_text_begin(text, "slow path", SELFMON_HEADER_COLUMNS);
	selfmon_text_say(text, "%s", text->report->slow_path);
	selfmon_text_end(text);
}

/* Prints a line such as "3 visits not measured: REASON". */
static void caution(struct selfmon_text *text, uint64_t n, const char *thing,
		    const char *what, const char *reason)
{
	if (!n)
		return;
	selfmon_text_begin(text, "caution", SELFMON_HEADER_COLUMNS);
	selfmon_text_say(text, "%" PRIu64 " %s%s %s%s%s", n, thing,
			 n == 1 ? "" : "s", what, reason[0] ? ": " : "",
			 reason);
	selfmon_text_end(text);
}

static void put_errata(struct selfmon_text *text)
{
	const struct selfmon_report *report = text->report;
	char names[SELFMON_TEXT_MAX];
	size_t i;

	for (i = 0; i < report->errata; i++) {
		const struct selfmon_erratum *erratum = report->erratum[i];

		selfmon_erratum_columns(report, erratum, names, sizeof(names));
		selfmon_text_begin(text, i ? "" : "errata", SELFMON_HEADER_COLUMNS);
		selfmon_text_say(text, "%s: %s (%s: %s)", names, erratum->text,
				 erratum->name, erratum->source);
		selfmon_text_end(text);
	}
}

/*
 * Displaced visits are recorded in a node at the wrong place in the tree, for
 * example directly below the root. Their values are right.
 */
static void put_displaced(struct selfmon_text *text)
{
	if (!text->report->displaced)
		return;
	selfmon_text_begin(text, "caution", SELFMON_HEADER_COLUMNS);
	selfmon_text_say(text, "%" PRIu64 " visit%s shown at a wrong place of "
			 "the tree: the thread has its maximum of %d places, "
			 "or no memory for one more (use fewer names in spans "
			 "that overlap, or nest less)",
			 text->report->displaced,
			 text->report->displaced == 1 ? "" : "s",
			 SELFMON_PLACES_MAX);
	selfmon_text_end(text);
}

void selfmon_text_header(struct selfmon_text *text)
{
	static const char *const limited[SELFMON_LIMITED_COUNT] = {
		[SELFMON_LIMITED_SLOW] = "read by system call",
		[SELFMON_LIMITED_LESS] = "counted fewer events",
		[SELFMON_LIMITED_TIME] = "measured only time",
		[SELFMON_LIMITED_OFF_CPU] =
			"did not record when they were off the CPU",
		[SELFMON_LIMITED_SAMPLES] = "took no samples",
	};
	const struct selfmon_report *report = text->report;
	size_t i;

	put_messages(text);
	put_program(text);
	selfmon_text_clock(text);
	put_events(text);
	put_off(text);
	put_not_counted(text);
	put_errata(text);
	put_cost(text);
	put_slow_path(text);
	put_options(text);
	for (i = 0; i < SELFMON_LIMITED_COUNT; i++)
		caution(text, report->limited[i].threads, "thread", limited[i],
			report->limited[i].reason);
	caution(text, report->taken, "counter set", "switched to system calls",
		"user reads were switched off");
	if (report->guard_gone) {
		selfmon_text_begin(text, "caution", SELFMON_HEADER_COLUMNS);
		selfmon_text_say(text, "counter reads are no longer guarded: "
				 "the program installed its own signal "
				 "handler");
		selfmon_text_end(text);
	}
	caution(text, report->refused, "thread", "not measured", "no memory");
	caution(text, report->too_deep, "visit", "not measured",
		"256 visits were open in the thread (deep recursion, or jumps "
		"out of regions?)");
	caution(text, report->evicted, "span", "never left",
		"the oldest were ended when 256 visits were open in their "
		"thread; leave spans on error paths too, or use "
		"selfmon_async_begin() for work that does not end in order");
	caution(text, report->uncounted, "count", "of a unit left out",
		"no memory when its place first counted it");
	caution(text, report->unready, "visit", "not measured",
		"the library was busy, out of memory, or switched off before "
		"they ended");
	put_displaced(text);
	caution(text, report->stale, "leave() call", "not recorded",
		"the visit was already closed, or was entered on another "
		"thread");
	caution(text, report->unread, "region", "left out",
		"their thread kept changing them while they were copied");
}
