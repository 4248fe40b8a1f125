/* SPDX-License-Identifier: MIT */
/*
 * Uses the input as SELFMON_SAMPLE: the result must be valid settings, or a
 * message.
 */
#include <errno.h>
#include <string.h>

#include "event/sample_spec.h"
#include "fuzz/fuzz.h"

static void check_spec(const struct selfmon_sample_spec *spec)
{
	FUZZ_ASSERT(memchr(spec->event, 0, sizeof(spec->event)));
	FUZZ_ASSERT(!spec->period || !spec->frequency);
	FUZZ_ASSERT(!spec->time || spec->period);
	FUZZ_ASSERT(spec->frequency <= SELFMON_SAMPLE_HZ_MAX);
	FUZZ_ASSERT(spec->chain >= 1 && spec->chain <= 127);
	FUZZ_ASSERT(spec->ring_order <= 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const text = malloc(size + 1);
	struct selfmon_sample_spec spec;
	char why[64];
	int error;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	memset(&spec, 0xa5, sizeof(spec));
	memset(why, 0xa5, sizeof(why));
	error = selfmon_sample_spec_parse(text, &spec, why, sizeof(why));
	FUZZ_ASSERT(error == 0 || error == -EINVAL);
	if (error)
		FUZZ_ASSERT(memchr(why, 0, sizeof(why)));
	else
		check_spec(&spec);
	free(text);
	return 0;
}
