/* SPDX-License-Identifier: MIT */
/* Messages in the encoding of Protocol Buffers. */
#ifndef SELFMON_TOOLS_PROTOBUF_H
#define SELFMON_TOOLS_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct protobuf {
	size_t size, room;
	unsigned char *byte;
	bool failed; /* no memory */
};

/* Empties the buffer, but keeps its memory. */
void protobuf_clear(struct protobuf *buffer);
void protobuf_free(struct protobuf *buffer);

/* Appends a number of any sign; 0 is the default and takes no space. */
void protobuf_number(struct protobuf *to, unsigned int field, uint64_t value);
/* The same, and 0 too, for optional fields where it is a value. */
void protobuf_present(struct protobuf *to, unsigned int field, uint64_t value);
void protobuf_double(struct protobuf *to, unsigned int field, double value);
/* Appends a string or bytes, even if it is empty. */
void protobuf_bytes(struct protobuf *to, unsigned int field, const void *bytes,
		    size_t size);
void protobuf_message(struct protobuf *to, unsigned int field,
		      const struct protobuf *message);
/* Appends a list of numbers. */
void protobuf_list(struct protobuf *to, unsigned int field,
		   const uint64_t *value, size_t count);

#endif
