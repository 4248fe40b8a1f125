/* SPDX-License-Identifier: MIT */
/*
 * Simulates a program built for a future version of the library. The program is
 * linked with this file compiled with -DLIBRARY, as if it were the library, and
 * started with the current library.
 */
#include <stdio.h>

int selfmon_yet_to_come(void);

#ifdef LIBRARY
int selfmon_yet_to_come(void)
{
	return 0;
}
#else
int main(int argc, char **argv)
{
	(void)argv;
	puts("started");
	return argc > 1 ? selfmon_yet_to_come() : 0;
}
#endif
