/* SPDX-License-Identifier: MIT */
/* Tries whether counters can be read in user space, and how fast. */
#ifndef SELFMON_TOOLS_DOCTOR_PROBE_READS_H
#define SELFMON_TOOLS_DOCTOR_PROBE_READS_H

#include "doctor.h"

/* Sets the probe's user_reads, guarded, unsafe, read_ns and why_not. */
void doctor_probe_reads(struct doctor_probe *probe);

#endif
