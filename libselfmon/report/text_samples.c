/* SPDX-License-Identifier: MIT */
/*
 * The table of samples: the number of samples in each region, and how much of
 * the region's self time they stand for. Functions are not shown, because only
 * the program selfmon reads symbol tables.
 */
#include "report/text_samples.h"

#include "platform/escape.h"
#include "report/number.h"
#include "report/samples.h"
#include "report/text_cell.h"
#include "report/text_label.h"
#include "report/text_line.h"

#define COLUMN 11

static const char *const sample_heading[] = { "samples", "share",
					      "with inner", "share", "seen" };
#define SAMPLE_HEADINGS (sizeof(sample_heading) / sizeof(sample_heading[0]))

static void put_period(FILE *stream, const struct selfmon_samples *samples)
{
	char number[SELFMON_NUMBER_SIZE];

	if (samples->frequency) {
		fprintf(stream, ", %u a second", samples->frequency);
	} else if (selfmon_samples_of_clock(samples)) {
		selfmon_number_time(number, (double)samples->period, 3);
		fprintf(stream, ", one per %s of CPU time", number);
	} else if (samples->period > 1) {
		fprintf(stream, ", one per %llu events",
			(unsigned long long)samples->period);
	}
	if (samples->asked)
		fputs(" (limited: samples would take over a twentieth of the "
		      "time)", stream);
}

static void put_samples_head(struct selfmon_text *text,
			     const struct selfmon_samples *samples)
{
	struct selfmon_cell region = { .bytes = 0 };
	char number[SELFMON_NUMBER_SIZE];
	size_t i;

	selfmon_number_visits(number, samples->taken);
	fputs("\nSamples of ", text->stream);
	selfmon_output_text(text->stream, samples->event);
	fprintf(text->stream, ": %s", number);
	put_period(text->stream, samples);
	if (samples->cost_ns > 0) {
		selfmon_number_time(number, samples->cost_ns, 3);
		fprintf(text->stream, "; each took %s, subtracted", number);
	}
	fputs("\n\n", text->stream);
	selfmon_cell_add(&region, "region", 6);
	selfmon_text_left(text, &region, text->label_columns);
	for (i = 0; i < SAMPLE_HEADINGS; i++)
		selfmon_text_right(text, sample_heading[i], COLUMN);
	selfmon_text_row_end(text);
}

/*
 * Prints the ratio of two times: samples times period, and the region's self
 * time. The ratio is less than 1 if the thread was in the kernel or off the
 * CPU. If there are more samples than expected by over 4 standard deviations,
 * the period is in step with the program, so the shares of samples are wrong.
 * The standard deviation is the square root of the expected number.
 */
static void put_seen(struct selfmon_text *text, const struct selfmon_row *row,
		     const struct selfmon_samples *samples)
{
	const double ns = row->time.net_exclusive;
	const double expected = ns / (double)samples->period;
	const double n = (double)row->samples, above = n - expected - 1;
	char number[SELFMON_NUMBER_SIZE + 1];

	if (!selfmon_samples_of_clock(samples) || !row->exclusive_valid || !(ns > 0) ||
	    expected < 1) {
		selfmon_text_right(text, "-", COLUMN);
		return;
	}
	selfmon_number_share(number, n / expected);
	selfmon_text_right(text, number, COLUMN);
	if (above > 0 && above * above > 16 * expected) {
		fputs(" !", text->stream);
		text->in_step = true;
	}
}

static void put_samples_row(struct selfmon_text *text, size_t i,
			    const struct selfmon_samples *samples)
{
	const struct selfmon_row *const row = &text->report->row[i];
	const double all = samples->taken ? (double)samples->taken : 1;
	char number[SELFMON_NUMBER_SIZE];

	selfmon_label_put(text, i);
	selfmon_number_visits(number, row->samples);
	selfmon_text_right(text, number, COLUMN);
	selfmon_number_share(number, (double)row->samples / all);
	selfmon_text_right(text, number, COLUMN);
	selfmon_number_visits(number, row->samples_within);
	selfmon_text_right(text, number, COLUMN);
	selfmon_number_share(number, (double)row->samples_within / all);
	selfmon_text_right(text, number, COLUMN);
	put_seen(text, row, samples);
	selfmon_text_row_end(text);
}

static void put_left_out(FILE *stream, const struct selfmon_samples *samples)
{
	if (samples->outside)
		fprintf(stream, "%llu samples were outside of all regions.\n",
			(unsigned long long)samples->outside);
	if (samples->lost)
		fprintf(stream,
			"%llu samples have no call stack: a ring was full. "
			"Use a larger one\n(SELFMON_SAMPLE=...,ring=1024k), "
			"or shorter regions.\n",
			(unsigned long long)samples->lost);
	if (samples->lost_more)
		fprintf(stream,
			"%llu thread%s lost an unknown number of further "
			"samples: the ring was full at the end\n"
			"(use ring=1024k), or the kernel throttled the event "
			"(kernel.perf_event_max_sample_rate).\n",
			(unsigned long long)samples->lost_more,
			samples->lost_more == 1 ? "" : "s");
	if (samples->unstored)
		fprintf(stream,
			"%llu samples have no call stack: 4 MiB of stacks are "
			"the limit of a process.\n",
			(unsigned long long)samples->unstored);
}

void selfmon_text_samples(struct selfmon_text *text)
{
	const struct selfmon_samples *const samples = text->report->samples;
	size_t i;

	if (!samples)
		return;
	put_samples_head(text, samples);
	for (i = 0; i < text->report->rows; i++)
		if (text->report->row[i].measured ||
		    text->report->row[i].samples_within)
			put_samples_row(text, i, samples);
	fputc('\n', text->stream);
	if (selfmon_samples_of_clock(samples))
		fputs("Seen is the part of a region's own time that its "
		      "samples stand for; the rest was in the\nkernel or off "
		      "the CPU.\n", text->stream);
	if (text->in_step)
		fputs("  ! more samples than the time allows: the period is in "
		      "step with the program; use another period\n",
		      text->stream);
	put_left_out(text->stream, samples);
	fputs("Functions and lines: selfmon report --samples FILE, with "
	      "SELFMON_OUTPUT=json:FILE\n", text->stream);
}
