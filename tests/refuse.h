/* SPDX-License-Identifier: MIT */
/*
 * For tests: installs a seccomp filter that makes one system call return an
 * error.
 */
#ifndef SELFMON_TESTS_REFUSE_H
#define SELFMON_TESTS_REFUSE_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

/* Returns 0, or -1 with errno if the kernel has no filters. */
static inline int refuse_call(unsigned int number, unsigned int error)
{
	struct sock_filter rule[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(rule) / sizeof(rule[0]),
		.filter = rule,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#endif
