/* SPDX-License-Identifier: MIT */
/*
 * Exports the functions that are inline in region.h and async.h, for languages
 * that link without these headers. In C the exported and the inline function
 * would have the same name. The exported one therefore has another C name, and
 * its symbol name is set in assembler. No function here may call the inline
 * function: the compiler might make an out-of-line copy, which would have the
 * exported name too. selfmon_enter() is in visit.c.
 */
#include <selfmon/async.h>
#include <selfmon/region.h>

#include "platform/label.h"

_Static_assert(sizeof(struct selfmon_frame) == 32 &&
		       _Alignof(struct selfmon_frame) == 8,
	       "declarations in other languages say so");

SELFMON_API void selfmon_call_leave(struct selfmon_frame *frame)
	SELFMON_LABEL("selfmon_leave");
SELFMON_API void selfmon_call_bytes(uint64_t n)
	SELFMON_LABEL("selfmon_region_bytes");
SELFMON_API void selfmon_call_items(uint64_t n)
	SELFMON_LABEL("selfmon_region_items");
SELFMON_API void selfmon_call_count(const struct selfmon_unit *unit, uint64_t n)
	SELFMON_LABEL("selfmon_region_count");
SELFMON_API uint64_t selfmon_call_ticks(void)
	SELFMON_LABEL("selfmon_region_ticks");
SELFMON_API struct selfmon_region *selfmon_call_region(const char *name)
	SELFMON_LABEL("selfmon_region");
SELFMON_API const char *selfmon_call_name(const struct selfmon_region *handle)
	SELFMON_LABEL("selfmon_region_name");

SELFMON_API void selfmon_call_async_begin(struct selfmon_region *handle,
					  struct selfmon_async_span *span)
	SELFMON_LABEL("selfmon_async_begin");
SELFMON_API void selfmon_call_async_end(struct selfmon_async_span *span)
	SELFMON_LABEL("selfmon_async_end");
SELFMON_API void selfmon_call_async_bytes(struct selfmon_async_span *span,
					  uint64_t n)
	SELFMON_LABEL("selfmon_async_bytes");
SELFMON_API void selfmon_call_async_items(struct selfmon_async_span *span,
					  uint64_t n)
	SELFMON_LABEL("selfmon_async_items");

void selfmon_call_leave(struct selfmon_frame *frame)
{
	selfmon_impl_close(frame);
	frame->open = NULL;
}

void selfmon_call_bytes(uint64_t n)
{
	selfmon_impl_units(SELFMON_IMPL_BYTES, n);
}

void selfmon_call_items(uint64_t n)
{
	selfmon_impl_units(SELFMON_IMPL_ITEMS, n);
}

void selfmon_call_count(const struct selfmon_unit *unit, uint64_t n)
{
	if (unit)
		selfmon_impl_units(unit->number, n);
}

uint64_t selfmon_call_ticks(void)
{
	return selfmon_impl_ticks();
}

struct selfmon_region *selfmon_call_region(const char *name)
{
	return selfmon_impl_region(name);
}

const char *selfmon_call_name(const struct selfmon_region *handle)
{
	return handle ? ((const struct selfmon_site *)(const void *)handle)->name
		      : "";
}

void selfmon_call_async_begin(struct selfmon_region *handle,
			      struct selfmon_async_span *span)
{
	if (handle && selfmon_load_once(&selfmon_impl_on))
		selfmon_impl_async_begin((struct selfmon_site *)(void *)handle,
					 span);
	else
		span->node = NULL;
}

void selfmon_call_async_end(struct selfmon_async_span *span)
{
	if (span->node)
		selfmon_impl_async_end(span);
}

void selfmon_call_async_bytes(struct selfmon_async_span *span, uint64_t n)
{
	selfmon_impl_async_work(span);
	span->bytes += n;
}

void selfmon_call_async_items(struct selfmon_async_span *span, uint64_t n)
{
	selfmon_impl_async_work(span);
	span->items += n;
}
