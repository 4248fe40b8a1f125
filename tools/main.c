/* SPDX-License-Identifier: MIT */
/* The selfmon program: finds the command and runs it. */
#include <string.h>
#include <unistd.h>

#include <selfmon/version.h>

#include "compare.h"
#include "doctor.h"
#include "list.h"
#include "report.h"
#include "run.h"
#include "selftest.h"
#include "tool.h"
#include "trace.h"
#include "variables.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *text;
} commands[] = {
	{ "compare", tool_compare, "compares the runs of two programs" },
	{ "doctor", tool_doctor, "checks whether counters can be read here" },
	{ "list", tool_list, "lists the events that can be counted here" },
	{ "report", tool_report, "prints and merges reports of processes" },
	{ "run", tool_run, "runs a program, and prints where its report is" },
	{ "selftest", tool_selftest, "checks whether counts are right here" },
	{ "trace", tool_trace, "converts traces for Perfetto and others" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(void)
{
	size_t i;

	printf("usage: selfmon COMMAND [OPTION...] [ARGUMENT...]\n"
	       "Commands for programs that measure themselves with "
	       "libselfmon:\n\n");
	for (i = 0; i < COMMANDS; i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].text);
	printf("\n"
	       "  --help     prints this list; selfmon COMMAND --help: the "
	       "options of COMMAND\n"
	       "  --version  prints the versions of selfmon and libselfmon\n");
}

static int unknown_command(const char *name)
{
	const char *names[COMMANDS + 1];
	char hint[TOOL_HINT_SIZE];
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		names[i] = commands[i].name;
	names[COMMANDS] = NULL;
	return tool_misused(NULL, "unknown command '%s'%s", name,
			    tool_hint(name, names, hint));
}

/*
 * Flushes standard output. Returns the exit status: if the output could not be
 * written, a success becomes a failure.
 */
static int flushed(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		perror("selfmon: standard output");
		return status ? status : TOOL_NO;
	}
	return status;
}

int main(int argc, char **argv)
{
	size_t i;

	tool_variables_restore();
	opterr = 0; /* getopt's own messages are not escaped */
	if (argc < 2)
		return tool_misused(NULL, "a command is missing");
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("selfmon %s\n", SELFMON_VERSION);
		return flushed(0);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		print_help();
		return flushed(0);
	}
	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return flushed(commands[i].run(argc - 1, argv + 1));
	return unknown_command(argv[1]);
}
