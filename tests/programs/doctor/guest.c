/* SPDX-License-Identifier: MIT */
/*
 * Sets up the states of a throw-away machine: kernel settings, another user,
 * another program that holds the counters.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor.h"

#define TOOL "/tests/selfmon"
#define RDPMC "/sys/bus/event_source/devices/cpu/rdpmc"
#define USER_ACCESS "/proc/sys/kernel/perf_user_access"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* An unprivileged user and group. */
#define ORDINARY 65534

struct state {
	const char *name;
	const char *level;  /* value for perf_event_paranoid; NULL: unchanged */
	bool no_user_reads; /* 0 in rdpmc or perf_user_access */
	bool ordinary;      /* the tool does not run as root */
	bool held;          /* another program holds all counters */
	bool guarded;       /* SELFMON_GUARD=1 */
	bool selftest;      /* selfmon selftest --quick, not the doctor */
	bool perf;          /* the selftest with --perf */
};

static const struct state states[] = {
	{ .name = "open" },
	{ .name = "no-user-reads", .no_user_reads = true },
	{ .name = "level-2", .level = "2", .ordinary = true },
	{ .name = "level-3", .level = "3", .ordinary = true },
	{ .name = "two-causes",
	  .level = "3",
	  .no_user_reads = true,
	  .ordinary = true },
	{ .name = "held", .held = true },
	{ .name = "guarded", .guarded = true },
	{ .name = "watchdog" },
	{ .name = "no-pmu" },
	{ .name = "no-sscofpmf" },
	{ .name = "selftest", .selftest = true, .ordinary = true },
	{ .name = "selftest-perf",
	  .selftest = true,
	  .ordinary = true,
	  .perf = true },
	{ .name = "selftest-20", .selftest = true, .ordinary = true },
	{ .name = "selftest-guarded", .selftest = true, .guarded = true },
	{ .name = "selftest-level-3",
	  .selftest = true,
	  .level = "3",
	  .ordinary = true },
	{ .name = "selftest-no-pmu", .selftest = true, .ordinary = true },
};

/* Writes a setting. Stores the previous value in `before`. */
static bool set(const char *path, const char *text, char before[32])
{
	FILE *file = fopen(path, "r+");
	bool done;

	if (!file || !fgets(before, 32, file)) {
		printf("%s: %s\n", path, strerror(errno));
		return false;
	}
	rewind(file);
	fputs(text, file);
	done = !fclose(file);
	if (!done)
		printf("%s: %s\n", path, strerror(errno));
	return done;
}

/*
 * Opens CPU-wide pinned events until no more fit: each holds a counter
 * permanently.
 */
static void hold_all_counters(void)
{
	static const uint64_t held[] = { PERF_COUNT_HW_CPU_CYCLES,
					 PERF_COUNT_HW_REF_CPU_CYCLES,
					 PERF_COUNT_HW_INSTRUCTIONS };
	size_t kind = 0;

	while (kind < sizeof(held) / sizeof(held[0])) {
		struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
						.size = sizeof(attr),
						.config = held[kind] };
		uint64_t count;
		long fd;

		attr.pinned = 1;
		fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
		/* read(2) returns 0 if a pinned event has lost its counter. */
		if (fd < 0 ||
		    read((int)fd, &count, sizeof(count)) != sizeof(count))
			kind++;
	}
}

static void become(const struct state *state, int output)
{
	static char *const doctor[] = { "selfmon", "doctor", NULL };
	char *selftest[] = { "selfmon", "selftest", "--quick",
			     state->perf ? "--perf" : NULL, NULL };

	dup2(output, STDOUT_FILENO);
	if (state->guarded)
		setenv("SELFMON_GUARD", "1", 1);
	if (state->ordinary && (setgid(ORDINARY) || setuid(ORDINARY)))
		_exit(3);
	execv(TOOL, state->selftest ? selftest : doctor);
	_exit(3);
}

static int run_tool(const struct state *state, char *text, size_t size)
{
	const int memory = memfd_create("doctor", MFD_CLOEXEC);
	ssize_t n;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (state->held) {
			hold_all_counters();
			pid = fork();
			if (pid) {
				waitpid(pid, &status, 0);
				_exit(WEXITSTATUS(status));
			}
		}
		become(state, memory);
	}
	waitpid(pid, &status, 0);
	n = pread(memory, text, size - 1, 0);
	text[n < 0 ? 0 : n] = '\0';
	close(memory);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Returns the exit status that a program with this output must have. */
static int status_of(const struct state *state, const char *text)
{
	if (!state->selftest)
		return strstr(text, "\nuser reads: yes") ? 0 : 1;
	if (strstr(text, "\nnumbers are wrong here"))
		return 1;
	return strstr(text, "\nhardware events cannot be counted") ? 77 : 0;
}

static bool passes(const char *machine, const struct state *state)
{
	static char text[1 << 16];
	char path[256];
	int status;

	snprintf(path, sizeof(path), "/tests/%s-%s.expected", machine,
		 state->name);
	status = run_tool(state, text, sizeof(text));
	if (!expect_matches(path, text))
		return false;
	if (status == status_of(state, text))
		return true;
	printf("%s: exit status %d after:\n%s", state->name, status, text);
	return false;
}

static bool passes_so_set(const char *machine, const struct state *state)
{
	const char *const path = access(RDPMC, F_OK) ? USER_ACCESS : RDPMC;
	char level[32], reads[32], now[32];
	bool good;

	if (state->level && !set(PARANOID, state->level, level))
		return false;
	good = !state->no_user_reads || set(path, "0", reads);
	if (good) {
		good = passes(machine, state);
		if (state->no_user_reads)
			good = set(path, reads, now) && good;
	}
	if (state->level)
		good = set(PARANOID, level, now) && good;
	return good;
}

static const struct state *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (!strcmp(states[i].name, name))
			return &states[i];
	return NULL;
}

int guest_run(const char *machine, char **names)
{
	unsigned int passed = 0, failed = 0;

	for (; *names; names++) {
		const struct state *state = find(*names);

		if (state && passes_so_set(machine, state)) {
			passed++;
			continue;
		}
		failed++;
		printf("doctor: %s: %s\n", *names,
		       state ? "failed" : "no such state");
	}
	printf("%u passed, %u failed, 0 skipped\n", passed, failed);
	return failed > 0;
}
