/* SPDX-License-Identifier: MIT */
/*
 * Settings that are restored at the end of a test, and the messages that users
 * see.
 */
#ifndef SELFMON_TESTS_HW_SETTINGS_H
#define SELFMON_TESTS_HW_SETTINGS_H

#include "hw/hw.h"

/*
 * Changes a setting of a guest. A test may change one setting. The old value is
 * restored when the test's process exits.
 */
void setting_write(const char *path, const char *text);

/*
 * Stores the text report of a separate process in exit_report. The process runs
 * as this user (0: as the current one). The text is one line: each run of
 * spaces and line breaks is replaced by one space.
 */
void take_exit_report(const char *events, uid_t user);
extern char exit_report[];

#define ASSERT_REPORT_SAYS(words)                                              \
	cr_assert(strstr(exit_report, words), "no \"%s\" in:\n%s", words,     \
		  exit_report)

/* Expects these words in the text of selfmon_explain(). */
void assert_explained(const struct selfmon_failure *failure,
		      const char *words);

#endif
