# SPDX-License-Identifier: MIT
# The extension by PostgreSQL's own rules, built in the current folder. Called
# by Makefile, which says VPATH (where the sources are) and the library's
# flags. The library is linked in: the server has to find nothing else when it
# loads the extension, and the library's names stay inside.
MODULE_big = selfmon
OBJS = hooks.o counters.o store.o view.o
EXTENSION = selfmon
DATA = selfmon--1.0.sql
PG_CPPFLAGS = $(SELFMON_CFLAGS)
PG_CFLAGS = -std=gnu11 -Wextra -Wno-unused-parameter \
	-Wno-declaration-after-statement \
	-Wno-missing-field-initializers -Wno-clobbered
SHLIB_LINK = $(SELFMON_LIBS) -Wl,--exclude-libs,ALL
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# What PGXS does not know of: the header, and the library that is linked in.
$(OBJS): $(VPATH)/selfmon_pg.h $(VPATH)/pgxs.mk $(SELFMON_ARCHIVE)
