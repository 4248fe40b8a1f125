/* SPDX-License-Identifier: MIT */
/*
 * Demangles names by libstdc++, which exists on systems with C++ programs. The
 * library is loaded when a name first needs it, so this program can be built
 * and started without a C++ library.
 */
#include "symbols_demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY "libstdc++.so.6"

typedef char *demangle_function(const char *name, char *buffer, size_t *size,
				int *status);

static demangle_function *find_function(void)
{
	static bool tried;
	static demangle_function *found;
	void *library;

	if (tried)
		return found;
	tried = true;
	library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	if (library)
		*(void **)&found = dlsym(library, "__cxa_demangle");
	return found;
}

char *symbols_demangle(const char *name)
{
	demangle_function *function;
	int status;

	if (strncmp(name, "_Z", 2) != 0)
		return NULL;
	function = find_function();
	return function ? function(name, NULL, NULL, &status) : NULL;
}
