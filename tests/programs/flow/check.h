/* SPDX-License-Identifier: MIT */
/* The second half of the control-flow test: what the report must say. */
#ifndef FLOW_CHECK_H
#define FLOW_CHECK_H

/* 0 if the report has the visits that were made, in their places, closed. */
int flow_check(void);

#endif
