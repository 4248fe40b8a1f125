/* SPDX-License-Identifier: MIT */
/*
 * Each way out of a region. Included once for each form of region, with these
 * macros:
 *
 *	WAY(way)      the name of a function for this form and way
 *	OPEN(name)    opens a region and a block
 *	VISITED(name) the region's name in the report
 *	LEAVE         is executed before a jump out of the region
 *	CLOSE         closes the region and the block
 */
static void WAY(falls)(void)
{
	for (int i = 0; i < 2; i++) {
		OPEN("falls")
		flow_visit(VISITED("falls"), 0);
		flow_say("in", i);
		CLOSE
		flow_say("after", i);
	}
}

/* If a region is a loop (SELFMON_REGION), `break` ends only the region. */
static void WAY(breaks)(void)
{
	for (int i = 0; i < 3; i++) {
		OPEN("breaks")
		flow_visit(VISITED("breaks"), 0);
		flow_say("in", i);
		if (i == 1) {
			LEAVE
			break;
		}
		flow_say("still in", i);
		CLOSE
		flow_say("after", i);
	}
	flow_say("out", 0);
}

static void WAY(continues)(void)
{
	for (int i = 0; i < 3; i++) {
		OPEN("continues")
		flow_visit(VISITED("continues"), 0);
		flow_say("in", i);
		if (i == 1) {
			LEAVE
			continue;
		}
		flow_say("still in", i);
		CLOSE
		flow_say("after", i);
	}
	flow_say("out", 0);
}

/* The value is computed before the region ends, unless LEAVE ends it. */
static int WAY(returns)(void)
{
	for (int i = 0;; i++) {
		OPEN("returns")
		flow_visit(VISITED("returns"), 0);
		flow_say("in", i);
		if (i == 2) {
			LEAVE
			return 40 + i;
		}
		CLOSE
		flow_say("after", i);
	}
}

static void WAY(jumps)(void)
{
	int turn = 0;

again:
	{
		OPEN("jumps")
		flow_visit(VISITED("jumps"), 0);
		flow_say("in", turn);
		if (turn == 0) {
			turn++;
			LEAVE
			goto again;
		}
		LEAVE
		goto out;
		CLOSE
	}
out:
	flow_say("out", turn);
}

/*
 * Leaves one region by goto, and three at once by return; the outer two have
 * other forms.
 */
static int WAY(nested)(void)
{
	int left = 3;

	SELFMON_REGION("outer") {
		flow_visit("outer", 0);
		while (left-- > 0) {
			SELFMON_SCOPE("middle");
			flow_visit("middle", 1);
			OPEN("nested")
			flow_visit(VISITED("nested"), 2);
			flow_say("in", left);
			if (left == 1) {
				LEAVE
				goto again;
			}
			if (left == 0) {
				LEAVE
				return left;
			}
			CLOSE
			flow_say("after", left);
again:
			flow_say("again", left);
		}
	}
	return -1;
}

static void WAY(all)(void)
{
	WAY(falls)();
	WAY(breaks)();
	WAY(continues)();
	flow_say("returned", WAY(returns)());
	WAY(jumps)();
	flow_say("returned", WAY(nested)());
}

#undef WAY
#undef OPEN
#undef VISITED
#undef LEAVE
#undef CLOSE
