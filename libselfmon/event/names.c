/* SPDX-License-Identifier: MIT */
#include "event/names.h"

#include "event/sysfs.h"

#include <stdio.h>
#include <string.h>

#include "platform/directory.h"

#define PATH_SIZE 512

/*
 * Maximum number of names in a list, and size of a name: longer names are
 * truncated.
 */
#define LIST_MAX 24
#define LISTED_SIZE 32

static bool next_of_directory(struct selfmon_words *words, char *word,
			      size_t size)
{
	/*
	 * words->known points to a directory here. The member is a pointer to
	 * const, because other iterators store a constant array in it.
	 */
	struct selfmon_directory *directory = (void *)(uintptr_t)words->known;

	return selfmon_directory_next(directory, word, size);
}

static bool next_event(struct selfmon_words *words, char *word, size_t size)
{
	struct selfmon_piece name = {.text = word};

	do {
		if (!next_of_directory(words, word, size))
			return false;
		name.length = strlen(word);
	} while (!selfmon_pmu_is_event(name));
	return true;
}

struct selfmon_words selfmon_pmu_words(struct selfmon_directory *directory)
{
	return (struct selfmon_words){
		.next = next_of_directory,
		.known = directory,
	};
}

/*
 * Opens a folder of a PMU in sysfs, such as "/format", or with two empty
 * strings the folder of all PMUs. Returns an iterator over its names. If the
 * folder cannot be opened, the iterator returns no name.
 */
static struct selfmon_words open_words(struct selfmon_directory *directory,
				       const char *pmu, const char *folder)
{
	const struct selfmon_words words = selfmon_pmu_words(directory);
	char path[PATH_SIZE];
	const int n = snprintf(path, sizeof(path), "%s/%s%s",
			       selfmon_sysfs_root, pmu, folder);

	directory->fd_plus_1 = 0;
	if (n > 0 && (size_t)n < sizeof(path))
		selfmon_directory_open(path, directory);
	return words;
}

const char *selfmon_pmu_suggest(struct selfmon_piece name,
				char nearest[SELFMON_WORD_SIZE])
{
	struct selfmon_directory directory;
	struct selfmon_words words = open_words(&directory, "", "");
	const char *found =
		selfmon_suggest(name.text, name.length, &words, nearest);

	selfmon_directory_close(&directory);
	return found;
}

bool selfmon_pmu_any_core(void)
{
	struct selfmon_directory directory;
	struct selfmon_words words = open_words(&directory, "", "");
	char name[SELFMON_WORD_SIZE];
	struct selfmon_pmu pmu;
	bool any = false;

	while (!any && words.next(&words, name, sizeof(name))) {
		const struct selfmon_piece piece = {.text = name,
						    .length = strlen(name)};

		any = selfmon_pmu_find(piece, &pmu) == 0 && pmu.core;
	}
	selfmon_directory_close(&directory);
	return any;
}

static const char *suggest_field(const struct selfmon_pmu *pmu,
				 struct selfmon_piece term,
				 char nearest[SELFMON_WORD_SIZE])
{
	struct selfmon_directory directory;
	struct selfmon_words words = open_words(&directory, pmu->name,
						"/format");
	const char *found =
		selfmon_suggest(term.text, term.length, &words, nearest);

	selfmon_directory_close(&directory);
	return found;
}

static const char *suggest_event(const struct selfmon_pmu *pmu,
				 struct selfmon_piece name,
				 char nearest[SELFMON_WORD_SIZE])
{
	struct selfmon_directory directory;
	struct selfmon_words words = open_words(&directory, pmu->name,
						"/events");
	const char *found;

	words.next = next_event;
	found = selfmon_suggest(name.text, name.length, &words, nearest);
	selfmon_directory_close(&directory);
	return found;
}

const char *selfmon_pmu_suggest_term(const struct selfmon_pmu *pmu,
				     struct selfmon_piece term,
				     char nearest[SELFMON_WORD_SIZE])
{
	static const char *const direct[] = {"config", "config1", "config2",
					     "config3", NULL};
	struct selfmon_words words = selfmon_words_of(direct);
	const char *found = suggest_field(pmu, term, nearest);

	if (!found)
		found = suggest_event(pmu, term, nearest);
	if (!found)
		found = selfmon_suggest(term.text, term.length, &words,
					nearest);
	return found;
}

/* The alphabetically first LIST_MAX names. */
struct sorted_names {
	size_t count;
	char name[LIST_MAX + 1][LISTED_SIZE];
};

static void add_sorted(struct sorted_names *names, const char *name)
{
	size_t at = names->count;

	while (at > 0 && strcmp(names->name[at - 1], name) > 0) {
		memcpy(names->name[at], names->name[at - 1], LISTED_SIZE);
		at--;
	}
	snprintf(names->name[at], LISTED_SIZE, "%s", name);
	if (names->count < LIST_MAX)
		names->count++;
}

static void join_names(const struct sorted_names *names, char *list)
{
	static const char ellipsis[] = ", ...";
	size_t used = 0;
	size_t i;

	strcpy(list, "none");
	for (i = 0; i < names->count; i++) {
		const size_t n = strlen(names->name[i]) + 2;

		if (used + n + sizeof(ellipsis) > SELFMON_PMU_LIST_SIZE) {
			strcpy(list + used, ellipsis);
			return;
		}
		used += (size_t)snprintf(list + used, n + 1, "%s%s",
					 used ? ", " : "", names->name[i]);
	}
}

static void list_words(struct selfmon_words *words, char *list)
{
	struct sorted_names names = {.count = 0};
	char name[LISTED_SIZE];

	while (words->next(words, name, sizeof(name)))
		add_sorted(&names, name);
	join_names(&names, list);
}

const char *selfmon_pmu_list(char list[SELFMON_PMU_LIST_SIZE])
{
	struct selfmon_directory directory;
	struct selfmon_words words = open_words(&directory, "", "");

	list_words(&words, list);
	selfmon_directory_close(&directory);
	return list;
}

const char *selfmon_pmu_list_terms(const struct selfmon_pmu *pmu,
				   char list[SELFMON_PMU_LIST_SIZE])
{
	struct selfmon_directory directory;
	struct selfmon_words words = open_words(&directory, pmu->name,
						"/format");

	list_words(&words, list);
	selfmon_directory_close(&directory);
	return list;
}
