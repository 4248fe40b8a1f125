/* SPDX-License-Identifier: MIT */
#include "report_json_text.h"

static const char *const verdicts[] = { "not counted", "exact", "syscall",
					"scaled", NULL };

enum selfmon_verdict report_json_verdict(struct json_in *in, json_t *from)
{
	return (enum selfmon_verdict)json_in_word(in, from, "verdict",
						  verdicts);
}

const char *report_json_text(struct report_file *file, struct json_in *in,
			     json_t *from, const char *key)
{
	char *const text = json_in_string(in, from, key);

	if (!text)
		return "";
	/* make_room() in report_json.c counted all texts of the report. */
	file->text[file->texts++] = text;
	return text;
}
