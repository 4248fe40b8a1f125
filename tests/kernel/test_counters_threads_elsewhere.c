/* SPDX-License-Identifier: MIT */
/*
 * Tests sets of several threads: use in other threads and processes, and
 * limits.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "kernel/holdings.h"
#include "kernel/holds.h"
#include "kernel/threads.h"

/* ---- use by other threads and processes ---------------------------------- */

static void *read_elsewhere(void *snapshot)
{
	selfmon_counters_end(set, snapshot);
	return NULL;
}

Test(counters_threads_elsewhere, another_thread_reads_the_same_sums)
{
	pthread_t thread;

	SKIP_IF_SANITIZED("its shadow memory faults too");
	start_pool(THREADS);
	cr_assert_eq(open_set("page-faults", SELFMON_COUNTERS_PROCESS), 1);
	assert_faults(THREADS * PAGES);
	cr_assert_eq(pthread_create(&thread, NULL, read_elsewhere, &b), 0);
	pthread_join(thread, NULL);
	selfmon_counters_delta(set, &a, &b, &delta);
	cr_assert_geq(delta.value[0].count, THREADS * PAGES);
	cr_assert_lt(delta.value[0].count, (THREADS + 1) * PAGES);
	selfmon_counters_close(set);
	pool_end(&pool);
}

static int use_in_child(void)
{
	selfmon_counters_end(set, &b);
	if ((b.flags & SELFMON_SNAPSHOT_LOST) != SELFMON_SNAPSHOT_LOST)
		return 1;
	selfmon_counters_close(set);
	if (holds_events_from(0) == 0)
		return 2;
	if (open_set("page-faults", SELFMON_COUNTERS_PROCESS) != 1)
		return 3;
	/* The child has closed the events of its parent. */
	if (holds_events_from(0) != 1)
		return 4;
	measure_faults();
	return delta.value[0].count == PAGES ? 0 : 5;
}

Test(counters_threads_elsewhere, a_forked_child_finds_no_numbers_and_can_open_its_own)
{
	int status = -1;
	pid_t child;

	SKIP_IF_SANITIZED("its shadow memory faults too");
	start_pool(THREADS);
	cr_assert_eq(open_set("page-faults", SELFMON_COUNTERS_PROCESS), 1);
	selfmon_counters_begin(set, &a);
	child = fork();
	if (child == 0)
		_exit(use_in_child());
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0, "status %#x", (unsigned int)status);
	/*
	 * The first run also copies pages that the child shared (copy on
	 * write).
	 */
	faults_of_a_run();
	cr_assert_eq(faults_of_a_run(), THREADS * PAGES, "the parent's goes on");
	selfmon_counters_close(set);
	pool_end(&pool);
}

Test(counters_threads_elsewhere, a_forked_process_is_not_counted_or_it_is_said)
{
	void *const map = fresh_pages();
	pid_t child;

	SKIP_IF_SANITIZED("its shadow memory faults too");
	cr_assert_eq(open_set("page-faults", SELFMON_COUNTERS_INHERIT), 1);
	selfmon_counters_begin(set, &a);
	child = fork();
	if (child == 0) {
		touch(map);
		touch(fresh_pages());
		touch(fresh_pages());
		_exit(0);
	}
	cr_assert_eq(waitpid(child, NULL, 0), child);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	cr_assert_eq(delta.value[0].count >= 3 * PAGES,
		     strstr(why(0), "before 5.13") != NULL);
	selfmon_counters_close(set);
}

static void *open_after_main(void *unused)
{
	usleep(1000);
	for (;;) { /* waits until the first thread is a zombie */
		char text[512], path[64];
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%d/stat",
			 (int)getpid());
		file = fopen(path, "re");
		if (!file || !fgets(text, sizeof(text), file))
			_exit(1);
		fclose(file);
		if (strstr(text, ") Z "))
			break;
	}
	if (open_set("page-faults", SELFMON_COUNTERS_PROCESS) != 1)
		_exit(2);
	measure_faults();
	_exit(delta.value[0].count == PAGES ? 0 : 3);
	return unused;
}

/*
 * The first thread of a process may end before the others. It then stays in
 * /proc/self/task as a zombie, and the kernel refuses to open events for it.
 */
Test(counters_threads_elsewhere, the_first_thread_may_have_ended)
{
	int status = -1;
	pid_t child;

	SKIP_IF_SANITIZED("its shadow memory faults too");
	child = fork();
	if (child == 0) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, open_after_main, NULL))
			_exit(4);
		pthread_exit(NULL);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0, "status %#x", (unsigned int)status);
}

/* ---- limits -------------------------------------------------------------- */

Test(counters_threads_elsewhere, too_few_descriptors_are_an_error_and_none_is_kept)
{
	struct rlimit limit = { 64, 64 };
	struct holdings before;

	start_pool(20);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_assert_eq(open_set("dummy", 0), 1);
	selfmon_counters_close(set);
	before = holdings_now();
	cr_assert_eq(open_set("page-faults,task-clock",
			      SELFMON_COUNTERS_PROCESS), -EMFILE);
	cr_assert_null(set);
	cr_assert_eq(failure.error, EMFILE);
	cr_assert_not_null(strstr(failure.message, "RLIMIT_NOFILE"));
	cr_assert_str_eq(failure.event, "page-faults");
	holdings_assert_back(&before);
	cr_assert_eq(open_set("page-faults", SELFMON_COUNTERS_PROCESS), 1);
	selfmon_counters_close(set);
	holdings_assert_back(&before);
	pool_end(&pool);
}

/*
 * Acts like a program that called closefrom(3) and opened files at the numbers
 * of the set's descriptors. If the library read such a file, the file's
 * position would move.
 */
Test(counters_threads_elsewhere, no_file_of_the_host_is_read)
{
	const char *const path = "/proc/self/maps";
	int fd, fds[64], count = 0, i;

	start_pool(THREADS);
	cr_assert_eq(open_set("page-faults,dummy", SELFMON_COUNTERS_PROCESS),
		     2);
	for (fd = 0; fd < HOLDS_FDS && count < 64; fd++)
		if (holds_event(fd))
			fds[count++] = fd;
	cr_assert_eq(count, 2 * task_count());
	for (i = 0; i < count; i++) {
		const int file = open(path, O_RDONLY | O_CLOEXEC);

		cr_assert_eq(dup2(file, fds[i]), fds[i]);
		close(file);
	}
	usleep(2000); /* so the library checks the descriptors again */
	selfmon_counters_begin(set, &a);
	cr_assert_eq(a.flags & SELFMON_SNAPSHOT_LOST,
		     SELFMON_SNAPSHOT_LOST_REST);
	selfmon_counters_close(set);
	for (i = 0; i < count; i++)
		cr_assert_eq(lseek(fds[i], 0, SEEK_CUR), 0);
	pool_end(&pool);
}

Test(counters_threads_elsewhere, a_set_without_events_measures_time)
{
	cr_assert_eq(open_set("", SELFMON_COUNTERS_PROCESS), 0);
	selfmon_counters_begin(set, &a);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	cr_assert_gt(delta.ticks, 0);
	selfmon_counters_close(set);
}
