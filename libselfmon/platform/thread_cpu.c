/* SPDX-License-Identifier: MIT */
/*
 * The CPU number from the restartable-sequences area, which glibc registers for
 * each thread since 2.35 (glibc manual, "Restartable Sequences"). The symbols
 * of this area are weak here, since older C libraries lack them.
 */
#include "platform/thread_cpu.h"

#include <stddef.h>

#include <selfmon/arch.h>

/* struct rseq of <linux/rseq.h>: cpu_id_start, then cpu_id. */
#define RSEQ_CPU_ID_OFFSET 4

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static const uint32_t no_cpu = SELFMON_CPU_UNKNOWN;

const uint32_t *selfmon_thread_cpu(void)
{
	const char *area;

	/* Size 0: the area is not registered (disabled, or an old kernel). */
	if (!&__rseq_size || __rseq_size == 0)
		return &no_cpu;
	area = (const char *)selfmon_arch_thread_pointer() + __rseq_offset;
	return (const uint32_t *)(const void *)(area + RSEQ_CPU_ID_OFFSET);
}
