/* SPDX-License-Identifier: MIT */
/* Reports as a page of HTML that needs no other file and no network. */
#ifndef SELFMON_TOOLS_HTML_H
#define SELFMON_TOOLS_HTML_H

#include <stdio.h>

#include <selfmon/report.h>

struct compare;

/*
 * One report, or two that are laid over each other; b may be NULL, and so may
 * compare, of whose sides they are. Returns 0, or -ENOMEM.
 */
int html_write(const struct selfmon_report *a, const struct selfmon_report *b,
	       const struct compare *compare, FILE *to);

#endif
