/* SPDX-License-Identifier: MIT */
/*
 * Writes reports as one HTML page, which needs no other files and no network.
 */
#ifndef SELFMON_TOOLS_HTML_H
#define SELFMON_TOOLS_HTML_H

#include <stdio.h>

#include <selfmon/report.h>

struct compare;

/*
 * Writes one report, or two side by side. b may be NULL. compare, which may be
 * NULL, too, is the comparison of the runs to which a and b belong. Returns 0,
 * or -ENOMEM.
 */
int html_write(const struct selfmon_report *a, const struct selfmon_report *b,
	       const struct compare *compare, FILE *to);

#endif
