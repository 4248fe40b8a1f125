/* SPDX-License-Identifier: MIT */
/*
 * Runs an instrumented program repeatedly. In run n, the n-th operation that
 * can fail does fail. The test ends with the first run in which nothing failed.
 *
 * Operations have the same name if they are the same call, or use the same
 * path. The first `alike` operations of a name are counted, and then only one
 * in a thousand: pread(2) of a live file and malloc(3) of a report are very
 * frequent.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault/program.h"
#include "form.h"

static void run_once(const struct program *program, const char *output)
{
	int status = 0;
	pid_t pid;

	memset(outcome, 0, sizeof(*outcome));
	pid = fork();
	if (pid == 0)
		program_run(program, output);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status),
		  "call %u failing with %d: ended by signal %d",
		  kernel_faults.any.from, kernel_faults.any.error,
		  WTERMSIG(status));
	cr_assert_eq(WEXITSTATUS(status), 0,
		     "call %u failing with %d: ended with status %d",
		     kernel_faults.any.from, kernel_faults.any.error,
		     WEXITSTATUS(status));
	cr_assert_eq(outcome->fault[0], 0, "call %u (%s) failing with %d: %s",
		     kernel_faults.any.from, outcome->name,
		     kernel_faults.any.error, outcome->fault);
}

/*
 * If a live file cannot be started, the library truncates it, so that the next
 * start may replace it. The file may keep zeros only if the truncation failed,
 * too, which needs `on`: all later calls fail.
 */
static void check_live_file(bool on)
{
	const char *const path = getenv("SELFMON_LIVE");
	char first = 'S';
	int fd;

	if (!path)
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, &first, 1) == 1 && first == 0) {
		cr_assert(on, "call %u (%s) failing with %d: zeros are left",
			  kernel_faults.any.from, outcome->name,
			  kernel_faults.any.error);
		cr_assert_eq(truncate(path, 0), 0);
	}
	if (fd >= 0)
		close(fd);
}

/*
 * Makes each call fail in turn, one in each run: call number 1, 1 + step, and
 * so on. If `on` is true, all later calls of the run fail, too. Returns the
 * call number of the last run, in which nothing failed.
 */
static unsigned int run_all(const struct program *program, int error, bool on,
			    unsigned int step)
{
	char path[] = "/tmp/selfmon-XXXXXX", output[64];
	const int file = mkstemp(path);
	unsigned int n;

	cr_assert_geq(file, 0);
	close(file);
	snprintf(output, sizeof(output), program->more ? "text:%s" : "csv:%s",
		 path);
	for (n = 1;; n += step) {
		kernel_faults.any.from = n;
		kernel_faults.any.to = on ? UINT_MAX : n;
		kernel_faults.any.error = error;
		run_once(program, output);
		check_live_file(on);
		if (outcome->untouched)
			break;
	}
	unlink(path);
	return n;
}

static void setup(void)
{
	kernel_faults_clear();
	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq((void *)outcome, MAP_FAILED);
}

static void setup_pmu(void)
{
	setup();
	kernel_faults.pmu = true;
	/*
	 * No user reads: the pages of this PMU name counters that no machine
	 * has.
	 */
	kernel_faults.capabilities = 0x1a;
}

static void run_all_ways(const struct program *program, int error,
			 unsigned int alike, unsigned int step)
{
	kernel_faults.any.alike = alike;
	cr_assert_gt(run_all(program, error, false,
			     (unsigned int)quick_or_all(3, 1)), 30);
	run_all(program, error, true, step);
}

/*
 * The first runs make a single call fail, `make check` every third call. The
 * other runs make a call and all later calls fail; in `make check` the first of
 * these is every 151st call. The forms of the test also differ in `alike`. All
 * failures of a run have the same error. Only the long form repeats all runs
 * with the other errors.
 */
static void run_with(const struct program *program, int error)
{
	static const int others[] = { ENOMEM, EINVAL, EMFILE, EACCES, EPERM };
	size_t i;

	run_all_ways(program, error, (unsigned int)by_form(1, 6, 200),
		     (unsigned int)quick_or_all(151, by_form(53, 11, 3)));
	if (!by_form(0, 0, 1))
		return;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i] != error)
			run_all_ways(program, others[i], 12, 3);
}

TestSuite(whole_run, .init = setup);
TestSuite(whole_run_pmu, .init = setup_pmu);

Test(whole_run, with_software_events_survives_each_failure)
{
	run_with(&(struct program){ "page-faults,task-clock", false }, EINVAL);
}

static void run_with_live_file(const struct program *program, int error)
{
	char path[] = "/tmp/selfmon-XXXXXX";
	const int file = mkstemp(path);

	cr_assert_geq(file, 0);
	close(file);
	setenv("SELFMON_LIVE", path, 1);
	run_with(program, error);
	unlink(path);
}

Test(whole_run, with_a_live_file_survives_each_failure)
{
	run_with_live_file(&(struct program){ "none", false }, ENOSPC);
}

Test(whole_run, with_a_guard_signals_a_probe_and_a_child_survives_each_failure)
{
	kernel_faults.no_probes = true;
	run_with_live_file(&(struct program){ "page-faults", true }, EINVAL);
}

Test(whole_run, with_time_alone_survives_each_failure)
{
	run_with(&(struct program){ "none", false }, ENOMEM);
}

Test(whole_run_pmu, by_default_survives_each_failure)
{
	run_with(&(struct program){ "auto", false }, EMFILE);
}

Test(whole_run_pmu, with_names_of_sysfs_survives_each_failure)
{
	run_with(&(struct program){ "cycles,msr/tsc/,{page-faults,instructions}",
				    false }, EACCES);
}
