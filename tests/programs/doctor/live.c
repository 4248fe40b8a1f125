/* SPDX-License-Identifier: MIT */
/* Settings of this machine that a process can make for itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <selfmon.h>

#include "doctor.h"
#include "refuse.h"

/* An unprivileged user and group. */
#define ORDINARY 65534

static void must(int result, const char *what)
{
	if (result == 0)
		return;
	perror(what);
	_exit(3);
}

static void refuse_events(unsigned int error)
{
	must(refuse_call(SYS_perf_event_open, error), "seccomp");
}

static void refuse_eperm(void)
{
	refuse_events(EPERM);
}

static void refuse_enosys(void)
{
	refuse_events(ENOSYS);
}

static void limit_files(void)
{
	const struct rlimit few = { .rlim_cur = 8, .rlim_max = 8 };

	must(setrlimit(RLIMIT_NOFILE, &few), "RLIMIT_NOFILE");
}

static void become_ordinary(void)
{
	must(setgid(ORDINARY), "setgid");
	must(setuid(ORDINARY), "setuid");
}

static void limit_memory(void)
{
	const struct rlimit none = { .rlim_cur = 0, .rlim_max = 0 };

	must(setrlimit(RLIMIT_MEMLOCK, &none), "RLIMIT_MEMLOCK");
	become_ordinary();
}

static void limit_two(void)
{
	limit_files();
	refuse_events(EPERM);
}

static void leave(void)
{
}

static bool always(void)
{
	return true;
}

static long number_in(const char *path)
{
	FILE *file = fopen(path, "r");
	long number = -1000;

	if (!file)
		return number;
	if (fscanf(file, "%ld", &number) != 1)
		number = -1000;
	fclose(file);
	return number;
}

static bool counts_four(void)
{
	struct selfmon_counters *set;
	const int count = selfmon_counters_open(
		"cycles,instructions,branch-misses,cache-misses", 0, &set,
		NULL);

	selfmon_counters_close(set);
	return count == 4;
}

static bool counts_fewer(void)
{
	return !counts_four();
}

static bool is_root(void)
{
	return geteuid() == 0;
}

/*
 * Needs root, because the test becomes another user, to whom
 * perf_event_paranoid applies. On 8 CPUs there would be room for 258 threads,
 * and the doctor warns below 256.
 */
static bool memory_can_be_limited(void)
{
	const char *path = "/proc/sys/kernel/perf_event_paranoid";

	return is_root() && sysconf(_SC_NPROCESSORS_ONLN) < 8 &&
	       number_in(path) >= 0 && number_in(path) <= 2 &&
	       number_in("/proc/sys/kernel/perf_event_mlock_kb") == 516;
}

/*
 * Returns true in a virtual machine without a PMU, as root. Uses other sources
 * than the doctor: cpuinfo and the directories of the core PMUs.
 */
static bool is_bare_guest(void)
{
	char line[4096];
	bool guest = false;
	FILE *file = fopen("/proc/cpuinfo", "r");

	while (file && fgets(line, sizeof(line), file))
		guest = guest || (!strncmp(line, "flags", 5) &&
				  strstr(line, " hypervisor"));
	if (file)
		fclose(file);
	return guest && is_root() &&
	       access("/sys/devices/cpu/type", F_OK) &&
	       access("/sys/devices/cpu_core/type", F_OK);
}

const struct live live_state[] = {
	{ "here", "root in a virtual machine without a PMU", is_bare_guest,
	  leave },
	{ "seccomp-eperm", NULL, always, refuse_eperm },
	{ "seccomp-enosys", NULL, always, refuse_enosys },
	{ "nofile-8", "a machine that does not count four hardware events",
	  counts_fewer, limit_files },
	{ "nofile-8-pmu", "a PMU that counts four events", counts_four,
	  limit_files },
	{ "memlock-0", "root, fewer than 8 CPUs, perf_event_paranoid of 0 to "
		       "2 and perf_event_mlock_kb 516",
	  memory_can_be_limited, limit_memory },
	{ "two-causes", NULL, always, limit_two },
	{ NULL, NULL, NULL, NULL },
};
