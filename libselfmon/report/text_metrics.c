/* SPDX-License-Identifier: MIT */
#include "report/text_metrics.h"

#include "report/metric.h"
#include "report/metric_name.h"
#include "report/metric_value.h"
#include "report/text.h"
#include "report/text_line.h"
#include "report/text_value.h"

#define REASONS_MAX 8

static unsigned int operand_marks(struct selfmon_text *text,
				  const struct selfmon_row *row, int operand)
{
	if (operand < SELFMON_OF_TIME)
		return 0;
	return selfmon_value_marks(text, row, operand);
}

unsigned int selfmon_ratio_marks(struct selfmon_text *text,
				 const struct selfmon_row *row,
				 const struct selfmon_ratio *ratio)
{
	return operand_marks(text, row, ratio->of) |
	       operand_marks(text, row, ratio->by);
}

/*
 * Counts the rows that have no value of the metric although its events are
 * present.
 */
static size_t count_absent(const struct selfmon_text *text,
			   const struct selfmon_ratio *ratio,
			   struct selfmon_ratio_value *first)
{
	const struct selfmon_report *report = text->report;
	struct selfmon_ratio_value value;
	size_t absent = 0, i;

	for (i = 0; i < report->rows; i++) {
		selfmon_ratio_of(report, &report->row[i], ratio, &value);
		if (value.absence == SELFMON_PRESENT ||
		    value.absence == SELFMON_ABSENT_EVENT)
			continue;
		if (!absent++)
			*first = value;
	}
	return absent;
}

void selfmon_text_metric_reasons(struct selfmon_text *text)
{
	char name[SELFMON_METRIC_NAME_SIZE];
	struct selfmon_ratio_value value;
	struct selfmon_ratios ratios;
	size_t told = 0, i;

	selfmon_ratios_find(text->report, &ratios);
	for (i = 0; i < ratios.count && told < REASONS_MAX; i++) {
		const size_t absent =
			count_absent(text, &ratios.ratio[i], &value);

		if (!absent)
			continue;
		selfmon_ratio_name(text->report, &ratios.ratio[i], name);
		selfmon_text_begin(text, "  -", 4);
		selfmon_text_say(text, "%s", name);
		if (absent > 1)
			selfmon_text_say(text, " of %zu regions, the first:",
					 absent);
		selfmon_text_say(text, "%s %s", absent > 1 ? "" : ":",
				 value.reason);
		selfmon_text_end(text);
		told++;
	}
}
