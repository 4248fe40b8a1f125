/* SPDX-License-Identifier: MIT */
/* The clock, in the header of a text report. */
#ifndef SELFMON_REPORT_TEXT_CLOCK_H
#define SELFMON_REPORT_TEXT_CLOCK_H

#include "report/text.h"

void selfmon_text_say_time(struct selfmon_text *text, const char *before,
			   double ns, const char *after);
SELFMON_COLD
void selfmon_text_clock(struct selfmon_text *text);

#endif
