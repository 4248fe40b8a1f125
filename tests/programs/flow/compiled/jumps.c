/* SPDX-License-Identifier: MIT */
/*
 * Jump number JUMP past the beginning of a region. With PAST defined, it must
 * not compile. Without PAST, braces or another label keep the jump out of the
 * region.
 */
#include <selfmon.h>

#ifdef PAST
#define OPEN
#define CLOSE
#define IN(label) label:
#define AFTER(label)
#else
#define OPEN {
#define CLOSE }
#define IN(label)
#define AFTER(label) label:
#endif

int jump(int x, struct selfmon_region *handle);

int jump(int x, struct selfmon_region *handle)
{
	(void)handle;
#if JUMP == 1
	if (x)
		goto out;
	OPEN
	SELFMON_SCOPE("scope");
	x++;
	CLOSE
out:
	return x;
#elif JUMP == 2
	if (x)
		goto out;
	OPEN
	SELFMON_FUNCTION();
	x++;
	CLOSE
out:
	return x;
#elif JUMP == 3
	if (x)
		goto out;
	OPEN
	SELFMON_BEGIN(tag, "tag");
	x++;
	SELFMON_END(tag);
	CLOSE
out:
	return x;
#elif JUMP == 4
	switch (x) {
	case 0: OPEN;
		SELFMON_SCOPE("scope");
		x++;
		CLOSE
		break;
	case 1:
		x--;
		break;
	default:
		break;
	}
	return x;
#elif JUMP == 5
	switch (x) {
	case 0: OPEN;
		SELFMON_BEGIN(tag, "tag");
		x++;
		SELFMON_END(tag);
		CLOSE
		break;
	default:
		x--;
	}
	return x;
#elif JUMP == 6
	if (x)
		goto in;
	SELFMON_REGION("block") {
		x++;
		IN(in) x--;
	}
	AFTER(in) return x;
#elif JUMP == 7
	SELFMON_REGION_OF(handle) {
		IN(again) x--;
	}
	AFTER(again) if (x-- > 3)
		goto again;
	return x;
#elif JUMP == 8
	switch (x) {
	case 0:
		SELFMON_REGION("block") {
			x++;
			IN(case 1) x--;
		}
		break;
	AFTER(case 1) default:
		break;
	}
	return x;
#elif JUMP == 9
	SELFMON_REGION("one") {
		if (x)
			goto in;
	}
	SELFMON_REGION("other") {
		IN(in) x++;
	}
	AFTER(in) return x;
#else
#error "no such jump"
#endif
}
