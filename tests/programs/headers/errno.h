/* SPDX-License-Identifier: MIT */
/*
 * What the headers and the examples use of a C library, for compilers of
 * systems that are not here: tests/tools/headers.sh.
 */
#ifndef HEADERS_ERRNO_H
#define HEADERS_ERRNO_H

#define EINVAL 22
#define ENOSYS 40 /* Windows has another number than Linux */

#endif
