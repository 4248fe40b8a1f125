/* SPDX-License-Identifier: MIT */
/*
 * These headers declare what the headers and the examples of selfmon use of the
 * C library. tests/tools/headers.sh compiles with them for other systems.
 */
#ifndef HEADERS_ERRNO_H
#define HEADERS_ERRNO_H

#define EINVAL 22
#define ENOSYS 40 /* Windows and Linux have different numbers */

#endif
