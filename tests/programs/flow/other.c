/* SPDX-License-Identifier: MIT */
/* A second translation unit with the inline functions of flow.h. */
#include "flow.h"

void flow_other(void)
{
	flow_static_inline(0);
	flow_static_inline(1);
	flow_plain_inline(0);
	flow_plain_inline(1);
}
