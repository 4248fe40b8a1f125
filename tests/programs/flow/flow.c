/* SPDX-License-Identifier: MIT */
/*
 * Control flow through regions of every form. The program is compiled as C and
 * as C++, measured and with SELFMON_DISABLE, and must print the same each time.
 * With the argument --visits, the program also checks its report; this output
 * is not compared.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "flow.h"

/* ---- every way out of every form ----------------------------------------- */

#define WAY(way) region_##way
#define VISITED(name) "region " name
#define OPEN(name) SELFMON_REGION(VISITED(name)) {
#define LEAVE
#define CLOSE }
#include "ways.h"

#define WAY(way) region_of_##way
#define VISITED(name) "region_of " name
#define OPEN(name) SELFMON_REGION_OF(selfmon_region(VISITED(name))) {
#define LEAVE
#define CLOSE }
#include "ways.h"

#define WAY(way) scope_##way
#define VISITED(name) "scope " name
#define OPEN(name) { SELFMON_SCOPE(VISITED(name));
#define LEAVE
#define CLOSE }
#include "ways.h"

#define WAY(way) function_##way
#define VISITED(name) __func__
#define OPEN(name) { SELFMON_FUNCTION();
#define LEAVE
#define CLOSE }
#include "ways.h"

#define WAY(way) begin_##way
#define VISITED(name) "begin " name
#define OPEN(name) { SELFMON_BEGIN(part, VISITED(name));
#define LEAVE
#define CLOSE SELFMON_END(part); }
#include "ways.h"

/*
 * The program ends the region before each jump. The block then ends it again.
 */
#define WAY(way) begin_end_##way
#define VISITED(name) "begin_end " name
#define OPEN(name) { SELFMON_BEGIN(part, VISITED(name));
#define LEAVE SELFMON_END(part);
#define CLOSE SELFMON_END(part); }
#include "ways.h"

#define WAY(way) enter_##way
#define VISITED(name) "enter " name
#define OPEN(name)                                                             \
	{                                                                      \
		struct selfmon_frame frame;                                    \
		selfmon_enter(selfmon_region(VISITED(name)), &frame);
#define LEAVE selfmon_leave(&frame);
#define CLOSE selfmon_leave(&frame); }
#include "ways.h"

/* ---- places -------------------------------------------------------------- */

static void never_ended(void)
{
	for (int i = 0; i < 2; i++) {
		SELFMON_BEGIN(open, "never ended");
		flow_visit("never ended", 0);
		flow_say("never ended", i);
	}
}

/* Tests an END in the middle of the block, and a BEGIN after it. */
static void one_after_the_other(void)
{
	SELFMON_BEGIN(first, "first");
	flow_visit("first", 0);
	SELFMON_END(first);
	SELFMON_BEGIN(second, "second");
	flow_visit("second", 0);
	flow_say("second", 0);
	SELFMON_END(second);
}

static void without_braces(int turn)
{
	if (turn == 0)
		SELFMON_REGION("if") flow_visit("if", 0);
	else if (turn == 1)
		SELFMON_REGION_OF(selfmon_region("else if"))
			flow_visit("else if", 0);
	else
		SELFMON_REGION("else") flow_visit("else", 0);
	for (int i = 0; i < 2; i++)
		SELFMON_REGION("for") flow_visit("for", 0);
	while (turn-- > 0)
		SELFMON_REGION("while")
			if (turn > 0)
				SELFMON_REGION("while if")
					flow_visit("while", 0),
						flow_visit("while if", 1);
			else
				flow_visit("while", 0);
	do
		SELFMON_REGION("do") flow_visit("do", 0);
	while (turn++ < 0);
	flow_say("without braces", turn);
}

static void seen(const char *name)
{
	flow_visit(name, 0);
}

static void on_one_line(void)
{
	/* clang-format off */
	SELFMON_REGION("l") { seen("l"); } SELFMON_REGION("r") { seen("r"); }
	SELFMON_REGION("t") { seen("t"); } SELFMON_REGION("t") { seen("t"); }
	{ SELFMON_SCOPE("s"); SELFMON_SCOPE("u"); seen("s"); flow_visit("u", 1); }
	/* clang-format on */
	SELFMON_REGION("a") SELFMON_REGION("b") SELFMON_REGION("c")
		flow_visit("a", 0), flow_visit("b", 1), flow_visit("c", 2);
	flow_say("on one line", 0);
}

#define TIMED(name, statement)                                                 \
	do {                                                                   \
		SELFMON_SCOPE(name);                                           \
		flow_visit(name, 0);                                           \
		SELFMON_REGION(name " inside") {                               \
			flow_visit(name " inside", 1);                         \
			statement;                                             \
		}                                                              \
	} while (0)

static void in_a_macro(int argument)
{
	for (int i = 0; i < 2; i++)
		TIMED("macro", flow_say("macro", i));
	if (argument > 0)
		TIMED("macro 2", flow_say("macro 2", 0));
	else
		TIMED("macro 3", flow_say("macro 3", 0));
}

/* `break` in a REGION ends the REGION. The `break` after it ends the case. */
static void in_a_switch(int which)
{
	switch (which) {
	case 0:
		SELFMON_REGION("case 0") {
			flow_visit("case 0", 0);
			break;
		}
		flow_say("case 0", which);
		break;
	case 1: {
		SELFMON_SCOPE("case 1");
		flow_visit("case 1", 0);
		break;
	}
	case 2:
		SELFMON_REGION("case 2") switch (which) {
		case 2:
			flow_visit("case 2", 0);
			break;
		default:
			flow_say("never", which);
		}
		break;
	default:
		SELFMON_REGION("default") flow_visit("default", 0);
	}
	flow_say("switch", which);
}

static int recurse(int depth)
{
	SELFMON_FUNCTION();

	flow_visit("recurse", (unsigned int)depth);
	return depth == 5 ? depth : recurse(depth + 1) + 1;
}

static int in_an_expression(int turn)
{
	return __extension__({
		int value = 0;

		SELFMON_REGION("expression") {
			flow_visit("expression", 0);
			value = turn + 1;
		}
		value;
	}) + 1;
}

static void no_handle(void)
{
	struct selfmon_frame frame;

	SELFMON_REGION_OF(NULL) flow_say("no handle", 0);
	selfmon_enter(NULL, &frame);
	flow_say("no handle", 1);
	selfmon_leave(&frame);
}

static void places(void)
{
	never_ended();
	one_after_the_other();
	for (int i = 0; i < 4; i++) {
		without_braces(i);
		in_a_switch(i);
		flow_say("expression", in_an_expression(i));
	}
	on_one_line();
	in_a_macro(0);
	in_a_macro(1);
	flow_say("recursion", recurse(0));
	no_handle();
	flow_static_inline(0);
	flow_static_inline(1);
	flow_plain_inline(0);
	flow_plain_inline(1);
	flow_other();
}

int main(int argc, char **argv)
{
	region_all();
	region_of_all();
	scope_all();
	function_all();
	begin_all();
	begin_end_all();
	enter_all();
	places();
	fflush(stdout);
	return argc > 1 && strcmp(argv[1], "--visits") == 0 ? flow_check() : 0;
}
