/* SPDX-License-Identifier: MIT */
#include "doctor/brief.h"

#include <ctype.h>
#include <errno.h>

#include "doctor/cause_event.h"
#include "doctor/explain.h"

/*
 * Returns the first letter for use within a sentence: in lower case, except in
 * names such as SELFMON_EVENTS.
 */
static char first_letter(const char *text)
{
	return islower((unsigned char)text[1]) ? (char)tolower(text[0])
					       : text[0];
}

void selfmon_brief_add(struct selfmon_sentence *to,
		       const struct selfmon_sentence *cause,
		       const struct selfmon_sentence *remedy)
{
	const size_t end = remedy->other ? remedy->other : remedy->length;

	selfmon_sentence_add(to, "%s", cause->text);
	if (end > 0)
		selfmon_sentence_add(to, "; %c%.*s",
				     first_letter(remedy->text), (int)end - 1,
				     remedy->text + 1);
}

bool selfmon_brief_off(const struct selfmon_failure *failure,
		       const struct selfmon_facts *facts,
		       struct selfmon_sentence *to)
{
	struct selfmon_sentence cause = { .length = 0 };
	struct selfmon_sentence remedy = { .length = 0 };

	if (!selfmon_cause_is_machine(failure, facts))
		return false;
	selfmon_explain_parts(failure, facts, &cause, &remedy);
	/*
	 * Also names the missing PMU: it would be the next error once events
	 * can be opened.
	 */
	if (failure->error != ENOENT && facts->hypervisor && !facts->core_pmu)
		selfmon_sentence_add(&cause, ", and this virtual machine shows "
					     "no PMU");
	selfmon_brief_add(to, &cause, &remedy);
	return true;
}
