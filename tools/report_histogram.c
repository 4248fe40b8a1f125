/* SPDX-License-Identifier: MIT */
#include "report_histogram.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/text.h"
#include "report/text_line.h"
#include "tool.h"

#define BAR 56 /* width of the longest bar */

/* ---- which region --------------------------------------------------------- */

/*
 * Returns true if the row's path ends with this text. Region names may contain
 * a '/'.
 */
static bool is_end_of_path(const struct selfmon_report *report, int32_t i,
			   const char *text, size_t length)
{
	for (; i >= 0; i = report->row[i].parent) {
		const char *const name = report->row[i].name;
		const size_t n = strlen(name);

		if (n > length || memcmp(text + length - n, name, n))
			return false;
		length -= n;
		if (length == 0)
			return true;
		if (text[--length] != '/')
			return false;
	}
	return false;
}

static void say_path(struct selfmon_text *text, int32_t i)
{
	const struct selfmon_row *const row = &text->report->row[i];
	int32_t at;
	uint32_t depth;

	for (depth = 0; depth <= row->depth; depth++) {
		for (at = i; text->report->row[at].depth > depth;)
			at = text->report->row[at].parent;
		selfmon_text_say(text, "%s%s", depth ? "/" : "",
				 text->report->row[at].name);
	}
}

/* ---- tables of a region -------------------------------------------------- */

static void put_bucket(const struct selfmon_bucket *bucket, uint64_t visits,
		       uint64_t most, FILE *stream)
{
	char low[SELFMON_NUMBER_SIZE], high[SELFMON_NUMBER_SIZE];
	char count[SELFMON_NUMBER_SIZE], share[SELFMON_NUMBER_SIZE];
	const double part = (double)bucket->visits / (double)most;
	unsigned int bar = (unsigned int)(part * BAR + 0.5);

	selfmon_number_time(low, bucket->low_ns, 3);
	selfmon_number_time(high, bucket->high_ns, 3);
	selfmon_number_visits(count, bucket->visits);
	selfmon_number_share(share, (double)bucket->visits / (double)visits);
	fprintf(stream, "%8s - %8s  %8s  %6s  ", low, high, count, share);
	for (bar += !bar; bar > 0; bar--)
		putc('#', stream);
	putc('\n', stream);
}

static void put_quantiles(const struct selfmon_report *report, size_t row,
			  FILE *stream)
{
	static const struct {
		const char *name;
		double q;
	} quantile[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 },
			 { "p99.9", 0.999 } };
	char number[SELFMON_NUMBER_SIZE];
	size_t i;

	for (i = 0; i < sizeof(quantile) / sizeof(quantile[0]); i++) {
		selfmon_number_time(number,
				    selfmon_row_quantile(report, row,
							 quantile[i].q), 3);
		fprintf(stream, "%s%s %s", i ? ", " : "", quantile[i].name,
			number);
	}
	selfmon_number_time(number, (double)report->row[row].max_ns, 3);
	fprintf(stream, ", %s %s\n",
		report->row[row].unsure & SELFMON_BOUND_MAX ? "at most"
							    : "longest",
		number);
}

static void put_buckets(const struct selfmon_report *report, size_t row,
			FILE *stream)
{
	struct selfmon_bucket bucket[SELFMON_BUCKETS_MAX];
	const int count = selfmon_row_histogram(report, row, bucket,
						SELFMON_BUCKETS_MAX);
	uint64_t visits = 0, most = 1;
	int i;

	if (count <= 0) {
		fputs("no histogram: its time was not counted, or an older "
		      "library wrote the report\n", stream);
		return;
	}
	for (i = 0; i < count; i++) {
		visits += bucket[i].visits;
		if (bucket[i].visits > most)
			most = bucket[i].visits;
	}
	put_quantiles(report, row, stream);
	for (i = 0; i < count; i++) {
		/*
		 * Prints "..." in place of empty buckets. Gaps of at most 1 %
		 * between two buckets come from rounding.
		 */
		if (i && bucket[i].low_ns > bucket[i - 1].high_ns * 1.01)
			fputs("     ...\n", stream);
		put_bucket(&bucket[i], visits, most, stream);
	}
}

static void put_region(const struct selfmon_report *report, size_t row,
		       FILE *stream)
{
	struct selfmon_text text = { .report = report, .stream = stream };
	const struct selfmon_row *const of = &report->row[row];

	selfmon_text_begin(&text, "", 0);
	say_path(&text, (int32_t)row);
	selfmon_text_say(&text, ": %" PRIu64 " %s", of->visits,
			 of->frames	 ? "frames"
			 : report->spans ? "spans"
					 : "visits");
	if (of->measured < of->visits)
		selfmon_text_say(&text, ", %" PRIu64 " measured", of->measured);
	selfmon_text_end(&text);
	put_buckets(report, row, stream);
}

/*
 * Prints the rows whose path ends with `region`. Returns `found` plus their
 * number.
 */
static size_t put_rows(const struct selfmon_report *report, const char *region,
		       size_t found, FILE *stream)
{
	size_t i;

	for (i = 0; i < report->rows; i++) {
		if (!is_end_of_path(report, (int32_t)i, region,
				    strlen(region)))
			continue;
		if (found++)
			putc('\n', stream);
		put_region(report, i, stream);
	}
	return found;
}

int report_histogram(const struct selfmon_report *report, const char *file,
		     const char *region, FILE *stream)
{
	size_t found = put_rows(report, region, 0, stream);

	if (report->async)
		found = put_rows(report->async, region, found, stream);
	if (!found)
		return tool_fail("report", "%s: no region is named '%s': "
				 "`selfmon report %s` prints all names", file,
				 region, file);
	fputs("\nBuckets are of times as counted; the library's overhead is "
	      "subtracted from the line above them.\n", stream);
	return ferror(stream) ? tool_fail("report", "%s: the output failed",
					  file)
			      : 0;
}
