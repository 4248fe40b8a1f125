/* SPDX-License-Identifier: MIT */
/* Gives a function or variable a symbol name that differs from its C name. */
#ifndef SELFMON_PLATFORM_LABEL_H
#define SELFMON_PLATFORM_LABEL_H

#define SELFMON_LABEL(name) __asm__(name)

#endif
