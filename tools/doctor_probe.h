/* SPDX-License-Identifier: MIT */
/* Tries on this machine what programs that use the library will do. */
#ifndef SELFMON_TOOLS_DOCTOR_PROBE_H
#define SELFMON_TOOLS_DOCTOR_PROBE_H

#include "doctor.h"

void doctor_probe_all(const struct doctor_machine *machine,
		      struct doctor_probe *probe);

#endif
