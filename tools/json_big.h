/* SPDX-License-Identifier: MIT */
/*
 * Reads whole numbers from 2^63 to 2^64 - 1, which libjansson does not support.
 */
#ifndef SELFMON_TOOLS_JSON_BIG_H
#define SELFMON_TOOLS_JSON_BIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/*
 * Returns a copy of the text in which each number from 2^63 to 2^64 - 1 is
 * replaced by an object that json_big_is() recognises. Returns NULL if out of
 * memory. The caller frees the copy.
 */
char *json_big_marked(const char *text, size_t size, size_t *marked_size);
bool json_big_is(const json_t *value, uint64_t *number);

#endif
