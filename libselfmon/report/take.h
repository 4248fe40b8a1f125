/* SPDX-License-Identifier: MIT */
/* A report of this process. */
#ifndef SELFMON_REPORT_TAKE_H
#define SELFMON_REPORT_TAKE_H

#include "report/model.h"

/* Like selfmon_report_take(), with rows by thread as well. */
int selfmon_report_take_apart(struct selfmon_report **report);

#endif
