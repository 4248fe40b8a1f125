/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "run_output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/write.h"
#include "tool.h"

static const char *const made_name[RUN_MADE_COUNT] = { RUN_MADE_NAMES };
static const char *const formats[] = { SELFMON_FORMAT_NAMES, "html", "folded",
				       "pprof", NULL };

static enum run_made made_of(const char *format)
{
	unsigned int i;

	for (i = RUN_NOT_MADE + 1; i < RUN_MADE_COUNT; i++)
		if (!strcmp(made_name[i], format))
			return (enum run_made)i;
	return RUN_NOT_MADE;
}

/*
 * Returns the requested format. Without a request, the file's ending selects
 * the format; the default is text.
 */
static const char *choose_format(const char *format, const char *file)
{
	const char *ending = strrchr(file, '.');
	size_t i;

	for (i = 0; formats[i]; i++)
		if (format ? !strcmp(format, formats[i])
			   : ending && !strcmp(ending + 1, formats[i]))
			return formats[i];
	return format ? NULL : formats[0];
}

/*
 * Splits FORMAT:FILE as in SELFMON_OUTPUT. Returns the format, and sets *file
 * to the rest.
 */
static const char *split_format(const char **file)
{
	size_t i;

	for (i = 0; formats[i]; i++) {
		const size_t n = strlen(formats[i]);

		if (!strncmp(*file, formats[i], n) && (*file)[n] == ':') {
			*file += n + 1;
			return formats[i];
		}
	}
	return NULL;
}

/*
 * Expands %p and %% like the library does. Returns false if the result is too
 * long.
 */
static bool expand(const char *from, pid_t pid, char *to, size_t size)
{
	size_t n = 0;

	for (; *from && n + 24 < size; from++) {
		if (from[0] == '%' && from[1] == 'p') {
			n += (size_t)snprintf(to + n, 24, "%d", (int)pid);
			from++;
			continue;
		}
		to[n++] = *from;
		from += from[0] == '%' && from[1] == '%';
	}
	to[n] = '\0';
	return !*from;
}

/*
 * Makes a file name absolute, since the program may change its directory. If
 * the current directory has a comma or a semicolon, the name stays relative:
 * these characters would end it in SELFMON_OUTPUT.
 */
static int make_absolute(const char *file, const char *option, char *path)
{
	char here[PATH_MAX];
	size_t n = 0, i;

	if (file[0] != '/' && getcwd(here, sizeof(here)) &&
	    !strpbrk(here, ",;")) {
		for (i = 0; here[i] && n + 3 < RUN_OUTPUT_SIZE; i++) {
			path[n++] = here[i];
			if (here[i] == '%')
				path[n++] = '%';
		}
		if (n > 1)
			path[n++] = '/';
	}
	if (n + strlen(file) >= RUN_OUTPUT_SIZE - 32)
		return tool_fail("run", "%s %.64s...: the name is too long",
				 option, file);
	strcpy(path + n, file);
	return 0;
}

/*
 * Checks in advance what the library would only notice at the program's exit.
 */
static int check_place(struct run_output *out, const char *file)
{
	char path[RUN_OUTPUT_SIZE], *slash;

	if (!expand(out->path, getpid(), path, sizeof(path)) ||
	    (out->made && !run_made_begin(path)))
		return tool_fail("run", "-o %s: the name is too long", file);
	if (!lstat(path, &out->before)) {
		if (S_ISLNK(out->before.st_mode))
			return tool_fail("run", "-o %s: a symbolic link, which "
				"is not followed", file);
		if (S_ISDIR(out->before.st_mode))
			return tool_fail("run", "-o %s: a directory", file);
		if (access(path, W_OK))
			return tool_fail("run", "-o %s: %s", file,
					 strerror(errno));
		return 0;
	}
	out->before.st_nlink = 0;
	slash = strrchr(path, '/');
	if (slash)
		slash[slash == path] = '\0';
	if (access(slash ? path : ".", W_OK | X_OK))
		return tool_fail("run", "-o %s: %s: %s", file,
				 slash ? path : ".", strerror(errno));
	return 0;
}

int run_output_take(struct run_output *out, const char *file,
		    const char *format, bool children)
{
	char hint[TOOL_HINT_SIZE], ending[32] = "";
	const char *chosen;
	int status = 0;

	if (!file || !*file)
		file = "-";
	chosen = format ? NULL : split_format(&file);
	if (!chosen)
		chosen = choose_format(format, file);
	if (!chosen)
		return tool_misused("run", "unknown format '%s'%s: "
				    SELFMON_FORMAT_LIST ", html, folded and "
				    "pprof are allowed",
				    format,
				    tool_hint(format, formats, hint));
	out->made = made_of(chosen);
	if (out->made && (children || !strcmp(file, "-") || strchr(file, '%')))
		return tool_misused("run", "%s is for one process and needs a "
				    "file: -o %s:FILE without %%p and "
				    "--children", chosen, chosen);
	if (strpbrk(file, ",;"))
		return tool_fail("run", "-o %s: names with a comma or a "
				 "semicolon are not supported",
				 file);
	if (strcmp(file, "-") != 0) {
		status = make_absolute(file, "-o", out->path);
		if (!status)
			status = check_place(out, file);
	}
	if (out->made)
		snprintf(ending, sizeof(ending), RUN_SOURCE_ENDING,
			 (int)getpid());
	/* There is room: make_absolute() has checked the length. */
	if (!status &&
	    snprintf(out->value, sizeof(out->value), "%s:%s%s%s",
		     out->made ? "json" : chosen,
		     out->path[0] ? out->path : "-", ending,
		     children ? ",children=yes" : "") >= (int)sizeof(out->value))
		status = tool_fail("run", "-o %.64s...: the name is too long",
				   file);
	return status;
}

int run_live_take(const char *file, char path[RUN_OUTPUT_SIZE])
{
	if (!*file)
		return tool_misused("run", "--live: the name of a file is "
				    "missing");
	return make_absolute(file, "--live", path);
}

void run_live_say(const char *live, const struct child *child)
{
	char path[RUN_OUTPUT_SIZE];

	if (!expand(live, child->pid, path, sizeof(path)))
		return;
	fflush(stdout);
	if (access(path, R_OK))
		tool_line(stderr, "selfmon run: no live file %s: %s", path,
			  strerror(errno));
	else
		tool_line(stderr, "selfmon run: to read the live file: selfmon "
			  "report '%s'", path);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_nlink && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool run_output_make(const struct run_output *out)
{
	char path[RUN_OUTPUT_SIZE];

	return !out->made || !expand(out->path, getpid(), path, sizeof(path)) ||
	       run_make(path, out->made);
}

void run_output_say(const struct run_output *out, const struct child *child)
{
	char path[RUN_OUTPUT_SIZE];
	struct stat now;

	if (!out->path[0] ||
	    !expand(out->path, child->pid, path, sizeof(path)))
		return;
	fflush(stdout);
	if (!stat(path, &now) && !is_same(&out->before, &now)) {
		if (S_ISREG(now.st_mode))
			tool_line(stderr, "selfmon run: report in %s, %lld "
				  "bytes", path, (long long)now.st_size);
		return;
	}
	if (child->signal)
		tool_line(stderr, "selfmon run: no report in %s: signal %d "
			  "(%s) ended the program before it could write one",
			  path, child->signal, strsignal(child->signal));
	else
		tool_line(stderr, "selfmon run: no report in %s: the program "
			  "has no regions, visited none, is not built with "
			  "libselfmon, or ended by _exit", path);
}
