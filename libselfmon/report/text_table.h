/* SPDX-License-Identifier: MIT */
/* The table of times of a text report. */
#ifndef SELFMON_REPORT_TEXT_TABLE_H
#define SELFMON_REPORT_TEXT_TABLE_H

#include "report/text.h"

SELFMON_COLD
void selfmon_text_times(struct selfmon_text *text);

#endif
