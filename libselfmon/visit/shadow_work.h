/* SPDX-License-Identifier: MIT */
/* Kinds of work for the loops of shadow.c. */
#ifndef SELFMON_VISIT_SHADOW_WORK_H
#define SELFMON_VISIT_SHADOW_WORK_H

#include <stdint.h>

/* Work is never inlined, so that all loops execute the same machine code. */
typedef uint64_t selfmon_work_fn(uint64_t x);

#define SELFMON_SHADOW_KINDS 6

extern selfmon_work_fn *const selfmon_shadow_work[SELFMON_SHADOW_KINDS];

#endif
