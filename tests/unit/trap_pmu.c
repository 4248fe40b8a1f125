/* SPDX-License-Identifier: MIT */
/* Implements trap_pmu.h. */
#define _GNU_SOURCE
#include "trap_pmu.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>

struct trap_pmu trap_pmu;

#if TRAP_PMU

static uint64_t answer(uint32_t what)
{
	const unsigned int n = trap_pmu.traps++;
	uint64_t value;

	if (n >= TRAP_LOG)
		_exit(3); /* the reader loops forever */
	trap_pmu.tsc++;
	trap_pmu.log[n] = what;
	value = what == TRAP_TIME ? trap_pmu.tsc
				  : trap_pmu.raw[what % TRAP_COUNTERS];
	if (trap_pmu.effect)
		trap_pmu.effect(n, what);
	return value;
}

static void on_fault(int signo, siginfo_t *info, void *context)
{
	greg_t *const reg = ((ucontext_t *)context)->uc_mcontext.gregs;
	const unsigned char *code = (const unsigned char *)reg[REG_RIP];
	uint64_t value;

	(void)info;
	if (code[0] == 0x0f && code[1] == 0x33) {
		value = answer((uint32_t)reg[REG_RCX] & 0xffff);
	} else if (code[0] == 0x0f && code[1] == 0x31) {
		value = answer(TRAP_TIME);
	} else { /* a real fault: it is raised again and ends the process */
		signal(signo, SIG_DFL);
		return;
	}
	reg[REG_RAX] = (greg_t)(value & UINT32_MAX);
	reg[REG_RDX] = (greg_t)(value >> 32);
	reg[REG_RIP] += 2;
}

void trap_pmu_setup(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };

	memset(&trap_pmu, 0, sizeof(trap_pmu));
	action.sa_sigaction = on_fault;
	sigaction(SIGSEGV, &action, NULL);
}

void trap_pmu_time(bool model)
{
	if (prctl(PR_SET_TSC, model ? PR_TSC_SIGSEGV : PR_TSC_ENABLE))
		cr_skip_test("prctl(PR_SET_TSC) is refused here");
}

#else

void trap_pmu_setup(void)
{
	cr_skip_test("RDPMC is an instruction of x86");
}

void trap_pmu_time(bool model)
{
	(void)model;
}

#endif

bool trap_pmu_saw(const char *order)
{
	unsigned int n;

	if (strlen(order) != trap_pmu.traps)
		return false;
	for (n = 0; n < trap_pmu.traps; n++) {
		const uint32_t want = order[n] == 'T' ? TRAP_TIME
						      : (uint32_t)order[n] - '0';

		if (trap_pmu.log[n] != want)
			return false;
	}
	return true;
}
