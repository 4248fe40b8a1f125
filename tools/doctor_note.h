/* SPDX-License-Identifier: MIT */
/* Notes on remedies, by distribution. */
#ifndef SELFMON_TOOLS_DOCTOR_NOTE_H
#define SELFMON_TOOLS_DOCTOR_NOTE_H

#include "doctor.h"

/*
 * Adds what a remedy requires on this distribution: the name of a package, or
 * the file that makes a setting permanent.
 */
void doctor_note(struct doctor_report *report);

#endif
