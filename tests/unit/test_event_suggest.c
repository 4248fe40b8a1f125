/* SPDX-License-Identifier: MIT */
/* Tests that the nearest word is suggested for a misspelt one. */
#include <criterion/criterion.h>
#include <string.h>

#include "event/suggest.h"

static const char *suggest(const char *word, const char *const *known)
{
	static char nearest[SELFMON_WORD_SIZE];
	struct selfmon_words words = selfmon_words_of(known);

	return selfmon_suggest(word, strlen(word), &words, nearest);
}

static const char *const colours[] = {"crimson", "ochre", "umber", "teal",
				      NULL};

Test(event_suggest, mends_one_letter_left_out)
{
	cr_expect_str_eq(suggest("crimsn", colours), "crimson");
}

Test(event_suggest, mends_one_letter_too_many)
{
	cr_expect_str_eq(suggest("oochre", colours), "ochre");
}

Test(event_suggest, mends_one_letter_replaced)
{
	cr_expect_str_eq(suggest("umbar", colours), "umber");
}

Test(event_suggest, counts_a_swap_of_neighbours_once)
{
	/* four letters allow one edit, so two replacements are too many */
	cr_expect_str_eq(suggest("tael", colours), "teal");
}

Test(event_suggest, takes_case_as_no_difference)
{
	static const char *const modes[] = {"u", "k", NULL};

	cr_expect_str_eq(suggest("CRIMSON", colours), "crimson");
	cr_expect_str_eq(suggest("K", modes), "k");
}

Test(event_suggest, finds_nothing_where_nothing_is_near)
{
	cr_expect_null(suggest("xyz", colours));
	cr_expect_null(suggest("tull", colours));
	cr_expect_null(suggest("crmxnn", colours));
	cr_expect_null(suggest("q", colours));
}

Test(event_suggest, finds_nothing_for_an_empty_word)
{
	static const char *const empty[] = {"", "a", NULL};

	cr_expect_null(suggest("", empty));
}

Test(event_suggest, finds_nothing_among_no_words)
{
	static const char *const none[] = {NULL};

	cr_expect_null(suggest("crimson", none));
}

Test(event_suggest, prefers_the_nearer_word_wherever_it_stands)
{
	static const char *const first[] = {"counters", "counter", NULL};
	static const char *const last[] = {"counter", "counters", NULL};

	cr_expect_str_eq(suggest("countters", first), "counters");
	cr_expect_str_eq(suggest("countters", last), "counters");
}

Test(event_suggest, takes_the_first_of_the_alphabet_of_equally_near_ones)
{
	static const char *const forth[] = {"line", "lane", "lone", NULL};
	static const char *const back[] = {"lone", "line", "lane", NULL};

	cr_expect_str_eq(suggest("lene", forth), "lane");
	cr_expect_str_eq(suggest("lene", back), "lane");
}

Test(event_suggest, allows_an_edit_for_every_four_letters)
{
	static const char *const one[] = {"abcdefghijklmn", NULL};

	/* fourteen letters: four edits, not five */
	cr_expect_str_eq(suggest("XbXdXfXhijklmn", one), "abcdefghijklmn");
	cr_expect_null(suggest("XbXdXfXhXjklmn", one));
}

Test(event_suggest, leaves_words_longer_than_its_room_alone)
{
	char word[SELFMON_WORD_SIZE + 1];
	const char *known[] = {word, NULL};

	memset(word, 'a', sizeof(word));
	word[SELFMON_WORD_MAX] = '\0';
	cr_expect_str_eq(suggest(word, known), word);
	word[SELFMON_WORD_MAX] = 'a';
	word[SELFMON_WORD_SIZE] = '\0';
	cr_expect_null(suggest(word, known));
}
