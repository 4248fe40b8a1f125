/* SPDX-License-Identifier: MIT */
/* Live files that cannot grow, and what else a file has of its process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "region/state.h"
#include "rows.h"
#include "sanitizer.h"

/* More than fit into the file's first MiB. */
#define MANY 1000
#define DEEP 100
#define SHORT_THREADS 300

struct told {
	uint64_t visits, sum;
	bool noted;
	char path[128];
};

static char path[64];
static struct told *told;

static void setup(void)
{
	snprintf(path, sizeof(path), "/dev/shm/selfmon-limit-%d", getpid());
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(told, MAP_FAILED);
	setenv("SELFMON_OUTPUT", "none", 1);
	setenv("SELFMON_EVENTS", "none", 1);
}

static void teardown(void)
{
	unlink(path);
}

TestSuite(live_limits, .init = setup, .fini = teardown);

static int run(void (*what)(void))
{
	const pid_t child = fork();
	int status;

	if (child == 0) {
		setenv("SELFMON_LIVE", path, 0);
		what();
		_exit(0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	return status;
}

static struct selfmon_report *read_back(const char *name)
{
	struct selfmon_report *report = NULL;
	struct selfmon_failure failure = { .error = 0 };

	cr_assert_eq(selfmon_report_open(name, &report, &failure), 0, "%s",
		     failure.message);
	return report;
}

static uint64_t visits_in(const struct selfmon_report *report)
{
	uint64_t visits = 0;
	size_t i;

	for (i = 0; i < selfmon_report_rows(report); i++)
		visits += selfmon_report_row(report, i)->visits;
	return visits;
}

static bool says(const struct selfmon_report *report, const char *words)
{
	char *text = NULL, *c;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	bool found;

	selfmon_report_write(report, SELFMON_TEXT, stream);
	fclose(stream);
	for (c = text; (c = strstr(c, "\n         ")); ) /* lines that go on */
		memmove(c + 1, c + 10, strlen(c + 10) + 1), *c++ = ' ';
	found = strstr(text, words) != NULL;
	free(text);
	return found;
}

static void visit_many(void)
{
	char name[32];
	int i;

	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "region %d", i);
		SELFMON_REGION_OF(selfmon_region(name))
		{
		}
	}
}

/* All of it is in the process's own report, which says what is missing. */
static void visit_and_look(void)
{
	struct selfmon_report *report;

	visit_many();
	if (selfmon_report_take(&report))
		_exit(90);
	told->visits = visits_in(report);
	told->noted = says(report, "kept in memory alone");
	selfmon_report_free(report);
}

static void check_full(const char *name)
{
	struct selfmon_report *report = read_back(name);

	cr_assert_eq(told->visits, MANY);
	cr_assert(told->noted);
	cr_assert(says(report, "are missing: the file could not grow"));
	cr_assert(visits_in(report) > 100 && visits_in(report) < MANY);
	rows_check(report);
	selfmon_report_free(report);
}

/* ---- no room ------------------------------------------------------------- */

static void limit_file_size(void)
{
	const struct rlimit limit = { 1 << 20, 1 << 20 };

	if (setrlimit(RLIMIT_FSIZE, &limit))
		_exit(91);
	visit_and_look();
}

Test(live_limits, a_limit_of_file_sizes_ends_the_file_and_not_the_process)
{
	cr_assert_eq(run(limit_file_size), 0);
	check_full(path);
}

/* The file system is gone with its process: copied to where it stays. */
static void keep_copy(const char *from)
{
	static char buffer[1 << 16];
	const int in = open(from, O_RDONLY);
	const int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ssize_t n;

	while ((n = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, (size_t)n) != n)
			_exit(92);
	close(in);
	close(out);
}

static void fill_disk(void)
{
	char folder[] = "/tmp/selfmon-full-XXXXXX";
	char name[64];

	if (unshare(CLONE_NEWNS) || !mkdtemp(folder) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", folder, "tmpfs", 0, "size=1200k"))
		_exit(77);
	snprintf(name, sizeof(name), "%s/live", folder);
	setenv("SELFMON_LIVE", name, 1);
	visit_and_look();
	keep_copy(name);
	umount2(folder, MNT_DETACH);
	rmdir(folder);
}

Test(live_limits, a_full_disk_ends_the_file_and_not_the_process)
{
	const int status = run(fill_disk);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		cr_skip_test("this user may not mount a small file system");
	cr_assert_eq(status, 0, "status %#x", (unsigned int)status);
	check_full(path);
}

static void no_room_at_all(void)
{
	const struct rlimit limit = { 4096, 4096 };

	setrlimit(RLIMIT_FSIZE, &limit);
	visit_and_look();
}

Test(live_limits, no_room_at_all_leaves_the_process_as_it_is)
{
	cr_assert_eq(run(no_room_at_all), 0);
	cr_assert_eq(told->visits, MANY);
	cr_assert(told->noted);
}

/* ---- descriptors --------------------------------------------------------- */

/* The number of the live file, by its name. */
static int find_descriptor(void)
{
	char link[64], name[128];
	int fd;

	for (fd = 3; fd < 4096; fd++) {
		ssize_t n;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, name, sizeof(name) - 1);
		if (n <= 0)
			continue;
		name[n] = '\0';
		if (!strcmp(name, path))
			return fd;
	}
	return -1;
}

static void take_its_number(void)
{
	const int host = memfd_create("host", 0);
	struct stat stat_of;
	int fd;

	SELFMON_REGION("first")
	{
	}
	fd = find_descriptor();
	if (fd < 0 || host < 0)
		_exit(93);
	if (fcntl(fd, F_GETFD) != FD_CLOEXEC)
		_exit(94);
	if (dup2(host, fd) != fd)
		_exit(95);
	visit_and_look();
	if (fstat(host, &stat_of) || stat_of.st_size)
		_exit(96);
	told->visits--;
}

Test(live_limits, a_number_that_is_the_hosts_by_now_is_not_written_to)
{
	const int status = run(take_its_number);

	cr_assert_eq(status, 0, "status %#x", (unsigned int)status);
	check_full(path);
}

/* Is it among what this process has mapped? */
static bool is_mapped(void)
{
	FILE *const maps = fopen("/proc/self/maps", "r");
	bool found = false;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		found |= strstr(line, path) != NULL;
	if (maps)
		fclose(maps);
	return found;
}

static void fork_and_look(void)
{
	int status;

	SELFMON_REGION("first")
	{
	}
	if (fork() == 0) {
		SELFMON_REGION("first")
		{
		}
		_exit(find_descriptor() < 0 && !is_mapped() ? 0 : 97);
	}
	if (!is_mapped())
		_exit(101);
	wait(&status);
	_exit(WEXITSTATUS(status));
}

Test(live_limits, a_child_has_no_hold_of_its_parents_file)
{
	cr_assert_eq(run(fork_and_look), 0);
}

/* ---- what is in it ------------------------------------------------------- */

static void nest(int depth)
{
	SELFMON_REGION("nested")
	{
		if (depth > 1)
			nest(depth - 1);
	}
}

static void too_deep(void)
{
	nest(SELFMON_DEPTH_MAX + DEEP);
}

Test(live_limits, visits_that_were_too_deep_are_told)
{
	struct selfmon_report *report;

	cr_assert_eq(run(too_deep), 0);
	report = read_back(path);
	cr_assert(says(report, "100 visit(s) not measured: nested too deep"));
	cr_assert_eq(visits_in(report), SELFMON_DEPTH_MAX);
	selfmon_report_free(report);
}

static void *visit_once(void *unused)
{
	SELFMON_REGION("once")
	{
	}
	return unused;
}

static void short_threads(void)
{
	pthread_t thread[3];
	size_t i, k;

	for (i = 0; i < SHORT_THREADS / 3; i++) {
		for (k = 0; k < 3; k++)
			if (pthread_create(&thread[k], NULL, visit_once, NULL))
				_exit(98);
		for (k = 0; k < 3; k++)
			pthread_join(thread[k], NULL);
	}
}

Test(live_limits, threads_that_have_ended_are_in_it)
{
	struct selfmon_report *report;

	cr_assert_eq(run(short_threads), 0);
	report = read_back(path);
	cr_assert_eq(ROWS_GET(report, "once")->visits, SHORT_THREADS);
	cr_assert(says(report, "300 threads"));
	selfmon_report_free(report);
}

static void with_events(void)
{
	setenv("SELFMON_EVENTS", "page-faults,task-clock", 1);
	SELFMON_REGION("counted")
	{
		char *const memory = mmap(NULL, 16 << 12, PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		size_t i;

		for (i = 0; i < 16; i++)
			memory[i << 12] = 1;
	}
}

Test(live_limits, events_and_their_counts_are_in_it)
{
	const struct selfmon_row *row;
	struct selfmon_report *report;

	cr_assert_eq(run(with_events), 0);
	report = read_back(path);
	cr_assert_str_eq(selfmon_report_column(report, 0), "page-faults");
	cr_assert_str_eq(selfmon_report_column(report, 1), "task-clock");
	row = ROWS_GET(report, "counted");
	cr_assert_eq(row->counter[0].verdict, SELFMON_SYSCALL);
	cr_assert_geq(row->counter[0].sum, 16);
	selfmon_report_free(report);
}

/* Its own report measures the library's cost, which then is in the file. */
static void report_and_go(void)
{
	struct selfmon_report *report;

	SELFMON_REGION("slept")
	{
		usleep(20000);
	}
	if (selfmon_report_take(&report))
		_exit(99);
	told->sum = ROWS_GET(report, "slept")->time.sum;
	selfmon_report_free(report);
}

Test(live_limits, times_are_those_of_the_process)
{
	struct selfmon_report *report;
	uint64_t sum;

	cr_assert_eq(run(report_and_go), 0);
	report = read_back(path);
	sum = ROWS_GET(report, "slept")->time.sum;
	cr_assert(sum > told->sum - told->sum / 100 &&
			  sum < told->sum + told->sum / 100,
		  "%llu ns, and %llu by the process", (unsigned long long)sum,
		  (unsigned long long)told->sum);
	cr_assert(says(report, "subtracted (spread"));
	selfmon_report_free(report);
}

static void by_code(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	unsetenv("SELFMON_LIVE");
	options.output = NULL;
	options.events = "none";
	options.live = path;
	if (selfmon_configure(&options))
		_exit(100);
	SELFMON_REGION("first")
	{
	}
}

Test(live_limits, a_program_may_name_it_in_code)
{
	struct selfmon_report *report;

	cr_assert_eq(run(by_code), 0);
	report = read_back(path);
	cr_assert_eq(ROWS_GET(report, "first")->visits, 1);
	selfmon_report_free(report);
}
