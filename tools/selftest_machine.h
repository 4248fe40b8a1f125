/* SPDX-License-Identifier: MIT */
/* Describes this machine from the doctor's facts, with notes. */
#ifndef SELFMON_TOOLS_SELFTEST_MACHINE_H
#define SELFMON_TOOLS_SELFTEST_MACHINE_H

#include "selftest.h"

void selftest_machine_gather(struct selftest_machine *machine,
			     struct selftest_case *from);

#endif
