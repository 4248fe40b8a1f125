/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "trap_pmu.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "sanitized.h"

struct trap_pmu trap_pmu;

#if TRAP_PMU

#include <x86intrin.h>

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

#define TRAP_FLAG 0x100ull

static bool is_at(const greg_t *reg, unsigned char second)
{
	const unsigned char *const code = (const unsigned char *)reg[REG_RIP];

	return code[0] == 0x0f && code[1] == second;
}

static bool is_rdtsc(const greg_t *reg)
{
	return is_at(reg, 0x31);
}

static bool is_rdpmc(const greg_t *reg)
{
	return is_at(reg, 0x33);
}

static void skip(greg_t *reg, uint32_t what)
{
	const uint64_t value = answer(what);

	reg[REG_RAX] = (greg_t)(value & UINT32_MAX);
	reg[REG_RDX] = (greg_t)(value >> 32);
	reg[REG_RIP] += 2;
}

/*
 * After a handler returns, one instruction is executed before the next
 * single-step trap. An RDTSC that follows a skipped instruction would not be
 * found, so it is skipped here.
 */
static void skip_rdtsc(greg_t *reg)
{
	while (is_rdtsc(reg))
		skip(reg, TRAP_TIME);
}

static void on_fault(int signo, siginfo_t *info, void *context)
{
	greg_t *const reg = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)info;
	if (!is_rdpmc(reg)) { /* a real fault: it is raised again, and kills */
		signal(signo, SIG_DFL);
		return;
	}
	skip(reg, (uint32_t)reg[REG_RCX] & 0xffff);
	if ((unsigned long long)reg[REG_EFL] & TRAP_FLAG)
		skip_rdtsc(reg);
}

static void on_step(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)info;
	skip_rdtsc(((ucontext_t *)context)->uc_mcontext.gregs);
}

static void handle(int signo, void (*handler)(int, siginfo_t *, void *))
{
	const struct sigaction action = { .sa_sigaction = handler,
					  .sa_flags = SA_SIGINFO };

	sigaction(signo, &action, NULL);
}

void trap_pmu_setup(void)
{
	if (SANITIZED_THREADS)
		cr_skip_test("under a thread sanitizer: its runtime takes "
			     "locks and must not be single-stepped");
	memset(&trap_pmu, 0, sizeof(trap_pmu));
	handle(SIGSEGV, on_fault);
	handle(SIGTRAP, on_step);
}

void trap_pmu_time(bool model)
{
	const unsigned long long flags = __readeflags();

	__writeeflags(model ? flags | TRAP_FLAG : flags & ~TRAP_FLAG);
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
