/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "hw/hw.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/process.h"

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && !strcmp(value, "1");
}

bool hw_guest(void)
{
	return is_set("SELFMON_HW_GUEST");
}

bool hw_exact(void)
{
	return is_set("SELFMON_HW_EXACT");
}

void hw_require_guest(void)
{
	if (!hw_guest())
		cr_skip_test("changes settings of the machine: guests only");
}

void hw_require_exact(void)
{
	if (!hw_exact())
		cr_skip_test("needs exact instruction counts");
}

void hw_require_cpus(long count)
{
	const long have = sysconf(_SC_NPROCESSORS_ONLN);

	if (have < count)
		cr_skip_test("wants %ld CPUs, there are %ld", count, have);
}

/* Returns true for an error that the machine causes and not the library. */
static bool is_refusal(int error)
{
	return error == -ENOENT || error == -EACCES || error == -EPERM ||
	       error == -ENOSYS || error == -EOPNOTSUPP || error == -EBUSY ||
	       error == -ENODEV;
}

struct selfmon_counters *hw_open_with(const char *spec, unsigned int flags)
{
	struct selfmon_failure failure;
	struct selfmon_counters *set;
	char text[512];
	int result;

	if (is_set("SELFMON_HW_UNGUARDED"))
		flags |= SELFMON_COUNTERS_UNGUARDED;
	result = selfmon_counters_open(spec, flags | SELFMON_COUNTERS_STRICT,
				       &set, &failure);
	if (result >= 0)
		return set;
	selfmon_explain(&failure, text, sizeof(text));
	if (is_refusal(result))
		cr_skip_test("%s", text);
	cr_assert_fail("%s: %s", spec, text);
	return NULL;
}

struct selfmon_counters *hw_open(const char *spec)
{
	return hw_open_with(spec, 0);
}

void hw_require_pmu(void)
{
	selfmon_counters_close(hw_open("instructions"));
}

void hw_require_user_reads(const struct selfmon_counters *set)
{
	if (set->flags & SELFMON_IMPL_SET_SYSCALL)
		cr_skip_test("hardware events are read by read(2) here");
}

void hw_pin(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)cpu, &cpus);
	cr_assert_eq(sched_setaffinity(0, sizeof(cpus), &cpus), 0,
		     "CPU %d: %s", cpu, strerror(errno));
}

void hw_write_file(const char *path, const char *text)
{
	const size_t size = strlen(text);
	int fd;

	hw_require_guest();
	fd = open(path, O_WRONLY | O_CLOEXEC);
	cr_assert(fd >= 0 && write(fd, text, size) == (ssize_t)size,
		  "writing %s: %s", path, strerror(errno));
	close(fd);
}

uint64_t hw_read_number(const char *path, const char *key)
{
	char text[4096];
	const char *at;
	size_t size;
	FILE *file = fopen(path, "r");

	cr_assert_not_null(file, "%s: %s", path, strerror(errno));
	size = fread(text, 1, sizeof(text) - 1, file);
	text[size] = '\0';
	fclose(file);
	at = strstr(text, key);
	cr_assert_not_null(at, "no %s in %s", key, path);
	at += strlen(key);
	return strtoull(at + strcspn(at, "0123456789"), NULL, 10);
}

pid_t hw_competitor(void)
{
	const pid_t parent = getpid();
	pid_t pid;

	fflush(stdout);
	pid = fork();
	cr_assert_geq(pid, 0, "fork: %s", strerror(errno));
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (;;)
		hw_loop(1 << 20);
}

void hw_competitor_end(pid_t pid)
{
	cr_assert_eq(kill(pid, SIGKILL), 0);
	cr_assert_eq(hw_wait(pid), 256 + SIGKILL);
}

int hw_wait(pid_t pid)
{
	int status;

	cr_assert_eq(waitpid(pid, &status, 0), pid, "%s", strerror(errno));
	return WIFSIGNALED(status) ? 256 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

void hw_configure(const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	hw_grow_old();
}

void hw_grow_old(void)
{
	selfmon_process()->start_ticks -= UINT64_C(1) << 40;
}

HW_NOINLINE void hw_visit_region(uint64_t turns)
{
	HW_KEPT(n) = turns;

	SELFMON_REGION("loop")
		HW_LOOP(n);
}

void hw_expect_net(const struct selfmon_row *row, size_t column, double net)
{
	const double more = row->counter[column].net - net;

	cr_assert(more >= 0 &&
			  more <= (double)row->retried *
					  HW_TRY_END_INSTRUCTIONS,
		  "%s: net %.1f, not %.1f; %ju retried", row->name,
		  row->counter[column].net, net, (uintmax_t)row->retried);
}

HW_NOINLINE void hw_visit_loop(struct selfmon_counters *set, uint64_t n,
			       struct selfmon_delta *delta)
{
	struct selfmon_snapshot a, b;

	selfmon_counters_begin(set, &a);
	hw_loop(n);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, delta);
}

size_t hw_member(const struct selfmon_counters *set, const char *name)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };
	size_t i;

	for (i = 0; !selfmon_counters_info(set, i, &info); i++)
		if (!strcmp(info.name, name))
			return i;
	cr_assert_fail("no member %s", name);
	return 0;
}
