/* SPDX-License-Identifier: MIT */
/* The name of a function in object files, where C has another for it. */
#ifndef SELFMON_PLATFORM_LABEL_H
#define SELFMON_PLATFORM_LABEL_H

#define SELFMON_LABEL(name) __asm__(name)

#endif
