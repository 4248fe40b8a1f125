# SPDX-License-Identifier: MIT
# libselfmon's targets. `make help` lists them.

# ARCH=NAME builds for another machine with Debian's cross compilers. Without
# ARCH, or with this machine's own name, make builds for this machine. An entry
# is the name and, after a colon, the machine in the compiler's name.
cross_machines := arm64:aarch64 riscv64:riscv64 ppc64el:powerpc64le
cross_names := $(foreach m,$(cross_machines),$(firstword $(subst :, ,$(m))))
ARCH ?=
ifneq ($(filter $(ARCH),$(shell uname -m | sed \
	's/^x86_64$$/& x86-64 x86 amd64/; s/^aarch64$$/& arm64/')),)
override ARCH :=
endif
ifneq ($(ARCH),)
cross := $(patsubst $(ARCH):%,%,$(filter $(ARCH):%,$(cross_machines)))
ifeq ($(cross),)
$(error ARCH=$(ARCH) is not known. Allowed: $(cross_names), or no ARCH= for this machine)
endif
ifeq ($(origin CC),default)
CC := $(cross)-linux-gnu-gcc
endif
ifeq ($(origin CXX),default)
CXX := $(cross)-linux-gnu-g++
endif
ifeq ($(origin LD),default)
LD := $(cross)-linux-gnu-ld
endif
ifeq ($(origin AR),default)
AR := $(cross)-linux-gnu-ar
endif
OBJCOPY ?= $(cross)-linux-gnu-objcopy
O ?= build/$(ARCH)
ifeq ($(filter clean help uninstall,$(MAKECMDGOALS)),)
ifeq ($(shell command -v $(firstword $(CC))),)
$(error $(CC) is not there: install gcc-$(cross)-linux-gnu)
endif
endif
endif

O ?= build
OBJCOPY ?= objcopy
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
PKG_CONFIG ?= pkg-config
PFM ?= 1
WERROR ?= 0
V ?= 0

CFLAGS ?= -O2 -g
CXXFLAGS ?= -O2 -g

quiet = $(if $(filter 1,$(V)),,@printf '  %-8s %s\n' $(1) '$(patsubst $(O)/%,%,$@)';)

version := $(shell sed -n 's/^\#define SELFMON_VERSION "\(.*\)"/\1/p' \
	include/selfmon/version.h)
major := $(firstword $(subst ., ,$(version)))
node := $(shell sed -n 's/^SELFMON_\([0-9.]*\) {/\1/p' \
	libselfmon/selfmon.map | sort -V | tail -n 1)
ifneq ($(node),$(basename $(version)))
$(error libselfmon/selfmon.map ends at node $(node), \
	include/selfmon/version.h says $(version))
endif

# ---- flags -----------------------------------------------------------------

warnings := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Wvla
ifeq ($(WERROR),1)
warnings += -Werror
endif
c_warnings := $(warnings) -Wstrict-prototypes -Wmissing-prototypes

# libpfm4 is loaded at run time, so nothing is linked.
pfm_cflags := $(if $(filter 0,$(PFM)),-DSELFMON_NO_PFM)

# If the compiler supports TLS descriptors, static objects find the thread's
# state by one. If these objects are linked into a shared object, each access is
# then a call that preserves all registers. In a program there is no call.
tls := $(shell $(CC) -mtls-dialect=gnu2 -x c -fPIC -c /dev/null -o /dev/null \
	2>/dev/null && echo -mtls-dialect=gnu2)

common := -Iinclude -pthread -MMD -MP
lib_cflags := -std=c11 $(c_warnings) $(common) -Ilibselfmon \
	-fvisibility=hidden
test_cflags := -std=gnu11 $(c_warnings) $(common) -Ilibselfmon -Itests
app_cflags := -std=c11 $(c_warnings) $(common)
app_cxxflags := -std=c++17 $(warnings) $(common)

# ---- files -----------------------------------------------------------------

headers := $(wildcard include/*.h include/*.hpp include/selfmon/*.h \
	include/selfmon/arch/*.h)
sources := $(wildcard libselfmon/*/*.c)
objects := $(sources:%.c=$(O)/static/%.o)
pic_objects := $(sources:%.c=$(O)/shared/%.o)
man_pages := $(wildcard man/*.[0-9])

static_lib := $(O)/libselfmon.a
shared_lib := $(O)/libselfmon.so.$(version)
# Before 1.0 a minor version may change the ABI, so the soname has the minor
# version.
series := $(if $(filter 0,$(major)),$(node),$(major))
soname := libselfmon.so.$(series)

cmake_dir = $(LIBDIR)/cmake/selfmon
cmake_files := $(addprefix $(O)/selfmon-,config.cmake config-version.cmake)

examples := $(patsubst examples/%.c,$(O)/examples/%, \
	$(wildcard examples/*.c examples/fibers/*.c)) \
	$(patsubst examples/%.cc,$(O)/examples/%,$(wildcard examples/*.cc))
# Leaves out the benchmark, which only measures.
examples_off := $(patsubst $(O)/examples/%,$(O)/examples-off/%, \
	$(filter-out %/sums,$(examples)))

# The headings of `make help`. A target belongs to the last heading before it.
##@ Build
##@ Test
##@ One kind of test
##@ Measure
##@ Install and release

##@ Build

.PHONY: all lib FORCE
all: lib tool $(if $(ARCH),hw,examples) ## Library, program and examples (the default)
lib: $(static_lib) $(shared_lib) $(O)/selfmon.pc $(cmake_files) ## The library

# ---- the library -----------------------------------------------------------

# Files whose code runs in no usual visit and no snapshot are compiled for size,
# unless the caller chose another level than -O2.
cold := doctor/% event/% report/% clock/calibrate% clock/ladder% clock/page_clock% \
	$(addprefix counters/,attr_fallback% breakpoints% granted% guard% \
		open% grouping%) \
	$(addprefix platform/,cp% create% directory% facts% fault% \
		escape% file% futex% mapping% modules% path% perf_open% pfm% \
		output% timestamp%) \
	session/% $(addprefix visit/,fiber_create% frame_first% longer% \
		overhead.c overhead_samples%) \
	$(addprefix store/,config% limits% live% lock% memory% mend% name% \
		process% slowest% trace% watch%)
code_cflags = $(if $(filter $(cold:%=libselfmon/%),$<),$(CFLAGS:-O2=-Os),$(CFLAGS))

# Symbols have protected visibility: a shared object that contains the library
# uses its own copy, even if the process has another copy.
$(O)/static/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(lib_cflags) $(CPPFLAGS) $(code_cflags) -fPIC \
		-DSELFMON_API='__attribute__((visibility("protected")))' \
		$(tls) $(if $(findstring platform/pfm,$<),$(pfm_cflags)) \
		-c $< -o $@

$(O)/shared/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(lib_cflags) -DSELFMON_SHARED $(CPPFLAGS) \
		$(code_cflags) -fPIC \
		$(if $(findstring platform/pfm,$<),$(pfm_cflags)) -c $< -o $@

# The symbols to which a region refers if its end is inlined (selfmon/inline.h).
inlined_symbols := selfmon_impl_self_$(version) selfmon_impl_enter_at \
	selfmon_impl_enter_child_at selfmon_impl_leave_unusual

# One object, with its hidden symbols made local. A program that links the
# archive sees only the API and the symbols above. If the program uses any
# symbol of the library, the whole library is linked, including the exit report.
$(O)/selfmon.o: $(objects)
	$(call quiet,LD)$(LD) -r $(objects) -o $@
	@$(OBJCOPY) --localize-hidden $@
	@$(OBJCOPY) $(inlined_symbols:%=--globalize-symbol=%) $@

$(static_lib): $(O)/selfmon.o
	$(call quiet,AR)rm -f $@ && $(AR) rcs $@ $<

# -z defs fails with sanitizers, whose functions only the program defines.
no_undefined = $(if $(findstring -fsanitize,$(LDFLAGS)),,-Wl$(comma)-z$(comma)defs)

$(shared_lib): $(pic_objects) libselfmon/selfmon.map
	$(call quiet,LINK)$(CC) -shared -pthread $(CFLAGS) $(LDFLAGS) \
		-Wl,-soname,$(soname) -Wl,-z,nodelete $(no_undefined) \
		-Wl,--version-script=libselfmon/selfmon.map \
		$(pic_objects) -o $@
	@ln -sf $(@F) $(O)/$(soname)
	@ln -sf $(soname) $(O)/libselfmon.so

# Always made again, because PREFIX may have changed since the last time.
$(O)/selfmon.pc: libselfmon/selfmon.pc.in FORCE
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|' \
		-e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(version)|' $< > $@

# The path is relative to the place where CMake finds the file. Always made
# again, like selfmon.pc.
$(O)/%.cmake: libselfmon/%.cmake.in FORCE
	@mkdir -p $(@D)
	@sed -e 's|@VERSION@|$(version)|' -e 's|@SONAME@|$(soname)|' \
		-e 's|@SERIES@|$(series)|' \
		-e "s|@INCLUDE@|$$(realpath -ms --relative-to=$(cmake_dir) \
			$(INCLUDEDIR))|" \
		-e "s|@POINTER@|$$(echo __SIZEOF_POINTER__ | \
			$(CC) -E -P -x c -)|" $< > $@

# ---- the program -----------------------------------------------------------

include tools/tools.mk

# Objects depend on the compilers and their flags. Therefore they depend on this
# file, which changes when a compiler or a flag changes.
flags := $(strip $(CC) $(CXX) $(lib_cflags) $(tls) $(pfm_cflags) \
	$(app_cxxflags) $(tool_cflags) $(cpuid_libs) $(json_libs) $(dw_libs) \
	$(CPPFLAGS) $(CFLAGS) $(CXXFLAGS) $(LDFLAGS))
ifneq ($(file < $(O)/flags),$(flags))
$(O)/flags: FORCE
endif
$(O)/flags:
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(flags))' > $@

# ---- the library in two files ------------------------------------------------

include amalgamation/amalgamation.mk

# ---- examples --------------------------------------------------------------

.PHONY: examples
examples: $(examples) $(examples_off) ## Examples, measured and compiled off

$(O)/examples/%: examples/%.c $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) $(CPPFLAGS) $(CFLAGS) $< \
		$(static_lib) $(LDFLAGS) -o $@

$(O)/examples/%: examples/%.cc $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CXX)$(CXX) $(app_cxxflags) $(CPPFLAGS) $(CXXFLAGS) $< \
		$(static_lib) $(LDFLAGS) -o $@

# Compiled with SELFMON_DISABLE, and linked without the library.
$(O)/examples-off/%: examples/%.c $(O)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) -DSELFMON_DISABLE $(CPPFLAGS) \
		$(CFLAGS) $< $(LDFLAGS) -o $@

$(O)/examples-off/%: examples/%.cc $(O)/flags
	@mkdir -p $(@D)
	$(call quiet,CXX)$(CXX) $(app_cxxflags) -DSELFMON_DISABLE $(CPPFLAGS) \
		$(CXXFLAGS) $< $(LDFLAGS) -o $@

# FILE is passed in the environment, so that its name needs no quoting.
.PHONY: demo
demo: $(O)/examples/textstats $(tool) ## textstats over FILE, and its report
	@tests/tools/demo.sh $^ $(O)/demo.html

# ---- tests -----------------------------------------------------------------

include tests/tests.mk
include tests/vm/vm.mk
include tests/mutants/mutants.mk
include examples/integrations.mk
include tests/programs/packaging/packaging.mk
include tools/dist/dist.mk

# ---- bench -----------------------------------------------------------------

include bench/bench.mk

# ---- install ---------------------------------------------------------------

# Each entry is a source, a colon, and the place where it is installed. Both
# install and uninstall read this list.
installed := \
	$(foreach h,$(headers),$(h):$(INCLUDEDIR)/$(h:include/%=%)) \
	$(tool):$(BINDIR)/selfmon \
	$(static_lib):$(LIBDIR)/libselfmon.a \
	$(shared_lib):$(LIBDIR)/$(notdir $(shared_lib)) \
	$(O)/selfmon.pc:$(LIBDIR)/pkgconfig/selfmon.pc \
	$(foreach f,$(cmake_files),$(f):$(cmake_dir)/$(notdir $(f))) \
	$(foreach m,$(man_pages),$(m):$(MANDIR)/man$(subst .,,$(suffix $(m)))/$(notdir $(m)))
links := $(LIBDIR)/$(soname) $(LIBDIR)/libselfmon.so

##@ Install and release

.PHONY: install uninstall clean help
install: lib tool ## Into DESTDIR and PREFIX
	@set -e; for pair in $(installed); do \
		from=$${pair%%:*}; to=$(DESTDIR)$${pair##*:}; \
		mode=644; case $$to in *.so.*|*/selfmon) mode=755;; esac; \
		mkdir -p "$${to%/*}"; install -m $$mode "$$from" "$$to"; \
		printf '  %-8s %s\n' INSTALL "$$to"; \
	done
	@ln -sf $(notdir $(shared_lib)) $(DESTDIR)$(LIBDIR)/$(soname)
	@ln -sf $(soname) $(DESTDIR)$(LIBDIR)/libselfmon.so
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

uninstall: ## Removes what install placed, and nothing else
	@for pair in $(installed); do rm -f "$(DESTDIR)$${pair##*:}"; done
	@rm -f $(addprefix $(DESTDIR),$(links))
	@rmdir $(addprefix $(DESTDIR)$(INCLUDEDIR)/,selfmon/arch selfmon) \
		$(DESTDIR)$(cmake_dir) 2>/dev/null || true
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

##@ Build

clean: ## Removes $(O)
	rm -rf $(O)

help: ## This list
	@printf 'Targets of libselfmon $(version):\n'
	@awk '/^##@ / { \
		heading = substr($$0, 5); \
		if (!(heading in text)) { order[++n] = heading; text[heading] = "" } \
	} \
	match($$0, /^[a-z][a-z0-9-]*:.*## /) { \
		line = sprintf("  %-18s %s\n", substr($$0, 1, index($$0, ":") - 1), \
			substr($$0, RLENGTH + 1)); \
		text[heading] = text[heading] line \
	} \
	END { for (i = 1; i <= n; i++) \
		printf "\n%s\n%s", order[i], text[order[i]] }' $(MAKEFILE_LIST)
	@printf '\nVariables: O=build PREFIX=/usr/local DESTDIR= CPUID=0 PFM=0 WERROR=1 V=1 ARCH=%s\n' "$$(echo $(cross_names) | tr ' ' '|')"

-include $(objects:.o=.d) $(pic_objects:.o=.d) \
	$(addsuffix .d,$(examples) $(examples_off))
