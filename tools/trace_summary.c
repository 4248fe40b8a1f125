/* SPDX-License-Identifier: MIT */
#include "trace_summary.h"

#include <errno.h>
#include <stdlib.h>

#include "platform/escape.h"
#include "tool.h"
#include "trace_label.h"
#include "trace_sums.h"

/* Maximum number of tracks in the list, unless the user requests all. */
#define TRACKS_MAX 20

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
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

static void put_region(const struct trace *trace, const struct trace_sum *of,
		       FILE *to)
{
	char label[TRACE_LABEL_SIZE];

	fprintf(to, "%12llu ", (unsigned long long)of->visits);
	if (trace->longer)
		fprintf(to, "%11llu ", (unsigned long long)of->longer);
	put_duration(to, of->ns);
	put_duration(to, of->longest->end - of->longest->begin);
	fputs(" at ", to);
	put_duration(to, of->longest->begin);
	fputs("  ", to);
	selfmon_output_text(to, trace_visit_name(trace, of->longest));
	fputs(", ", to);
	selfmon_output_text(to, trace_label(trace, of->track, of->longest->lane,
					    label));
	fputs("\n", to);
}

static int put_regions(const struct trace *trace, FILE *to)
{
	size_t sums, i;
	struct trace_sum *const sum = trace_sums_of(trace, &sums);

	if (!sum)
		return -ENOMEM;
	fprintf(to, "%12s ", "visits");
	if (trace->longer)
		fprintf(to, "%11s ", "longer");
	fprintf(to, "%12s%12s %15s  region, track of the longest\n", "time",
		"longest", "from the start");
	for (i = 0; i < sums; i++)
		put_region(trace, &sum[i], to);
	free(sum);
	return 0;
}

static int by_visits(const void *left, const void *right)
{
	const struct trace_track *const *const a = left, *const *const b = right;

	if ((*a)->visits != (*b)->visits)
		return (*a)->visits < (*b)->visits ? 1 : -1;
	return *a < *b ? -1 : *a > *b;
}

/*
 * Fills `track` with the tracks that have visits, the one with the most visits
 * first. Returns their number.
 */
static size_t list_tracks(const struct trace *trace,
			  const struct trace_track **track)
{
	size_t tracks = 0, i;

	for (i = 0; i < trace->tracks; i++)
		if (trace_has_visits(&trace->track[i]) &&
		    trace->track[i].visits)
			track[tracks++] = &trace->track[i];
	qsort(track, tracks, sizeof(*track), by_visits);
	return tracks;
}

static int put_tracks(const struct trace *trace, bool all, FILE *to)
{
	const struct trace_track **const track =
		calloc(trace->tracks + 1, sizeof(*track));
	char label[TRACE_LABEL_SIZE];
	unsigned long long more = 0;
	size_t tracks, shown, i;

	if (!track)
		return -ENOMEM;
	tracks = list_tracks(trace, track);
	shown = all || tracks < TRACKS_MAX ? tracks : TRACKS_MAX;
	fprintf(to, "%12s  track\n", "visits");
	for (i = 0; i < shown; i++) {
		fprintf(to, "%12lu  ", (unsigned long)track[i]->visits);
		selfmon_output_text(to,
				    trace_label(trace, track[i], 0, label));
		fputs("\n", to);
	}
	for (; i < tracks; i++)
		more += track[i]->visits;
	if (more)
		fprintf(to, "%12llu  on %zu more track%s; to see all: selfmon "
			"trace --all\n",
			more, tracks - shown, plural(tracks - shown));
	free(track);
	return 0;
}

static void put_bursts(const struct trace *trace, FILE *to)
{
	if (!trace->longer) { /* the file has no entry that states the limit */
		fprintf(to, "only around slow visits: %llu burst%s, of which "
			"the slow visits were lost\n",
			(unsigned long long)trace->bursts,
			plural(trace->bursts));
		return;
	}
	fprintf(to, "only around visits that lasted longer than ");
	put_short(to, trace->limit_ns[0]);
	if (trace->limit_ns[1] / 1000 != trace->limit_ns[0] / 1000) {
		fputs(" to ", to);
		put_short(to, trace->limit_ns[1]);
	}
	fprintf(to, ": %llu such visit%s in %llu burst%s\n",
		(unsigned long long)trace->longer, plural(trace->longer),
		(unsigned long long)trace->bursts, plural(trace->bursts));
}

int trace_write_summary(const struct trace *trace, bool all, FILE *to)
{
	int error;

	tool_line(to, "%s, pid %d: %llu visit%s in %.3f s%s", trace->program,
		  trace->pid, (unsigned long long)trace->visits,
		  plural(trace->visits), (double)trace->ns / 1e9,
		  trace->cut_off ? "; the process did not end the trace: its "
				   "last visits are missing"
				 : "");
	if (trace->lost)
		tool_line(to, "%llu entr%s missing (%.2g %%): the threads "
			  "were faster than the trace's writer",
			  (unsigned long long)trace->lost,
			  trace->lost == 1 ? "y is" : "ies are",
			  100. * (double)trace->lost /
				  (double)(trace->lost + trace->visits));
	if (trace->bursts)
		put_bursts(trace, to);
	error = put_regions(trace, to);
	return error ? error : put_tracks(trace, all, to);
}
