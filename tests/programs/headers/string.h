/* SPDX-License-Identifier: MIT */
#ifndef HEADERS_STRING_H
#define HEADERS_STRING_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void *memchr(const void *in, int c, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int c, size_t size);
int strcmp(const char *a, const char *b);
size_t strlen(const char *text);

#ifdef __cplusplus
}
#endif

#endif
