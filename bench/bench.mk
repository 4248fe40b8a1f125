# SPDX-License-Identifier: MIT
# What the library costs; included by the Makefile. See bench/RESULTS.md.

bench_program := $(O)/bench/bench
bench_sources := $(filter-out bench/instructions.c bench/overhead.c,\
	$(wildcard bench/*.c))
bench_objects := $(bench_sources:%.c=$(O)/%.o)

BENCH ?=

$(O)/bench/%.o: bench/%.c
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(bench_program): $(bench_objects) $(static_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread \
		$(bench_objects) $(static_lib) $(cpuid_libs) -o $@

$(O)/bench/instructions: $(O)/bench/instructions.o $(static_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ \
		$(cpuid_libs) -o $@

$(O)/bench/overhead: $(O)/bench/overhead.o
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

.PHONY: bench bench-build bench-instructions bench-overhead bench-check \
	bench-check-vm check-bench
bench: $(bench_program) ## What regions cost (BENCH="--quick --json")
	@$< $(BENCH)

bench-build: $(bench_program) $(O)/bench/instructions $(O)/bench/overhead
bench-build: ## Builds the bench

bench-instructions: $(O)/bench/instructions $(O)/examples/textstats \
		$(O)/examples-off/textstats
bench-instructions: ## Instructions of a region pair
	@bench/instructions.sh $^

bench-overhead: $(O)/bench/overhead $(O)/examples/textstats \
		$(O)/examples-off/textstats $(bench_program)
bench-overhead: ## textstats over 50 MiB, measured and compiled off
	@$< $(filter --quick,$(BENCH)) $(wordlist 2,4,$^)

bench-check: $(O)/bench/instructions check-bench
bench-check: ## Instructions against bench/baseline.json
	@bench/check.sh native $< '$(CC)' '$(CFLAGS)'

bench-check-vm: vm-programs-x86-64 ## The same, by a guest's counters
	@bench/check.sh guest $(O)/vm

check: check-bench
check-bench: ## The comparison with the baseline can fail
	@bench/check-compare.sh

-include $(bench_objects:.o=.d) $(O)/bench/instructions.d $(O)/bench/overhead.d
