/* SPDX-License-Identifier: MIT */
/* Compares the report of the control-flow test with the expected one. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "flow.h"
#include "check.h"

#define NAMES 128 /* with room to spare; see flow_visit() */

/* If regions are compiled off, no visit is expected and there is no report. */
#ifdef SELFMON_DISABLE
static const bool measured = false;
#else
static const bool measured = true;
#endif

struct expected {
	const char *name;
	unsigned int depth;
	uint64_t visits;
};

static struct expected expected[NAMES];
static size_t names;

void flow_say(const char *word, int turn)
{
	printf("%s %d\n", word, turn);
}

void flow_visit(const char *name, unsigned int depth)
{
	size_t i = 0;

	if (!measured)
		return;
	while (i < names && (strcmp(expected[i].name, name) != 0 ||
			     expected[i].depth != depth))
		i++;
	if (i == NAMES)
		/*
		 * The table is full: flow_check() reports this row as
		 * unexpected.
		 */
		return;
	if (i == names) {
		expected[names].name = name;
		expected[names++].depth = depth;
	}
	expected[i].visits++;
}

static int complain(const struct selfmon_row *row, const char *what)
{
	fprintf(stderr, "flow: %s (line %u, depth %u, %llu visits): %s\n",
		row->name, (unsigned int)row->line, (unsigned int)row->depth,
		(unsigned long long)row->visits, what);
	return 1;
}

static int check_row(const struct selfmon_row *row)
{
	size_t i = 0;

	if (row->open || row->cut_off || row->overlapped)
		return complain(row, "was not closed in its place");
	while (i < names && (strcmp(expected[i].name, row->name) != 0 ||
			     expected[i].depth != row->depth))
		i++;
	if (i == names)
		return complain(row, "is not expected here");
	if (expected[i].visits < row->visits)
		return complain(row, "has more visits than were made");
	expected[i].visits -= row->visits;
	return 0;
}

int flow_check(void)
{
	struct selfmon_report *report;
	const int taken = selfmon_report_take(&report);
	int wrong = 0;

	if (!measured)
		return taken != -ENOSYS || report;
	if (taken != 0)
		return 1;
	for (size_t i = 0; i < selfmon_report_row_count(report); i++)
		wrong |= check_row(selfmon_report_row(report, i));
	for (size_t i = 0; i < names; i++) {
		if (expected[i].visits == 0)
			continue;
		fprintf(stderr, "flow: %s: %llu visits are not in the report\n",
			expected[i].name,
			(unsigned long long)expected[i].visits);
		wrong = 1;
	}
	selfmon_report_free(report);
	return wrong;
}
