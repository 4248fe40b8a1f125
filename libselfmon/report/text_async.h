/* SPDX-License-Identifier: MIT */
/* The table of detached spans of a text report. */
#ifndef SELFMON_REPORT_TEXT_ASYNC_H
#define SELFMON_REPORT_TEXT_ASYNC_H

#include "report/text.h"

/* Prints nothing if there were no detached spans. */
SELFMON_COLD
void selfmon_text_async(struct selfmon_text *text);

#endif
