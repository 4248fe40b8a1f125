/* SPDX-License-Identifier: MIT */
/*
 * selfmon doctor: finds out whether counters can be read on this machine and,
 * if not, why.
 */
#include "doctor.h"

#include <getopt.h>
#include <string.h>

#include "doctor_check.h"
#include "doctor_machine.h"
#include "doctor_print.h"
#include "doctor_probe.h"
#include "tool.h"

static const char help[] =
	"usage: selfmon doctor [--json]\n"
	"Checks whether programs can count hardware events here and read them "
	"in user\n"
	"space: the kernel, permissions, the PMU, limits.\n"
	"\n"
	"      --json  print JSON, for programs\n"
	"\n"
	"Exits with 0 if counters are read in user space; 1 if not, or only "
	"when pinned to\n"
	"one core type; 2 if the options are wrong.\n";

static const struct option options[] = {
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

int tool_doctor(int argc, char **argv)
{
	static struct doctor_machine machine;
	static struct doctor_probe probe;
	static struct doctor_report report;
	bool json = false;
	int option;

	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return tool_wrong_option("doctor", option, argv);
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		json = true;
	}
	if (optind < argc)
		return tool_misused("doctor", "unexpected argument '%s'",
				    argv[optind]);
	doctor_machine_gather("", &machine);
	doctor_probe_all(&machine, &probe);
	doctor_examine(&machine, &probe, &report);
	return doctor_show(&report, json, tool_has_colours(stdout), stdout);
}
