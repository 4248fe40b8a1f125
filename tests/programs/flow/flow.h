/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the control-flow test: the output of the program, and
 * the visits that the report must have.
 */
#ifndef FLOW_H
#define FLOW_H

#include <selfmon.h>

/* Prints a step: its word, and a number that identifies the iteration. */
void flow_say(const char *word, int turn);

/*
 * Notes that a region of this name was just entered at this depth of the tree.
 */
void flow_visit(const char *name, unsigned int depth);

/* In other.c: the same inline function in another translation unit. */
void flow_other(void);

static inline void flow_static_inline(int turn)
{
	SELFMON_REGION("static inline") {
		flow_visit("static inline", 0);
		flow_say("static inline", turn);
		if (turn > 0)
			return;
	}
	flow_say("static inline after", turn);
}

/*
 * Plain inline only in C++: in C such a function must neither define nor use
 * anything static (C11 6.7.4p3), and both compilers report that.
 */
#ifdef __cplusplus
#define FLOW_INLINE inline
#else
#define FLOW_INLINE static inline
#endif

FLOW_INLINE void flow_plain_inline(int turn)
{
	SELFMON_SCOPE("plain inline");
	flow_visit("plain inline", 0);
	flow_say("plain inline", turn);
	SELFMON_REGION("in plain inline") {
		flow_visit("in plain inline", 1);
		if (turn > 0)
			break;
		flow_say("plain inline in", turn);
	}
}

#endif
