/* SPDX-License-Identifier: MIT */
#include "event/modifiers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "event/suggest.h"

#define ALLOWED "u, k, p, pp and ppp are allowed"
#define PRECISE_MAX 3

static int unknown_modifier(const struct selfmon_spec *spec,
			    struct selfmon_piece letter)
{
	static const char *const known[] = {"u", "k", "p", NULL};
	struct selfmon_words words = selfmon_words_of(known);
	char nearest[SELFMON_WORD_SIZE];

	if (selfmon_suggest(letter.text, 1, &words, nearest))
		return selfmon_spec_fail(
			spec, ENOENT, letter.position,
			"unknown modifier '%c' (did you mean '%s'?)",
			letter.text[0], nearest);
	return selfmon_spec_fail(spec, ENOENT, letter.position,
				 "unknown modifier '%c': " ALLOWED,
				 letter.text[0]);
}

static int add_mode(const struct selfmon_spec *spec,
		    struct selfmon_piece letter,
		    struct selfmon_modifiers *modifiers)
{
	const uint32_t flag = letter.text[0] == 'u' ? SELFMON_EVENT_USER
						    : SELFMON_EVENT_KERNEL;

	if (modifiers->flags & flag)
		return selfmon_spec_fail(spec, EINVAL, letter.position,
					 "modifier '%c' is given twice: "
					 ALLOWED, letter.text[0]);
	modifiers->flags |= flag;
	return 0;
}

static int add_precision(const struct selfmon_spec *spec,
			 struct selfmon_piece letter,
			 struct selfmon_modifiers *modifiers)
{
	if (modifiers->precise == PRECISE_MAX)
		return selfmon_spec_fail(spec, EINVAL, letter.position,
					 "more than three modifiers 'p': "
					 ALLOWED);
	modifiers->precise++;
	return 0;
}

static int add_letter(const struct selfmon_spec *spec,
		      struct selfmon_piece letter,
		      struct selfmon_modifiers *modifiers)
{
	switch (letter.text[0]) {
	case 'u':
	case 'k':
		return add_mode(spec, letter, modifiers);
	case 'p':
		return add_precision(spec, letter, modifiers);
	default:
		return unknown_modifier(spec, letter);
	}
}

int selfmon_modifiers_parse(const struct selfmon_spec *spec,
			    struct selfmon_piece letters,
			    struct selfmon_modifiers *modifiers)
{
	int ret = 0;

	memset(modifiers, 0, sizeof(*modifiers));
	if (letters.length == 0)
		return selfmon_spec_fail(spec, EINVAL, letters.position,
					 "a modifier is missing after ':': "
					 ALLOWED);
	while (letters.length > 0 && !ret) {
		ret = add_letter(spec, letters, modifiers);
		letters = selfmon_piece_from(letters, 1);
	}
	return ret;
}

bool selfmon_modifiers_cut(struct selfmon_piece *name, size_t colons,
			   struct selfmon_piece *letters)
{
	size_t last = name->length, i;

	for (i = 0; i < name->length; i++) {
		if (name->text[i] == ':')
			last = i;
	}
	if (last + 1 >= name->length)
		return false;
	for (i = 0; i < last; i++)
		colons -= colons && name->text[i] == ':';
	*letters = selfmon_piece_from(*name, last + 1);
	for (i = 0; i < letters->length; i++) {
		if (!strchr("ukp", letters->text[i]))
			return false;
	}
	if (colons)
		return false;
	*name = selfmon_piece_head(*name, last);
	return true;
}

void selfmon_modifiers_apply(const struct selfmon_modifiers *modifiers,
			     struct selfmon_event *event)
{
	event->flags |= modifiers->flags;
	if (event->precise < modifiers->precise)
		event->precise = modifiers->precise;
}

int selfmon_modifiers_rename(struct selfmon_event *event)
{
	const size_t base = event->base;
	const size_t room = sizeof(event->name) - base;
	const bool slash = base > 0 && event->name[base - 1] == '/';
	const int n = snprintf(
		event->name + base, room, "%s%s%s%.*s", slash ? "" : ":",
		event->flags & SELFMON_EVENT_USER ? "u" : "",
		event->flags & SELFMON_EVENT_KERNEL ? "k" : "",
		(int)event->precise, "ppp");

	return n < 0 || (size_t)n >= room ? -EINVAL : 0;
}
