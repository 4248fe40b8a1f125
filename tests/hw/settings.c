/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "hw/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hw/nops.h"

/* ---- settings, restored at the test's end -------------------------------- */

static struct {
	const char *path;
	char text[24];
	pid_t pid; /* children exit too, but restore nothing */
} kept;

static void put_back(void)
{
	FILE *file;

	if (getpid() != kept.pid)
		return;
	file = fopen(kept.path, "w");
	if (!file)
		return;
	fputs(kept.text, file);
	fclose(file);
}

void setting_write(const char *path, const char *text)
{
	const long long before = (long long)hw_read_number(path, "");

	snprintf(kept.text, sizeof(kept.text), "%lld", before);
	kept.path = path;
	kept.pid = getpid();
	atexit(put_back);
	hw_write_file(path, text);
}

/* ---- reports ------------------------------------------------------------- */

char exit_report[1 << 16];

static void join_lines(char *text)
{
	char *out = text;

	for (; *text; text++) {
		if (*text != ' ' && *text != '\n')
			*out++ = *text;
		else if (out[-1] != ' ')
			*out++ = ' ';
	}
	*out = '\0';
}

void take_exit_report(const char *events, uid_t user)
{
	const int file = memfd_create("report", MFD_CLOEXEC);
	ssize_t length;
	pid_t pid;

	cr_assert_geq(file, 0);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (user && setuid(user))
			_exit(2);
		dup2(file, STDERR_FILENO);
		setenv("SELFMON_EVENTS", events, 1);
		unsetenv("SELFMON_OUTPUT");
		unsetenv("SELFMON_HW_GUEST"); /* would be reported as unknown */
		unsetenv("SELFMON_HW_EXACT");
		unsetenv("SELFMON_HW_UNGUARDED");
		SELFMON_REGION("measured")
		{
			nops(1000);
		}
		exit(0);
	}
	cr_assert_eq(hw_wait(pid), 0);
	exit_report[0] = ' ';
	length = pread(file, exit_report + 1, sizeof(exit_report) - 2, 0);
	cr_assert_geq(length, 0);
	exit_report[length + 1] = '\0';
	join_lines(exit_report);
	close(file);
}

void assert_explained(const struct selfmon_failure *failure,
		      const char *words)
{
	char text[1024];

	selfmon_explain(failure, text, sizeof(text));
	cr_assert(strstr(text, words), "no \"%s\" in: %s", words, text);
}
