/* SPDX-License-Identifier: MIT */
#include "list_plan.h"

#include <stdio.h>
#include <string.h>

#include <selfmon/counters.h>
#include <selfmon/doctor.h>

#include "counters/set.h"
#include "tool.h"

static const char *title(enum selfmon_group group,
			 const struct selfmon_counters *set)
{
	const bool turns = set->more;

	if (set->flags & SELFMON_IMPL_SET_CORES &&
	    (group == SELFMON_GROUP_FIRST || group >= SELFMON_GROUP_MORE))
		return "together, while the thread is on cores of their type";
	switch (group) {
	case SELFMON_GROUP_NONE:
		return "not counted";
	case SELFMON_GROUP_KERNEL:
		return "counted by the kernel, all the time";
	case SELFMON_GROUP_FIRST:
		return turns ? "on the PMU together, alternating with the others"
			     : "on the PMU together, all the time";
	default:
		return "on the PMU together, alternating, read by system call";
	}
}

static void print_member(const struct selfmon_counter_info *info, FILE *stream)
{
	char why[512];

	if (info->failure) {
		selfmon_explain(info->failure, why, sizeof(why));
		tool_line(stream, "  %s", why);
		return;
	}
	tool_line(stream, "  %-28s %s", info->name,
		  selfmon_verdict_name(info->verdict));
}

static void print_left_out(const struct selfmon_failure *left_out, FILE *stream)
{
	char why[512];

	if (!left_out->error)
		return;
	selfmon_explain(left_out, why, sizeof(why));
	fputs("left out\n", stream);
	tool_line(stream, "  %s", why);
}

/*
 * Refuses values that SELFMON_EVENTS allows but that are not lists of events.
 */
static int refuse(const char *spec)
{
	if (!strcmp(spec, "auto"))
		return tool_fail("list", "auto is not a list of events: "
				 "programs choose what the machine can count. "
				 "At most these: selfmon list --plan "
				 "cycles,instructions,branch-misses,"
				 "cache-misses");
	if (!strcmp(spec, "none"))
		return tool_fail("list", "none counts no event, only time: "
				 "there is nothing to plan");
	return 0;
}

int list_plan(const char *spec, FILE *stream)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };
	enum selfmon_group last = SELFMON_GROUP_NONE;
	struct selfmon_failure failure;
	struct selfmon_counters *set;
	bool counts = false;
	size_t i;

	if (refuse(spec))
		return TOOL_NO;
	if (selfmon_counters_open(spec, 0, &set, &failure) < 0)
		return tool_fail("list", "at byte %zu: %s", failure.position,
				 failure.message);
	for (i = 0; !selfmon_counters_info(set, i, &info); i++) {
		if (i == 0 || info.group != last)
			fprintf(stream, "%s\n", title(info.group, set));
		last = info.group;
		print_member(&info, stream);
		counts = counts || !info.failure;
	}
	print_left_out(&selfmon_set_of(set)->left_out, stream);
	selfmon_counters_close(set);
	if (i == 0)
		return tool_fail("list", "there is no event in the plan");
	return counts ? 0 : TOOL_NO;
}
