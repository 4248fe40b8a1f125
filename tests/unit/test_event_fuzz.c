/* SPDX-License-Identifier: MIT */
/* Tests that any bytes give either a list of events or a message. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon/event.h>

#include "form.h"
#include "unit/test_event_tree.h"

static size_t tries;

/* Uses libpfm too, with the events of a Skylake. */
static void make(void)
{
	tries = (size_t)quick_or_all(600, by_form(3000, 20000, 100000));
	tree_make_all();
	setenv("LIBPFM_FORCE_PMU", "skl", 1);
}

TestSuite(event_fuzz, .init = make, .fini = tree_remove);

#define LONGEST 200

/* xorshift64*: the same bytes in every run, with any C library. */
static uint64_t seed = 0x9e3779b97f4a7c15;

static size_t draw(size_t below)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (size_t)((seed * 0x2545f4914f6cdd1d) >> 33) % below;
}

static void check_success(const char *spec, int count,
			  const struct selfmon_events *events)
{
	const size_t length = strlen(spec);
	size_t i;

	cr_assert(count <= SELFMON_MAX_COUNTERS &&
		  (size_t)count == events->count, "'%s' gives %d", spec,
		  count);
	for (i = 0; i < events->count; i++) {
		const struct selfmon_event *event = &events->event[i];

		cr_assert(event->name[0] && memchr(event->name, '\0',
						   sizeof(event->name)),
			  "'%s': bad name", spec);
		cr_assert(event->position < length && event->precise <= 3 &&
			  event->group <= events->count, "'%s'", spec);
	}
}

static void check_failure(const char *spec, int error,
			  const struct selfmon_failure *failure)
{
	cr_assert(error < 0 && failure->error == -error, "'%s' gives %d",
		  spec, error);
	cr_assert(failure->position <= strlen(spec), "'%s': at %zu", spec,
		  failure->position);
	cr_assert(failure->message[0] &&
		  memchr(failure->message, '\0', SELFMON_MESSAGE_SIZE) &&
		  memchr(failure->event, '\0', SELFMON_EVENT_NAME_SIZE),
		  "'%s': no message", spec);
	cr_assert(failure->step == SELFMON_STEP_PARSE ||
		  failure->step == SELFMON_STEP_POLICY);
}

/*
 * Parses a copy that ends exactly at the end of its memory, so that sanitizers
 * and valgrind notice reads beyond it. Returns true if the copy is a list of
 * events.
 */
static bool check(const char *spec)
{
	char *exact = strdup(spec);
	struct selfmon_failure failure;
	struct selfmon_events events;
	int ret;

	memset(&events, 0xa5, sizeof(events));
	memset(&failure, 0xa5, sizeof(failure));
	ret = selfmon_events_parse(exact, &events, &failure);
	if (ret > 0)
		check_success(exact, ret, &events);
	else
		check_failure(exact, ret, &failure);
	free(exact);
	return ret > 0;
}

Test(event_fuzz, answers_any_bytes)
{
	char spec[LONGEST + 1];
	size_t i, j;

	for (i = 0; i < tries; i++) {
		const size_t length = draw(LONGEST + 1);

		for (j = 0; j < length; j++)
			spec[j] = (char)(draw(255) + 1);
		spec[length] = '\0';
		check(spec);
	}
}

/* With fewer letters, more strings pass the first checks. */
Test(event_fuzz, answers_any_string_of_its_own_letters)
{
	static const char letters[] = "{}/,:=ukpr0x1 cs";
	size_t lists = 0;
	char spec[32];
	size_t i, j;

	for (i = 0; i < tries; i++) {
		const size_t length = draw(16);

		for (j = 0; j < length; j++)
			spec[j] = letters[draw(sizeof(letters) - 1)];
		spec[length] = '\0';
		lists += check(spec);
	}
	cr_expect(lists > 0, "not one string was an event list");
}

static const char *const valid[] = {
	"cycles,instructions",
	"{cycles:u,L1-dcache-load-misses}:k,cs",
	"cpu/event=0x3c,umask=0,cmask=3,inv/upp",
	"amd/event=0x1c0,both=1/",
	"cpu/mem-loads,ldlat=50/,r1a8:ppp",
	"uncore_imc_0/cas_count_read/",
	"{msr/tsc/,software/config=3/k}:u",
	" r1 , { r2 , r3 } :u , dummy ",
	"r1,r2,r3,r4,{r5,r6,r7,r8}",
};

static void mutate(char *spec)
{
	static const char letters[] = "{}/,:=ukp09ax \t.-_\x80\xff";
	size_t times = draw(4) + 1;

	while (times-- > 0) {
		const size_t length = strlen(spec);
		const size_t at = draw(length + 1);
		char *place = spec + at;
		const char byte = letters[draw(sizeof(letters) - 1)];

		switch (draw(4)) {
		case 0:
			if (at < length)
				*place = byte;
			break;
		case 1:
			if (at < length)
				memmove(place, place + 1, length - at);
			break;
		case 2:
			memmove(place + 1, place, length - at + 1);
			*place = byte;
			break;
		default:
			memmove(place + length - at, place, length - at + 1);
			break;
		}
	}
}

Test(event_fuzz, answers_mutations_of_valid_specifications)
{
	const size_t count = sizeof(valid) / sizeof(valid[0]);
	char spec[1024]; /* room for four doublings of the longest string */
	size_t lists = 0;
	size_t i;

	for (i = 0; i < tries; i++) {
		strcpy(spec, valid[draw(count)]);
		mutate(spec);
		lists += check(spec);
	}
	cr_expect(lists > tries / 100 && lists < tries - tries / 100,
		  "%zu of %zu were event lists", lists, tries);
}

/* Words of all kinds. The test combines them in any order, whole or cut. */
static const char *const word[] = {
	"cycles", "instructions", "L1-dcache", "LLC", "-load", "-misses", "cs",
	"task-clock", "r1a8", "rffffffffffffffffff", "cpu/", "event=0x3c",
	"umask=1", "ldlat=", "config3=1", "amd/", "uncore_imc_0/", "cpu_core/",
	"cpu_atom/cycles/", "@cache", "@basic", "@os", "@", "mem:", "0x601050",
	"/8", "/", ":rw", ":w", ":x", "uprobe:", "/proc/self/exe", ":main",
	":0x10", "sched:", "sched_switch", "syscalls:sys_enter_write",
	"INST_RETIRED", "inst_retired", ".ANY_P", ":any_p", ":c=", "255", "256",
	":precise=2", ":pinned", "skl::", "MEM_LOAD_RETIRED.L3_MISS", "::",
	":u", ":k", ":pp", ":upk", ",", ",", ",", "{", "}", "{", "}", " ", ":",
	"=", ".", "-", "~", "0x", "18446744073709551616", "\x80", "\n",
};

Test(event_fuzz, answers_any_sequence_of_words)
{
	size_t lists = 0, i;
	char spec[1024];

	for (i = 0; i < tries; i++) {
		size_t words = draw(8) + 1, length = 0;

		while (words-- > 0) {
			const char *next =
				word[draw(sizeof(word) / sizeof(word[0]))];
			const size_t n = draw(10) ? strlen(next)
						  : draw(strlen(next)) + 1;

			memcpy(spec + length, next, n);
			length += n;
		}
		spec[length] = '\0';
		lists += check(spec);
	}
	cr_expect(lists > tries / 100 && lists < tries - tries / 100,
		  "%zu of %zu were event lists", lists, tries);
}
