/* SPDX-License-Identifier: MIT */
/*
 * Writes the report as text in UTF-8: header, tables, notes. Paragraphs have at
 * most 100 terminal columns, tables at most 120.
 */
#include "report/text.h"

#include <stdlib.h>

#include "report/text_async.h"
#include "report/text_counters.h"
#include "report/text_frames.h"
#include "report/text_header.h"
#include "report/text_label.h"
#include "report/text_notes.h"
#include "report/text_rows.h"
#include "report/text_table.h"
#include "report/text_off_cpu.h"
#include "report/text_samples.h"
#include "report/text_slowest.h"
#include "report/text_suspended.h"
#include "report/text_units.h"

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
		selfmon_text_frames(&text);
		error = selfmon_text_slowest(&text);
		selfmon_text_async(&text);
		return error;
	}
	selfmon_label_prepare(&text);
	selfmon_text_times(&text);
	selfmon_text_folded(&text);
	selfmon_text_other_threads(&text);
	selfmon_text_frames(&text);
	error = selfmon_text_hot(&text);
	selfmon_text_counters(&text);
	selfmon_text_units(&text);
	selfmon_text_off_cpu(&text);
	selfmon_text_samples(&text);
	if (!error)
		error = selfmon_text_slowest(&text);
	selfmon_text_suspended(&text);
	selfmon_text_async(&text);
	selfmon_text_legend(&text);
	selfmon_text_notes(&text);
	free(text.located);
	return error;
}
