/* SPDX-License-Identifier: MIT */
/*
 * Checks whether threads can be sampled (SELFMON_SAMPLE), and how many of them.
 */
#ifndef SELFMON_TOOLS_DOCTOR_SAMPLING_H
#define SELFMON_TOOLS_DOCTOR_SAMPLING_H

#include "doctor.h"

doctor_check_fn doctor_check_sampling;

#endif
