/* SPDX-License-Identifier: MIT */
/* The specification being parsed, and how a fault in it is told. */
#ifndef SELFMON_EVENT_SPEC_H
#define SELFMON_EVENT_SPEC_H

#include <selfmon/error.h>

/* Longest piece of a specification that a message quotes. */
#define SELFMON_QUOTE_MAX 64

/* A piece of text, without a zero at its end. */
struct selfmon_piece {
	const char *text;
	size_t length;
	size_t position; /* of text[0] in the specification */
};

struct selfmon_spec {
	struct selfmon_piece event; /* the one being parsed */
	bool grouped;               /* it stands in {} */
	struct selfmon_failure *failure; /* may be NULL */
	/* What of sets did not fit; the list stands all the same. May be NULL. */
	struct selfmon_failure *left_out;
};

/*
 * Fills in the failure: error is an errno, positive; EOPNOTSUPP makes it one
 * of SELFMON_STEP_POLICY. Event and message are escaped for a terminal.
 * Returns -error.
 */
int selfmon_spec_fail(const struct selfmon_spec *spec, int error,
		      size_t position, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The two arguments of "%.*s" for a piece. */
#define SELFMON_QUOTE(piece)                                               \
	(int)((piece).length < SELFMON_QUOTE_MAX ? (piece).length          \
						 : SELFMON_QUOTE_MAX),     \
		(piece).text

/* The part of a piece from (and up to) an offset. */
struct selfmon_piece selfmon_piece_from(struct selfmon_piece piece, size_t at);
struct selfmon_piece selfmon_piece_head(struct selfmon_piece piece, size_t at);

/* Without the spaces and tabs at both ends. */
struct selfmon_piece selfmon_piece_trim(struct selfmon_piece piece);

/* Offset of the first such byte; the length if there is none. */
size_t selfmon_piece_find(struct selfmon_piece piece, char byte);

/*
 * Cuts the first part, up to a separator, off *rest, separator included.
 * Returns whether there was a separator, so that another part follows.
 */
bool selfmon_piece_cut(struct selfmon_piece *rest, char separator,
		       struct selfmon_piece *part);

/*
 * Decimal, or hexadecimal after 0x. 0, -EINVAL for anything else, -ERANGE
 * for what needs more than 64 bits.
 */
int selfmon_piece_number(struct selfmon_piece piece, uint64_t *number);

/* Hexadecimal digits alone; the same results. */
int selfmon_piece_hex(struct selfmon_piece piece, uint64_t *number);

#endif
