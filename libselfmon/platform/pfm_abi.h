/* SPDX-License-Identifier: MIT */
/*
 * The part of libpfm4's interface that is used, from <perfmon/pfmlib.h>. The
 * library builds without this header.
 */
#ifndef SELFMON_PLATFORM_PFM_ABI_H
#define SELFMON_PLATFORM_PFM_ABI_H

#include <stddef.h>
#include <stdint.h>

#define PFM_NAME_SIZE 128
/*
 * The library tries the PMU models 0 to PFM_PMUS - 1. These are more than libpfm
 * has: 516 in version 4.13.
 */
#define PFM_PMUS 2048

#define PFM_SUCCESS 0
#define PFM_ERR_NOTSUPP -1
#define PFM_ERR_INVAL -2
#define PFM_ERR_NOTFOUND -4
#define PFM_ERR_FEATCOMB -5
#define PFM_ERR_UMASK -6

#define PFM_PLM_USER 0x8 /* PFM_PLM3 */
#define PFM_OS_PERF_EVENT_EXT 2

#define PFM_PMU_TYPE_CORE 1
#define PFM_PMU_TYPE_UNCORE 2
#define PFM_PMU_PRESENT 1u /* bit in selfmon_pfm_pmu.flags */

struct selfmon_pfm_pmu {
	const char *name;
	const char *description;
	size_t size;
	int pmu;
	int type;
	int events;
	int first_event;
	int max_encoding;
	int counters;
	int fixed_counters;
	unsigned int flags;
};

struct selfmon_pfm_event {
	const char *name;
	const char *description;
	const char *equivalent;
	size_t size;
	uint64_t code;
	int pmu;
	int data_type;
	int handle;
	int attributes;
	int reserved;
	unsigned int flags;
};

struct selfmon_pfm_attribute {
	const char *name;
	const char *description;
	const char *equivalent;
	size_t size;
	uint64_t code;
	int type;
	int index;
	int control;
	unsigned int flags;
	uint64_t preset;
};

struct selfmon_pfm_encoding {
	void *attr;
	char **full_name;
	size_t size;
	int handle;
	int cpu;
	int flags;
	int reserved;
};

#endif
