/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "neighbour.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int neighbour_in(const char *list, int cpu)
{
	char *end;

	for (;; list = end + 1) {
		const long first = strtol(list, &end, 10);
		long last = first;

		if (end == list || first < 0)
			return -1;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (first != cpu)
			return (int)first;
		if (last > first)
			return (int)first + 1;
		if (*end != ',')
			return -1;
	}
}

int neighbour_cpu(void)
{
	const int cpu = sched_getcpu();
	char path[96], list[256] = "";
	FILE *file;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
		 cpu);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (!fgets(list, sizeof(list), file))
		list[0] = '\0';
	fclose(file);
	return neighbour_in(list, cpu);
}

static _Noreturn void spin_on(int cpu)
{
	cpu_set_t one;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		_exit(1);
	for (;;)
		__asm__ volatile("");
}

void neighbour_spin(int cpu, bool spin)
{
	static pid_t spinning;

	if (cpu < 0 || spin == (spinning > 0))
		return;
	if (spin) {
		spinning = fork();
		if (spinning == 0)
			spin_on(cpu);
		return;
	}
	kill(spinning, SIGKILL);
	waitpid(spinning, NULL, 0);
	spinning = 0;
}
