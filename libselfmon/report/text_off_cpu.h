/* SPDX-License-Identifier: MIT */
/* The table that shows where visits were off the CPU. */
#ifndef SELFMON_REPORT_TEXT_OFF_CPU_H
#define SELFMON_REPORT_TEXT_OFF_CPU_H

#include "report/text.h"

SELFMON_COLD
void selfmon_text_off_cpu(struct selfmon_text *text);

#endif
