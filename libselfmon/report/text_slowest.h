/* SPDX-License-Identifier: MIT */
/* Writes the slowest visits of a report as text. */
#ifndef SELFMON_REPORT_TEXT_SLOWEST_H
#define SELFMON_REPORT_TEXT_SLOWEST_H

#include "report/text.h"

/* Returns 0 or -ENOMEM. */
int selfmon_text_slowest(struct selfmon_text *text);

#endif
