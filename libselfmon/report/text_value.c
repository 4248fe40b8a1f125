/* SPDX-License-Identifier: MIT */
#include "report/text_value.h"

#include <math.h>

#include "report/text.h"

double selfmon_value_net(const struct selfmon_quantity *quantity)
{
	if (quantity->verdict == SELFMON_NOT_COUNTED)
		return (double)NAN;
	return quantity->net < 0 ? 0 : quantity->net;
}

static void remember_share(struct selfmon_text *text, double share)
{
	if (share < text->share_least)
		text->share_least = share;
	if (share > text->share_most)
		text->share_most = share;
}

unsigned int selfmon_value_marks(struct selfmon_text *text,
				 const struct selfmon_row *row, int column)
{
	const struct selfmon_quantity *value =
		column < 0 ? &row->time : &row->counter[column];
	unsigned int marks = 0;

	if (value->verdict == SELFMON_NOT_COUNTED)
		return SELFMON_MARK_DASH;
	if (value->visits < row->measured)
		marks |= SELFMON_MARK_LEFT_OUT;
	if (value->verdict == SELFMON_SCALED) {
		marks |= SELFMON_MARK_SCALED;
		remember_share(text, value->share_on_pmu);
	}
	if (!isfinite(value->net) || value->net < 0 ||
	    (value->noise > 0 && value->net <= value->noise))
		marks |= SELFMON_MARK_NOISE;
	if (column >= 0 && value->verdict == SELFMON_SYSCALL &&
	    text->report->column[column].verdict == SELFMON_EXACT)
		marks |= SELFMON_MARK_SYSCALL;
	return marks;
}
