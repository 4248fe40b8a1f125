/* SPDX-License-Identifier: MIT */
/*
 * Prints the slowest visits of at most 10 regions: the regions whose slowest
 * visit exceeds the mean time of the region by the most. For each region,
 * prints at most three visits with the main causes of their time.
 */
#include "report/text_slowest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/number.h"
#include "report/slow_visits.h"
#include "report/text_cell.h"
#include "report/text_line.h"

#define REGIONS_SHOWN 10
#define VISITS_SHOWN 3
#define NAMES_SHOWN 4
#define NAME_COLUMNS 40

struct slow_region {
	const struct selfmon_slow *visit;
	size_t visits;
	double usual_ns, excess_ns;
};

/*
 * One cause of a visit's duration: all visits with the same name directly
 * inside it.
 */
struct slow_cause {
	const char *name;
	uint64_t ns, times;
};

/* ---- regions ------------------------------------------------------------- */

/*
 * Returns the mean time of the region's visits, over all its nodes. report has
 * all rows, also those that are not shown.
 */
static double mean_of(const struct selfmon_report *report, const char *name)
{
	const struct selfmon_report *part[2] = { report, report->async };
	double ns = 0, visits = 0;
	size_t i, k;

	for (k = 0; k < 2 && part[k]; k++)
		for (i = 0; i < part[k]->rows; i++) {
			const struct selfmon_row *const row = &part[k]->row[i];

			if (!row->name || strcmp(row->name, name))
				continue;
			ns += row->time.net;
			visits += (double)row->measured;
		}
	return visits > 0 ? ns / visits : 0;
}

static int compare_regions(const void *a, const void *b)
{
	const struct slow_region *const x = a, *const y = b;

	return (x->excess_ns < y->excess_ns) - (x->excess_ns > y->excess_ns);
}

static size_t find_regions(const struct selfmon_text *text,
			   struct slow_region *region)
{
	const struct selfmon_slow_list *const slow = text->report->slow;
	size_t i, n = 0;

	for (i = 0; i < slow->visits; i++) {
		const struct selfmon_slow *const visit = &slow->visit[i];

		if (n && !strcmp(region[n - 1].visit->region, visit->region)) {
			region[n - 1].visits++;
			continue;
		}
		region[n].visit = visit;
		region[n].visits = 1;
		region[n].usual_ns = mean_of(text->viewed->whole,
					      visit->region);
		region[n].excess_ns = (double)visit->ns - region[n].usual_ns;
		n++;
	}
	qsort(region, n, sizeof(*region), compare_regions);
	return n;
}

/* ---- one visit ----------------------------------------------------------- */

static int compare_causes(const void *a, const void *b)
{
	const struct slow_cause *const x = a, *const y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static size_t find_slow_causes(const struct selfmon_slow *slow,
			  struct slow_cause cause[SELFMON_SLOW_PARTS])
{
	size_t i, k, n = 0;

	for (i = 0; i < slow->parts; i++) {
		const struct selfmon_slow_moment *const part = &slow->part[i];

		if (part->kind != SELFMON_PART_VISIT || !part->outermost)
			continue;
		for (k = 0; k < n && strcmp(cause[k].name, part->region); k++)
			;
		if (k == n)
			cause[n++] = (struct slow_cause){ part->region, 0, 0 };
		cause[k].ns += part->ns;
		cause[k].times++;
	}
	qsort(cause, n, sizeof(*cause), compare_causes);
	return n;
}

static void say_ns(struct selfmon_text *text, double ns)
{
	char number[SELFMON_NUMBER_SIZE];

	selfmon_number_time(number, ns, 3);
	selfmon_text_say_number(text, number);
}

static void say_times(struct selfmon_text *text, uint64_t times, bool all)
{
	if (times > 1)
		selfmon_text_say(text, all ? " (%llu times)"
					   : " (at least %llu times)",
				 (unsigned long long)times);
}

static void say_slow_off_cpu(struct selfmon_text *text, const char *name,
			     uint64_t ns, uint64_t times, bool all)
{
	if (!times)
		return;
	selfmon_text_say(text, ", %s ", name);
	say_ns(text, (double)ns);
	say_times(text, times, all);
}

static void say_slow_causes(struct selfmon_text *text,
		       const struct selfmon_slow *slow)
{
	struct slow_cause cause[SELFMON_SLOW_PARTS];
	const size_t n = find_slow_causes(slow, cause);
	const bool overwritten = slow->flags & SELFMON_SLOW_OVERWRITTEN;
	const bool partly = overwritten || slow->inner > slow->parts;
	struct selfmon_cell name;
	size_t i;

	for (i = 0; i < n && i < NAMES_SHOWN; i++) {
		name = (struct selfmon_cell){ .bytes = 0 };
		selfmon_cell_add(&name, cause[i].name, NAME_COLUMNS);
		selfmon_text_say(text, "%s%s ",
				 i	  ? ", "
				 : partly ? "; inside at least: "
					  : "; inside: ",
				 name.text);
		say_ns(text, (double)cause[i].ns);
		/* visits too short to be listed are not counted */
		say_times(text, cause[i].times, false);
	}
	if (n > NAMES_SHOWN)
		selfmon_text_say(text, ", %zu more", n - NAMES_SHOWN);
	if (slow->inner > slow->parts)
		selfmon_text_say(text,
				 "; only the %zu longest of %s%llu parts are "
				 "known",
				 slow->parts, overwritten ? "more than " : "",
				 (unsigned long long)slow->inner);
	if (overwritten && !slow->known_ns) {
		/* from JSON of an older library */
		selfmon_text_say(text, "; only its last visits are known");
	} else if (overwritten) {
		selfmon_text_say(text, "; parts that ended in its first ");
		say_ns(text, (double)slow->known_ns);
		selfmon_text_say(text, " are unknown");
	}
	if (slow->listed_ns) {
		selfmon_text_say(text, "; parts shorter than ");
		say_ns(text, (double)slow->listed_ns);
		selfmon_text_say(text, " may be missing");
	}
	if (slow->flags & SELFMON_SLOW_RESUMED)
		selfmon_text_say(text, "; suspended for a part of it");
}

static void put_slow_line(struct selfmon_text *text,
			  const struct selfmon_slow *slow)
{
	char number[SELFMON_NUMBER_SIZE], label[SELFMON_NUMBER_SIZE + 8];

	selfmon_number_time(number, (double)slow->ns, 4);
	snprintf(label, sizeof(label), "%12s", number);
	selfmon_text_begin(text, label, 14);
	selfmon_text_say(text, "after ");
	say_ns(text, (double)slow->begin_ns);
	selfmon_text_say(text, ", thread %u", slow->tid);
	if (slow->cpu != UINT32_MAX)
		selfmon_text_say(text, ", CPU %u", slow->cpu);
	say_slow_off_cpu(text, "blocked", slow->off_cpu.blocked_ns,
			 slow->off_cpu.blocked, slow->off_known);
	say_slow_off_cpu(text, "preempted", slow->off_cpu.preempted_ns,
			 slow->off_cpu.preempted, slow->off_known);
	say_slow_causes(text, slow);
	selfmon_text_end(text);
}

static void put_slow_region(struct selfmon_text *text,
			    const struct slow_region *region)
{
	struct selfmon_cell name = { .bytes = 0 };
	char number[SELFMON_NUMBER_SIZE];
	size_t i;

	selfmon_cell_add(&name, region->visit->region, NAME_COLUMNS);
	fputs(name.text, text->stream);
	selfmon_number_time(number, region->usual_ns, 3);
	fprintf(text->stream, "  (mean %s)\n", number);
	for (i = 0; i < region->visits && i < VISITS_SHOWN; i++)
		put_slow_line(text, &region->visit[i]);
}

int selfmon_text_slowest(struct selfmon_text *text)
{
	const struct selfmon_report *const report = text->report;
	struct slow_region *region;
	size_t i, n;

	if (!report->slow || !report->slow->visits)
		return 0;
	region = calloc(report->slow->visits, sizeof(*region));
	if (!region)
		return -ENOMEM;
	n = find_regions(text, region);
	fputs(report->slow->incomplete
		      ? "\nSlowest visits (another report was taken "
			"during the interval: visits before that report may be "
			"missing)\n\n"
		      : "\nSlowest visits (\"after\": since the library's "
			"first use)\n\n",
	      text->stream);
	for (i = 0; i < n && i < REGIONS_SHOWN; i++)
		put_slow_region(text, &region[i]);
	if (n > REGIONS_SHOWN)
		fprintf(text->stream,
			"%zu more regions, and all visits: json:FILE\n",
			n - REGIONS_SHOWN);
	free(region);
	return 0;
}
