# SPDX-License-Identifier: MIT
# Builds the extension by PostgreSQL's own rules, in the current folder. Called
# by the Makefile, which sets VPATH (the sources) and the library's flags. The
# static library is linked in: the server needs no other file to load the
# extension, and the library's symbols stay hidden.
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

# Dependencies that PGXS does not know: the header, and the static library.
$(OBJS): $(VPATH)/selfmon_pg.h $(VPATH)/pgxs.mk $(SELFMON_ARCHIVE)
