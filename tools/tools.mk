# SPDX-License-Identifier: MIT
# The selfmon program; included by the Makefile. It is linked with the
# library's objects, for it uses what they hide.

# JSON=0, or libjansson that is not there: selfmon report reads no JSON. Other
# machines' is not looked for.
JSON ?= $(if $(ARCH),0,$(shell $(PKG_CONFIG) --exists jansson && echo 1))
json_sources := $(wildcard tools/*json*.c)
ifeq ($(JSON),1)
json_cflags := -DTOOL_HAVE_JANSSON \
	$(shell $(PKG_CONFIG) --cflags jansson 2>/dev/null)
json_libs := $(shell $(PKG_CONFIG) --libs jansson 2>/dev/null)
endif

# CPUID=0, or libcpuid that is not there: selfmon doctor names no
# microarchitecture and no caches. The library itself never needs libcpuid.
CPUID ?= $(if $(ARCH),0,$(shell $(PKG_CONFIG) --exists libcpuid && echo 1))
ifeq ($(CPUID),1)
cpuid_cflags := -DTOOL_HAVE_LIBCPUID \
	$(shell $(PKG_CONFIG) --cflags libcpuid 2>/dev/null)
cpuid_libs := $(shell $(PKG_CONFIG) --libs libcpuid 2>/dev/null)
endif

tool_cflags := -std=gnu11 $(c_warnings) $(common) -Ilibselfmon -Itools \
	$(json_cflags) $(cpuid_cflags)
tool_objects := $(patsubst %.c,$(O)/%.o,$(filter-out \
	$(if $(json_cflags),,$(json_sources)),$(wildcard tools/*.c))) \
	$(O)/tools/html_page.o
tool := $(O)/selfmon

.PHONY: tool
tool: $(tool) ## The selfmon program

$(O)/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(tool_cflags) $(CPPFLAGS) $(CFLAGS) -fPIE -c $< \
		-o $@

# The page of selfmon report -f html: one file, its parts put together here.
html_uplot := third_party/uPlot/uPlot.iife.min.js third_party/uPlot/uPlot.min.css
html_script := $(patsubst %,tools/html/%.js,format model icicle table charts main)
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
		$(cpuid_libs) $(json_libs) -lm -o $@

-include $(tool_objects:.o=.d) $(patsubst %.c,$(O)/%.d,$(wildcard tests/doctor/*.c))

# ---- its tests -------------------------------------------------------------

doctor_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/doctor/*.c)) \
	$(filter-out $(O)/tools/main.o,$(tool_objects))

$(patsubst %.c,$(O)/%.o,$(wildcard tests/doctor/*.c)): \
	test_cflags += $(cpuid_cflags)

.PHONY: check-doctor
check-doctor: $(O)/tests/doctor/run ## The doctor's words in each state of a machine
	@SELFMON_OUTPUT=none $< tests/doctor
	@for state in $(patsubst tests/doctor/%.expected,%,\
		$(wildcard tests/doctor/*.expected)); do \
		grep -qF "(\`$$state\`)" docs/DOCTOR.md || \
			{ echo "docs/DOCTOR.md has no state $$state"; exit 1; }; \
	done

$(O)/tests/doctor/run: $(doctor_objects) $(objects)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ \
		$(cpuid_libs) $(json_libs) -lm -o $@

# Static, for emulated machines: the program itself, and who runs it there.
$(O)/vm/selfmon: $(tool_objects) $(objects)
$(O)/vm/doctor: $(doctor_objects) $(objects)
$(O)/vm/selfmon $(O)/vm/doctor:
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -static -pthread $^ \
		$(cpuid_libs) $(json_libs) -lm -o $@

.PHONY: check-tool
check-tool: $(tool) ## The commands: options, exit statuses, output
	@tests/tools/selfmon.sh $<

.PHONY: check-selftest
check-selftest: $(tool) ## selfmon selftest on this machine, the quick one
	@tests/tools/selftest.sh $<

# One check of it by its name, as mutants do.
check-selftest-%: $(tool)
	@tests/tools/selftest.sh $< $*

.PHONY: check-report
check-report: $(tool) $(O)/examples/hello ## selfmon report over live files
	@tests/tools/report.sh $^

.PHONY: check-merge
check-merge: $(tool) $(O)/examples/hello $(O)/examples/threads ## selfmon report over JSON, merged and damaged
	@tests/tools/merge.sh $^

.PHONY: check-compare compare-rates
check-compare: $(tool) $(O)/examples/hello ## selfmon compare over reports whose truth is known
	@SELFMON_EVENTS=none tests/tools/compare.py $^

# PROGRAM='COMMAND': a program with regions.
compare-rates: $(tool) ## False alarms and power of selfmon compare over real runs
	@SELFMON_EVENTS=none tests/tools/compare.py --rates $(tool) \
		"$(or $(PROGRAM),$(O)/examples/textstats README.md docs/*.md)"
compare-rates: $(O)/examples/textstats

.PHONY: check-view
check-view: $(tool) $(O)/examples/hello $(O)/examples/threads ## Which rows selfmon report writes, and their sums
	@tests/tools/view.sh $^

.PHONY: check-escapes
check-escapes: $(O)/tests/escapes/program $(tool) ## No name controls a terminal or a spreadsheet
	@if command -v python3 > /dev/null; then tests/tools/escapes.py $^; \
		else echo 'check-escapes: SKIPPED: no python3'; fi

$(O)/tests/escapes/program: tests/escapes/program.c $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) $(CPPFLAGS) $(CFLAGS) $< \
		$(static_lib) $(LDFLAGS) -lm -o $@

-include $(O)/tests/escapes/program.d
