/* SPDX-License-Identifier: MIT */
#include "report/json_slowest.h"

#include <inttypes.h>

#include "platform/escape.h"
#include "report/slow_visits.h"
#include "report/utc.h"

static void put_moments(struct selfmon_json *outer,
			const struct selfmon_slow *slow)
{
	static const char *const kind[] = {
		[SELFMON_PART_BLOCKED] = "blocked",
		[SELFMON_PART_PREEMPTED] = "preempted",
	};
	size_t i;

	selfmon_json_key(outer, "parts");
	putc('[', outer->stream);
	for (i = 0; i < slow->parts; i++) {
		const struct selfmon_slow_moment *const part = &slow->part[i];
		struct selfmon_json json = { outer->stream, "", true };

		fputs(i ? ",\n          {" : "\n          {", json.stream);
		if (part->kind != SELFMON_PART_VISIT)
			selfmon_json_text(&json, "off_cpu", kind[part->kind]);
		else
			selfmon_json_text(&json, "region", part->region);
		selfmon_json_integer(&json, "begin_ns", part->begin_ns);
		selfmon_json_integer(&json, "ns", part->ns);
		putc('}', json.stream);
	}
	fputs(i ? "\n        ]" : "]", outer->stream);
}

static void put_slow_off_cpu(struct selfmon_json *outer,
			     const struct selfmon_slow *slow)
{
	struct selfmon_json json = { outer->stream, "", true };

	if (!slow->off_known) {
		selfmon_json_null(outer, "off_cpu");
		return;
	}
	selfmon_json_key(outer, "off_cpu");
	putc('{', json.stream);
	selfmon_json_integer(&json, "blocked_ns", slow->off_cpu.blocked_ns);
	selfmon_json_integer(&json, "blocked", slow->off_cpu.blocked);
	selfmon_json_integer(&json, "preempted_ns", slow->off_cpu.preempted_ns);
	selfmon_json_integer(&json, "preempted", slow->off_cpu.preempted);
	putc('}', json.stream);
}

static void put_slow_counters(struct selfmon_json *outer,
			      const struct selfmon_report *report,
			      const struct selfmon_slow *slow)
{
	FILE *const stream = outer->stream;
	const char *between = "";
	size_t i;

	selfmon_json_key(outer, "counters");
	putc('{', stream);
	for (i = 0; i < report->columns; i++) {
		if (!(slow->values >> i & 1))
			continue;
		fputs(between, stream);
		selfmon_output_json(stream, report->column[i].name);
		fprintf(stream, ": %" PRIu64, slow->value[i]);
		between = ", ";
	}
	putc('}', stream);
}

static void put_slow_visit(FILE *stream, const struct selfmon_report *report,
			   const struct selfmon_slow *slow)
{
	struct selfmon_json json = { stream, "", true };
	char when[32];

	putc('{', stream);
	selfmon_json_text(&json, "region", slow->region);
	selfmon_json_integer(&json, "ns", slow->ns);
	selfmon_json_integer(&json, "begin_ns", slow->begin_ns);
	selfmon_utc_write(when, sizeof(when), slow->ended_ns / 1000000000);
	selfmon_json_text(&json, "ended", when);
	selfmon_json_integer(&json, "ended_ns", slow->ended_ns);
	selfmon_json_integer(&json, "tid", slow->tid);
	if (slow->cpu == UINT32_MAX)
		selfmon_json_null(&json, "cpu");
	else
		selfmon_json_integer(&json, "cpu", slow->cpu);
	selfmon_json_boolean(&json, "migrated",
			     slow->flags & SELFMON_SLOW_MOVED);
	selfmon_json_boolean(&json, "detached", slow->flags & SELFMON_SLOW_ALONE);
	selfmon_json_boolean(&json, "suspended",
			     slow->flags & SELFMON_SLOW_RESUMED);
	selfmon_json_boolean(&json, "overwritten",
			     slow->flags & SELFMON_SLOW_OVERWRITTEN);
	selfmon_json_integer(&json, "known_from_ns", slow->known_ns);
	selfmon_json_integer(&json, "least_part_ns", slow->listed_ns);
	put_slow_off_cpu(&json, slow);
	put_slow_counters(&json, report, slow);
	selfmon_json_integer(&json, "inner", slow->inner);
	put_moments(&json, slow);
	putc('}', stream);
}

void selfmon_json_slowest(struct selfmon_json *outer,
			  const struct selfmon_report *report)
{
	size_t i;

	if (!report->slow) {
		selfmon_json_null(outer, "slowest");
		selfmon_json_boolean(outer, "slowest_incomplete", false);
		return;
	}
	selfmon_json_key(outer, "slowest");
	putc('[', outer->stream);
	for (i = 0; i < report->slow->visits; i++) {
		fputs(i ? ",\n    " : "\n    ", outer->stream);
		put_slow_visit(outer->stream, report, &report->slow->visit[i]);
	}
	fputs("\n  ]", outer->stream);
	selfmon_json_boolean(outer, "slowest_incomplete",
			     report->slow->incomplete);
}
