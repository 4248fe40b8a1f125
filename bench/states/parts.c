/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "parts.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../bench.h"

/*
 * The candidate programs are in the folder of this program; see bench.mk. The
 * inlined forms do not run "fibers", since a switch of fibers is a call of the
 * library in these forms, too.
 */
static const struct form {
	const char *program, *name;
	const char *parts[7];
} forms[] = {
	{ "static", "", { "software", "hardware-set", "hardware" } },
	{ "static", "static", { "time", "off", "recorded", "traced",
			    "fibers", "in-situ" } },
	{ "shared", "shared", { "time", "off", "recorded", "traced",
			    "fibers", "in-situ" } },
	{ "inlined", "inlined", { "time", "off", "recorded", "traced",
			      "in-situ" } },
	{ "single", "-flto", { "time", "off", "recorded", "traced",
			      "in-situ" } },
	{ "tracy", "Tracy", { "tracy", "in-situ" } },
};

static void path_of(const struct form *form, char path[PATH_MAX])
{
	const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 64);

	if (length < 0)
		bench_fail("no /proc");
	path[length] = '\0';
	snprintf(strrchr(path, '/'), 64, "/candidate-%s", form->program);
}

static void read_all(const struct part_process *process, void *to, size_t size)
{
	char *at = to;

	while (size > 0) {
		const ssize_t got = read(process->from, at, size);

		if (got <= 0)
			bench_fail("a part of the round has ended");
		at += got;
		size -= (size_t)got;
	}
}

static _Noreturn void run(const char *path, const char *part, const char *form,
			  int in, int out)
{
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	execl(path, "candidate", part, form, (char *)NULL);
	bench_fail("cannot run %s", path);
}

static void start(struct parts *parts, const char *path, const char *part,
		  const char *form)
{
	struct part_process *const process = &parts->process[parts->count++];
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) ||
	    (process->pid = fork()) < 0)
		bench_fail("no process");
	if (process->pid == 0)
		run(path, part, form, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	process->to = in[1];
	process->from = out[0];
	read_all(process, &process->head, sizeof(process->head));
	read_all(process, process->row,
		 process->head.rows * sizeof(process->row[0]));
	process->first_column = parts->columns;
	parts->columns += process->head.columns;
}

void parts_start(struct parts *parts)
{
	char path[PATH_MAX];
	size_t f, p;

	memset(parts, 0, sizeof(*parts));
	for (f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
		path_of(&forms[f], path);
		if (access(path, X_OK)) {
			fprintf(stderr,
				"bench: no rows of form '%s': not "
				"built: %s\n",
				forms[f].name, path);
			continue;
		}
		for (p = 0; forms[f].parts[p]; p++)
			start(parts, path, forms[f].parts[p], forms[f].name);
	}
}

void parts_measure(struct parts *parts, double *column,
		   struct bench_loops *loops)
{
	struct part_round round;
	size_t i;

	*loops = (struct bench_loops){ 1e9, 0 };
	for (i = 0; i < parts->count; i++) {
		struct part_process *const process = &parts->process[i];

		if (write(process->to, "", 1) != 1)
			bench_fail("a part of the round has ended");
		read_all(process, &round, sizeof(round));
		memcpy(column + process->first_column, round.column,
		       process->head.columns * sizeof(*column));
		if (round.loops.fastest < loops->fastest)
			loops->fastest = round.loops.fastest;
		if (round.loops.slowest > loops->slowest)
			loops->slowest = round.loops.slowest;
	}
}

void parts_end(struct parts *parts)
{
	size_t i;

	for (i = 0; i < parts->count; i++)
		close(parts->process[i].to);
	for (i = 0; i < parts->count; i++) {
		int status = 1;

		waitpid(parts->process[i].pid, &status, 0);
		close(parts->process[i].from);
		if (status)
			bench_fail("a part of the rounds has failed");
	}
}
