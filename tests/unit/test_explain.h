/* SPDX-License-Identifier: MIT */
/* For tests of explanations: invented machines, and checks of the text. */
#ifndef SELFMON_TEST_EXPLAIN_H
#define SELFMON_TEST_EXPLAIN_H

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "doctor/explain.h"

#define TEXT_SIZE 1024

/* An x86 machine with a plain kernel and an unprivileged user. */
#define MACHINE(level)                                                         \
	.kernel = 6012, .core_pmu = true, .nmi_watchdog = 1, LIMITS(level)
#define LIMITS(level)                                                          \
	.paranoid = (level), .rdpmc = 1, .user_access = SELFMON_FACT_UNKNOWN,  \
	.mlock_kb = 516, .file_max = 200000, .max_map_count = 65530,           \
	.nofile = 1024, .nofile_hard = 524288, .memlock = 8388608

static const struct selfmon_facts metal = { MACHINE(2) };

/* Machines of all kinds, for rules that must hold on every machine. */
static const struct selfmon_facts machines[] = {
	{ MACHINE(2) },
	{ MACHINE(3), .distribution = SELFMON_DISTRIBUTION_DEBIAN },
	{ MACHINE(4), .distribution = SELFMON_DISTRIBUTION_UBUNTU },
	{ MACHINE(3), .distribution = SELFMON_DISTRIBUTION_DEBIAN,
	  .container = true, .seccomp = true },
	{ LIMITS(2), .hypervisor = true },
	{ LIMITS(2), .core_pmu = true, .seccomp = true },
	{ MACHINE(2), .riscv64 = true, .user_namespace = true,
	  .container = true },
	{ .paranoid = SELFMON_FACT_UNKNOWN,
	  .mlock_kb = SELFMON_FACT_UNKNOWN,
	  .nmi_watchdog = SELFMON_FACT_UNKNOWN,
	  .file_max = SELFMON_FACT_UNKNOWN,
	  .max_map_count = SELFMON_FACT_UNKNOWN,
	  .nofile = SELFMON_FACT_UNKNOWN,
	  .nofile_hard = SELFMON_FACT_UNKNOWN,
	  .memlock = SELFMON_FACT_UNKNOWN },
	{ .paranoid = INT64_MAX,
	  .mlock_kb = 1048576,
	  .nmi_watchdog = 1,
	  .file_max = INT64_MAX,
	  .max_map_count = INT32_MAX,
	  .nofile = SELFMON_FACT_UNLIMITED,
	  .nofile_hard = SELFMON_FACT_UNLIMITED,
	  .memlock = SELFMON_FACT_UNLIMITED,
	  .container = true },
};

#define MACHINES (sizeof(machines) / sizeof(machines[0]))

static inline void explain(int error, enum selfmon_step step,
			   const struct selfmon_facts *facts, char *text)
{
	const struct selfmon_failure failure = { .error = error,
						 .step = step,
						 .event = "cycles" };

	selfmon_explain_with(&failure, facts, text, TEXT_SIZE);
}

static inline void explain_kernel(const char *event, int error,
				  const struct selfmon_facts *facts,
				  char *text)
{
	struct selfmon_failure failure = { .error = error,
					   .step = SELFMON_STEP_OPEN,
					   .kernel_asked = true };

	snprintf(failure.event, sizeof(failure.event), "%s", event);
	selfmon_explain_with(&failure, facts, text, TEXT_SIZE);
}

static inline void says(const char *text, const char *words)
{
	cr_assert(strstr(text, words), "no '%s' in: %s", words, text);
}

static inline void says_not(const char *text, const char *words)
{
	cr_assert(!strstr(text, words), "'%s' in: %s", words, text);
}

#endif
