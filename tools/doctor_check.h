/* SPDX-License-Identifier: MIT */
/* All checks in their order, and their dependencies. */
#ifndef SELFMON_TOOLS_DOCTOR_CHECK_H
#define SELFMON_TOOLS_DOCTOR_CHECK_H

#include "doctor.h"

void doctor_examine(const struct doctor_machine *machine,
		    const struct doctor_probe *probe,
		    struct doctor_report *report);

#endif
