/* SPDX-License-Identifier: MIT */
/* Helpers to fill in the results of checks. */
#ifndef SELFMON_TOOLS_DOCTOR_RESULT_H
#define SELFMON_TOOLS_DOCTOR_RESULT_H

#include "doctor.h"

/* Fills in reason and remedy from a failure of the library. */
void doctor_explain(const struct doctor_case *from,
		    const struct selfmon_failure *failure,
		    struct doctor_check *check);

/*
 * Fills in reason and remedy from an errno of perf_event_open(2) for an event
 * with this name.
 */
void doctor_explain_open(const struct doctor_case *from, const char *event,
			 int error, bool kernel, struct doctor_check *check);

/*
 * Returns the name of an errno, such as "EACCES". Returns strerror(3) for an
 * errno that is not in the table of names.
 */
const char *doctor_errno(int error);

/* Marks the result of a check as unknown: see the check or command `other`. */
void doctor_skip(struct doctor_check *check, const char *other);

/*
 * Stores that a check failed because the check `other` failed, and sets the
 * reason to "see OTHER". The caller sets the status.
 */
void doctor_follow(struct doctor_check *check, const char *other);

#endif
