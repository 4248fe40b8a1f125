/* SPDX-License-Identifier: MIT */
/* Code that compiles without a warning, at each level of optimisation. */
#include <setjmp.h>
#include <selfmon.h>

#define OWN(name) SELFMON_SCOPE(name)
#define OWN_BLOCK(name) if (kept) SELFMON_REGION(name)

static const char *kept;
static jmp_buf back;

int only_return(int x);
int returns_either_way(int x);
int returns_from_nested(int x);
int returns_from_if(int x, struct selfmon_region *handle);
int has_no_else(int x);
int returns_from_switch(int x);
int returns_from_loop(int x);
int leaves_by_goto(int x);
int comes_back(int x);
int comes_back_inside(void);
int inlines(int x);
void declares_several(void);

int only_return(int x)
{
	SELFMON_REGION("only return")
	{
		return x;
	}
}

int returns_either_way(int x)
{
	SELFMON_REGION("either way")
	{
		if (x)
			return x;
		else
			return 1;
	}
}

int returns_from_nested(int x)
{
	SELFMON_REGION("outer") SELFMON_REGION("middle")
	{
		SELFMON_REGION("inner")
			return x;
	}
}

int returns_from_if(int x, struct selfmon_region *handle)
{
	if (x)
		SELFMON_REGION("if") { return x; }
	else
		SELFMON_REGION_OF(handle) { return 1; }
}

int has_no_else(int x)
{
	if (x)
		SELFMON_REGION("if") { x++; }
	return x;
}

int returns_from_switch(int x)
{
	switch (x) {
	case 0:
		SELFMON_REGION("case")
		{
			if (x)
				break;
			return 1;
		}
		break;
	default:
		SELFMON_REGION("default") { return x; }
	}
	return 3;
}

int returns_from_loop(int x)
{
	SELFMON_REGION("loop")
	{
		for (;;)
			if (x++ > 3)
				return x;
	}
}

int leaves_by_goto(int x)
{
	SELFMON_REGION("block")
	{
		if (x)
			goto out;
		{
			SELFMON_SCOPE("scope");
			if (x++)
				goto out;
		}
	}
out:
	return x;
}

int comes_back(int x)
{
	SELFMON_SCOPE("before");
	SELFMON_REGION("around")
	{
		if (setjmp(back))
			return x;
	}
	return 0;
}

/*
 * -Wextra includes -Wclobbered, which warns of variables that longjmp() may
 * clobber, if they are set twice.
 */
int comes_back_inside(void)
{
	SELFMON_REGION("jumped into")
	{
		if (!setjmp(back))
			only_return(1);
		else
			return 1;
	}
	return 0;
}

static inline __attribute__((always_inline)) int inlined(int x)
{
	SELFMON_REGION("inlined")
	{
		if (x == 1)
			continue;
		return x;
	}
	return 3;
}

int inlines(int x)
{
	return inlined(x) + inlined(x + 1);
}

void declares_several(void)
{
	SELFMON_FUNCTION();
	SELFMON_SCOPE("one"); SELFMON_SCOPE("another on the line");
	OWN("by a macro of the program's own");
	SELFMON_BEGIN(a, "a");
	SELFMON_BEGIN(b, "b");
	OWN_BLOCK("block")
		kept = __extension__({ SELFMON_SCOPE("expression"); "x"; });
	else
		kept = "";
	SELFMON_END(a);
	SELFMON_END(b);
}
