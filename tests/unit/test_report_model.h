/* SPDX-License-Identifier: MIT */
/* For tests of writers: report models made by hand, and the output for them. */
#ifndef SELFMON_TESTS_REPORT_MODEL_H
#define SELFMON_TESTS_REPORT_MODEL_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/view.h"
#include "report/write.h"
#include "store/state.h"

/*
 * Reports and texts that a test makes. They are freed at its end:
 * TestSuite(..., .fini = model_free).
 */
static struct selfmon_report *model_reports[64];
static char *model_texts[64];
static size_t model_report_count, model_text_count;

static inline struct selfmon_report *model_keep(struct selfmon_report *report)
{
	cr_assert_lt(model_report_count, 64);
	return model_reports[model_report_count++] = report;
}

static inline char *model_keep_text(char *text)
{
	cr_assert_lt(model_text_count, 64);
	return model_texts[model_text_count++] = text;
}

static inline void model_free(void)
{
	while (model_report_count > 0)
		selfmon_report_free(model_reports[--model_report_count]);
	while (model_text_count > 0)
		free(model_texts[--model_text_count]);
}

static inline void model_visit(struct selfmon_stats *stats, uint64_t ticks,
			       uint64_t visits)
{
	const unsigned int b = selfmon_bucket_of_any(ticks);

	stats->sequence += 2 * visits;
	stats->ticks.sum += ticks * visits;
	if (ticks < stats->ticks.min)
		stats->ticks.min = ticks;
	if (ticks > stats->ticks.max)
		stats->ticks.max = ticks;
	if (b < SELFMON_BUCKETS_SHORT)
		stats->histogram[b] += visits;
	else
		stats->long_histogram[b - SELFMON_BUCKETS_SHORT] +=
			(uint32_t)visits;
}

static inline struct selfmon_report *model_make(size_t rows)
{
	struct selfmon_report *report =
		model_keep(calloc(1, sizeof(*report)));

	report->row = calloc(rows + 1, sizeof(*report->row));
	strcpy(report->program, "textstats");
	report->pid = 4242;
	strcpy(report->cpu, "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz");
	strcpy(report->kernel, "Linux 6.1.0-18-amd64 x86_64");
	strcpy(report->when, "2024-05-06T07:08:09Z");
	report->elapsed_ns = 1.234e9;
	strcpy(report->clock, "perf page");
	report->clock_hz = 2900000000;
	report->clock_error_ppm = 2;
	report->every = 1;
	report->threads = report->threads_at_once = 1;
	report->choice = SELFMON_CHOICE_AUTO;
	strcpy(report->events, "auto");
	report->calibrated = true;
	report->inner_ns = 12.3;
	report->inner_ns_spread = 1.1;
	report->outer_ns = 25.6;
	report->outer_ns_spread = 2.2;
	return report;
}

static inline void model_column(struct selfmon_report *report, const char *name,
				enum selfmon_verdict verdict)
{
	struct selfmon_report_column *column =
		&report->column[report->columns++];

	strcpy(column->name, name);
	column->verdict = verdict;
}

static inline void model_value(struct selfmon_quantity *value,
			       enum selfmon_verdict verdict, uint64_t visits,
			       double net, double self)
{
	value->verdict = verdict;
	value->visits = visits;
	if (verdict == SELFMON_NOT_COUNTED)
		return;
	value->sum = (uint64_t)net + 3;
	value->min = (uint64_t)net / (visits ? visits : 1) / 2;
	value->max = (uint64_t)net / (visits ? visits : 1) * 3;
	value->exclusive = (int64_t)self;
	value->net = net;
	value->net_exclusive = self;
	value->noise = 1;
	value->share_on_pmu = verdict == SELFMON_SCALED ? 0.625 : 1;
	value->guessed = verdict == SELFMON_SCALED ? 0.375 : 0;
}

/* Adds the next row. Its depth follows from its parent. */
static inline struct selfmon_row *model_row(struct selfmon_report *report,
					    int32_t parent, const char *name,
					    uint64_t visits, double ns,
					    double self_ns)
{
	struct selfmon_row *row = &report->row[report->rows++];
	const uint64_t mean = visits ? (uint64_t)ns / visits : 0;

	row->name = name;
	row->file = "src/textstats.c";
	row->line = (uint32_t)report->rows * 10;
	row->parent = parent;
	row->depth = parent < 0 ? 0 : report->row[parent].depth + 1;
	row->threads = 1;
	row->visits = row->measured = row->whole = visits;
	row->whole_ns = ns;
	row->exclusive_valid = true;
	model_value(&row->time, SELFMON_EXACT, visits, ns, self_ns);
	row->p50_ns = mean;
	row->p90_ns = mean * 2;
	row->p99_ns = mean * 5 / 2;
	if (parent < 0)
		report->total_ns += ns;
	return row;
}

static inline void model_counter(struct selfmon_row *row, size_t column,
				 enum selfmon_verdict verdict, double net)
{
	model_value(&row->counter[column], verdict, row->visits, net, net / 2);
}

static inline char *model_written(const struct selfmon_report *report,
				  enum selfmon_format format)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	cr_assert_eq(selfmon_report_write(report, format, stream), 0);
	fclose(stream);
	cr_assert_eq(strlen(text), size, "a zero byte is among it");
	return model_keep_text(text);
}

/*
 * Like model_written(), with a view. Options are as in SELFMON_OUTPUT,
 * separated by semicolons.
 */
static inline char *model_viewed(const struct selfmon_report *report,
				 enum selfmon_format format,
				 const char *options)
{
	struct selfmon_view view = { .flat = false };
	char *text = NULL, message[SELFMON_VIEW_MESSAGE_SIZE] = "";
	size_t size = 0, n;
	FILE *stream = open_memstream(&text, &size);

	for (; *options; options += n + (options[n] == ';')) {
		n = strcspn(options, ";");
		cr_assert_eq(selfmon_view_option(&view, options, n, message), 0,
			     "%s", message);
	}
	cr_assert_eq(selfmon_view_check(&view, report, message), 0, "%s",
		     message);
	cr_assert_eq(selfmon_report_write_view(report, format, &view, stream),
		     0);
	fclose(stream);
	return model_keep_text(text);
}

/* Returns a report with four counters and two levels of regions. */
static inline struct selfmon_report *model_counters(void)
{
	static const struct {
		int32_t parent;
		const char *name;
		uint64_t visits;
		double ns, self, value[4];
	} row[] = {
		{ -1, "main", 1, 1.21e9, 3.1e6,
		  { 3.51e9, 7.83e9, 12.4e6, 2.31e6 } },
		{ 0, "split", 50331, 612e6, 612e6,
		  { 1.77e9, 4.91e9, 2.31e6, 402e3 } },
		{ 0, "count words", 50331, 488e6, 488e6,
		  { 1.41e9, 2.42e9, 8.9e6, 1.83e6 } },
		{ 0, "sort", 1, 107e6, 107e6, { 310e6, 480e6, 1.2e6, 71234 } },
		{ -1, "print", 1, 51e3, 51e3, { 148e3, 201e3, 1321, 812 } },
	};
	struct selfmon_report *report = model_make(5);
	size_t i, k;

	report->read_ns = 9;
	model_column(report, "cycles", SELFMON_EXACT);
	model_column(report, "instructions", SELFMON_EXACT);
	model_column(report, "branch-misses", SELFMON_EXACT);
	model_column(report, "cache-misses", SELFMON_EXACT);
	for (i = 0; i < 5; i++) {
		struct selfmon_row *to =
			model_row(report, row[i].parent, row[i].name,
				  row[i].visits, row[i].ns, row[i].self);

		for (k = 0; k < 4; k++)
			model_counter(to, k, SELFMON_EXACT, row[i].value[k]);
	}
	return report;
}

/* Returns a report of a machine without a PMU. */
static inline struct selfmon_report *model_time(void)
{
	struct selfmon_report *report = model_make(3);

	report->choice = SELFMON_CHOICE_NO_USER_READ;
	strcpy(report->hypervisor, "KVM");
	strcpy(report->events_reason,
	       "cycles: this machine shows no PMU to its kernel: a virtual "
	       "machine without one. On the host, give the guest a virtual "
	       "PMU (for QEMU: -cpu host,pmu=on)");
	model_row(report, -1, "main", 1, 1.21e9, 3.1e6);
	model_row(report, 0, "split", 50331, 612e6, 612e6);
	model_row(report, 0, "count words", 50331, 488e6, 488e6);
	return report;
}

/*
 * Returns a report with one row for each byte value except 0, one row with all
 * of them, and longer and stranger names.
 */
static inline struct selfmon_report *model_hostile(void)
{
	static char single[255][2], all[256], longest[10001];
	static const char *const odd[] = {
		"", "a\nb\r\nc", "say \"hello, world\"", "a,b;c\td", "C:\\x\\n",
		"a/b\\/c", "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", "e\xcc\x81",
		("\xe2\x80\xae" "evil"), "\xe6\xbc\xa2\xe5\xad\x97",
		"\xf0\x9f\x98\x80", "\xc3", "\xed\xa0\x80", "\xc0\xaf",
		"\xf4\x90\x80\x80", "=1+1", "\x1b[31mred", "</script>",
		"\xe2\x80\xa8",
	};
	struct selfmon_report *report = model_make(300);
	size_t i;

	model_column(report, "cycles", SELFMON_EXACT);
	for (i = 0; i < 255; i++) {
		all[i] = single[i][0] = (char)(i + 1);
		model_row(report, -1, single[i], 1, 100, 100);
	}
	model_row(report, -1, all, 1, 100, 100);
	memset(longest, 'x', 10000);
	model_row(report, -1, longest, 1, 100, 100);
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		model_row(report, 0, odd[i], 1, 100, 100)->file = odd[i];
	strcpy(report->program, "\xff\x1b[2J\"evil\n");
	strcpy(report->note[report->notes++], "unknown variable SELFMON_EVRY "
	       "(did you mean SELFMON_EVERY?)");
	return report;
}

#endif
