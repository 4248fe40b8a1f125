/* SPDX-License-Identifier: MIT */
/*
 * A program that is configured in code, and by its environment, to write reports; a
 * second argument names a live file.
 * It ends with 0; with 3 if the kernel gave it no privileges.
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
