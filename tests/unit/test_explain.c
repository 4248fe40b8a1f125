/* SPDX-License-Identifier: MIT */
/*
 * Tests the explanations of failures: each errno of the kernel, and the rules
 * that all explanations obey.
 */
#include "unit/test_explain.h"

/*
 * Maximum length of an explanation in one line of a report, without the event's
 * name.
 */
#define LENGTH_MAX 310

/*
 * For each error on bare metal: a word of the cause, and a word of the remedy.
 */
static const struct {
	enum selfmon_step step;
	int error;
	const char *cause, *remedy;
} rows[] = {
	{ SELFMON_STEP_OPEN, EACCES, "security module", "ausearch" },
	{ SELFMON_STEP_OPEN, EPERM, "raw tracepoints",
	  "sysctl -w kernel.perf_event_paranoid=-1" },
	{ SELFMON_STEP_OPEN, ENOSYS, "should have it", "outside" },
	{ SELFMON_STEP_OPEN, ENOENT, "PMU has no such event", "perf list" },
	{ SELFMON_STEP_OPEN, EOPNOTSUPP, "does not support a term",
	  "plain name" },
	{ SELFMON_STEP_OPEN, EINVAL, "code or one of its terms", "perf list" },
	{ SELFMON_STEP_OPEN, E2BIG, "does not know a field", "newer kernel" },
	{ SELFMON_STEP_OPEN, ENODEV, "offline", "dmesg" },
	{ SELFMON_STEP_OPEN, EBUSY, "holds the PMU",
	  "sysctl -w kernel.nmi_watchdog=0" },
	{ SELFMON_STEP_OPEN, EMFILE, "1024 descriptors", "ulimit -n 524288" },
	{ SELFMON_STEP_OPEN, ENFILE, "200000", "sysctl -w fs.file-max=400000" },
	{ SELFMON_STEP_OPEN, ENOMEM, "no memory for one more event",
	  "free -m" },
	{ SELFMON_STEP_OPEN, ENOSPC, "breakpoints", "watchpoints" },
	{ SELFMON_STEP_OPEN, ESRCH, "thread", "Open the set" },
	{ SELFMON_STEP_OPEN, EBADF, "group's leader was closed", "strace" },
	{ SELFMON_STEP_OPEN, EFAULT, "event's description", "valgrind" },
	{ SELFMON_STEP_OPEN, EINTR, "interrupted perf_event_open",
	  "Try again" },
	{ SELFMON_STEP_OPEN, EOVERFLOW, "call chain",
	  "sysctl -w kernel.perf_event_max_stack" },
	{ SELFMON_STEP_MAP, EINVAL, "inherited", "SELFMON_COUNTERS_SYSCALL" },
	{ SELFMON_STEP_MAP, EPERM, "perf_event_mlock_kb=516",
	  "ulimit -l unlimited" },
	{ SELFMON_STEP_MAP, ENOBUFS, "rings have half", "ring=16k" },
	{ SELFMON_STEP_MAP, ENOMEM, "65530",
	  "sysctl -w vm.max_map_count=262120" },
	{ SELFMON_STEP_MAP, ENODEV, "went away", "driver" },
	{ SELFMON_STEP_MAP, EBADF, "before its page", "strace" },
	{ SELFMON_STEP_READ, ENOSPC, "more events than", "Open the set" },
	{ SELFMON_STEP_READ, ECHILD, "child process", "in the child" },
	{ SELFMON_STEP_READ, EBADF, "read from was closed", "strace" },
	{ SELFMON_STEP_READ, EINTR, "interrupted the read", "Try again" },
	{ SELFMON_STEP_READ, EINVAL, "no longer the event", "strace" },
	{ SELFMON_STEP_READ, EFAULT, "buffer", "valgrind" },
	{ SELFMON_STEP_ENABLE, ENOTTY, "no longer an event", "strace" },
	{ SELFMON_STEP_ENABLE, EINVAL, "counting event", "period" },
	{ SELFMON_STEP_ENABLE, EBADF, "enable was closed", "strace" },
	/*
	 * No table has these errors, so the step and the C library's text are
	 * used.
	 */
	{ SELFMON_STEP_OPEN, EXDEV, "perf_event_open failed", "dmesg" },
	{ SELFMON_STEP_MAP, EXDEV, "mmap of", "dmesg" },
	{ SELFMON_STEP_READ, EXDEV, "read of the counts failed", "dmesg" },
	{ SELFMON_STEP_ENABLE, EXDEV, "ioctl to enable", "dmesg" },
	{ SELFMON_STEP_NONE, EXDEV, "opening it failed", "dmesg" },
	{ SELFMON_STEP_PARSE, EXDEV, "reading the specification", "dmesg" },
	{ SELFMON_STEP_POLICY, EXDEV, "library's own check", "dmesg" },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

Test(explain, names_the_cause_and_a_remedy_for_every_errno)
{
	char text[TEXT_SIZE];
	size_t i;

	for (i = 0; i < ROWS; i++) {
		const char *remedy;

		explain(rows[i].error, rows[i].step, &metal, text);
		cr_assert_eq(strncmp(text, "cycles: ", 8), 0, "%s", text);
		says(text, rows[i].cause);
		remedy = strstr(text, ". ");
		cr_assert(remedy, "no second sentence: %s", text);
		says(remedy, rows[i].remedy);
	}
}

Test(explain, has_no_two_causes_with_the_same_words)
{
	static char texts[ROWS][TEXT_SIZE];
	size_t i, k;

	for (i = 0; i < ROWS; i++) {
		explain(rows[i].error, rows[i].step, &metal, texts[i]);
		for (k = 0; k < i; k++)
			cr_assert_str_neq(texts[i], texts[k]);
	}
}

static void check_line(const struct selfmon_failure *failure,
		       const struct selfmon_facts *facts)
{
	char text[TEXT_SIZE];
	const size_t n =
		selfmon_explain_with(failure, facts, text, sizeof(text));

	cr_assert_eq(n, strlen(text));
	cr_assert_gt(n, 20, "%s", text);
	cr_assert_leq(n, LENGTH_MAX + strlen(failure->event), "%zu: %s", n,
		      text);
	says_not(text, "\n");
	says_not(text, "\t");
	says_not(text, "%");
	says_not(text, "(null)");
	says_not(text, "  ");
	says_not(text, "..");
	/*
	 * SELFMON_FACT_UNKNOWN and _UNLIMITED must not be printed as numbers.
	 */
	says_not(text, "-922337203685477580");
	if (facts->paranoid != INT64_MAX)
		says_not(text, "922337203685477580");
}

Test(explain, is_one_plain_line_for_every_errno_on_every_machine)
{
	struct selfmon_failure failure = { .event = "cycles" };
	size_t m;
	int bits;

	for (m = 0; m < MACHINES; m++) {
		for (failure.error = 1; failure.error < 140; failure.error++) {
			for (bits = 0; bits < 32; bits++) {
				failure.step = (enum selfmon_step)(bits >> 2);
				failure.grouped = bits & 1;
				failure.kernel_asked = bits & 2;
				check_line(&failure, &machines[m]);
			}
		}
	}
}

Test(explain, gives_the_parsers_message_as_it_is)
{
	const struct selfmon_failure failure = {
		.error = ENOENT,
		.step = SELFMON_STEP_PARSE,
		.event = "cycels",
		.message = "unknown event 'cycels' (did you mean 'cycles'?)"
	};
	char text[TEXT_SIZE];

	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	cr_assert_str_eq(text, failure.message);
}

Test(explain, puts_the_event_before_the_librarys_own_refusal)
{
	struct selfmon_failure failure = { .error = EINVAL,
					   .step = SELFMON_STEP_POLICY,
					   .event = "context-switches:u",
					   .message = "happens in kernel mode "
						      "only" };
	char text[TEXT_SIZE];

	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	cr_assert_str_eq(text,
			 "context-switches:u: happens in kernel mode only");
	strcpy(failure.event, "x/y/");
	strcpy(failure.message, "x/y/: counts the package, not your thread");
	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	cr_assert_str_eq(text, failure.message);
}

Test(explain, names_an_unknown_errno_by_the_c_librarys_word)
{
	char text[TEXT_SIZE];

	explain(EXDEV, SELFMON_STEP_OPEN, &metal, text);
	says(text, strerror(EXDEV));
	explain(99999, SELFMON_STEP_READ, &metal, text);
	says(text, "errno 99999");
}

Test(explain, survives_a_step_it_does_not_know)
{
	char text[TEXT_SIZE];

	explain(EIO, (enum selfmon_step)77, &metal, text);
	says(text, "an unknown step failed");
}

Test(explain, says_nothing_failed_where_nothing_did)
{
	const struct selfmon_failure none = { .error = 0,
					      .step = SELFMON_STEP_OPEN };
	char text[TEXT_SIZE];

	cr_assert_eq(selfmon_explain_with(NULL, &metal, text, sizeof(text)),
		     strlen("nothing failed"));
	cr_assert_str_eq(text, "nothing failed");
	selfmon_explain_with(&none, &metal, text, sizeof(text));
	cr_assert_str_eq(text, "nothing failed");
}

Test(explain, leaves_the_name_out_where_there_is_none)
{
	const struct selfmon_failure failure = { .error = EINTR,
						 .step = SELFMON_STEP_OPEN };
	char text[TEXT_SIZE];

	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	cr_assert_eq(strncmp(text, "a signal", 8), 0, "%s", text);
}

Test(explain, cuts_at_any_size_and_returns_the_whole_length)
{
	const struct selfmon_failure failure = { .error = EACCES,
						 .step = SELFMON_STEP_OPEN,
						 .event = "cycles" };
	char whole[TEXT_SIZE], cut[TEXT_SIZE];
	size_t length, size, kept;

	length = selfmon_explain_with(&failure, &machines[3], whole,
				      sizeof(whole));
	cr_assert_eq(selfmon_explain_with(&failure, &machines[3], NULL, 0),
		     length);
	for (size = 0; size <= length + 2; size++) {
		memset(cut, '#', sizeof(cut));
		cr_assert_eq(
			selfmon_explain_with(&failure, &machines[3], cut, size),
			length);
		cr_assert_eq(cut[size], '#', "wrote past %zu", size);
		if (size == 0)
			continue;
		kept = size <= length ? size - 1 : length;
		cr_assert_eq(cut[kept], '\0');
		cr_assert_eq(memcmp(cut, whole, kept), 0);
	}
}

Test(explain, takes_names_without_an_end_and_with_any_bytes)
{
	struct selfmon_failure failure = { .error = EBUSY,
					   .step = SELFMON_STEP_POLICY };
	char text[TEXT_SIZE];
	size_t n;

	memset(failure.event, 'e', sizeof(failure.event));
	memset(failure.message, 'm', sizeof(failure.message));
	failure.event[3] = '\n';
	failure.event[4] = '%';
	failure.event[5] = 's';
	n = selfmon_explain_with(&failure, &metal, text, sizeof(text));
	cr_assert_eq(n, strlen(text));
	says(text, "eee\\x0A%se");
	says(text, "mmm. As root");
	says_not(text, "\n");
}

Test(explain, looks_at_this_machine_by_itself)
{
	const struct selfmon_failure failure = { .error = EMFILE,
						 .step = SELFMON_STEP_OPEN,
						 .event = "cycles" };
	struct selfmon_facts facts;
	char here[TEXT_SIZE], text[TEXT_SIZE];

	selfmon_facts_gather(&facts);
	selfmon_explain_with(&failure, &facts, here, sizeof(here));
	cr_assert_eq(selfmon_explain(&failure, text, sizeof(text)),
		     strlen(here));
	cr_assert_str_eq(text, here);
}
