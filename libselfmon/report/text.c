/* SPDX-License-Identifier: MIT */
/*
 * The report as a page of text: UTF-8, paragraphs of at most 100 terminal
 * columns, tables of at most 120. Who and how first, then the tables, then what
 * to know about them.
 */
#include "report/text.h"

#include <stdlib.h>

int selfmon_report_text(const struct selfmon_viewed *viewed, FILE *stream)
{
	struct selfmon_text text = { .report = viewed->report,
				     .viewed = viewed,
				     .stream = stream,
				     .share_least = 1 };
	int error;

	selfmon_text_header(&text);
	if (!viewed->rows) {
		fputs("\nNo region was visited.\n", stream);
		return 0;
	}
	selfmon_label_prepare(&text);
	selfmon_text_times(&text);
	selfmon_text_folded(&text);
	selfmon_text_other_threads(&text);
	error = selfmon_text_hot(&text);
	selfmon_text_counters(&text);
	selfmon_text_legend(&text);
	selfmon_text_notes(&text);
	free(text.located);
	return error;
}
