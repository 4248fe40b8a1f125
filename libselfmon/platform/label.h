/* SPDX-License-Identifier: MIT */
/* Sets a function's symbol name if it differs from its C name. */
#ifndef SELFMON_PLATFORM_LABEL_H
#define SELFMON_PLATFORM_LABEL_H

#define SELFMON_LABEL(name) __asm__(name)

#endif
