/* SPDX-License-Identifier: MIT */
/* The specification that is being parsed, and the reporting of errors in it. */
#ifndef SELFMON_EVENT_SPEC_H
#define SELFMON_EVENT_SPEC_H

#include <selfmon/error.h>

/* Maximum length of the part that a message quotes. */
#define SELFMON_QUOTE_MAX 64

/* A piece of text, not zero-terminated. */
struct selfmon_piece {
	const char *text;
	size_t length;
	size_t position; /* offset of text[0] in the specification */
};

struct selfmon_spec {
	struct selfmon_piece event; /* the event being parsed */
	bool grouped;               /* the event is inside {} */
	struct selfmon_failure *failure; /* may be NULL */
	/*
	 * Receives the names of members of an @set that did not fit; the list
	 * of events is valid nevertheless. May be NULL.
	 */
	struct selfmon_failure *left_out;
};

/*
 * Fills in the failure. error is a positive errno. With EOPNOTSUPP the failure
 * has the step SELFMON_STEP_POLICY. Event and message are escaped for a
 * terminal. Returns -error.
 */
int selfmon_spec_fail(const struct selfmon_spec *spec, int error,
		      size_t position, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Expands to the two arguments of "%.*s" for a piece. */
#define SELFMON_QUOTE(piece)                                               \
	(int)((piece).length < SELFMON_QUOTE_MAX ? (piece).length          \
						 : SELFMON_QUOTE_MAX),     \
		(piece).text

struct selfmon_piece selfmon_piece_of(const char *text);

/* Return the part of a piece from, or up to, an offset. */
struct selfmon_piece selfmon_piece_from(struct selfmon_piece piece, size_t at);
struct selfmon_piece selfmon_piece_head(struct selfmon_piece piece, size_t at);

/* Returns the piece without spaces, tabs and newlines at both ends. */
struct selfmon_piece selfmon_piece_trim(struct selfmon_piece piece);

/*
 * Returns the offset of the first byte with this value, or the length of the
 * piece if there is none.
 */
size_t selfmon_piece_find(struct selfmon_piece piece, char byte);

/*
 * Moves the text before the first separator from *rest to *part, and drops the
 * separator. Returns true if there was a separator, which means that another
 * part follows.
 */
bool selfmon_piece_cut(struct selfmon_piece *rest, char separator,
		       struct selfmon_piece *part);

/*
 * Parses a number: decimal, or hexadecimal after 0x. Returns 0, -EINVAL for
 * anything else, or -ERANGE for more than 64 bits.
 */
int selfmon_piece_number(struct selfmon_piece piece, uint64_t *number);

/* Parses hexadecimal digits. Returns the same values as the function above. */
int selfmon_piece_hex(struct selfmon_piece piece, uint64_t *number);

#endif
