/* SPDX-License-Identifier: MIT */
/* How long and how often a thread was off the CPU (@offcpu). */
#ifndef SELFMON_STORE_OFF_CPU_H
#define SELFMON_STORE_OFF_CPU_H

#include <stdint.h>

struct selfmon_off_cpu {
	uint64_t blocked_ns, preempted_ns;
	uint64_t blocked, preempted; /* number of times */
};

static inline void selfmon_off_cpu_add(struct selfmon_off_cpu *to,
				       const struct selfmon_off_cpu *n)
{
	to->blocked_ns += n->blocked_ns;
	to->preempted_ns += n->preempted_ns;
	to->blocked += n->blocked;
	to->preempted += n->preempted;
}

#endif
