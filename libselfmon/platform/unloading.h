/* SPDX-License-Identifier: MIT */
/* Is the library's end the program's as well? */
#ifndef SELFMON_PLATFORM_UNLOADING_H
#define SELFMON_PLATFORM_UNLOADING_H

#include <stdbool.h>

/*
 * Asked in the last of its destructors: it goes, and the program stays. False
 * where that is not known.
 */
bool selfmon_unload_is_now(void);

#endif
