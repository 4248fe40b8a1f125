/* SPDX-License-Identifier: MIT */
/* The header of a text report. */
#ifndef SELFMON_REPORT_TEXT_HEADER_H
#define SELFMON_REPORT_TEXT_HEADER_H

#include "report/text.h"

SELFMON_COLD
void selfmon_text_header(struct selfmon_text *text);
/* Returns how many processes have calibrated the library's overhead. */
size_t selfmon_text_calibrated(const struct selfmon_report *report);

#endif
