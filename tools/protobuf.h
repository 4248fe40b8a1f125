/* SPDX-License-Identifier: MIT */
/* Encodes messages of Protocol Buffers (protobuf.dev). */
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

/* Empties the buffer without freeing its memory. */
void protobuf_clear(struct protobuf *buffer);
void protobuf_free(struct protobuf *buffer);

/* Appends a number. Writes nothing for 0, the default value of a field. */
void protobuf_number(struct protobuf *to, unsigned int field, uint64_t value);
/* Appends a number even if it is 0, for optional fields. */
void protobuf_present(struct protobuf *to, unsigned int field, uint64_t value);
void protobuf_double(struct protobuf *to, unsigned int field, double value);
/* Appends a string or bytes, even if there are none. */
void protobuf_bytes(struct protobuf *to, unsigned int field, const void *bytes,
		    size_t size);
void protobuf_message(struct protobuf *to, unsigned int field,
		      const struct protobuf *message);
/* Appends a packed list of numbers. Writes nothing if the list is empty. */
void protobuf_list(struct protobuf *to, unsigned int field,
		   const uint64_t *value, size_t count);

#endif
