# SPDX-License-Identifier: MIT
# Measures the costs of the library. Included by the Makefile. See
# bench/RESULTS.md.

##@ Measure

bench_program := $(O)/bench/bench
bench_sources := $(filter-out $(patsubst %,bench/%.c,accuracy exit \
	instructions overhead report user),$(wildcard bench/*.c))
bench_objects := $(bench_sources:%.c=$(O)/%.o)

BENCH ?=

# Maximum size of the stripped library, compiled with -O2 (the default): if it
# is larger, bench-check fails.
library_bytes := 420000

$(O)/bench/%.o: bench/%.c $(O)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(bench_program): $(bench_objects) $(static_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread \
		$(bench_objects) $(static_lib) -o $@

$(O)/bench/instructions: $(O)/bench/instructions.o $(static_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ -o $@

$(O)/bench/instructions-inlined: bench/instructions.c $(O)/flags $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(app_cflags) -DSELFMON_STATIC $(CPPFLAGS) \
		$(CFLAGS) $(LDFLAGS) -pthread $< $(static_lib) -o $@

$(O)/bench/instructions-shared: $(O)/bench/instructions.o $(shared_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ \
		-Wl,-rpath,$(abspath $(O)) -o $@

# The program for user reads, which also runs on machines without them: RDTSC
# replaces RDPMC in these objects.
ifeq ($(shell $(CC) -dumpmachine | cut -d - -f 1),x86_64)
bench_user := $(O)/bench/user
endif
user_parts := visit/user visit/user_start visit/fiber_counted counters/snapshot
user_objects := $(user_parts:%=$(O)/bench/%.o)
$(user_objects): $(O)/bench/%.o: libselfmon/%.c $(O)/static/libselfmon/%.o
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(filter-out -MMD -MP,$(lib_cflags)) $(CPPFLAGS) \
		$(CFLAGS) -fPIC -S $< -o $(@:.o=.s)
	@sed -i 's/\<rdpmc\>/rdtsc/' $(@:.o=.s)
	@$(CC) -c $(@:.o=.s) -o $@

$(O)/bench/user.o: bench/user.c $(O)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) -Ilibselfmon $(CPPFLAGS) \
		$(CFLAGS) -S $< -o $(@:.o=.s)
	@sed -i 's/\<rdpmc\>/rdtsc/' $(@:.o=.s)
	@$(CC) -c $(@:.o=.s) -o $@

$(O)/bench/user: $(O)/bench/user.o $(user_objects) $(objects)
	$(call quiet,LINK)$(CC) \
		$(CFLAGS) $(LDFLAGS) -pthread $< $(user_objects) \
		$(filter-out $(user_parts:%=$(O)/static/libselfmon/%.o), \
		$(objects)) -o $@

$(O)/bench/report: $(O)/bench/report.o $(static_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ -o $@

$(O)/bench/exit: $(O)/bench/exit.o $(static_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ -o $@

$(O)/bench/accuracy: $(O)/bench/accuracy.o $(static_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ -o $@

$(O)/bench/overhead: $(O)/bench/overhead.o
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# Measures rows in two states of the machine, quiet and busy. Each candidate
# program has one form of the library: bench/states/parts.c.
states_objects := $(patsubst %,$(O)/bench/states/%.o,states parts rounds \
	emit neighbour empty)
states_common := $(addprefix $(O)/bench/,common.o measure.o summary.o \
	output.o bare.o)
candidate_sources := $(addprefix bench/states/,candidate.c time.c switch.c \
	counted.c in_situ.c)
candidate_objects := $(candidate_sources:%.c=$(O)/%.o) \
	$(O)/bench/states/empty.o $(states_common)
states_programs := $(addprefix $(O)/bench/states/,states \
	candidate-static candidate-shared candidate-inlined candidate-single)

$(O)/bench/states/states: $(states_objects) $(states_common) $(static_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ -o $@

$(O)/bench/states/candidate-static: $(candidate_objects) $(static_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ -o $@

$(O)/bench/states/candidate-shared: $(candidate_objects) $(shared_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ \
		-Wl,-rpath,$(abspath $(O)) -o $@

# Candidates whose regions are inlined, linked with the static library.
inlined_objects := $(candidate_sources:bench/states/%.c=$(O)/bench/states/inlined-%.o)
$(inlined_objects): $(O)/bench/states/inlined-%.o: \
		bench/states/%.c $(O)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) -DSELFMON_STATIC \
		$(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(O)/bench/states/candidate-inlined: $(inlined_objects) \
		$(O)/bench/states/empty.o $(states_common) $(static_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ -o $@

# The single-file library and its caller, optimized together by -flto, as
# programs that contain the file may do. Not every compiler has a linker for
# -flto.
$(O)/bench/states/single/selfmon.h: $(O)/amalgamation/selfmon_all.h
	@mkdir -p $(@D)
	@echo '#include "selfmon_all.h"' > $@

$(O)/bench/states/candidate-single: $(candidate_sources) $(all_files) \
		$(O)/bench/states/single/selfmon.h \
		$(O)/bench/states/empty.o $(states_common) \
		$(wildcard bench/states/*.h)
	$(call quiet,LINK)rm -f $@; \
	if ! echo 'int main(void) { return 0; }' | \
		$(CC) $(CFLAGS) -flto -x c - $(LDFLAGS) -o $@ 2> $@.log; then \
		rm -f $@; \
		echo 'bench: SKIPPED: $(CC) does not link with -flto: $@.log'; \
	else $(CC) -std=c11 -w -pthread \
		-I$(O)/bench/states/single -I$(O)/amalgamation $(CPPFLAGS) \
		$(CFLAGS) -flto $(candidate_sources) \
		$(O)/amalgamation/selfmon_all.c $(filter %.o,$^) $(LDFLAGS) \
		-o $@ 2> $@.log || { cat $@.log; exit 1; }; \
	fi

# TRACY=FOLDER is the source of Tracy, which candidate-tracy measures.
TRACY ?=
ifneq ($(TRACY),)
states_programs += $(O)/bench/states/candidate-tracy
endif
tracy_cxxflags := -std=c++17 -DTRACY_ENABLE -DTRACY_NO_SAMPLING \
	-DTRACY_NO_SYSTEM_TRACING -DTRACY_NO_CALLSTACK -DTRACY_NO_BROADCAST \
	-DTRACY_NO_CODE_TRANSFER -DTRACY_ONLY_LOCALHOST \
	-isystem $(TRACY)/public -isystem $(TRACY)/public/tracy
tracy_candidates := bench/states/candidate.c bench/states/time.c \
	bench/states/switch.c bench/states/counted.c

$(O)/bench/states/candidate-tracy: bench/states/tracy.cc bench/states/in_situ.c \
		$(tracy_candidates) $(O)/bench/states/empty.o \
		$(states_common) $(static_lib)
	$(call quiet,LINK)for file in $(basename $(notdir $(tracy_candidates))); do \
		$(CC) $(app_cflags) $(CPPFLAGS) $(CFLAGS) -DBENCH_TRACY \
			-c bench/states/$$file.c \
			-o $(O)/bench/states/tracy-$$file.o || exit; \
	done; \
	$(CXX) -Iinclude -Ibench/states $(tracy_cxxflags) \
		-D_Static_assert=static_assert $(CPPFLAGS) $(CXXFLAGS) \
		$< $(TRACY)/public/TracyClient.cpp \
		$(O)/bench/states/tracy-*.o $(filter %.o %.a,$^) \
		$(LDFLAGS) -pthread -ldl -o $@

# Peers. Each is built if its package is installed; this file installs none.
peer_common := $(states_common)
peer_libs_papi := -lpapi
peer_libs_likwid := -llikwid
peer_libs_benchmark := -lbenchmark -lstdc++
peer_header_papi := papi.h
peer_header_likwid := likwid.h
peer_header_benchmark := benchmark/benchmark.h
peer_names := papi likwid benchmark
hash := \#
peer_there = $(shell echo '$(hash)include <$(peer_header_$(1))>' | \
	$(CXX) -std=c++17 -x c++ -E - \
	> /dev/null 2>&1 && echo $(1))
ifneq ($(filter bench%,$(MAKECMDGOALS)),)
peers := $(foreach p,$(peer_names),$(call peer_there,$(p)))
endif
peer_programs := $(peers:%=$(O)/bench/peers/%)

$(O)/bench/peers/%.o: bench/peers/%.c $(O)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) -Ibench $(CPPFLAGS) $(CFLAGS) \
		-c $< -o $@

$(O)/bench/peers/%.o: bench/peers/%.cc $(O)/flags
	@mkdir -p $(@D)
	$(call quiet,CXX)$(CXX) $(app_cxxflags) -Ibench $(CPPFLAGS) \
		$(CXXFLAGS) -c $< -o $@

.PRECIOUS: $(O)/bench/peers/%.o
$(O)/bench/peers/%: $(O)/bench/peers/%.o $(peer_common) $(static_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ \
		$(peer_libs_$*) -o $@

.PHONY: bench bench-accuracy bench-build bench-instructions bench-overhead bench-check \
	bench-check-vm bench-exit bench-overhead-vm bench-report bench-vm
bench: $(bench_program) $(states_programs) $(peer_programs) ## What regions cost (BENCH="--quick --json", BENCH_WAIT=SECONDS)
	@$< $(BENCH)

bench-build: $(bench_program) $(states_programs) $(peer_programs) $(O)/bench/instructions $(O)/bench/overhead $(O)/bench/accuracy $(O)/bench/exit $(O)/bench/report $(bench_user)
bench-build: ## Builds the bench

# One run takes half a minute for 100 repeats. SELFMON_FENCE=lfence measures
# fenced regions.
bench-accuracy: $(O)/bench/accuracy ## Reported times compared with true times
	@$< $(BENCH)

bench-exit: $(O)/bench/exit ## What a report adds to a tiny program, median of 31
	@$<

bench-report: $(O)/bench/report ## Reports of 10,000 rows: taken, written
	@SELFMON_OUTPUT=none SELFMON_EVENTS=task-clock,page-faults $<

bench-instructions: $(O)/bench/instructions $(O)/examples/textstats \
		$(O)/examples-off/textstats
bench-instructions: ## Instructions of a region pair
	@bench/instructions.sh $^

bench-overhead: $(O)/bench/overhead $(O)/examples/textstats \
		$(O)/examples-off/textstats $(bench_program)
bench-overhead: ## textstats over 50 MiB, measured and compiled off
	@$< $(filter --quick,$(BENCH)) $(wordlist 2,4,$^)

# PAPI as packaged, in a guest with counters.
$(O)/bench/vm/peers: bench/vm/peers.c $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) $(CPPFLAGS) $(CFLAGS) $< \
		$(static_lib) -lpapi $(LDFLAGS) -o $@

ifneq ($(filter papi,$(peers)),)
bench-vm: $(O)/bench/vm/peers $(filter %/likwid,$(peer_programs))
	@bench/vm/run.sh peers $(O)/bench/vm/guest $^
else
bench-vm:
	@echo 'bench-vm: skipped, PAPI is not installed: install libpapi-dev'
endif
bench-vm: ## PAPI and regions in an x86-64 guest

# In a guest in which each instruction takes a nanosecond, so that times are
# exact too.
bench-overhead-vm: ## textstats again, where the clock counts instructions
	@mkdir -p $(O)/bench/vm/exact/x86-64
	@$(vm_make) LDFLAGS=-static O=$(O)/bench/vm/static \
		$(addprefix $(O)/bench/vm/static/,bench/overhead bench/bench \
			examples/textstats examples-off/textstats)
	@cd $(O)/bench/vm && cp static/bench/overhead static/bench/bench \
		static/examples/textstats exact/x86-64
	@cd $(O)/bench/vm && \
		cp static/examples-off/textstats exact/x86-64/textstats-off
	@VM_TABLE=bench/scenarios.txt VM_SCENARIO=overhead \
		tests/vm/run.sh check $(O)/bench/vm/exact x86-64

bench-check: $(O)/bench/instructions $(O)/bench/instructions-shared $(O)/bench/instructions-inlined $(bench_program) check-bench $(bench_user) $(shared_lib)
bench-check: ## Instructions, cache lines and bytes compared with the baseline
	@bench/size.sh $(shared_lib) $(library_bytes)
	@bench/check.sh native $< '$(CC)' '$(CFLAGS)'

bench-check-vm: vm-programs-x86-64 ## The same, by a guest's counters
	@bench/check.sh guest $(O)/vm

##@ One kind of test

check-bench: ## The comparison with the baseline can fail
	@bench/check-compare.sh

-include $(O)/bench/vm/peers.d $(peer_programs:=.d) $(bench_objects:.o=.d) $(states_objects:.o=.d) $(candidate_objects:.o=.d) $(inlined_objects:.o=.d) $(O)/bench/instructions.d $(O)/bench/overhead.d $(O)/bench/accuracy.d $(O)/bench/exit.d $(O)/bench/report.d $(O)/bench/user.d
