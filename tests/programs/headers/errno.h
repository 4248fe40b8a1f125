/* SPDX-License-Identifier: MIT */
/*
 * Declarations of the C library that the headers and the examples use, for
 * compilers of other systems: tests/tools/headers.sh.
 */
#ifndef HEADERS_ERRNO_H
#define HEADERS_ERRNO_H

#define EINVAL 22
#define ENOSYS 40 /* Windows and Linux have different numbers */

#endif
