/* SPDX-License-Identifier: MIT */
/*
 * n region pairs and nothing else, to be counted by callgrind:
 *
 *	instructions time|software|off|loop N
 *
 * Prints the clock, since regions take another way where timestamps are not
 * to be trusted. See bench/instructions.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon.h>

static __attribute__((noinline)) void visit(unsigned long n)
{
	for (; n > 0; n--)
		SELFMON_REGION("visit")
			selfmon_compiler_fence();
}

/* What visit() is without its region. */
static __attribute__((noinline)) void loop(unsigned long n)
{
	for (; n > 0; n--)
		selfmon_compiler_fence();
}

int main(int argc, char **argv)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	if (argc != 3)
		return 2;
	options.output = NULL;
	options.events = "none";
	options.enable = strcmp(argv[1], "off") != 0;
	if (strcmp(argv[1], "software") == 0)
		options.events = "page-faults,minor-faults,major-faults,"
				 "task-clock";
	if (selfmon_configure(&options))
		return 1;
	if (strcmp(argv[1], "loop") == 0)
		loop(strtoul(argv[2], NULL, 10));
	else
		visit(strtoul(argv[2], NULL, 10));
	printf("%s\n", selfmon_clock_source_name(selfmon_clock()->source));
	return 0;
}
