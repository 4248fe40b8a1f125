/* SPDX-License-Identifier: MIT */
/* Settings that are restored at a test's end, and messages to users. */
#ifndef SELFMON_TESTS_HW_SETTINGS_H
#define SELFMON_TESTS_HW_SETTINGS_H

#include "hw/hw.h"

/* Writes a setting of a guest; one of them a test is put back at its end. */
void setting_write(const char *path, const char *text);

/*
 * The text report of a process of its own, of this user (0: the same), at its
 * exit: in one line, each run of spaces as one, into exit_report.
 */
void take_exit_report(const char *events, uid_t user);
extern char exit_report[];

#define ASSERT_REPORT_SAYS(words)                                              \
	cr_assert(strstr(exit_report, words), "no \"%s\" in:\n%s", words,     \
		  exit_report)

/* selfmon_explain() says these words. */
void assert_explained(const struct selfmon_failure *failure,
		      const char *words);

#endif
