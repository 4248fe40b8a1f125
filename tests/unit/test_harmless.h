/* SPDX-License-Identifier: MIT */
/*
 * States which bytes are harmless on a terminal, and reads escaped names back
 * from CSV and JSON. These rules belong to the tests: nothing here calls the
 * library.
 */
#ifndef SELFMON_TESTS_HARMLESS_H
#define SELFMON_TESTS_HARMLESS_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Returns the length of a code point in bytes, or 0 if the bytes are not UTF-8
 * in its shortest form.
 */
static inline size_t utf8_code(const unsigned char *s, uint32_t *code)
{
	const size_t length = *s < 0x80 ? 1 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;
	size_t i;

	*code = length == 1 ? *s : *s & (0x7fu >> length);
	for (i = 1; i < length; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if ((*s >= 0x80 && *s < 0xc2) || *s > 0xf4 ||
	    (length == 3 && *code < 0x800) ||
	    (length == 4 && (*code < 0x10000 || *code > 0x10ffff)) ||
	    (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return length;
}

static inline bool is_utf8(const char *s)
{
	uint32_t code;
	size_t length;

	for (; *s; s += length) {
		length = utf8_code((const unsigned char *)s, &code);
		if (!length)
			return false;
	}
	return true;
}

static inline bool is_dangerous(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) ||
	       code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x2069) || code == 0xfeff ||
	       (code >= 0xe0000 && code < 0xe1000);
}

/*
 * Checks that the text is valid UTF-8 without dangerous characters, except for
 * those allowed.
 */
static inline void harmless(const char *text, const char *allowed)
{
	const char *s = text;
	uint32_t code = 0;
	size_t length;

	for (; *s; s += length) {
		length = utf8_code((const unsigned char *)s, &code);
		cr_assert(length, "not UTF-8 at byte %td of: %s", s - text,
			  text);
		cr_assert(!is_dangerous(code) ||
				  (code < 0x20 && strchr(allowed, (int)code)),
			  "U+%04X at byte %td of: %s", (unsigned int)code,
			  s - text, text);
	}
}

static inline unsigned int hex_of(const char *s, int digits)
{
	char text[9] = "";

	memcpy(text, s, (size_t)digits);
	return (unsigned int)strtoul(text, NULL, 16);
}

/*
 * Undoes the escapes of a CSV cell, given without its quotes, by the rules of
 * docs/REPORT.md. Doubled quotes become single ones. A leading apostrophe
 * remains.
 */
static inline const char *csv_name(const char *s)
{
	static char name[4096];
	char *to = name;

	for (; *s; s++) {
		if (*s == '\\' && s[1] == 'x') {
			*to++ = (char)hex_of(s + 2, 2);
			s += 3;
		} else {
			s += *s == '\\' || *s == '"';
			*to++ = *s;
		}
	}
	*to = '\0';
	return name;
}

static inline char *put_utf8(char *to, uint32_t code)
{
	if (code >= 0x10000)
		*to++ = (char)(0xf0 | code >> 18);
	if (code >= 0x10000)
		*to++ = (char)(0x80 | (code >> 12 & 0x3f));
	else if (code >= 0x800)
		*to++ = (char)(0xe0 | code >> 12);
	if (code >= 0x800)
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
	else if (code >= 0x80)
		*to++ = (char)(0xc0 | code >> 6);
	*to++ = (char)(code >= 0x80 ? 0x80 | (code & 0x3f) : code);
	return to;
}

/* Decodes a JSON string, which is given without its quotes. */
static inline const char *json_name(const char *s)
{
	static char name[4096];
	char *to = name;
	uint32_t code;

	for (; *s; s++) {
		if (*s != '\\' || s[1] != 'u') {
			s += *s == '\\';
			*to++ = *s;
			continue;
		}
		code = hex_of(s + 2, 4);
		s += 5;
		if (code >> 10 == 0xd800 >> 10) {
			code = 0x10000 + ((code & 0x3ff) << 10) +
			       (hex_of(s + 3, 4) & 0x3ff);
			s += 6;
		}
		to = put_utf8(to, code);
	}
	*to = '\0';
	return name;
}

#endif
