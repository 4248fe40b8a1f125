/* SPDX-License-Identifier: MIT */
#ifndef HEADERS_STDIO_H
#define HEADERS_STDIO_H

#include <stddef.h>

typedef struct headers_file FILE;

#ifdef __cplusplus
extern "C" {
#endif

extern FILE *stdin, *stdout, *stderr;

FILE *fopen(const char *path, const char *mode);
size_t fread(void *to, size_t size, size_t count, FILE *file);
int fclose(FILE *file);
int ferror(FILE *file);
int fflush(FILE *file);
int printf(const char *format, ...);
int fprintf(FILE *file, const char *format, ...);
int snprintf(char *to, size_t size, const char *format, ...);
void perror(const char *text);

#ifdef __cplusplus
}
#endif

#endif
