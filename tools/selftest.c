/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "platform/kernel.h"
#include "selftest_machine.h"
#include "selftest_perf.h"
#include "selftest_print.h"
#include "selftest_run.h"
#include "selftest_write.h"
#include "tool.h"
#include "variables.h"

static const char help[] =
	"usage: selfmon selftest [--quick | --full] [--perf] [--json FILE]\n"
	"Counts loops with a known number of instructions, by every method "
	"of the library,\n"
	"and reports whether the counts are right on this machine. Needs "
	"only the\n"
	"privileges that counting needs (see selfmon doctor).\n"
	"\n"
	"      --quick      takes at most 5 seconds, instead of 30\n"
	"      --full       takes at most 3 minutes\n"
	"      --perf       also compares with perf stat\n"
	"      --json FILE  writes the results to FILE; - is standard "
	"output\n"
	"\n"
	"Exit status: 0: all applicable checks passed; 1: a check failed; "
	"77: hardware\n"
	"events cannot be counted here, and the other checks passed; 2: the "
	"options are\n"
	"wrong.\n";

static const struct option options[] = {
	{ "quick", no_argument, NULL, 'q' },
	{ "full", no_argument, NULL, 'f' },
	{ "perf", no_argument, NULL, 'p' },
	{ "json", required_argument, NULL, 'j' },
	{ "loop", required_argument, NULL, 'l' }, /* hidden: --perf uses it */
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

struct choice {
	struct selftest_case from;
	const char *json;
	const char *loop;
	bool quick, full, help;
};

static int take_options(int argc, char **argv, struct choice *to)
{
	int option;

	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1)
		switch (option) {
		case 'q': to->quick = true; break;
		case 'f': to->full = true; break;
		case 'p': to->from.perf = true; break;
		case 'j': to->json = optarg; break;
		case 'l': to->loop = optarg; break;
		case 'h': to->help = true; break;
		default: return tool_wrong_option("selftest", option, argv);
		}
	if (optind < argc)
		return tool_misused("selftest", "unexpected argument '%s'",
				    argv[optind]);
	if (to->quick && to->full)
		return tool_misused("selftest", "--quick and --full exclude "
				    "each other");
	to->from.mode = to->quick  ? SELFTEST_QUICK
			: to->full ? SELFTEST_FULL
				   : SELFTEST_NORMAL;
	return 0;
}

/*
 * Opens the file before anything is measured, so that a wrong name is reported
 * immediately.
 */
static FILE *open_json(const char *name)
{
	FILE *file;

	if (!strcmp(name, "-"))
		return stdout;
	file = fopen(name, "we");
	if (!file)
		tool_fail("selftest", "--json %s: %s", name, strerror(errno));
	return file;
}

static int close_json(FILE *file, const char *name, int status)
{
	const bool failed = fflush(file) || ferror(file);
	const int error = errno;

	if (file != stdout)
		fclose(file);
	if (failed)
		return tool_fail("selftest", "--json %s: %s", name,
				 strerror(error));
	if (file != stdout)
		tool_line(stdout, "%s contains: CPU, microcode, kernel, "
			  "hypervisor, settings, results; no names of hosts or "
			  "users, no paths, no addresses", name);
	return status;
}

static int run(struct choice *choice, FILE *json)
{
	static struct selftest_machine machine;
	struct selftest_result result = { .machine = &machine,
					  .from = &choice->from };
	FILE *const text = json == stdout ? NULL : stdout;
	const uint64_t began = selfmon_kernel_monotonic_ns();

	selftest_machine_gather(&machine, &choice->from);
	if (text)
		selftest_print_head(&machine, text);
	selftest_run_all(&choice->from, began, text, &result);
	result.seconds = (double)(selfmon_kernel_monotonic_ns() - began) / 1e9;
	result.status = selftest_conclude(&result);
	if (text) {
		fputc('\n', text);
		tool_line(text, "%s", result.verdict);
	}
	if (json) {
		selftest_write(&result, json);
		return close_json(json, choice->json, result.status);
	}
	return result.status;
}

int tool_selftest(int argc, char **argv)
{
	struct choice choice = { .json = NULL };
	FILE *json = NULL;
	const int wrong = take_options(argc, argv, &choice);

	if (wrong)
		return wrong;
	if (choice.help) {
		fputs(help, stdout);
		return 0;
	}
	/*
	 * The user's SELFMON_* variables are for other programs, and would
	 * change the tests.
	 */
	tool_variables_forget();
	if (choice.loop)
		return selftest_perf_loop(choice.loop);
	if (choice.json) {
		json = open_json(choice.json);
		if (!json)
			return TOOL_USAGE;
	}
	return run(&choice, json);
}
