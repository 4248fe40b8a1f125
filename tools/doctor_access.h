/* SPDX-License-Identifier: MIT */
/* Checks permissions, one function for each possible problem. */
#ifndef SELFMON_TOOLS_DOCTOR_ACCESS_H
#define SELFMON_TOOLS_DOCTOR_ACCESS_H

#include "doctor.h"

doctor_check_fn doctor_check_kernel, doctor_check_seccomp,
	doctor_check_paranoid, doctor_check_capabilities,
	doctor_check_security_module, doctor_check_call;

#endif
