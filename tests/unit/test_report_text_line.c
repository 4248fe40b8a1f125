/* SPDX-License-Identifier: MIT */
/* Tests where the paragraphs of a text report wrap. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "report/text_line.h"

/* Writes `used` columns in one word, and then " 17.6 us,". */
static void write_after(int used, char *written, size_t size)
{
	struct selfmon_text text = { 0 };
	char word[128];

	memset(word, 'x', sizeof(word));
	text.stream = fmemopen(written, size, "w");
	selfmon_text_begin(&text, "", 0);
	selfmon_text_say(&text, "%.*s ", used, word);
	selfmon_text_say_number(&text, "17.6 us");
	selfmon_text_say(&text, ",");
	selfmon_text_end(&text);
	fclose(text.stream);
}

Test(report_text_line, a_number_and_its_unit_are_not_apart)
{
	char written[256];
	const char *line;
	int used;

	for (used = 80; used < 100; used++) {
		write_after(used, written, sizeof(written));
		line = strchr(written, '\n');
		cr_expect_not_null(strstr(written, "17.6 us,\n"), "%d", used);
		if (used + 9 <= 100)
			cr_expect_eq(line[1], '\0', "%d", used);
		else
			cr_expect_eq(line - written, used);
	}
}
