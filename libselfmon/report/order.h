/* SPDX-License-Identifier: MIT */
/* The order of the rows. */
#ifndef SELFMON_REPORT_ORDER_H
#define SELFMON_REPORT_ORDER_H

#include "report/model.h"

/*
 * Sort rows in tree order, siblings by descending time or by descending key.
 * Return 0 or -ENOMEM.
 */
int selfmon_report_order(struct selfmon_report *report);
int selfmon_report_order_by(struct selfmon_report *report, const double *key);

#endif
