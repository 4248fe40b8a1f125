# SPDX-License-Identifier: MIT
# The selfmon program; included by the Makefile. It is linked with the
# library's objects, since it uses hidden functions.

# With JSON=0, or without libjansson, selfmon report cannot read JSON. Cross
# builds use libjansson only with JSON=1.
JSON ?= $(if $(ARCH),0,$(shell $(PKG_CONFIG) --exists jansson && echo 1))
json_sources := $(wildcard tools/*json*.c)
ifeq ($(JSON),1)
json_cflags := -DTOOL_HAVE_JANSSON \
	$(shell $(PKG_CONFIG) --cflags jansson 2>/dev/null)
json_libs := $(shell $(PKG_CONFIG) --libs jansson 2>/dev/null)
endif

# With CPUID=0, or without libcpuid, selfmon doctor shows no microarchitecture
# and no caches. The library itself never needs libcpuid.
CPUID ?= $(if $(ARCH),0,$(shell $(PKG_CONFIG) --exists libcpuid && echo 1))
ifeq ($(CPUID),1)
cpuid_cflags := -DTOOL_HAVE_LIBCPUID \
	$(shell $(PKG_CONFIG) --cflags libcpuid 2>/dev/null)
cpuid_libs := $(shell $(PKG_CONFIG) --libs libcpuid 2>/dev/null)
endif

# With DW=0, or without libdw of elfutils, selfmon report shows addresses of
# samples instead of functions and lines. A static program has no libdw.
DW ?= $(if $(ARCH),0,$(shell $(PKG_CONFIG) --exists libdw && echo 1))
dw_sources := $(patsubst %,tools/symbols_%.c,elf dwarf symtab demangle)
ifeq ($(DW),1)
dw_libs := $(shell $(PKG_CONFIG) --libs libdw 2>/dev/null) -ldl
endif

tool_cflags := -std=gnu11 $(c_warnings) $(common) -Ilibselfmon -Itools \
	$(json_cflags) $(cpuid_cflags)
tool_objects := $(patsubst %.c,$(O)/%.o,$(filter-out \
	$(if $(json_cflags),,$(json_sources)) \
	$(if $(dw_libs),tools/symbols_without.c,$(dw_sources)), \
	$(wildcard tools/*.c))) $(O)/tools/html_page.o
static_tool_objects = $(filter-out $(dw_sources:%.c=$(O)/%.o),$(1)) \
	$(if $(dw_libs),$(O)/tools/symbols_without.o)
tool := $(O)/selfmon

##@ Build

.PHONY: tool
tool: $(tool) ## The selfmon program

$(O)/tools/%.o: tools/%.c $(O)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(tool_cflags) $(CPPFLAGS) $(CFLAGS) -fPIE -c $< \
		-o $@

# The page of selfmon report -f html is one file, which is assembled from parts.
html_uplot := third_party/uPlot/uPlot.iife.min.js third_party/uPlot/uPlot.min.css
html_script := $(patsubst %,tools/html/%.js,format off_cpu samples model icicle slow_boxes slow table spans charts main)
html_parts := tools/html/page.html tools/html/style.css $(html_script) $(html_uplot)

$(O)/tools/html_page.html: tools/html/assemble.awk $(html_parts)
	@mkdir -p $(@D)
	$(call quiet,AWK)awk -v UPLOT='$(filter %.js,$(html_uplot))' \
		-v UPLOT_CSS='$(filter %.css,$(html_uplot))' \
		-v STYLE=tools/html/style.css -v SCRIPT='$(html_script)' \
		-f $< tools/html/page.html > $@

$(O)/tools/html_page.o: tools/html_page.S $(O)/tools/html_page.html
	$(call quiet,AS)$(CC) -I$(O)/tools -Wa,-I$(O)/tools -c $< -o $@

$(tool): $(tool_objects) $(objects)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ \
		$(cpuid_libs) $(json_libs) $(dw_libs) -lm -o $@

-include $(tool_objects:.o=.d) $(patsubst %.c,$(O)/%.d,$(wildcard tests/programs/doctor/*.c))

# ---- its tests -------------------------------------------------------------

doctor_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/programs/doctor/*.c)) \
	$(filter-out $(O)/tools/main.o,$(tool_objects))

$(patsubst %.c,$(O)/%.o,$(wildcard tests/programs/doctor/*.c)): \
	test_cflags += $(cpuid_cflags)

##@ One kind of test

check-doctor: $(O)/tests/programs/doctor/run ## The doctor's messages for each state of a machine
	@set -e; SELFMON_OUTPUT=none $< tests/programs/doctor; \
	for state in $(patsubst tests/programs/doctor/%.expected,%,\
		$(wildcard tests/programs/doctor/*.expected)); do \
		grep -qF "(\`$$state\`)" docs/DOCTOR.md || \
			{ echo "docs/DOCTOR.md has no state $$state"; exit 1; }; \
	done

$(O)/tests/programs/doctor/run: $(doctor_objects) $(objects)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ \
		$(cpuid_libs) $(json_libs) $(dw_libs) -lm -o $@

# Static programs for emulated machines: selfmon, and the test of its doctor.
$(O)/vm/selfmon: $(call static_tool_objects,$(tool_objects)) $(objects)
$(O)/vm/doctor: $(call static_tool_objects,$(doctor_objects)) $(objects)
$(O)/vm/selfmon $(O)/vm/doctor:
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -static -pthread $^ \
		$(cpuid_libs) $(json_libs) -lm -o $@

check-tool: $(tool) ## The commands: options, exit statuses, output
	@tests/tools/selfmon.sh $<

check-selftest: $(tool) ## selfmon selftest on this machine, the quick one
	@tests/tools/selftest.sh $<

# Runs one check of the selftest by name; mutants use it.
check-selftest-%: $(tool)
	@tests/tools/selftest.sh $< $*

check-report: $(tool) $(O)/examples/hello ## selfmon report over live files
	@tests/tools/report.sh $^

check-merge: $(tool) $(O)/examples/hello $(O)/examples/threads ## selfmon report over JSON, merged and damaged
	@tests/tools/merge.sh $^

.PHONY: compare-rates
check-compare: $(tool) $(O)/examples/hello ## selfmon compare over reports with known values
	@SELFMON_EVENTS=none tests/tools/compare.py $^

# PROGRAM='COMMAND' is a program with regions.
compare-rates: $(tool) ## False alarms and power of selfmon compare over real runs
	@SELFMON_EVENTS=none tests/tools/compare.py --rates $(tool) \
		"$(or $(PROGRAM),$(O)/examples/textstats README.md docs/*.md)"
compare-rates: $(O)/examples/textstats

check-samples: $(tool) $(O)/examples/hello ## Samples: functions and lines in each format
	@if command -v python3 > /dev/null; then \
		CC='$(CC)' CXX='$(CXX)' tests/tools/samples.py $^; \
		else echo 'check-samples: SKIPPED: no python3'; fi

check-trace: $(O)/tests/programs/trace/program $(tool) ## SELFMON_TRACE and selfmon trace, in each format
	@if command -v python3 > /dev/null; then tests/tools/trace.py $^; \
		else echo 'check-trace: SKIPPED: no python3'; fi

check-view: $(tool) $(O)/examples/hello $(O)/examples/threads ## Which rows selfmon report writes, and their sums
	@tests/tools/view.sh $^

check-escapes: $(O)/tests/programs/escapes/program $(tool) $(O)/tests/programs/escapes/sampled ## No name controls a terminal or a spreadsheet
	@if command -v python3 > /dev/null; then tests/tools/escapes.py $^; \
		else echo 'check-escapes: SKIPPED: no python3'; fi

$(patsubst %,$(O)/tests/programs/%/program,escapes trace): \
		$(O)/tests/programs/%/program: tests/programs/%/program.c $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) $(CPPFLAGS) $(CFLAGS) $< \
		$(static_lib) $(LDFLAGS) -lm -o $@

# check-escapes replaces the symbols and lines of this program by arbitrary
# bytes.
$(O)/tests/programs/escapes/sampled: tests/programs/escapes/sampled.c $(O)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) $(CPPFLAGS) $(CFLAGS) -g $< \
		$(LDFLAGS) -o $@

-include $(patsubst %,$(O)/tests/programs/%.d,escapes/program \
	escapes/sampled trace/program)
