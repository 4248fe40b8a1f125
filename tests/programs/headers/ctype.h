/* SPDX-License-Identifier: MIT */
#ifndef HEADERS_CTYPE_H
#define HEADERS_CTYPE_H

int isalnum(int c);
int tolower(int c);

#endif
