/* SPDX-License-Identifier: MIT */
/*
 * Programs that are spawned, write a live file of their own, and are killed at
 * a random time. The file must have all visits that had ended before.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <selfmon.h>

#include "soak.h"

#define THREADS 2

extern char **environ;

/* Counts in a file that both processes have mapped. */
struct outcome {
	uint64_t begun[THREADS], ended[THREADS];
};

/* ---- process that is killed --------------------------------------------- */

static struct outcome *outcome;

static struct outcome *map_outcome(const char *path, int flags)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC | flags, 0600);
	void *map = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, sizeof(struct outcome)))
		map = mmap(NULL, sizeof(struct outcome), PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/*
 * Returns true if a descriptor of an event is still open in this executed
 * program.
 */
static bool has_inherited(void)
{
	DIR *const folder = opendir("/proc/self/fd");
	const struct dirent *entry;
	char target[64];
	bool found = false;
	ssize_t n;

	while (folder && (entry = readdir(folder))) {
		n = readlinkat(dirfd(folder), entry->d_name, target,
			       sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		found |= strstr(target, "[perf_event]") != NULL;
	}
	if (folder)
		closedir(folder);
	return found;
}

static void *visit_for_ever(void *number)
{
	const size_t i = (size_t)(uintptr_t)number;

	for (;;) {
		__atomic_add_fetch(&outcome->begun[i], 1, __ATOMIC_RELAXED);
		SELFMON_REGION("killed")
		{
		}
		__atomic_add_fetch(&outcome->ended[i], 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int soak_be_killed(const char *live, const char *counts)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	alarm(60);
	outcome = map_outcome(counts, 0);
	options.live = live;
	options.output = NULL;
	options.events = "page-faults";
	if (!outcome || has_inherited() || selfmon_configure(&options))
		return 3;
	soak_start(visit_for_ever, (void *)1);
	visit_for_ever(NULL);
	return 0;
}

/* ---- process that kills ------------------------------------------------- */

static uint64_t sum_of(const uint64_t count[THREADS])
{
	return __atomic_load_n(&count[0], __ATOMIC_RELAXED) +
	       __atomic_load_n(&count[1], __ATOMIC_RELAXED);
}

static void wait_and_kill(pid_t pid, const struct outcome *seen, unsigned int us)
{
	int status;

	while (!sum_of(seen->begun)) {
		if (waitpid(pid, &status, WNOHANG) != 0)
			soak_fail("a spawned program ended with %#x",
				  (unsigned int)status);
		usleep(100);
	}
	usleep(us);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	if (!WIFSIGNALED(status))
		soak_fail("a spawned program has not waited for its end");
}

/* The file may be missing if no visit had ended. */
static void look_at_file(const char *live, const struct outcome *seen)
{
	struct selfmon_failure failure;
	struct selfmon_report *report;
	uint64_t visits = 0, open = 0;
	size_t i;

	if (selfmon_report_open(live, &report, &failure)) {
		if (sum_of(seen->ended))
			soak_fail("killed program: %s", failure.message);
		return;
	}
	soak_check_report(report);
	for (i = 0; i < selfmon_report_row_count(report); i++) {
		visits += selfmon_report_row(report, i)->visits;
		open += selfmon_report_row(report, i)->open;
	}
	if (visits < sum_of(seen->ended) ||
	    visits + open > sum_of(seen->begun))
		soak_fail("killed program: it had begun %ld visits and ended "
			  "%ld; its file has %ld, and %ld that are open",
			  (long)sum_of(seen->begun), (long)sum_of(seen->ended),
			  (long)visits, (long)open);
	selfmon_report_free(report);
}

static void kill_one(char *live, char *counts, unsigned int us)
{
	char *const arguments[] = { (char *)"soak", (char *)SOAK_VICTIM, live,
				    counts, NULL };
	struct outcome *const seen = map_outcome(counts, O_CREAT | O_TRUNC);
	pid_t pid;

	if (!seen || posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments,
				 environ))
		soak_fail("nothing can be spawned");
	wait_and_kill(pid, seen, us);
	look_at_file(live, seen);
	munmap(seen, sizeof(*seen));
	unlink(live);
	unlink(counts);
}

void *soak_kill(void *unused)
{
	char live[64], counts[80];
	unsigned int turn = 0;

	snprintf(live, sizeof(live), "/tmp/selfmon-soak-%d.killed",
		 (int)getpid());
	snprintf(counts, sizeof(counts), "%s.counts", live);
	while (soak_goes_on())
		kill_one(live, counts, turn++ * 271 % 5000);
	return unused;
}
