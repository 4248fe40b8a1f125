/* SPDX-License-Identifier: MIT */
/*
 * A program that ends while the threads of a library are in regions.
 *
 * ends [PLUGIN]
 *
 * The library is the one that the program is linked with, or PLUGIN, which is
 * loaded into its own namespace.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#ifdef LINKED
int work(void);

int main(void)
{
	return work();
}
#else
int main(int argc, char **argv)
{
	void *const plugin =
		argc > 1 ? dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW) : NULL;
	int (*work)(void);

	if (!plugin) {
		fprintf(stderr, "ends: %s\n", argc > 1 ? dlerror() : "PLUGIN");
		return 2;
	}
	*(void **)&work = dlsym(plugin, "work");
	return work();
}
#endif
