/* SPDX-License-Identifier: MIT */
/* A region's place in the tree. */
#ifndef SELFMON_REPORT_TEXT_LABEL_H
#define SELFMON_REPORT_TEXT_LABEL_H

#include "report/text.h"

SELFMON_COLD
void selfmon_label_prepare(struct selfmon_text *text);
SELFMON_COLD
void selfmon_label_put(struct selfmon_text *text, size_t row);

#endif
