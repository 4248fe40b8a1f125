/* SPDX-License-Identifier: MIT */
/* Tests SELFMON_SAMPLE: all valid forms, and the messages for others. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "event/sample_spec.h"

static struct selfmon_sample_spec spec;
static char why[200];

static int parse(const char *text)
{
	memset(&spec, 0xa5, sizeof(spec));
	why[0] = '\0';
	return selfmon_sample_spec_parse(text, &spec, why, sizeof(why));
}

static void takes(const char *text, const char *event)
{
	cr_assert_eq(parse(text), 0, "%s: %s", text, why);
	cr_expect_str_eq(spec.event, event, "%s", text);
}

static void refuses(const char *text, const char *words)
{
	cr_expect_eq(parse(text), -EINVAL, "%s", text);
	cr_expect_eq(strncmp(why, words, strlen(words)), 0, "%s: %s", text,
		     why);
}

Test(sample_spec, has_defaults)
{
	takes("auto", "auto");
	cr_expect_eq(spec.period, 0);
	cr_expect_eq(spec.frequency, 0);
	cr_expect(!spec.time);
	cr_expect_eq(spec.chain, 32);
	cr_expect_eq(spec.ring_order, 4);
	cr_expect(!spec.at_borders);
}

Test(sample_spec, takes_none)
{
	takes("none", "");
	takes("", "");
}

Test(sample_spec, leaves_names_of_events_to_others)
{
	takes("nones", "nones");
	takes("cpu/event=0x3c,umask=0/u", "cpu/event=0x3c,umask=0/u");
	takes("mem:0x601050/8:w", "mem:0x601050/8:w");
	takes("uprobe:/bin/a@b:0x1139@3", "uprobe:/bin/a@b:0x1139");
	cr_expect_eq(spec.period, 3);
	takes("@os", "@os");
	cr_expect_eq(spec.period, 0);
}

static void has_period(const char *text, uint64_t period, bool time)
{
	cr_assert_eq(parse(text), 0, "%s: %s", text, why);
	cr_expect_eq(spec.period, period, "%s", text);
	cr_expect_eq(spec.time, time, "%s", text);
	cr_expect_eq(spec.frequency, 0, "%s", text);
}

Test(sample_spec, takes_periods_of_time_and_of_events)
{
	has_period("task-clock@250000ns", 250000, true);
	has_period("task-clock@250us", 250000, true);
	has_period("auto@2ms", 2000000, true);
	has_period("cpu-clock@1s", 1000000000, true);
	has_period("cycles@1000003", 1000003, false);
	has_period("cycles@100k", 100000, false);
	has_period("cycles@2M", 2000000, false);
	has_period("cycles@18446744073709551615", UINT64_MAX, false);
}

Test(sample_spec, takes_frequencies)
{
	takes("cycles@5000hz", "cycles");
	cr_expect_eq(spec.frequency, 5000);
	cr_expect_eq(spec.period, 0);
	takes("cycles@1hz", "cycles");
	cr_expect_eq(spec.frequency, 1);
}

Test(sample_spec, takes_options_in_any_order)
{
	takes("cycles@1M,ring=4k,chain=127,drain=border", "cycles");
	cr_expect_eq(spec.period, 1000000);
	cr_expect_eq(spec.chain, 127);
	cr_expect_eq(spec.ring_order, 0);
	cr_expect(spec.at_borders);
	takes("auto,drain=border,drain=thread,chain=1", "auto");
	cr_expect_eq(spec.chain, 1);
	cr_expect(!spec.at_borders);
}

Test(sample_spec, takes_options_after_events_with_slashes)
{
	takes("cpu/event=0x3c,umask=0/u,chain=8", "cpu/event=0x3c,umask=0/u");
	cr_expect_eq(spec.chain, 8);
	takes("mem:0x601050/8:w@10,chain=8", "mem:0x601050/8:w");
	cr_expect_eq(spec.period, 10);
	cr_expect_eq(spec.chain, 8);
	takes("uprobe:/bin/app:0x1139,ring=8k", "uprobe:/bin/app:0x1139");
	cr_expect_eq(spec.ring_order, 1);
}

static void has_ring(const char *text, unsigned int order)
{
	takes(text, "auto");
	cr_expect_eq(spec.ring_order, order, "%s", text);
}

Test(sample_spec, takes_the_next_power_of_two_of_pages)
{
	has_ring("auto,ring=4096", 0);
	has_ring("auto,ring=4097", 1);
	has_ring("auto,ring=8k", 1);
	has_ring("auto,ring=100k", 5);
	has_ring("auto,ring=1024k", 8);
	has_ring("auto,ring=1048576", 8);
}

Test(sample_spec, refuses_other_periods)
{
	static const char allowed[] =
		"a period is allowed, such as 1ms, 1000000 or 1M events, or a "
		"frequency, such as 1000hz";
	static const char *const wrong[] = {
		"", "0", "0ms", "ms", "-1", "1m", "1 ms", "1.5ms", "1kk", "0hz",
		"1000hzz", "18446744073709551616", "18446744073709551615k",
		"18446744073709551615s",
	};
	char text[64], words[200];
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), "task-clock@%s", wrong[i]);
		snprintf(words, sizeof(words), "%s: %s", wrong[i], allowed);
		refuses(text, words);
	}
	refuses("cycles@5001hz", "5001hz: at most 5000hz are allowed");
	refuses("cycles@4294967297hz", "4294967297hz: at most 5000hz");
}

Test(sample_spec, refuses_other_options)
{
	refuses("auto,depth=3", "depth=3: chain=N, ring=SIZE and "
				"drain=border|thread are allowed");
	refuses("auto,,", ": chain=N");
	refuses("auto,chain", "chain: chain=N");
	refuses("auto,drain=never",
		"never: drain=border and drain=thread are allowed");
}

Test(sample_spec, refuses_other_values)
{
	refuses("auto,chain=0", "0: chain=1 to chain=127 addresses");
	refuses("auto,chain=128", "128: chain=1 to chain=127 addresses");
	refuses("auto,chain=", ": chain=1 to chain=127 addresses");
	refuses("auto,chain=1k", "1k: chain=1 to chain=127 addresses");
	refuses("auto,ring=4095", "4095: ring=4k to ring=1024k are allowed");
	refuses("auto,ring=3k", "3k: ring=4k to ring=1024k");
	refuses("auto,ring=1025k", "1025k: ring=4k to ring=1024k");
	refuses("auto,ring=1M", "1M: ring=4k to ring=1024k");
	refuses("auto,ring=k", "k: ring=4k to ring=1024k");
	/* In bytes, this size exceeds 2^64 by 4 KiB. */
	refuses("auto,ring=18014398509481988k", "18014398509481988k: ring=4k");
}

Test(sample_spec, refuses_a_name_that_is_too_long)
{
	char text[SELFMON_EVENT_NAME_SIZE + 8];

	memset(text, 'x', sizeof(text));
	text[SELFMON_EVENT_NAME_SIZE] = '\0';
	cr_assert_eq(parse(text), -EINVAL);
	cr_expect_not_null(strstr(why, ": the event's name is too long"));
	text[SELFMON_EVENT_NAME_SIZE - 1] = '\0';
	takes(text, text);
}

Test(sample_spec, cuts_what_it_says_to_the_room)
{
	char small[8];

	cr_assert_eq(selfmon_sample_spec_parse("auto,depth=3", &spec, small,
					       sizeof(small)), -EINVAL);
	cr_expect_str_eq(small, "depth=3");
}
