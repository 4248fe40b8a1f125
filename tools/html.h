/* SPDX-License-Identifier: MIT */
/* Reports as one HTML page, without other files or network. */
#ifndef SELFMON_TOOLS_HTML_H
#define SELFMON_TOOLS_HTML_H

#include <stdio.h>

#include <selfmon/report.h>

struct compare;

/*
 * Writes one report, or compares two. b may be NULL. compare, whose sides they
 * are, may be NULL too. Returns 0, or -ENOMEM.
 */
int html_write(const struct selfmon_report *a, const struct selfmon_report *b,
	       const struct compare *compare, FILE *to);

#endif
