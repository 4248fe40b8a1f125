/* SPDX-License-Identifier: MIT */
#include "report_json_slowest.h"

#include <stdlib.h>
#include <string.h>

#include "report/slow_visits.h"
#include "report_json_text.h"

size_t report_json_slowest_texts(const json_t *root)
{
	const json_t *const list = json_object_get(root, "slowest");
	size_t texts = 0, i;

	for (i = 0; i < json_array_size(list); i++)
		texts += 1 + json_array_size(json_object_get(
				     json_array_get(list, i), "parts"));
	return texts;
}

static void read_part(struct report_file *file, struct json_in *in,
		      json_t *from, struct selfmon_slow_moment *to)
{
	static const char *const kind[] = { "blocked", "preempted", NULL };

	to->region = "";
	if (!json_object_get(from, "off_cpu"))
		to->region = report_json_text(file, in, from, "region");
	else
		to->kind = json_in_word(in, from, "off_cpu", kind) == 0
				   ? SELFMON_PART_BLOCKED
				   : SELFMON_PART_PREEMPTED;
	to->begin_ns = json_in_integer(in, from, "begin_ns", INT64_MAX);
	to->ns = json_in_integer(in, from, "ns", INT64_MAX);
}

static void read_parts(struct report_file *file, struct json_in *in,
		       json_t *from, struct selfmon_slow *to)
{
	json_t *const list = json_in_list(in, from, "parts");

	if (json_array_size(list) > SELFMON_SLOW_PARTS)
		json_in_wrong(in, "at most %u parts were expected",
			      SELFMON_SLOW_PARTS);
	for (; !in->fault[0] && to->parts < json_array_size(list);
	     to->parts++) {
		read_part(file, in, json_in_element(in, list, to->parts),
			  &to->part[to->parts]);
		json_in_up(in);
	}
	json_in_up(in);
	selfmon_slow_settle(to);
}

/* Older reports lack the member. It is null if the times are unknown. */
static void read_off_cpu(struct json_in *in, json_t *from,
			 struct selfmon_slow *to)
{
	json_t *off;

	if (!json_object_get(from, "off_cpu") ||
	    json_in_is_null(in, from, "off_cpu"))
		return;
	off = json_in_object(in, from, "off_cpu");
	to->off_known = true;
	to->off_cpu = (struct selfmon_off_cpu){
		json_in_integer(in, off, "blocked_ns", INT64_MAX),
		json_in_integer(in, off, "preempted_ns", INT64_MAX),
		json_in_integer(in, off, "blocked", INT64_MAX),
		json_in_integer(in, off, "preempted", INT64_MAX),
	};
	json_in_up(in);
}

static void read_values(struct json_in *in, json_t *from,
			const struct selfmon_report *report,
			struct selfmon_slow *to)
{
	json_t *const values = json_in_object(in, from, "counters");
	size_t i;

	for (i = 0; i < report->columns; i++) {
		if (!json_object_get(values, report->column[i].name))
			continue;
		to->values |= UINT32_C(1) << i;
		to->value[i] = json_in_integer(
			in, values, report->column[i].name, INT64_MAX);
	}
	json_in_up(in);
}

static void read_visit(struct report_file *file, struct json_in *in,
		       json_t *from, struct selfmon_slow *to)
{
	static const struct {
		const char *key;
		uint32_t flag;
	} flags[] = {
		{ "migrated", SELFMON_SLOW_MOVED },
		{ "detached", SELFMON_SLOW_ALONE },
		{ "suspended", SELFMON_SLOW_RESUMED },
		{ "overwritten", SELFMON_SLOW_OVERWRITTEN },
	};
	size_t i;

	to->region = report_json_text(file, in, from, "region");
	to->ns = json_in_integer(in, from, "ns", INT64_MAX);
	to->begin_ns = json_in_integer(in, from, "begin_ns", INT64_MAX);
	to->ended_ns = json_in_integer(in, from, "ended_ns", INT64_MAX);
	to->tid = (uint32_t)json_in_integer(in, from, "tid", UINT32_MAX);
	to->cpu = UINT32_MAX;
	if (!json_in_is_null(in, from, "cpu"))
		to->cpu = (uint32_t)json_in_integer(in, from, "cpu",
						    UINT32_MAX);
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (json_in_boolean(in, from, flags[i].key))
			to->flags |= flags[i].flag;
	/* Older reports lack these two. */
	if (json_object_get(from, "known_from_ns"))
		to->known_ns = json_in_integer(in, from, "known_from_ns",
					       INT64_MAX);
	if (json_object_get(from, "least_part_ns"))
		to->listed_ns = json_in_integer(in, from, "least_part_ns",
						INT64_MAX);
	read_off_cpu(in, from, to);
	read_values(in, from, file->report, to);
	to->inner = json_in_integer(in, from, "inner", INT64_MAX);
	read_parts(file, in, from, to);
}

/*
 * Older reports lack the member `slowest`. It is null if no slow visits were
 * recorded.
 */
void report_json_slowest(struct report_file *file, struct json_in *in)
{
	struct selfmon_slow_list *slow;
	json_t *list;

	if (!json_object_get(in->root, "slowest") ||
	    json_in_is_null(in, in->root, "slowest"))
		return;
	list = json_in_list(in, in->root, "slowest");
	slow = calloc(1, sizeof(*slow) +
				 json_array_size(list) * sizeof(slow->visit[0]));
	if (!slow) {
		json_in_wrong(in, "no memory");
		return;
	}
	file->report->slow = slow;
	if (json_object_get(in->root, "slowest_incomplete"))
		slow->incomplete =
			json_in_boolean(in, in->root, "slowest_incomplete");
	for (; !in->fault[0] && slow->visits < json_array_size(list);
	     slow->visits++) {
		read_visit(file, in, json_in_element(in, list, slow->visits),
			   &slow->visit[slow->visits]);
		json_in_up(in);
	}
	json_in_up(in);
}
