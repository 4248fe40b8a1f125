/* SPDX-License-Identifier: MIT */
/* Tests the explanations of the same errno for several kinds of events. */
#define _GNU_SOURCE
#include <linux/perf_event.h>

#include "unit/test_event_tree.h"
#include "unit/test_explain.h"

TestSuite(explain_event, .init = tree_make_all, .fini = tree_remove);

static const char *said(const char *event, int error,
			const struct selfmon_facts *facts)
{
	static char text[TEXT_SIZE];
	struct selfmon_failure failure = { .error = error,
					   .step = SELFMON_STEP_OPEN };

	snprintf(failure.event, sizeof(failure.event), "%s", event);
	selfmon_explain_with(&failure, facts, text, sizeof(text));
	return text;
}

/* A virtual machine without a PMU, and the same behind a seccomp filter. */
static const struct selfmon_facts guest = { LIMITS(2), .hypervisor = true };
static const struct selfmon_facts filtered = { LIMITS(2), .hypervisor = true,
					       .seccomp = true };

Test(explain_event, blames_no_pmu_for_what_needs_none)
{
	static const char *const none[] = {
		"uprobe:/nofile:0x10", "software/config=99/", "page-faults",
		"mem:0x1000/8:w",      "mem:0x1000:rw:u",
	};
	size_t i;

	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		says_not(said(none[i], ENOENT, &guest), "PMU");
		says_not(said(none[i], ENOENT, &metal), "PMU");
		says(said(none[i], ENOENT, &filtered),
		     "a seccomp filter returns this error");
	}
	says(said("software/config=99/", ENOENT, &guest),
	     "no such software event");
}

Test(explain_event, blames_the_pmu_for_what_needs_it)
{
	static const char *const hardware[] = {
		"cycles", "LLC-loads:u", "r1a8", "cpu/event=0xc0/", "MANUAL.X",
	};
	size_t i;

	for (i = 0; i < sizeof(hardware) / sizeof(hardware[0]); i++)
		says(said(hardware[i], ENOENT, &guest),
		     "this virtual machine has no PMU");
}

Test(explain_event, names_the_file_that_is_not_there)
{
	says(said("uprobe:/no/fi:le:0x10", ENOENT, &guest),
	     "there is no file '/no/fi:le'");
	says(said("uprobe:/nofile:0x20:u", ENOENT, &guest),
	     "there is no file '/nofile'");
}

Test(explain_event, names_the_file_and_the_offset_where_no_probe_can_be)
{
	says(said("uprobe:/etc:0x10:u", EINVAL, &guest),
	     "'/etc' has no instruction at 0x10: it is not a regular file, or "
	     "is shorter");
}

Test(explain_event, tells_an_address_of_the_kernels_from_a_crooked_one)
{
	static const char kernel[] = "mem:0xffffffff81000000/8:w";
	char text[TEXT_SIZE];

	says(said(kernel, EINVAL, &guest), "a kernel address");
	says_not(said(kernel, EINVAL, &guest), "multiple of the length");
	says(said("mem:0x1001/8:w", EINVAL, &guest), "multiple of the length");
	/* The event has :k, so the mode is not the reason for the refusal. */
	explain_kernel("mem:0xffffffff81000001/8:w:k", EINVAL, &guest, text);
	says(text, "multiple of the length");
}

Test(explain_event, tells_that_topdown_shares_need_slots)
{
	static const char why[] = "top-down event needs the event slots before "
				  "it in the same group";

	says(said("cpu/topdown-retiring/", EINVAL, &metal), why);
	says(said("cpu/topdown-mem-bound/u", EINVAL, &metal), "cpu/slots/");
	says(said("r8000", EINVAL, &metal), why);
	says_not(said("cpu/topdown-slots-issued/", EINVAL, &metal), why);
	says_not(said("cpu/event=0xc0/", EINVAL, &metal), why);
}
