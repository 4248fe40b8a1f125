/* SPDX-License-Identifier: MIT */
/* Writes the sampled functions of each region, for the HTML page. */
#ifndef SELFMON_TOOLS_HTML_HOT_H
#define SELFMON_TOOLS_HTML_HOT_H

#include <stdio.h>

#include <selfmon/report.h>

/*
 * Writes the functions as JSON, or null if there are no samples. Returns 0, or
 * -ENOMEM.
 */
int html_hot(const struct selfmon_report *report, FILE *to);

#endif
