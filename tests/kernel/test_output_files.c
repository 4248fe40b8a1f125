/* SPDX-License-Identifier: MIT */
/*
 * Tests the files to which the report at exit is written: new ones, existing
 * ones, FIFOs.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "kernel/exits.h"
#include "schema.h"
#include "platform/create.h"
#include "sanitized.h"

static char folder[32];

static const char *inside(const char *name)
{
	static char path[2][64];
	static unsigned int turn;
	char *const to = path[turn++ % 2];

	snprintf(to, sizeof(path[0]), "%s/%s", folder, name);
	return to;
}

static void make_folder(void)
{
	strcpy(folder, "/tmp/selfmon-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
}

static const char *csv_into(const char *name)
{
	static char output[64];

	snprintf(output, sizeof(output), "csv:%s/%s", folder, name);
	return output;
}

static void run_into(const char *format, const char *path)
{
	char outputs[128];

	snprintf(outputs, sizeof(outputs), "%s:%s", format, path);
	RUN(visit, "SELFMON_OUTPUT", outputs, NULL);
}

Test(output, a_file_is_for_its_owner_alone)
{
	struct stat status;

	make_folder();
	umask(0);
	run_into("json", inside("new"));
	cr_assert_eq(stat(inside("new"), &status), 0);
	cr_assert_eq(status.st_mode, S_IFREG | 0600, "%o", status.st_mode);
	cr_assert_neq(schema_check("", inside("new")), SCHEMA_REFUSES);
	folder_remove(folder);
}

static void make_file(const char *path, const char *content, mode_t mode)
{
	FILE *const file = fopen(path, "w");

	cr_assert_not_null(file);
	fputs(content, file);
	fclose(file);
	cr_assert_eq(chmod(path, mode), 0);
}

static size_t names_in_folder(void)
{
	DIR *const dir = opendir(folder);
	size_t names = 0;

	cr_assert_not_null(dir);
	while (readdir(dir))
		names++;
	closedir(dir);
	return names - 2; /* the directory lists itself and its parent */
}

Test(output, a_longer_report_of_before_is_replaced)
{
	static char rest[20000];

	make_folder();
	memset(rest, 'x', sizeof(rest) - 1);
	make_file(inside("old"), rest, 0600);
	run_into("csv", inside("old"));
	ASSERT_SILENT();
	cr_assert_null(strstr(file_text(inside("old")), "xxx"));
	cr_assert_not_null(strstr(file_text(inside("old")), "visited"));
	cr_assert_eq(names_in_folder(), 1);
	folder_remove(folder);
}

Test(output, a_file_of_others_to_read_is_replaced_by_one_that_is_not)
{
	struct stat before, after;

	make_folder();
	make_file(inside("old"), "as it was", 0666);
	cr_assert_eq(stat(inside("old"), &before), 0);
	run_into("csv", inside("old"));
	ASSERT_SILENT();
	cr_assert_eq(stat(inside("old"), &after), 0);
	cr_assert_eq(after.st_mode, S_IFREG | 0600, "%o", after.st_mode);
	cr_assert_neq(after.st_ino, before.st_ino);
	folder_remove(folder);
}

Test(output, a_hard_link_elsewhere_keeps_what_it_had)
{
	make_folder();
	make_file(inside("old"), "as it was", 0600);
	cr_assert_eq(link(inside("old"), inside("other")), 0);
	run_into("csv", inside("old"));
	ASSERT_SILENT();
	cr_assert_str_eq(file_text(inside("other")), "as it was");
	cr_assert_not_null(strstr(file_text(inside("old")), "visited"));
	cr_assert_eq(names_in_folder(), 2);
	folder_remove(folder);
}

/*
 * Standard error is a file too, so the limit applies to it as well. No report
 * can be printed there instead.
 */
static void visit_with_little_disk(void)
{
	const struct rlimit limit = { 20, 20 };

	visit();
	setrlimit(RLIMIT_FSIZE, &limit);
}

Test(output, one_that_cannot_be_written_leaves_the_one_before_whole)
{
	make_folder();
	make_file(inside("old"), "as it was", 0600);
	RUN(visit_with_little_disk, "SELFMON_OUTPUT", csv_into("old"), NULL);
	cr_assert_str_eq(file_text(inside("old")), "as it was");
	cr_assert_eq(names_in_folder(), 1);
	RUN(visit_with_little_disk, "SELFMON_OUTPUT", csv_into("new"), NULL);
	cr_assert_eq(names_in_folder(), 1);
	folder_remove(folder);
}

#define SOMEBODY 65534

/* Root could write to any folder. */
static void visit_as_somebody(void)
{
	if (getuid() == 0 && (setgid(SOMEBODY) || setuid(SOMEBODY)))
		abort();
	visit();
}

static void forbid_folder(const char *file, uid_t owner)
{
	if (getuid() == 0)
		cr_assert_eq(chown(file, owner, owner), 0);
	cr_assert_eq(chmod(folder, 0555), 0);
}

Test(output, a_file_in_a_folder_that_takes_no_other_is_overwritten)
{
	static char rest[20000];

	make_folder();
	memset(rest, 'x', sizeof(rest) - 1);
	make_file(inside("old"), rest, 0644);
	forbid_folder(inside("old"), SOMEBODY);
	RUN(visit_as_somebody, "SELFMON_OUTPUT", csv_into("old"), NULL);
	ASSERT_SILENT();
	cr_assert_null(strstr(file_text(inside("old")), "xxx"));
	cr_assert_not_null(strstr(file_text(inside("old")), "visited"));
	RUN(visit_as_somebody, "SELFMON_OUTPUT", csv_into("new"), NULL);
	ASSERT_SAYS("/new': Permission denied; it is printed here instead\n");
	ASSERT_SAYS("visited");
	chmod(folder, 0755);
	folder_remove(folder);
}

/* Another user has made the file in order to read the report. */
Test(output, but_not_the_file_of_another_user)
{
	if (getuid() != 0)
		cr_skip_test("only root can make another user's file");
	make_folder();
	make_file(inside("old"), "as it was", 0666);
	forbid_folder(inside("old"), SOMEBODY - 1);
	RUN(visit_as_somebody, "SELFMON_OUTPUT", csv_into("old"), NULL);
	ASSERT_SAYS("/old': Permission denied; it is printed here instead\n");
	ASSERT_SAYS("visited");
	cr_assert_str_eq(file_text(inside("old")), "as it was");
	chmod(folder, 0755);
	folder_remove(folder);
}

Test(output, a_symbolic_link_is_refused_and_nothing_is_lost)
{
	FILE *file;

	make_folder();
	file = fopen(inside("precious"), "w");
	fputs("as it was", file);
	fclose(file);
	cr_assert_eq(symlink(inside("precious"), inside("link")), 0);
	run_into("json", inside("link"));
	ASSERT_SAYS("/link': symbolic links are not followed; it is printed "
		    "here instead\n");
	ASSERT_SAYS("visited");
	cr_assert_str_eq(file_text(inside("precious")), "as it was");
	unlink(inside("link"));
	unlink(inside("precious"));
	rmdir(folder);
}

Test(output, a_fifo_that_nobody_reads_keeps_no_program_from_ending)
{
	make_folder();
	cr_assert_eq(mkfifo(inside("fifo"), 0600), 0);
	run_into("text", inside("fifo"));
	ASSERT_SAYS("cannot write the report to");
	ASSERT_SAYS("visited");
	unlink(inside("fifo"));
	rmdir(folder);
}

/* Fills the pipe completely, so that a writer must wait. */
static void fill_pipe(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	while (write(fd, "", 1) == 1)
		;
	fcntl(fd, F_SETFL, flags);
}

static char fifo_text[1 << 18];

/* Begins to read late, and stops after the report's only line with a region. */
static void *read_fifo(void *fd)
{
	char *to = fifo_text;
	ssize_t n;

	/*
	 * Longer than PATIENCE_MS of platform/output.c, the time that a
	 * non-blocking write waits for a reader. So the library must have
	 * opened the FIFO for blocking writes.
	 */
	usleep(1500000);
	do {
		n = read(*(int *)fd, to, 4096);
		if (n <= 0)
			break;
		to += n;
	} while (!memmem(fifo_text, sizeof(fifo_text), "visited", 7));
	return NULL;
}

Test(output, a_fifo_that_is_read_gets_the_report)
{
	pthread_t reader;
	int fd;

	make_folder();
	cr_assert_eq(mkfifo(inside("fifo"), 0600), 0);
	fd = open(inside("fifo"), O_RDWR);
	cr_assert_geq(fd, 0);
	fcntl(fd, F_SETPIPE_SZ, 4096);
	fill_pipe(fd);
	cr_assert_eq(pthread_create(&reader, NULL, read_fifo, &fd), 0);
	run_into("csv", inside("fifo"));
	ASSERT_SILENT();
	pthread_join(reader, NULL);
	cr_assert(memmem(fifo_text, sizeof(fifo_text), "visited", 7));
	close(fd);
	unlink(inside("fifo"));
	rmdir(folder);
}

static char much[1 << 20];

static void *write_much(void *path)
{
	memset(much, 'x', sizeof(much));
	return selfmon_create_write(path, much, sizeof(much)) ? path : NULL;
}

static int other_of(int fd)
{
	struct stat wanted, status;
	int other;

	cr_assert_eq(fstat(fd, &wanted), 0);
	for (other = 0; other < 1024; other++)
		if (other != fd && !fstat(other, &status) &&
		    status.st_ino == wanted.st_ino &&
		    status.st_dev == wanted.st_dev)
			return other;
	return -1;
}

/*
 * While the pipe is full, the writer waits, and the test can inspect its
 * descriptor.
 */
Test(output, descriptors_of_files_are_not_for_programs_executed_meanwhile)
{
	static char path[64];
	size_t left = sizeof(much);
	pthread_t writer;
	void *failed;
	ssize_t n;
	int fd, other;

	if (SANITIZED_THREADS)
		cr_skip_test("to a thread sanitizer a look at another "
			     "thread's descriptor is a race");
	make_folder();
	strcpy(path, inside("fifo"));
	cr_assert_eq(mkfifo(path, 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	cr_assert_eq(pthread_create(&writer, NULL, write_much, path), 0);
	while ((other = other_of(fd)) < 0)
		usleep(1000);
	cr_assert_eq(fcntl(other, F_GETFD), FD_CLOEXEC);
	fcntl(fd, F_SETFL, 0);
	for (; left > 0; left -= (size_t)n)
		cr_assert_gt(n = read(fd, fifo_text, sizeof(fifo_text)), 0);
	pthread_join(writer, &failed);
	cr_assert_null(failed);
	close(fd);
	folder_remove(folder);
}

static void visit_three(void)
{
	SELFMON_REGION("around")
		SELFMON_REGION("first")
			SELFMON_REGION("second")
				visit();
}

Test(output, options_behind_a_semicolon_are_of_that_output)
{
	char outputs[128];

	make_folder();
	snprintf(outputs, sizeof(outputs), "text:-;depth=1;columns=total,csv:%s;"
		 "find=sec", inside("csv"));
	RUN(visit_three, "SELFMON_OUTPUT", outputs, NULL);
	ASSERT_SAYS("\nregion          total\naround");
	ASSERT_SAYS("1 of 4 rows; 3 are not shown");
	cr_assert_null(strstr(file_text(inside("csv")), "visited"));
	cr_assert_not_null(strstr(file_text(inside("csv")), "second"));
	folder_remove(folder);
}

Test(output, an_option_that_is_wrong_is_named_and_the_report_is_printed)
{
	RUN(visit_three, "SELFMON_OUTPUT", "text:-;flatt;top=x;sort=visist",
	    NULL);
	ASSERT_SAYS("selfmon: SELFMON_OUTPUT: unknown option 'flatt' (did you "
		    "mean 'flat'?); flat, collapse, ");
	ASSERT_SAYS("selfmon: SELFMON_OUTPUT: top=x: 0 to ");
	ASSERT_SAYS("selfmon: SELFMON_OUTPUT: sort=visist: no such column (did "
		    "you mean 'visits'?); these exist: visits, ");
	ASSERT_SAYS("\n    second");
}
