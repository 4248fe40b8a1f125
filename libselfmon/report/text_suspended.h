/* SPDX-License-Identifier: MIT */
/* The table of suspended visits. */
#ifndef SELFMON_REPORT_TEXT_SUSPENDED_H
#define SELFMON_REPORT_TEXT_SUSPENDED_H

#include "report/text.h"

SELFMON_COLD
void selfmon_text_suspended(struct selfmon_text *text);

#endif
