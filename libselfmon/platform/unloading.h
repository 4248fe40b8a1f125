/* SPDX-License-Identifier: MIT */
/* Is the library's end the program's as well? */
#ifndef SELFMON_PLATFORM_UNLOADING_H
#define SELFMON_PLATFORM_UNLOADING_H

#include <stdbool.h>

/* To be called before anything is had that is to be given back at unloading. */
void selfmon_unload_watch(void);

/* Asked in the last of its destructors: it goes, and the program stays. */
bool selfmon_unload_is_now(void);

#endif
