/* SPDX-License-Identifier: MIT */
/*
 * The report as a page of text: UTF-8, at most 100 terminal columns wide.
 * Who and how first, then the tables, then what to know about them.
 */
#include "report/text.h"

#include <stdlib.h>

void selfmon_report_text(const struct selfmon_report *report, FILE *stream)
{
	struct selfmon_text text = { .report = report,
				     .stream = stream,
				     .share_least = 1 };

	selfmon_text_header(&text);
	if (!report->rows) {
		fputs("\nNo region was visited.\n", stream);
		return;
	}
	selfmon_label_prepare(&text);
	selfmon_text_times(&text);
	selfmon_text_counters(&text);
	selfmon_text_legend(&text);
	selfmon_text_notes(&text);
	free(text.located);
}
