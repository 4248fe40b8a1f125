/* SPDX-License-Identifier: MIT */
/*
 * The table of @offcpu: how long the threads were on a CPU, blocked or
 * preempted in each region. The time on a CPU is the region's net time minus
 * the other two, and at least 0.
 */
#include "report/text_off_cpu.h"

#include "report/number.h"
#include "report/text_cell.h"
#include "report/text_label.h"
#include "report/text_line.h"

#define COLUMN 11

static const char *const off_cpu_heading[] = { "on CPU",    "blocked",
					       "preempted", "off share",
					       "switches",  "preemptions" };
#define HEADINGS (sizeof(off_cpu_heading) / sizeof(off_cpu_heading[0]))

static void put_off_cpu_head(struct selfmon_text *text)
{
	struct selfmon_cell region = { .bytes = 0 };
	size_t i;

	fputs("\nOff the CPU: blocked waits for something, preempted waits for "
	      "a CPU\n\n",
	      text->stream);
	selfmon_cell_add(&region, "region", 6);
	selfmon_text_left(text, &region, text->label_columns);
	for (i = 0; i < HEADINGS; i++)
		selfmon_text_right(text, off_cpu_heading[i], COLUMN + (i > 4));
	selfmon_text_row_end(text);
}

static void put_off_cpu_ns(struct selfmon_text *text, double ns)
{
	char number[SELFMON_NUMBER_SIZE];

	selfmon_number_time(number, ns, 3);
	selfmon_text_right(text, number, COLUMN);
}

static void put_off_cpu_row(struct selfmon_text *text, size_t i)
{
	const struct selfmon_row *const row = &text->report->row[i];
	const double off = (double)(row->blocked_ns + row->preempted_ns);
	const double time = row->time.net;
	char number[SELFMON_NUMBER_SIZE];

	selfmon_label_put(text, i);
	put_off_cpu_ns(text, time > off ? time - off : 0);
	put_off_cpu_ns(text, (double)row->blocked_ns);
	put_off_cpu_ns(text, (double)row->preempted_ns);
	selfmon_number_share(number, off < time ? off / time : off > 0);
	selfmon_text_right(text, number, COLUMN);
	selfmon_number_visits(number, row->switches);
	selfmon_text_right(text, number, COLUMN);
	selfmon_number_visits(number, row->preemptions);
	selfmon_text_right(text, number, COLUMN + 1);
	selfmon_text_row_end(text);
}

void selfmon_text_off_cpu(struct selfmon_text *text)
{
	size_t i;

	if (!text->report->off_cpu)
		return;
	put_off_cpu_head(text);
	for (i = 0; i < text->report->rows; i++)
		if (text->report->row[i].measured)
			put_off_cpu_row(text, i);
}
