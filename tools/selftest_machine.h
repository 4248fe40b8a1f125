/* SPDX-License-Identifier: MIT */
/*
 * Finds the facts about this machine by the doctor's checks and probes. Fills
 * in *machine for the output, and the machine's fields of *from for the checks.
 */
#ifndef SELFMON_TOOLS_SELFTEST_MACHINE_H
#define SELFMON_TOOLS_SELFTEST_MACHINE_H

#include "selftest.h"

void selftest_machine_gather(struct selftest_machine *machine,
			     struct selftest_case *from);

#endif
