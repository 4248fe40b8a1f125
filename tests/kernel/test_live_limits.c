/* SPDX-License-Identifier: MIT */
/*
 * Tests live files that cannot grow, and which processes have the mapping and
 * the descriptor of a live file.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/lives.h"
#include "store/state.h"

/* More regions than fit into the file's first MiB. */
#define MANY 1000

TestSuite(live_limits, .init = setup, .fini = teardown);

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

/*
 * The report that the process itself takes has all visits, and says that some
 * are in memory only.
 */
static void visit_and_look(void)
{
	struct selfmon_report *report;

	visit_many();
	if (selfmon_report_take(&report))
		_exit(90);
	outcome->visits = visits_in(report);
	outcome->noted = says(report, "kept in memory only");
	selfmon_report_free(report);
}

static void check_full(const char *name)
{
	struct selfmon_report *report = read_back(name);

	cr_assert_eq(outcome->visits, MANY);
	cr_assert(outcome->noted);
	cr_assert(says(report, "are missing: the file could not grow"));
	cr_assert(visits_in(report) > 100 && visits_in(report) < MANY);
	rows_check(report);
	selfmon_report_free(report);
}

/* ---- full disks, and file systems that are refused ----------------------- */

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

/* Uses a new mount namespace, so that no other process sees the mount. */
static void mount_on(const char *folder, const char *type, const char *options)
{
	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", folder, type, 0, options))
		_exit(77);
}

/*
 * The mount ends with its process, so the file is copied to another file
 * system.
 */
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

	if (!mkdtemp(folder))
		_exit(91);
	mount_on(folder, "tmpfs", "size=1200k");
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

/* ramfs is never full, but the library accepts only tmpfs, ext4 and XFS. */
static void write_to_ramfs(void)
{
	struct selfmon_report *report;
	char folder[] = "/tmp/selfmon-other-XXXXXX";
	char name[64];

	if (!mkdtemp(folder))
		_exit(91);
	mount_on(folder, "ramfs", NULL);
	snprintf(name, sizeof(name), "%s/live", folder);
	setenv("SELFMON_LIVE", name, 1);
	visit_many();
	if (selfmon_report_take(&report) || visits_in(report) != MANY)
		_exit(90);
	outcome->noted = says(report, "is not tmpfs, ext4 or XFS");
	selfmon_report_free(report);
	if (access(name, F_OK) == 0)
		_exit(92);
	umount2(folder, MNT_DETACH);
	rmdir(folder);
}

Test(live_limits, on_other_file_systems_there_is_none)
{
	const int status = run(write_to_ramfs);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		cr_skip_test("this user may not mount a file system");
	cr_assert_eq(status, 0, "status %#x", (unsigned int)status);
	cr_assert(outcome->noted);
}

static void *visit_in_thread(void *unused)
{
	SELFMON_REGION("work")
		;
	return unused;
}

static void visit_in_threads(void)
{
	static char name[4090];
	struct selfmon_report *report;
	pthread_t thread;
	int i;

	memset(name, 'a', sizeof(name) - 1);
	setenv("SELFMON_LIVE", name, 1);
	for (i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, visit_in_thread, NULL);
		pthread_join(thread, NULL);
	}
	if (selfmon_report_take(&report) || visits_in(report) != 3)
		_exit(90);
	outcome->noted = says(report, "too long; ignored");
	outcome->sum = selfmon_report_note_count(report);
	selfmon_report_free(report);
}

Test(live_limits, a_name_that_is_too_long_has_one_note)
{
	cr_assert_eq(run(visit_in_threads), 0);
	cr_assert(outcome->noted);
	cr_assert_eq(outcome->sum, 1);
}

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

static void no_room_at_all(void)
{
	const struct rlimit limit = { 4096, 4096 };

	setrlimit(RLIMIT_FSIZE, &limit);
	visit_and_look();
	outcome->held = find_descriptor() >= 0;
}

Test(live_limits, no_room_at_all_leaves_the_process_as_it_is)
{
	cr_assert_eq(run(no_room_at_all), 0);
	cr_assert_eq(outcome->visits, MANY);
	cr_assert(outcome->noted);
	cr_assert_not(outcome->held);
}

/* ---- descriptors --------------------------------------------------------- */

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
	outcome->visits--;
}

Test(live_limits, a_number_that_is_the_hosts_by_now_is_not_written_to)
{
	const int status = run(take_its_number);

	cr_assert_eq(status, 0, "status %#x", (unsigned int)status);
	check_full(path);
}

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

/*
 * A child does not inherit the live file's pages. So the child's own entries
 * may be at the addresses of its parent's entries.
 */
static void leave_deep_in_a_child(void)
{
	static struct selfmon_frame frame[SELFMON_DEPTH_MAX];
	struct selfmon_region *const deep = selfmon_region("deep");
	size_t i;
	int status;

	for (i = 0; i < SELFMON_DEPTH_MAX; i++)
		selfmon_enter(deep, &frame[i]);
	if (fork() == 0) {
		visit_many();
		for (i = 0; i < SELFMON_DEPTH_MAX; i++)
			selfmon_leave(&frame[i]);
		_exit(0);
	}
	wait(&status);
	_exit(status != 0);
}

Test(live_limits, a_child_leaves_what_its_parent_entered_where_its_own_is_now)
{
	cr_assert_eq(run(leave_deep_in_a_child), 0);
}
