/* SPDX-License-Identifier: MIT */
/*
 * A program whose code and environment request reports. The first argument is
 * the output, the second one a live file. Exits with 0, or with 3 if the kernel
 * gave the program no additional privileges.
 */
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include <selfmon.h>

int main(int argc, char **argv)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = "none";
	options.output = argc > 1 ? argv[1] : NULL;
	options.live = argc > 2 ? argv[2] : NULL;
	if (argc > 1 && selfmon_configure(&options))
		return 1;
	SELFMON_REGION("visited")
	{
	}
	return getauxval(AT_SECURE) ? 0 : 3;
}
