/* SPDX-License-Identifier: MIT */
#include "trace_summary.h"

#include <errno.h>
#include <stdlib.h>

#include "platform/escape.h"
#include "tool.h"
#include "trace_label.h"

struct longest {
	const struct trace_visit *visit;
	const struct trace_track *track;
	uint64_t visits, ns;
	uint32_t region;
};

static int by_time(const void *left, const void *right)
{
	const struct longest *const a = left, *const b = right;

	return a->ns < b->ns ? 1 : -(a->ns > b->ns);
}

static void take_track(struct longest *longest,
		       const struct trace_track *track)
{
	uint32_t i;

	for (i = 0; i < track->visits; i++) {
		const struct trace_visit *const visit = &track->visit[i];
		struct longest *const of = &longest[visit->region];
		const uint64_t ns = visit->end - visit->begin;

		of->region = visit->region;
		of->visits++;
		of->ns += ns;
		if (!of->visit || ns > of->visit->end - of->visit->begin) {
			of->visit = visit;
			of->track = track;
		}
	}
}

/* Writes a time. width is for the number, unit_width for the unit. */
static void put_time(FILE *to, uint64_t ns, int width, int unit_width)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} unit[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };
	size_t i;

	for (i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
		if (ns >= unit[i].ns) {
			fprintf(to, "%*.3f %-*s", width,
				(double)ns / (double)unit[i].ns, unit_width,
				unit[i].name);
			return;
		}
	fprintf(to, "%*llu ns", width, (unsigned long long)ns);
}

static void put_duration(FILE *to, uint64_t ns)
{
	put_time(to, ns, 9, 2);
}

static void put_short(FILE *to, uint64_t ns)
{
	put_time(to, ns, 0, 0);
}

static void put_region(const struct trace *trace, const struct longest *of,
		       FILE *to)
{
	char label[TRACE_LABEL_SIZE];

	fprintf(to, "%12llu ", (unsigned long long)of->visits);
	put_duration(to, of->ns);
	put_duration(to, of->visit->end - of->visit->begin);
	fputs(" at ", to);
	put_duration(to, of->visit->begin);
	fputs("  ", to);
	selfmon_output_text(to, trace_visit_name(trace, of->visit));
	fputs(", ", to);
	selfmon_output_text(to, trace_label(trace, of->track, of->visit->lane,
					    label));
	fputs("\n", to);
}

static bool has_visits(const struct trace_track *track)
{
	return track->kind == TRACE_THREAD || track->kind == TRACE_FIBER ||
	       track->kind == TRACE_SPANS;
}

static void put_tracks(const struct trace *trace, FILE *to)
{
	char label[TRACE_LABEL_SIZE];
	size_t i;

	fprintf(to, "%12s  track\n", "visits");
	for (i = 0; i < trace->tracks; i++) {
		if (!has_visits(&trace->track[i]) || !trace->track[i].visits)
			continue;
		fprintf(to, "%12lu  ", (unsigned long)trace->track[i].visits);
		selfmon_output_text(to, trace_label(trace, &trace->track[i], 0,
						    label));
		fputs("\n", to);
	}
}

static void put_bursts(const struct trace *trace, FILE *to)
{
	if (!trace->longer) { /* the file has no entry that states the limit */
		fprintf(to, "only around slow visits: %llu bursts, of which "
			"the slow visits were lost\n",
			(unsigned long long)trace->bursts);
		return;
	}
	fprintf(to, "only around visits that lasted longer than ");
	put_short(to, trace->limit_ns[0]);
	if (trace->limit_ns[1] / 1000 != trace->limit_ns[0] / 1000) {
		fputs(" to ", to);
		put_short(to, trace->limit_ns[1]);
	}
	fprintf(to, ": %llu such visits in %llu bursts\n",
		(unsigned long long)trace->longer,
		(unsigned long long)trace->bursts);
}

int trace_write_summary(const struct trace *trace, FILE *to)
{
	struct longest *const longest =
		calloc(trace->regions + 1, sizeof(*longest));
	size_t i;

	if (!longest)
		return -ENOMEM;
	tool_line(to, "%s, pid %d: %llu visits in %.3f s%s", trace->program,
		  trace->pid, (unsigned long long)trace->visits,
		  (double)trace->ns / 1e9,
		  trace->cut_off ? "; the process did not end the trace: its "
				   "last visits are missing"
				 : "");
	if (trace->lost)
		tool_line(to, "%llu entries are missing (%.2g %%): the threads "
			  "were faster than the trace's writer",
			  (unsigned long long)trace->lost,
			  100. * (double)trace->lost /
				  (double)(trace->lost + trace->visits));
	if (trace->bursts)
		put_bursts(trace, to);
	put_tracks(trace, to);
	for (i = 0; i < trace->tracks; i++)
		if (has_visits(&trace->track[i]))
			take_track(longest, &trace->track[i]);
	qsort(longest, trace->regions, sizeof(*longest), by_time);
	fprintf(to, "%12s %12s%12s %15s  region, track of the longest\n",
		"visits", "time", "longest", "from the start");
	for (i = 0; i < trace->regions && longest[i].visits; i++)
		put_region(trace, &longest[i], to);
	free(longest);
	return 0;
}
