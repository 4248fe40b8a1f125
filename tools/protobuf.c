/* SPDX-License-Identifier: MIT */
#include "protobuf.h"

#include <stdlib.h>
#include <string.h>

/* Wire types. */
enum { VARINT = 0, FIXED_64 = 1, LENGTH_DELIMITED = 2 };

#define VARINT_MOST 10

void protobuf_clear(struct protobuf *buffer)
{
	buffer->size = 0;
}

void protobuf_free(struct protobuf *buffer)
{
	free(buffer->byte);
	*buffer = (struct protobuf){ .size = 0 };
}

static void append(struct protobuf *to, const void *bytes, size_t size)
{
	size_t room = to->room ? to->room : 256;
	unsigned char *longer;

	while (room - to->size < size)
		room *= 2;
	if (room != to->room) {
		longer = realloc(to->byte, room);
		if (!longer) {
			to->failed = true;
			return;
		}
		to->byte = longer;
		to->room = room;
	}
	if (size)
		memcpy(to->byte + to->size, bytes, size);
	to->size += size;
}

static size_t encode(uint64_t value, unsigned char byte[VARINT_MOST])
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		byte[n++] = (unsigned char)(value | 0x80);
	byte[n++] = (unsigned char)value;
	return n;
}

static void append_varint(struct protobuf *to, uint64_t value)
{
	unsigned char byte[VARINT_MOST] = { 0 };

	append(to, byte, encode(value, byte));
}

void protobuf_number(struct protobuf *to, unsigned int field, uint64_t value)
{
	if (!value)
		return;
	append_varint(to, field << 3 | VARINT);
	append_varint(to, value);
}

void protobuf_present(struct protobuf *to, unsigned int field, uint64_t value)
{
	append_varint(to, field << 3 | VARINT);
	append_varint(to, value);
}

/* Writes little-endian bytes on any machine. */
void protobuf_double(struct protobuf *to, unsigned int field, double value)
{
	unsigned char byte[8];
	uint64_t bits;
	unsigned int i;

	memcpy(&bits, &value, sizeof(bits));
	for (i = 0; i < sizeof(byte); i++)
		byte[i] = (unsigned char)(bits >> 8 * i);
	append_varint(to, field << 3 | FIXED_64);
	append(to, byte, sizeof(byte));
}

void protobuf_bytes(struct protobuf *to, unsigned int field, const void *bytes,
		    size_t size)
{
	append_varint(to, field << 3 | LENGTH_DELIMITED);
	append_varint(to, size);
	append(to, bytes, size);
}

void protobuf_message(struct protobuf *to, unsigned int field,
		      const struct protobuf *message)
{
	to->failed = to->failed || message->failed;
	protobuf_bytes(to, field, message->byte, message->size);
}

void protobuf_list(struct protobuf *to, unsigned int field,
		   const uint64_t *value, size_t count)
{
	unsigned char byte[VARINT_MOST] = { 0 };
	size_t size = 0, i;

	if (!count)
		return;
	for (i = 0; i < count; i++)
		size += encode(value[i], byte);
	append_varint(to, field << 3 | LENGTH_DELIMITED);
	append_varint(to, size);
	for (i = 0; i < count; i++)
		append_varint(to, value[i]);
}
