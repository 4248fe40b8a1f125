# SPDX-License-Identifier: MIT
# Tests and checks; included by the Makefile.
#
# One Criterion program a kind: unit (pure, fake pages; runs anywhere), kernel
# (software events; any Linux), fault (each kernel call made to fail), hw (a
# PMU; without one all of it is skipped).

comma := ,
criterion_cflags = $(shell $(PKG_CONFIG) --cflags criterion)
criterion_libs = $(shell $(PKG_CONFIG) --libs criterion)

unit_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/unit/*.c))
kernel_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/kernel/*.c))
fault_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/fault/*.c))
hw_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/hw/*.c))

$(O)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(test_cflags) $(criterion_cflags) $(CPPFLAGS) \
		$(CFLAGS) -fPIE -c $< -o $@

# Calls that tests/fault/kernel_faults.c, any.c and calls.c stand in for.
fault_wrapped := perf_open perf_open_wide perf_open_thread map_page \
	unmap_page enable_group read close map_memory user_read_bits read_file \
	unmap_memory thread_cpu_ns
fault_wrapped_any := selfmon_directory_open selfmon_memory_kept \
	selfmon_memory_wiped selfmon_memory_wiped_at selfmon_file_create \
	selfmon_file_grow selfmon_file_open selfmon_file_read \
	selfmon_create_write malloc calloc \
	realloc free fdopen fwrite open_memstream fclose \
	pthread_key_create pthread_setspecific pthread_atfork syscall fstat \
	stat fallocate madvise mmap pread pwrite ftruncate unlink getrlimit \
	fcntl ioctl sigaction sigaltstack uname sched_getcpu fflush \
	selfmon_cpuid_may_be_virtual
fault_ldflags := $(fault_wrapped:%=-Wl,--wrap=selfmon_kernel_%) \
	$(fault_wrapped_any:%=-Wl,--wrap=%)

# What of the selfmon program is pure, and has unit tests.
unit_tool_objects := $(patsubst %,$(O)/tools/%.o,say progress \
	$(addprefix selftest_,row judge judge_rest print write))

# Tests link the objects, not the archive: they may call hidden functions.
$(O)/tests/unit/run: $(unit_objects) $(unit_tool_objects) $(objects)
$(O)/tests/kernel/run: $(kernel_objects) $(objects)
$(O)/tests/fault/run: $(fault_objects) $(objects)
$(O)/tests/hw/run: $(hw_objects) $(objects)
$(O)/tests/%/run:
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $($*_ldflags) -pthread \
		$(filter %.o,$^) $(criterion_libs) -o $@

.PHONY: check check-layers check-perf-event check-codegen check-tables \
	check-headers check-man \
	check-unit check-kernel check-fault check-hw check-flow check-examples \
	check-unload check-levels check-secure check-cxx check-archive
check: ## Every quick test
check: check-layers check-perf-event check-codegen check-tables \
	check-headers check-man \
	check-unit check-kernel check-fault check-hw check-flow check-examples \
	check-unload check-levels check-secure check-cxx check-archive \
	check-step check-malloc \
	check-host check-throw check-fuzz check-vm-runner check-doctor check-tool check-selftest \
	check-report check-merge check-view check-compare check-escapes check-machines check-readme check-soak \
	check-amalgamation

ifeq ($(ARCH),)
check-unit check-kernel check-fault check-hw: check-%: $(O)/tests/%/run
	@tests/tools/criterion.sh $< $* $($*_options)
else
check-unit: $(O)/unit/run
	@tests/tools/emulated.sh qemu-$(cross) $<
endif

fault_options := $(if $(LONG_TESTS),--timeout 3600)

# One at a time: they share the CPU's counters.
hw_options := --jobs 1

.PHONY: check-host
check-host: ## Each row of docs/HOST.md has a test that can fail
	@tests/tools/host.sh

check-layers: ## Includes point down only
	@tests/tools/layers.sh

check-perf-event: ## Each name of <linux/perf_event.h> has a row in its page
	@CC='$(CC)' tests/tools/perf_event.py

check-codegen: ## The machine code of one inline read
	@tests/tools/codegen.sh

check-tables: ## Which register each entry of arm64's and riscv64's rows reads
	@tests/tools/tables.sh

check-flow: $(static_lib) ## Every way out of every form of region
	@tests/tools/flow.sh $(O) $(static_lib)

check-examples: examples ## The examples, measured and compiled off
	@tests/tools/examples.sh $(O)/examples $(O)/examples-off

unload_programs := $(addprefix $(O)/tests/unload/,host cancel bare shared-host \
	static-host static.so shared-1.so shared-2.so filler-8.so filler-64.so \
	filler-512.so newer faults $(foreach how,O0 lto,guarded-$(how)-static.so \
	guarded-$(how)-shared.so) sets.so busy-static.so busy-shared.so \
	ends ends-static ends-shared)

check-unload: $(unload_programs) ## Plugins unloaded, two copies of the library
	@tests/tools/unload.sh $(O)

check-archive: $(objects) ## The report at exit out of an archive of objects
	@CC='$(CC)' AR='$(AR)' CFLAGS='$(CFLAGS)' \
		tests/tools/archive.sh $(O) $(cpuid_libs)

unload_cc = $(call quiet,CC)mkdir -p $(@D) && $(CC) $(app_cflags) $(CFLAGS) \
	$(1) $< $(LDFLAGS) $(2) -o $@
with_shared = $(shared_lib) -Wl,-rpath,$(abspath $(O))

$(O)/tests/unload/host: tests/unload/host.c
	$(call unload_cc,,-ldl)
$(O)/tests/unload/cancel: tests/unload/cancel.c
	$(call unload_cc,,-ldl)
$(O)/tests/unload/bare: tests/unload/modules.c
	$(call unload_cc,-DNO_REGIONS,-ldl)
$(O)/tests/unload/shared-host: tests/unload/modules.c $(shared_lib)
	$(call unload_cc,,$(with_shared) -ldl)
$(O)/tests/unload/static-host: tests/unload/modules.c $(static_lib)
	$(call unload_cc,-rdynamic,$(static_lib) -ldl)
$(O)/tests/unload/static.so: tests/unload/plugin.c $(static_lib)
	$(call unload_cc,-fPIC -shared,$(static_lib))
$(O)/tests/unload/shared-%.so: tests/unload/plugin.c $(shared_lib)
	$(call unload_cc,-fPIC -shared -DVERSION=$*,$(with_shared))
$(O)/tests/unload/sets.so: tests/unload/sets.c $(static_lib)
	$(call unload_cc,-fPIC -shared,$(static_lib))
busy_flags = -fPIC -shared -Wl$(comma)-soname$(comma)$(@F)
$(O)/tests/unload/busy-static.so: tests/unload/busy.c $(static_lib)
	$(call unload_cc,$(busy_flags),$(static_lib))
$(O)/tests/unload/busy-shared.so: tests/unload/busy.c $(shared_lib)
	$(call unload_cc,$(busy_flags),$(with_shared))
$(O)/tests/unload/ends: tests/unload/ends.c
	$(call unload_cc,,-ldl)
$(O)/tests/unload/ends-%: tests/unload/ends.c $(O)/tests/unload/busy-%.so
	$(call unload_cc,-DLINKED,$(O)/tests/unload/busy-$*.so \
		-Wl$(comma)-rpath$(comma)$(abspath $(O)/tests/unload) \
		-Wl$(comma)-rpath$(comma)$(abspath $(O)))
$(O)/tests/unload/filler-%.so: tests/unload/filler.c
	$(call unload_cc,-fPIC -shared -DSIZE=$*)

$(O)/tests/unload/newer: tests/unload/newer.c $(shared_lib)
	@mkdir -p $(@D)
	@echo 'SELFMON_99.0 { global: selfmon_*; local: *; };' > $@.map
	@$(CC) $(CFLAGS) -DLIBRARY -fPIC -shared -Wl,-soname,$(soname) \
		-Wl,--version-script=$@.map $< $(LDFLAGS) -o $@.so
	$(call unload_cc,,-Wl$(comma)-z$(comma)lazy $@.so \
		-Wl$(comma)-rpath$(comma)$(abspath $(O)))

# Inline functions of the headers are COMDAT from C++20 on. Not every compiler
# comes with a linker for -flto.
guarded_cxx = $(call quiet,CXX)mkdir -p $(@D) && $(CXX) \
	$(app_cxxflags) -std=c++20 $(CPPFLAGS) $(CXXFLAGS) $(1) -fPIC -shared \
	$< $(LDFLAGS) $(2) -o $@
guarded_lto = $(call guarded_cxx,-O2 -flto,$(1)) || { rm -f $@; \
	echo 'unload: SKIPPED: $(CXX) does not link with -flto'; }

$(O)/tests/unload/faults: tests/unload/faults.c
	$(call unload_cc,,-ldl)
$(O)/tests/unload/guarded-O0-shared.so: tests/unload/guarded.cc $(shared_lib)
	$(call guarded_cxx,-O0,$(with_shared))
$(O)/tests/unload/guarded-O0-static.so: tests/unload/guarded.cc $(static_lib)
	$(call guarded_cxx,-O0,$(static_lib))
$(O)/tests/unload/guarded-lto-shared.so: tests/unload/guarded.cc $(shared_lib)
	$(call guarded_lto,$(with_shared))
$(O)/tests/unload/guarded-lto-static.so: tests/unload/guarded.cc $(static_lib)
	$(call guarded_lto,$(static_lib))

check-secure: $(O)/tests/secure/secure $(static_lib) ## A program with privileges its caller has not
	@tests/tools/secure.sh $^

$(O)/tests/secure/secure: tests/secure/secure.c $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) $(CFLAGS) $< $(static_lib) \
		$(LDFLAGS) -o $@

check-levels: $(static_lib) ## Nested regions at every level of optimisation
	@mkdir -p $(O)/tests/levels
	@set -e; for level in -O0 -O1 -O2 -O3 -Os; do \
		$(CC) $(filter-out -MMD -MP,$(app_cflags)) $(CPPFLAGS) $$level \
			tests/levels/nested.c $(static_lib) \
			$(LDFLAGS) -o $(O)/tests/levels/nested$$level; \
		SELFMON_OUTPUT=none $(O)/tests/levels/nested$$level; \
	done; echo 'levels: nested alike from -O0 to -O3'

# Ours first: what lies behind it in the program is the library.
step_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/step/*.c))
$(O)/tests/step/run: $(step_objects) $(objects)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ -o $@

.PHONY: check-step
ifeq ($(shell $(CC) -dumpmachine | cut -d - -f 1),x86_64)
check-step: $(O)/tests/step/run ## A signal at each instruction of both ends
	@SELFMON_OUTPUT=none $<
endif

throw_programs := $(addprefix $(O)/tests/throw/,throw cancel-c-O0 \
	cancel-c-O2 cancel-cxx-O0 cancel-cxx-O2)

.PHONY: check-throw
check-throw: $(throw_programs) ## Exceptions, exits and cancellation out of regions
	@for program in $^; do SELFMON_OUTPUT=none $$program || exit; done

$(O)/tests/throw/throw: tests/throw/throw.cc $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CXX)$(CXX) $(app_cxxflags) $(CPPFLAGS) $(CXXFLAGS) $< \
		$(static_lib) $(LDFLAGS) -o $@

# Variables begin as garbage, where the compiler can do that.
with_garbage = $(shell $(1) -ftrivial-auto-var-init=pattern -x c -c /dev/null \
	-o /dev/null 2>/dev/null && echo -ftrivial-auto-var-init=pattern)
cancel_flags = -Itests $(CPPFLAGS) $(1) -$*
cancel_libs = -Wl,--wrap=pthread_setcancelstate $(static_lib) \
	$(LDFLAGS) -o $@

$(O)/tests/throw/cancel-c-%: tests/throw/cancel.c $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) -fexceptions \
		$(call cancel_flags,$(CFLAGS)) $(call with_garbage,$(CC)) $< \
		$(cancel_libs)
$(O)/tests/throw/cancel-cxx-%: tests/throw/cancel.c $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CXX)$(CXX) $(app_cxxflags) \
		$(call cancel_flags,$(CXXFLAGS)) $(call with_garbage,$(CXX)) \
		-x c++ $< -x none $(cancel_libs)

check-cxx: $(static_lib) ## selfmon.hpp by each compiler, standard and option
	@tests/tools/cxx.sh $(O) $(static_lib)

.PHONY: check-malloc
check-malloc: $(O)/tests/malloc/held ## A first visit in the midst of malloc
	@for how in '' keys prepared; do \
		SELFMON_OUTPUT=none $< $$how || exit; done

$(O)/tests/malloc/held: tests/malloc/held.c $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) -fno-builtin $(test_cflags) $(CPPFLAGS) \
		$(CFLAGS) $< $(static_lib) $(LDFLAGS) -o $@

.PHONY: machines check-machines
machines: ## docs/MACHINES.md from the files in machines/
	@tests/tools/machines.py > $(O)/MACHINES.md && \
		mv $(O)/MACHINES.md docs/MACHINES.md
check-machines: ## docs/MACHINES.md is what machines/ says
	@if command -v python3 > /dev/null; then \
		tests/tools/machines.py --check && \
		tests/tools/schema.py --schema docs/selftest.schema.json \
			machines/*.json > /dev/null || [ $$? = 77 ]; \
		else echo 'check-machines: SKIPPED: no python3'; fi

.PHONY: check-readme
check-readme: all ## README's code and commands, as they stand
	@CC="$(CC)" tests/tools/readme.sh $(O)

check-headers: ## Each public header alone, as C and C++
	@tests/tools/headers.sh

check-man: $(shared_lib) $(static_lib) ## The man pages and their examples
	@tests/tools/man.sh "$(CC) $(app_cflags) $(CPPFLAGS) $(CFLAGS)" \
		"$(shared_lib)" "$(static_lib) $(LDFLAGS)" \
		"$(CXX) $(app_cxxflags) $(CPPFLAGS) $(CXXFLAGS)"

# ---- soak ------------------------------------------------------------------

SOAK_SECONDS ?= 120
soak_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/soak/[!p]*.c))

.PHONY: check-soak soak
check-soak: $(O)/tests/soak/run $(O)/tests/soak/plugin.so ## Everything at once, for ten seconds
	@$< $(abspath $(O)/tests/soak/plugin.so) $(if $(LONG_TESTS),600,10)

soak: $(O)/tests/soak/run $(O)/tests/soak/plugin.so ## The same for SOAK_SECONDS=120
	@$< $(abspath $(O)/tests/soak/plugin.so) $(SOAK_SECONDS)

$(O)/tests/soak/run: $(soak_objects) $(shared_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $(soak_objects) \
		$(with_shared) -ldl -o $@

$(O)/tests/soak/plugin.so: tests/soak/plugin.c $(shared_lib)
	@mkdir -p $(@D)
	$(call unload_cc,-fPIC -shared,$(with_shared))

-include $(soak_objects:.o=.d)

# ---- fuzzing ---------------------------------------------------------------

# Each target is run over its corpus by any compiler, and by libFuzzer for
# FUZZ_SECONDS, which starts from the corpus and keeps what it finds in O.
fuzz_targets := spec sysfs report live
.PRECIOUS: $(O)/tests/fuzz/%.o
fuzz_sysfs_ldflags := -Wl,--wrap=selfmon_kernel_read_file \
	$(patsubst %,-Wl$(comma)--wrap=selfmon_directory_%,open next close)
FUZZ_SECONDS ?= $(if $(LONG_TESTS),600,60)

.PHONY: check-fuzz fuzz
check-fuzz: $(fuzz_targets:%=$(O)/tests/fuzz/%) ## The fuzz targets over their corpora
	@for target in $(fuzz_targets); do \
		$(O)/tests/fuzz/$$target tests/fuzz/corpus/$$target/* || exit; \
	done

$(O)/tests/fuzz/%: $(O)/tests/fuzz/%.o $(O)/tests/fuzz/corpus.o $(objects)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $(fuzz_$*_ldflags) \
		-pthread $^ -o $@

fuzz: ## Each fuzz target by libFuzzer for FUZZ_SECONDS=60
	+@$(MAKE) --no-print-directory O=$(O)/fuzz CC=clang CFLAGS="-O1 -g \
		-fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
		-fno-sanitize-recover=all" run-fuzz

$(O)/tests/fuzz/fuzz-%: $(O)/tests/fuzz/%.o $(objects)
	$(call quiet,LINK)$(CC) $(CFLAGS) -fsanitize=fuzzer \
		$(fuzz_$*_ldflags) -pthread $^ -o $@

.PHONY: run-fuzz
run-fuzz: $(fuzz_targets:%=$(O)/tests/fuzz/fuzz-%)
	@for target in $(fuzz_targets); do \
		mkdir -p $(O)/found/$$target; \
		$(O)/tests/fuzz/fuzz-$$target -max_total_time=$(FUZZ_SECONDS) \
			-max_len=4096 -timeout=20 -print_final_stats=1 \
			-artifact_prefix=$(O)/found/$$target- -verbosity=0 \
			$(O)/found/$$target tests/fuzz/corpus/$$target \
			2> $(O)/found/$$target.log || \
			{ tail -n 60 $(O)/found/$$target.log; exit 1; }; \
		printf 'fuzz: %s: %s inputs, clean\n' $$target "$$(sed -n \
			's/.*executed_units: //p' $(O)/found/$$target.log)"; \
	done

-include $(patsubst %,$(O)/tests/fuzz/%.d,corpus $(fuzz_targets))

-include $(unit_objects:.o=.d) $(kernel_objects:.o=.d) $(fault_objects:.o=.d) \
	$(hw_objects:.o=.d) $(step_objects:.o=.d)

# ---- the longer checks -----------------------------------------------------

.PHONY: check-long
check-long: ## The long form of the tests that have one
	+@LONG_TESTS=1 TEST_TIMEOUT=3600 $(MAKE) --no-print-directory \
		check-kernel check-fault check-unload check-step check-soak fuzz

.PHONY: check-full installcheck
check-full: check installcheck asan ubsan tsan analyze ## All of it, as CI does

installcheck: lib ## Installs, links through pkg-config, removes
	+@CC="$(CC)" PKG_CONFIG="$(PKG_CONFIG)" tests/tools/installcheck.sh $(O)

.PHONY: asan ubsan tsan asan-long ubsan-long tsan-long analyze
sanitize = $(MAKE) --no-print-directory O=$(O)/$@ CC=clang CXX=clang++ \
	CFLAGS="-O1 -g -fno-omit-frame-pointer $(1)" CXXFLAGS="-O1 -g $(1)" \
	LDFLAGS="$(filter -fsanitize=%,$(1))"

# Children that a test forks end without freeing what the test holds: leaks
# are looked for in the other programs.
asan: ## The tests under AddressSanitizer
	+$(call sanitize,-fsanitize=address) check-unit check-fault check-fuzz \
		check-report check-merge
	+ASAN_OPTIONS=detect_leaks=0 $(call sanitize,-fsanitize=address) \
		check-kernel check-soak check-throw check-levels
	@echo 'asan: SKIPPED check-step (steps through the runtime as well),' \
		'check-malloc (has an allocator of its own), check-unload' \
		'(RTLD_DEEPBIND is refused)'

ubsan: ## The tests under UndefinedBehaviorSanitizer
	+$(call sanitize,-fsanitize=undefined -fno-sanitize-recover=all) \
		check-unit check-kernel check-fault check-fuzz check-soak \
		check-throw check-levels check-step check-merge
	@echo 'ubsan: SKIPPED check-unload (the runtime has handlers for' \
		'signals of its own, which a host must not have there)'

# Criterion's runner does not start under this one: tests/plain stands in.
tsan: ## The tests under ThreadSanitizer
	+$(call sanitize,-fsanitize=thread -DTHREAD_VISITS=400000) \
		check-plain check-soak check-throw
	@echo 'tsan: SKIPPED check-fault (stands in for what the runner of' \
		'tests/plain calls), check-step, check-malloc, check-unload (as' \
		'under asan)'

asan-long: ## The same, in the long form of those that have one
ubsan-long: ## The same, in the long form of those that have one
tsan-long: ## The same, in the long form of those that have one
asan-long ubsan-long tsan-long: %-long:
	+@LONG_TESTS=1 TEST_TIMEOUT=3600 $(MAKE) --no-print-directory $*

plain_sources := $(wildcard tests/unit/*.c tests/kernel/*.c) tests/plain/run.c
plain_objects := $(plain_sources:%.c=$(O)/plain/%.o)

$(O)/plain/%.o: %.c
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(filter-out -Wpedantic,$(test_cflags)) \
		-Itests/plain $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(O)/tests/plain/run: $(plain_objects) $(unit_tool_objects) $(objects)
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ -o $@

.PHONY: check-plain
check-plain: $(O)/tests/plain/run
	@SELFMON_OUTPUT=none $<

-include $(plain_objects:.o=.d)

# Static programs: the hardware tests for machines that have nothing but a
# kernel, the unit tests for an emulator of another machine's programs.
plain_of = $(patsubst %.c,$(O)/plain/%.o,$(wildcard tests/$(1)/*.c) \
	tests/plain/run.c)
guest_objects := $(call plain_of,hw)

$(O)/hw/run: $(guest_objects) $(objects)
$(O)/unit/run: $(call plain_of,unit) $(unit_tool_objects) $(objects)
$(O)/hw/run $(O)/unit/run:
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -static -pthread \
		$(filter %.o,$^) -o $@

.PHONY: hw
hw: $(O)/hw/run ## The hardware tests as one static program

-include $(guest_objects:.o=.d)

# A file a run: its analyzer mistakes va_lists after the first file of several.
analyze: ## clang-tidy and cppcheck
	printf '%s\n' $(sources) | xargs -P 2 -I{} clang-tidy --quiet \
		--warnings-as-errors='*' {} -- -std=c11 -Iinclude -Ilibselfmon
	printf '%s\n' $(wildcard tools/*.c) | xargs -P 2 -I{} clang-tidy --quiet \
		--warnings-as-errors='*' {} -- -std=gnu11 -Iinclude \
		-Ilibselfmon -Itools $(cpuid_cflags)
	cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr \
		--enable=warning,performance,portability -USELFMON_DISABLE \
		-Iinclude -Ilibselfmon -Itools libselfmon include tools
