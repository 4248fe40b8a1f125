/* SPDX-License-Identifier: MIT */
/*
 * Alternates two commands in the order A B B A, so that changes of the
 * machine's speed affect both. Before this, each command runs once to fill
 * caches.
 */
#define _GNU_SOURCE
#include "run_compare.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "compare.h"
#include "progress.h"
#include "tool.h"

struct turns {
	const struct run_compare *compare;
	char folder[PATH_MAX];
	bool is_temporary;
	unsigned int runs;
	/* Paths of the reports: of A's runs, then of B's. */
	char **path;
	struct child child; /* the last run */
};

void run_compare_pass(struct run_compare *compare, const char *option,
		      const char *value)
{
	if (compare->words + 2 > RUN_COMPARE_WORDS)
		return;
	compare->word[compare->words++] = option;
	if (value)
		compare->word[compare->words++] = value;
}

/* ---- files of the reports ------------------------------------------------ */

static int make_folder(struct turns *turns)
{
	const char *const keep = turns->compare->keep;
	const char *const base = getenv("TMPDIR");
	char path[PATH_MAX];

	turns->is_temporary = !keep;
	snprintf(turns->folder, sizeof(turns->folder), "%s%s",
		 keep ? keep : base && *base ? base : "/tmp",
		 keep ? "" : "/selfmon-compare-XXXXXX");
	/*
	 * In SELFMON_OUTPUT a comma or semicolon ends the path, and % begins an
	 * escape.
	 */
	if (strpbrk(turns->folder, ",;%"))
		return tool_misused("run", "folder '%s': a path without , ; "
				    "and %% is allowed", turns->folder);
	if (keep ? mkdir(keep, 0777) && errno != EEXIST
		 : !mkdtemp(turns->folder)) {
		tool_fail("run", "%s: %s", turns->folder, strerror(errno));
		return TOOL_USAGE;
	}
	/*
	 * The commands may change their directory. A relative path is kept if
	 * the absolute path is not possible in SELFMON_OUTPUT.
	 */
	if (realpath(turns->folder, path) && !strpbrk(path, ",;%"))
		strcpy(turns->folder, path);
	return 0;
}

static char *path_of(const struct turns *turns, unsigned int side,
		     unsigned int run)
{
	return turns->path[(size_t)side * turns->runs + run];
}

static int name_reports(struct turns *turns)
{
	const unsigned int count = 2 * turns->runs;
	unsigned int i;
	char *path;

	turns->path = calloc(count, sizeof(*turns->path));
	for (i = 0; turns->path && i < count; i++) {
		if (asprintf(&path, "%s/%c-%03u.json", turns->folder,
			     "ab"[i / turns->runs], i % turns->runs + 1) < 0)
			break;
		turns->path[i] = path;
	}
	if (turns->path && i == count)
		return 0;
	tool_fail("run", "no memory");
	return TOOL_USAGE;
}

static void clean_up(struct turns *turns)
{
	unsigned int i;

	for (i = 0; turns->path && i < 2 * turns->runs; i++) {
		if (turns->is_temporary && turns->path[i])
			unlink(turns->path[i]);
		free(turns->path[i]);
	}
	free(turns->path);
	if (turns->is_temporary)
		rmdir(turns->folder);
}

/* ---- runs ---------------------------------------------------------------- */

static int check_end(const char *command, unsigned int side, int status,
		     const char *report)
{
	if (status) {
		tool_fail("run", "%c: '%s' ended with status %d: nothing is "
			  "compared", "AB"[side], command, status);
		return TOOL_USAGE;
	}
	if (access(report, R_OK)) {
		tool_fail("run", "%c: '%s' wrote no report: is it built with "
			  "libselfmon, and does it end by exit(3)?",
			  "AB"[side], command);
		return TOOL_USAGE;
	}
	return 0;
}

/*
 * Runs a command, and discards its standard output: standard output is reserved
 * for the comparison.
 */
static int run_one(struct turns *turns, unsigned int side, unsigned int run)
{
	const char *const command = turns->compare->command[side];
	const char *const report = path_of(turns, side, run);
	char *output = NULL, *script = NULL;
	char shell[] = "sh", option[] = "-c";
	int status;

	if (asprintf(&output, "json:%s", report) < 0 ||
	    asprintf(&script, "exec > /dev/null\n%s", command) < 0) {
		tool_fail("run", "no memory");
		return TOOL_USAGE;
	}
	unlink(report);
	setenv("SELFMON_OUTPUT", output, 1);
	status = child_run(&turns->child,
			   (char *[]){ shell, option, script, NULL });
	free(output);
	free(script);
	if (turns->child.signal)
		return status;
	return check_end(command, side, status, report);
}

static int run_all(struct turns *turns)
{
	unsigned int i;
	int status = run_one(turns, 0, 0);

	if (!status)
		status = run_one(turns, 1, 0);
	progress_begin("alternating A and B", 2 * (size_t)turns->runs);
	for (i = 0; !status && i < 2 * turns->runs; i++) {
		progress_at(i);
		status = run_one(turns, (i + 1) / 2 % 2, i / 2);
	}
	progress_end();
	return status;
}

static int compare_all(const struct turns *turns)
{
	const struct run_compare *const compare = turns->compare;
	char **const words = calloc(2 * (size_t)turns->runs + 7 +
					    (size_t)compare->words,
				    sizeof(*words));
	char name[] = "compare", between[] = "--";
	char option[2][16] = { "--name-a", "--name-b" };
	unsigned int side, run;
	int count = 0, i, status;

	if (!words) {
		tool_fail("run", "no memory");
		return TOOL_USAGE;
	}
	words[count++] = name;
	for (side = 0; side < 2; side++) {
		words[count++] = option[side];
		words[count++] = (char *)(uintptr_t)compare->command[side];
	}
	for (i = 0; i < compare->words; i++)
		words[count++] = (char *)(uintptr_t)compare->word[i];
	for (side = 0; side < 2; side++) {
		if (side)
			words[count++] = between;
		for (run = 0; run < turns->runs; run++)
			words[count++] = path_of(turns, side, run);
	}
	optind = 0; /* restart getopt(3) */
	status = tool_compare(count, words);
	free(words);
	return status;
}

int run_compare(const struct run_compare *compare)
{
	struct turns turns = { .compare = compare,
			       .runs = compare->runs ? compare->runs
						     : RUN_COMPARE_RUNS };
	int status = make_folder(&turns);

	if (status)
		return status;
	status = name_reports(&turns);
	if (!status)
		status = run_all(&turns);
	if (!status)
		status = compare_all(&turns);
	if (!turns.is_temporary)
		fprintf(stderr, "selfmon run: the reports are in %s\n",
			turns.folder);
	clean_up(&turns);
	return child_exit(&turns.child, status);
}
