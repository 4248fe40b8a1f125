/* SPDX-License-Identifier: MIT */
/* Reads the description of a machine from its /etc, /proc and /sys. */
#ifndef SELFMON_TOOLS_DOCTOR_MACHINE_H
#define SELFMON_TOOLS_DOCTOR_MACHINE_H

#include "doctor.h"

/* root: as in selfmon_facts_gather_at(). */
void doctor_machine_gather(const char *root, struct doctor_machine *machine);

#endif
