/* SPDX-License-Identifier: MIT */
#include "doctor_summary.h"

#include <inttypes.h>
#include <string.h>

#include "doctor/brief.h"

#define AUTO_COUNT 4

/*
 * Limitations that the summary mentions if counters work, the worst first. The
 * summary prints `before`, the check's finding, and `after`.
 */
static const struct {
	const char *name, *before, *after;
} limits[] = {
	{ "read-cost", "a read takes ", "" },
	{ "together", "only ", " default events" },
	{ "granted", "only ", "" },
	{ "user-mode", "", "" },
};

#define LIMITS (sizeof(limits) / sizeof(limits[0]))

static const struct doctor_check *find(const struct doctor_report *report,
				       const char *name)
{
	size_t i;

	for (i = 0; i < report->checks; i++)
		if (!strcmp(report->check[i].name, name))
			return &report->check[i];
	return NULL;
}

const struct doctor_check *doctor_root_of(const struct doctor_report *report,
					  const struct doctor_check *check)
{
	const struct doctor_check *root = check;

	while (root && root->follows)
		root = find(report, root->follows);
	return root && root != check && root->status == DOCTOR_FAIL ? root
								    : NULL;
}

/*
 * Returns the root cause of the problem. If no hardware event is counted, this
 * is a cause that prevents opening events, rather than one that only prevents
 * user reads.
 */
static const struct doctor_check *find_root(const struct doctor_report *report)
{
	size_t i;

	for (i = 0; !report->counted && i < report->causes; i++)
		if (report->cause[i]->kind == DOCTOR_CAUSE ||
		    report->cause[i]->kind == DOCTOR_CONSEQUENCE)
			return report->cause[i];
	return report->causes ? report->cause[0] : NULL;
}

static void add_brief(struct doctor_report *report)
{
	const struct doctor_check *const root = report->root;
	struct selfmon_sentence cause = { .length = 0 };

	doctor_say(&cause, "%s", root->cause ? root->cause : root->reason.text);
	selfmon_brief_add(&report->summary, &cause, &root->remedy);
}

static void add_other(struct doctor_report *report,
		      const struct doctor_check *check, const char **before)
{
	if (!check || check == report->root)
		return;
	doctor_say(&report->summary, "%s%s", *before, check->name);
	*before = ", ";
}

static void say_cause(struct doctor_report *report)
{
	const char *before = " (also fails: ";
	size_t i;

	doctor_say(&report->summary, report->counted
		   ? "Hardware counters work here, but each read is a system "
		     "call"
		   : "No hardware counters");
	report->root = find_root(report);
	if (!report->root)
		return;
	doctor_say(&report->summary, ": ");
	add_brief(report);
	for (i = 0; i < report->causes; i++)
		add_other(report, report->cause[i], &before);
	if (*before == ',')
		doctor_say(&report->summary, ")");
}

static const struct doctor_check *limit_of(const struct doctor_report *report,
					   size_t i)
{
	const struct doctor_check *check = find(report, limits[i].name);

	return check && check->status == DOCTOR_WARN ? check : NULL;
}

static void say_limit(struct doctor_report *report, size_t limit)
{
	const char *before = " (also limited: ";
	size_t i;

	report->root = limit_of(report, limit);
	doctor_say(&report->summary, ", but %s%s%s: ", limits[limit].before,
		   report->root->found.text, limits[limit].after);
	add_brief(report);
	for (i = limit + 1; i < LIMITS; i++)
		add_other(report, limit_of(report, i), &before);
	if (*before == ',')
		doctor_say(&report->summary, ")");
}

static void say_works(const struct doctor_probe *probe,
		      struct doctor_report *report)
{
	size_t i;

	doctor_say(&report->summary, "Hardware counters work here");
	for (i = 0; i < LIMITS; i++)
		if (limit_of(report, i)) {
			say_limit(report, i);
			return;
		}
	doctor_say(&report->summary, ": all %d default events, read in user "
		   "space", AUTO_COUNT);
	if (probe->read_ns != SELFMON_FACT_UNKNOWN)
		doctor_say(&report->summary, " in %" PRId64 " ns each",
			   probe->read_ns);
}

void doctor_summarize(const struct doctor_probe *probe,
		      struct doctor_report *report)
{
	report->counted = probe->hardware == 0 && probe->together > 0;
	if (report->user_reads)
		say_works(probe, report);
	else
		say_cause(report);
}
