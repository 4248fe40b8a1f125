/* SPDX-License-Identifier: MIT */
/* Settings that are put back at a test's end, and what users are told. */
#ifndef SELFMON_TESTS_HW_TOLD_H
#define SELFMON_TESTS_HW_TOLD_H

#include "hw/hw.h"

/* Writes a setting of a guest; one of them a test is put back at its end. */
void told_setting(const char *path, const char *text);

/*
 * The text report of a process of its own, of this user (0: the same), at its
 * exit: in one line, each run of spaces as one, into told_report.
 */
void told_take_report(const char *events, uid_t user);
extern char told_report[];

#define ASSERT_REPORT_SAYS(words)                                              \
	cr_assert(strstr(told_report, words), "no \"%s\" in:\n%s", words,      \
		  told_report)

/* selfmon_explain() says these words. */
void told_assert_explained(const struct selfmon_failure *failure,
			   const char *words);

#endif
