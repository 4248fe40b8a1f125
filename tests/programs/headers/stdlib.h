/* SPDX-License-Identifier: MIT */
#ifndef HEADERS_STDLIB_H
#define HEADERS_STDLIB_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
int rand(void);
void qsort(void *array, size_t count, size_t size,
	   int (*compare)(const void *, const void *));
#ifdef __cplusplus
[[noreturn]]
#else
_Noreturn
#endif
void exit(int status);

#ifdef __cplusplus
}
#endif

#endif
