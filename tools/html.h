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
 * Writes one report, or compares two. b may be NULL. compare is the comparison
 * of a and b, and may be NULL, too. Returns 0, or -ENOMEM.
 */
int html_write(const struct selfmon_report *a, const struct selfmon_report *b,
	       const struct compare *compare, FILE *to);

#endif
