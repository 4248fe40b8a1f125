/* SPDX-License-Identifier: MIT */
/* For tests: checks whether this machine can forbid timestamps. */
#ifndef SELFMON_TESTS_NO_TIMESTAMP_H
#define SELFMON_TESTS_NO_TIMESTAMP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Returns true if RDTSC raises SIGSEGV in a process that called
 * prctl(PR_SET_TSC). Some virtual machines ignore this setting and execute
 * RDTSC.
 */
static inline bool timestamps_can_be_forbidden(void)
{
	const pid_t child = fork();
	int status = 0;

	if (child == 0) {
		const struct rlimit no_core = { 0, 0 };

		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGSEGV, SIG_DFL);
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
#if defined(__x86_64__)
		__builtin_ia32_rdtsc();
#endif
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

#define SKIP_IF_TIMESTAMPS_CANNOT_BE_FORBIDDEN()                              \
	do {                                                                  \
		if (!timestamps_can_be_forbidden())                           \
			cr_skip_test("this machine executes RDTSC in spite "  \
				     "of prctl(PR_SET_TSC)");                 \
	} while (0)

#endif
