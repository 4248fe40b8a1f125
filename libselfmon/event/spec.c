/* SPDX-License-Identifier: MIT */
#include "event/spec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "platform/escape.h"

int selfmon_spec_fail(const struct selfmon_spec *spec, int error,
		      size_t position, const char *format, ...)
{
	struct selfmon_failure *failure = spec->failure;
	char text[SELFMON_MESSAGE_SIZE];
	va_list arguments;

	if (!failure)
		return -error;
	memset(failure, 0, sizeof(*failure));
	failure->error = error;
	failure->step = error == EOPNOTSUPP ? SELFMON_STEP_POLICY
					    : SELFMON_STEP_PARSE;
	failure->position = position;
	failure->grouped = spec->grouped;
	snprintf(text, sizeof(text), "%.*s",
		 (int)(spec->event.length < sizeof(text) ? spec->event.length
							 : sizeof(text) - 1),
		 spec->event.text ? spec->event.text : "");
	selfmon_escape(SELFMON_FOR_TEXT, failure->event,
		       sizeof(failure->event), text);
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	selfmon_escape(SELFMON_FOR_TEXT, failure->message,
		       sizeof(failure->message), text);
	return -error;
}

struct selfmon_piece selfmon_piece_of(const char *text)
{
	return (struct selfmon_piece){ .text = text, .length = strlen(text) };
}

struct selfmon_piece selfmon_piece_from(struct selfmon_piece piece, size_t at)
{
	piece.text += at;
	piece.position += at;
	piece.length -= at;
	return piece;
}

struct selfmon_piece selfmon_piece_head(struct selfmon_piece piece, size_t at)
{
	piece.length = at;
	return piece;
}

static bool is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n';
}

struct selfmon_piece selfmon_piece_trim(struct selfmon_piece piece)
{
	while (piece.length > 0 && is_space(piece.text[0]))
		piece = selfmon_piece_from(piece, 1);
	while (piece.length > 0 && is_space(piece.text[piece.length - 1]))
		piece.length--;
	return piece;
}

size_t selfmon_piece_find(struct selfmon_piece piece, char byte)
{
	size_t at = 0;

	while (at < piece.length && piece.text[at] != byte)
		at++;
	return at;
}

bool selfmon_piece_cut(struct selfmon_piece *rest, char separator,
		       struct selfmon_piece *part)
{
	const size_t at = selfmon_piece_find(*rest, separator);
	const bool more = at < rest->length;

	*part = selfmon_piece_head(*rest, at);
	*rest = selfmon_piece_from(*rest, more ? at + 1 : at);
	return more;
}

static unsigned int digit_value(char byte)
{
	if (byte >= '0' && byte <= '9')
		return (unsigned int)(byte - '0');
	if (byte >= 'a' && byte <= 'f')
		return (unsigned int)(byte - 'a') + 10;
	if (byte >= 'A' && byte <= 'F')
		return (unsigned int)(byte - 'A') + 10;
	return 16;
}

static int read_digits(struct selfmon_piece piece, unsigned int base,
		       uint64_t *number)
{
	bool overflow = false;
	uint64_t value = 0;
	size_t i;

	if (piece.length == 0)
		return -EINVAL;
	for (i = 0; i < piece.length; i++) {
		const unsigned int digit = digit_value(piece.text[i]);

		if (digit >= base)
			return -EINVAL;
		overflow |= __builtin_mul_overflow(value, base, &value);
		overflow |= __builtin_add_overflow(value, digit, &value);
	}
	*number = value;
	return overflow ? -ERANGE : 0;
}

int selfmon_piece_number(struct selfmon_piece piece, uint64_t *number)
{
	if (piece.length > 2 && piece.text[0] == '0' &&
	    (piece.text[1] == 'x' || piece.text[1] == 'X'))
		return read_digits(selfmon_piece_from(piece, 2), 16, number);
	return read_digits(piece, 10, number);
}

int selfmon_piece_hex(struct selfmon_piece piece, uint64_t *number)
{
	return read_digits(piece, 16, number);
}
