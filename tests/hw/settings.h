/* SPDX-License-Identifier: MIT */
/*
 * Settings that are restored at the end of a test, and the messages that users
 * see.
 */
#ifndef SELFMON_TESTS_HW_SETTINGS_H
#define SELFMON_TESTS_HW_SETTINGS_H

#include "hw/hw.h"

/*
 * Writes a setting of a guest. A test may change one setting, which is restored
 * at its end.
 */
void setting_write(const char *path, const char *text);

/*
 * Stores in exit_report the text report at exit of a separate process. The
 * process belongs to this user, or to the same user if user is 0. The text is
 * one line, with each run of spaces as one.
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
