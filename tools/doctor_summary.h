/* SPDX-License-Identifier: MIT */
/* The doctor's first line: the state, its root cause and one remedy. */
#ifndef SELFMON_TOOLS_DOCTOR_SUMMARY_H
#define SELFMON_TOOLS_DOCTOR_SUMMARY_H

#include "doctor.h"

/* Fills in root, counted and summary, from the probe and the other members. */
void doctor_summarize(const struct doctor_probe *probe,
		      struct doctor_report *report);

/*
 * Returns the failed check that explains why `check` failed or was skipped, or
 * NULL.
 */
const struct doctor_check *doctor_root_of(const struct doctor_report *report,
					  const struct doctor_check *check);

#endif
