/* SPDX-License-Identifier: MIT */
/* A plugin with the static library in it. */
#include <selfmon.h>

void work(void);

void work(void)
{
	SELFMON_REGION("in plugin")
	{
	}
}
