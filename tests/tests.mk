# SPDX-License-Identifier: MIT
# Tests and checks. Included by the Makefile.
#
# There is one Criterion program for each kind of test: unit (pure functions,
# prepared event pages; any machine), kernel (software events; any Linux), fault
# (each system call made to fail), hw (a PMU; skipped as a whole without one).

comma := ,
criterion_cflags = $(shell $(PKG_CONFIG) --cflags criterion)
criterion_libs = $(shell $(PKG_CONFIG) --libs criterion)

unit_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/unit/*.c))
kernel_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/kernel/*.c))
fault_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/fault/*.c))
hw_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/hw/*.c))

$(O)/tests/%.o: tests/%.c $(O)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(test_cflags) $(criterion_cflags) $(CPPFLAGS) \
		$(CFLAGS) $(or $(code_for),-fPIE) -c $< -o $@

# Compiled as position-independent code, as in a shared object: compilers keep
# different values across calls there.
$(O)/tests/unit/moves.o $(O)/plain/tests/unit/moves.o: private code_for := -O2 -fPIC

# Functions that tests/fault/kernel_faults.c, any.c and calls.c replace.
fault_wrapped := perf_open perf_open_wide perf_open_thread map_page \
	unmap_page enable_group read close map_memory user_read_bits read_file \
	unmap_memory thread_cpu_ns monotonic_raw_ns
fault_wrapped_any := selfmon_directory_open selfmon_memory_kept \
	selfmon_memory_wiped selfmon_memory_wiped_at selfmon_file_create \
	selfmon_file_grow selfmon_file_open selfmon_file_read \
	selfmon_create_write malloc calloc \
	realloc free fdopen fwrite open_memstream fclose \
	pthread_key_create pthread_setspecific pthread_atfork syscall fstat \
	stat fallocate madvise mmap pread ftruncate unlink getrlimit \
	fcntl ioctl sigaction sigaltstack uname sched_getcpu fflush \
	selfmon_cpuid_may_be_virtual
fault_ldflags := $(fault_wrapped:%=-Wl,--wrap=selfmon_kernel_%) \
	$(fault_wrapped_any:%=-Wl,--wrap=%)

# Pure files of the selfmon program and of the bench, which have unit tests.
unit_tool_objects := $(patsubst %,$(O)/tools/%.o,tool progress list_describe \
	$(addprefix selftest_,row judge judge_rest print write interrupts)) \
	$(patsubst %,$(O)/bench/%.o,summary \
	$(addprefix states/,rounds emit neighbour))

# Tests link the objects and not the archive, because they may call hidden
# functions.
$(O)/tests/unit/run: $(unit_objects) $(unit_tool_objects) $(objects)
$(O)/tests/kernel/run: $(kernel_objects) $(objects)
$(O)/tests/fault/run: $(fault_objects) $(objects)
$(O)/tests/hw/run: $(hw_objects) $(objects)
$(patsubst %,$(O)/tests/%/run,unit kernel fault hw): $(O)/tests/no_git/options
$(O)/tests/%/run:
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $($*_ldflags) -pthread \
		$(filter %.o,$^) $$(cat $(O)/tests/no_git/options) \
		$(criterion_libs) -o $@

$(O)/tests/no_git/options: tests/tools/no_git.sh tests/tools/no_git.c $(O)/flags
	@mkdir -p $(@D)
	@$< '$(CC)' $(@D) > $@

# The longest checks are first. check-full runs all three lists, with the full
# form of tests that have one (tests/form.h).
checks := check-kernel check-unit check-step check-trace check-fault check-flow \
	check-throw check-samples \
	check-hw check-layers check-exports check-examples check-compare check-host check-doctor \
	check-codegen check-tool check-selftest check-fuzz check-archive \
	check-coroutine check-report check-perf-event check-tables check-machines \
	check-bench check-vm-runner
checks_rest := check-amalgamation check-man check-cxx check-headers check-soak \
	check-process check-readme check-dist check-unload check-levels \
	check-migrate check-secure check-malloc check-merge check-view \
	check-escapes installcheck
checks_long := tsan check-inlined asan analyze

# The checks run in parallel, unless -j gives another number: one more than
# processors, because some tests wait for times.
side_by_side = $(MAKE) --no-print-directory -k \
	$(if $(findstring jobserver,$(MAKEFLAGS)),,-j $(shell expr $$(nproc) + 1))

##@ Test

.PHONY: check check-full $(checks) $(checks_rest) $(checks_long)
check: ## The tests for each change, in a minute
	+@tests/tools/check.sh $(O)/check $(side_by_side) $(checks)

check-full: ## All of it, as CI does
	+@TEST_FORM=full tests/tools/check.sh $(O)/check-full $(side_by_side) \
		$(checks_long) $(checks) $(checks_rest)

# Under check.sh the recipes of checks have a shell that keeps their logs.
ifdef CHECK_LOGS
logged := $(checks) $(checks_rest) $(checks_long) check-plain
$(logged): private SHELL := tests/tools/logged.sh
$(logged): private .SHELLFLAGS = $@
endif

##@ One kind of test

check-unit: ## Pure functions and prepared event pages: on any machine
check-kernel: ## Software events: on any Linux
check-fault: ## Each call to the kernel made to fail
check-hw: ## A PMU's counters; skipped without one
ifeq ($(ARCH),)
check-unit check-kernel check-fault check-hw: check-%: $(O)/tests/%/run
	@tests/tools/criterion.sh $< $* $($*_options)
else
check-unit: $(O)/unit/run
	@tests/tools/emulated.sh qemu-$(cross:powerpc%=ppc%) $<
endif

# The unit tests of other machines are compiled by Debian's cross compilers and
# run under qemu-user.
.PHONY: $(cross_names:%=check-unit-%)
$(cross_names:%=check-unit-%): check-unit-%:
	+@$(MAKE) --no-print-directory WERROR=0 ARCH=$* check-unit

# The tests run one at a time, because they share the CPU's counters.
hw_options := --jobs 1

check-host: ## Each promise of docs/HOST.md has a test that can fail
	@tests/tools/host.sh

check-process: $(O)/tests/programs/process/guest lib examples ## docs/PROCESS.md against code, strace, measurement
	@if command -v python3 > /dev/null; then tests/tools/process.py $(O); \
		else echo 'check-process: SKIPPED: no python3'; fi

$(O)/tests/programs/process/guest: tests/programs/process/guest.c $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) -std=gnu11 $(c_warnings) $(common) $(CPPFLAGS) \
		$(CFLAGS) $< $(static_lib) $(LDFLAGS) -lm -o $@

check-exports: $(shared_lib) ## The headers, the map and the library name the same symbols
	@tests/tools/exports.sh $(shared_lib) \
		$(patsubst %,$(O)/shared/libselfmon/visit/%.o,calls visit)

check-layers: $(objects) $(tool_objects) ## Includes point down, no cycles, each file includes its header
	@tests/tools/layers.sh
	@tests/tools/circles.py $(objects)
	@tests/tools/circles.py $(tool_objects)
	@tests/tools/own_header.py libselfmon $(objects)
	@tests/tools/own_header.py tools $(tool_objects)

check-perf-event: ## Each name of <linux/perf_event.h> has a row in its page
	@CC='$(CC)' tests/tools/perf_event.py

check-codegen: ## The machine code of one inline read
	@tests/tools/codegen.sh

check-tables: ## Which register each entry of arm64's and riscv64's rows reads
	@tests/tools/tables.sh

check-flow: $(static_lib) ## Leaving each kind of region in each way
	@tests/tools/flow.sh $(O) $(static_lib)

check-examples: examples ## The examples, measured and compiled off
	@tests/tools/examples.sh $(O)/examples $(O)/examples-off

unload_programs := $(addprefix $(O)/tests/programs/unload/,host cancel bare shared-host \
	static-host static.so shared-1.so shared-2.so filler-8.so filler-64.so \
	filler-512.so newer faults $(foreach how,O0 lto,guarded-$(how)-static.so \
	guarded-$(how)-shared.so) sets.so busy-static.so busy-shared.so \
	ends ends-static ends-shared)

$(unload_programs): $(O)/flags
check-unload: $(unload_programs) ## Plugins unloaded, two copies of the library
	@tests/tools/unload.sh $(O)

check-archive: $(objects) ## The report at exit out of an archive of objects
	@CC='$(CC)' AR='$(AR)' CFLAGS='$(CFLAGS)' \
		LIBRARIES='$(cpuid_libs)' tests/tools/archive.sh $(objects)

unload_cc = $(call quiet,CC)mkdir -p $(@D) && $(CC) $(app_cflags) $(CFLAGS) \
	$(1) $< $(LDFLAGS) $(2) -o $@
with_shared = $(shared_lib) -Wl,-rpath,$(abspath $(O))

$(O)/tests/programs/unload/host: tests/programs/unload/host.c
	$(call unload_cc,,-ldl)
$(O)/tests/programs/unload/cancel: tests/programs/unload/cancel.c
	$(call unload_cc,,-ldl)
$(O)/tests/programs/unload/bare: tests/programs/unload/modules.c
	$(call unload_cc,-DNO_REGIONS,-ldl)
$(O)/tests/programs/unload/shared-host: tests/programs/unload/modules.c $(shared_lib)
	$(call unload_cc,,$(with_shared) -ldl)
$(O)/tests/programs/unload/static-host: tests/programs/unload/modules.c $(static_lib)
	$(call unload_cc,-rdynamic,$(static_lib) -ldl)
$(O)/tests/programs/unload/static.so: tests/programs/unload/plugin.c $(static_lib)
	$(call unload_cc,-fPIC -shared,$(static_lib))
$(O)/tests/programs/unload/shared-%.so: tests/programs/unload/plugin.c $(shared_lib)
	$(call unload_cc,-fPIC -shared -DVERSION=$*,$(with_shared))
$(O)/tests/programs/unload/sets.so: tests/programs/unload/sets.c $(static_lib)
	$(call unload_cc,-fPIC -shared,$(static_lib))
busy_flags = -fPIC -shared -Wl$(comma)-soname$(comma)$(@F)
$(O)/tests/programs/unload/busy-static.so: tests/programs/unload/busy.c $(static_lib)
	$(call unload_cc,$(busy_flags),$(static_lib))
$(O)/tests/programs/unload/busy-shared.so: tests/programs/unload/busy.c $(shared_lib)
	$(call unload_cc,$(busy_flags),$(with_shared))
$(O)/tests/programs/unload/ends: tests/programs/unload/ends.c
	$(call unload_cc,,-ldl)
$(O)/tests/programs/unload/ends-%: tests/programs/unload/ends.c $(O)/tests/programs/unload/busy-%.so
	$(call unload_cc,-DLINKED,$(O)/tests/programs/unload/busy-$*.so \
		-Wl$(comma)-rpath$(comma)$(abspath $(O)/tests/programs/unload) \
		-Wl$(comma)-rpath$(comma)$(abspath $(O)))
$(O)/tests/programs/unload/filler-%.so: tests/programs/unload/filler.c
	$(call unload_cc,-fPIC -shared -DSIZE=$*)

$(O)/tests/programs/unload/newer: tests/programs/unload/newer.c $(shared_lib)
	@mkdir -p $(@D)
	@echo 'SELFMON_99.0 { global: selfmon_*; local: *; };' > $@.map
	@$(CC) $(CFLAGS) -DLIBRARY -fPIC -shared -Wl,-soname,$(soname) \
		-Wl,--version-script=$@.map $< $(LDFLAGS) -o $@.so
	$(call unload_cc,,-Wl$(comma)-z$(comma)lazy $@.so \
		-Wl$(comma)-rpath$(comma)$(abspath $(O)))

# Compiled as C++20, in which inline functions of the headers are COMDAT. -flto
# is skipped if the compiler has no linker for it.
guarded_cxx = $(call quiet,CXX)mkdir -p $(@D) && $(CXX) \
	$(app_cxxflags) -std=c++20 $(CPPFLAGS) $(CXXFLAGS) $(1) -fPIC -shared \
	$< $(LDFLAGS) $(2) -o $@
guarded_lto = $(call guarded_cxx,-O2 -flto,$(1)) || { rm -f $@; \
	echo 'unload: SKIPPED: $(CXX) does not link with -flto'; }

$(O)/tests/programs/unload/faults: tests/programs/unload/faults.c
	$(call unload_cc,,-ldl)
$(O)/tests/programs/unload/guarded-O0-shared.so: tests/programs/unload/guarded.cc $(shared_lib)
	$(call guarded_cxx,-O0,$(with_shared))
$(O)/tests/programs/unload/guarded-O0-static.so: tests/programs/unload/guarded.cc $(static_lib)
	$(call guarded_cxx,-O0,$(static_lib))
$(O)/tests/programs/unload/guarded-lto-shared.so: tests/programs/unload/guarded.cc $(shared_lib)
	$(call guarded_lto,$(with_shared))
$(O)/tests/programs/unload/guarded-lto-static.so: tests/programs/unload/guarded.cc $(static_lib)
	$(call guarded_lto,$(static_lib))

check-secure: $(O)/tests/programs/secure/secure $(static_lib) ## A setuid program
	@tests/tools/secure.sh $^

$(O)/tests/programs/secure/secure: tests/programs/secure/secure.c $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) $(CFLAGS) $< $(static_lib) \
		$(LDFLAGS) -o $@

check-levels: $(static_lib) ## Nested regions at every level of optimisation
	@mkdir -p $(O)/tests/programs/levels
	@set -e; for level in -O0 -O1 -O2 -O3 -Os; do \
		$(CC) $(filter-out -MMD -MP,$(app_cflags)) $(CPPFLAGS) $$level \
			tests/programs/levels/nested.c $(static_lib) \
			$(LDFLAGS) -o $(O)/tests/programs/levels/nested$$level; \
		SELFMON_OUTPUT=none $(O)/tests/programs/levels/nested$$level; \
	done; echo 'levels: nested alike from -O0 to -O3, and with -Os'

# The test treats all code that follows these objects in the program as the
# library's code, so the library is linked last. scenes.o is the last of these
# objects, because visits are inlined into it.
step_objects := $(patsubst %,$(O)/tests/programs/step/%.o,\
	child counters main symbols scenes)
$(O)/tests/programs/step/run: $(step_objects) $(objects)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ -o $@

ifeq ($(shell $(CC) -dumpmachine | cut -d - -f 1),x86_64)
check-step: $(O)/tests/programs/step/run ## A signal at each instruction of both ends
	@SELFMON_OUTPUT=none $<
endif

# The same tests, with visits inlined into their regions instead of called. The
# library's objects are those of the other build, and unit tests without regions
# are left out. check-flow and check-coroutine make inlined variants themselves.
inlined_units := $(filter %/trap_pmu.c, $(wildcard tests/unit/*.c)) \
	$(shell grep -l SELFMON_REGION tests/unit/*.c)
inlined = $(side_by_side) O=$(O)/inlined objects="$(objects)" \
	unit_objects="$(inlined_units:%.c=$(O)/inlined/%.o)" \
	unit_tool_objects= CPPFLAGS="$(CPPFLAGS) -DSELFMON_STATIC"
check-inlined check-inlined-kernel: $(objects)
# Most kernel tests do not depend on how visits are compiled, so they have the
# quick form here. check-step tests each instruction of inlined visits.
check-inlined: ## Regions with visits inlined (SELFMON_STATIC)
	+@TEST_FORM=$(long) $(inlined) check-kernel check-unit check-throw && \
	$(inlined) check-step
check-inlined-kernel: ## Only check-kernel of these
	+@$(inlined) check-kernel

throw_programs := $(addprefix $(O)/tests/programs/throw/,throw cancel-c-O0 \
	cancel-c-O2 cancel-cxx-O0 cancel-cxx-O2)

check-throw: $(throw_programs) ## Exceptions, exits and cancellation out of regions
	@for program in $^; do SELFMON_OUTPUT=none $$program || exit; done

$(O)/tests/programs/throw/throw: tests/programs/throw/throw.cc $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CXX)$(CXX) $(app_cxxflags) $(CPPFLAGS) $(CXXFLAGS) $< \
		$(static_lib) $(LDFLAGS) -o $@

$(O)/tests/programs/throw/cancel-c-%: tests/programs/throw/cancel.c $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(app_cflags) -fexceptions -Itests $(CPPFLAGS) \
		$(CFLAGS) -$* $< $(static_lib) $(LDFLAGS) -o $@
$(O)/tests/programs/throw/cancel-cxx-%: tests/programs/throw/cancel.c $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CXX)$(CXX) $(app_cxxflags) -Itests $(CPPFLAGS) \
		$(CXXFLAGS) -$* -x c++ $< -x none $(static_lib) $(LDFLAGS) -o $@

check-coroutine: $(static_lib) ## Regions in C++20 coroutines
	@tests/tools/coroutine.sh $(O) $(static_lib)

check-migrate: lib $(all_files) ## Functions that begin on one thread and end on another
	+@if command -v aarch64-linux-gnu-gcc > /dev/null; then \
		$(MAKE) --no-print-directory WERROR=0 ARCH=arm64 lib; fi
	@tests/tools/migrate.sh $(O) build/arm64

check-cxx: $(static_lib) ## selfmon.hpp by each compiler, standard and option
	@tests/tools/cxx.sh $(O) $(static_lib)

check-malloc: $(O)/tests/programs/malloc/held ## A first visit inside malloc
	@for how in '' keys prepared; do \
		SELFMON_OUTPUT=none $< $$how || exit; done
	@for sample in cycles task-clock; do SELFMON_OUTPUT=none \
		SELFMON_SAMPLE=$$sample SELFMON_LIVE=$<.live $< || exit; done

$(O)/tests/programs/malloc/held: tests/programs/malloc/held.c $(static_lib)
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) -fno-builtin $(test_cflags) $(CPPFLAGS) \
		$(CFLAGS) $< $(static_lib) $(LDFLAGS) -o $@

.PHONY: machines
machines: ## docs/MACHINES.md from the files in machines/
	@tests/tools/machines.py > $(O)/MACHINES.md && \
		mv $(O)/MACHINES.md docs/MACHINES.md
check-machines: ## docs/MACHINES.md matches machines/
	@if command -v python3 > /dev/null; then \
		tests/tools/machines.py --check && \
		tests/tools/schema.py --schema docs/selftest.schema.json \
			machines/*.json > /dev/null || [ $$? = 77 ]; \
		else echo 'check-machines: SKIPPED: no python3'; fi

check-readme: all ## README's code and commands, as they stand
	@CC="$(CC)" tests/tools/readme.sh $(O)

check-headers: ## Each public header alone, as C and C++
	@tests/tools/headers.sh $(O)

check-man: $(shared_lib) $(static_lib) ## The man pages and their examples
	@tests/tools/man.sh "$(CC) $(app_cflags) $(CPPFLAGS) $(CFLAGS)" \
		"$(shared_lib)" "$(static_lib) $(LDFLAGS)" \
		"$(CXX) $(app_cxxflags) $(CPPFLAGS) $(CXXFLAGS)"

# ---- soak ------------------------------------------------------------------

long = $(filter long,$(TEST_FORM))
SOAK_SECONDS ?= 120
soak_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/programs/soak/[!p]*.c))

.PHONY: soak
check-soak: $(O)/tests/programs/soak/run $(O)/tests/programs/soak/plugin.so ## Everything at once, for ten seconds
	@$< $(abspath $(O)/tests/programs/soak/plugin.so) $(if $(long),600,10)

##@ Test

soak: $(O)/tests/programs/soak/run $(O)/tests/programs/soak/plugin.so ## Everything at once for SOAK_SECONDS=120
	@$< $(abspath $(O)/tests/programs/soak/plugin.so) $(SOAK_SECONDS)

$(O)/tests/programs/soak/run: $(soak_objects) $(shared_lib)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $(soak_objects) \
		$(with_shared) -ldl -o $@

$(O)/tests/programs/soak/plugin.so: tests/programs/soak/plugin.c $(shared_lib)
	@mkdir -p $(@D)
	$(call unload_cc,-fPIC -shared,$(with_shared))

-include $(soak_objects:.o=.d)

# ---- fuzzing ---------------------------------------------------------------

# Any compiler can run each target over its corpus. libFuzzer runs the target
# for FUZZ_SECONDS: it starts from the corpus and keeps new inputs in O.
fuzz_targets := spec sample ring sysfs report live
.PRECIOUS: $(O)/tests/fuzz/%.o
fuzz_sysfs_ldflags := -Wl,--wrap=selfmon_kernel_read_file \
	$(patsubst %,-Wl$(comma)--wrap=selfmon_directory_%,open next close)
fuzz_ring_ldflags := -Wl,--wrap=selfmon_memory_wiped
FUZZ_SECONDS ?= $(if $(long),600,60)

.PHONY: fuzz
##@ One kind of test

check-fuzz: $(fuzz_targets:%=$(O)/tests/fuzz/%) ## The fuzz targets over their corpora
	@for target in $(fuzz_targets); do \
		$(O)/tests/fuzz/$$target tests/fuzz/corpus/$$target/* || exit; \
	done

$(O)/tests/fuzz/%: $(O)/tests/fuzz/%.o $(O)/tests/fuzz/corpus.o $(objects)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $(fuzz_$*_ldflags) \
		-pthread $^ -o $@

##@ Test

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
	+@TEST_FORM=long TEST_TIMEOUT=3600 tests/tools/check.sh $(O)/check-long $(side_by_side) \
		check-soak check-kernel check-fault check-unload check-step \
		check-inlined
	+@TEST_FORM=long $(MAKE) --no-print-directory fuzz

##@ One kind of test

installcheck: lib ## Installs, links through pkg-config, removes
	+@CC="$(CC)" PKG_CONFIG="$(PKG_CONFIG)" tests/tools/installcheck.sh $(O)

##@ Test

.PHONY: asan-long ubsan-long tsan-long
sanitize = TEST_FORM=$(or $(long),sanitizer) tests/tools/check.sh $(O)/$@/check$(2) $(side_by_side) \
	O=$(O)/$@ CC=clang CXX=clang++ \
	CFLAGS="-O1 -g -fno-omit-frame-pointer $(1)" CXXFLAGS="-O1 -g $(1)" \
	LDFLAGS="$(filter -fsanitize=%,$(1))"

# Children that a test forks end without freeing what the test has allocated, so
# leaks are only searched for in the other programs.
address = -fsanitize=address -fsanitize=undefined -fno-sanitize-recover=undefined
asan: ## The tests under AddressSanitizer and UndefinedBehaviorSanitizer
	+@$(call sanitize,$(address)) check-unit check-fault \
		check-merge check-fuzz check-report && \
	export ASAN_OPTIONS=detect_leaks=0 && \
	$(call sanitize,$(address),-2) \
		check-kernel check-soak check-throw check-levels && \
	echo 'asan: SKIPPED check-step (steps through the runtime as well),' \
		'check-malloc (has an allocator of its own), check-unload' \
		'(RTLD_DEEPBIND is refused)'

# Includes check-step and kernel tests that cannot run under AddressSanitizer;
# asan has the other tests.
ubsan: ## Kernel tests and check-step under UndefinedBehaviorSanitizer alone
	+@$(call sanitize,-fsanitize=undefined -fno-sanitize-recover=all) \
		check-kernel check-step && \
	echo 'ubsan: SKIPPED check-unload (the runtime has handlers for' \
		'signals of its own, which a host must not have there)'

# Criterion's runner does not start under ThreadSanitizer, so tests/tools/plain
# replaces it.
tsan: ## The tests under ThreadSanitizer
	+@$(call sanitize,-fsanitize=thread -DTHREAD_VISITS=400000) \
		check-plain check-soak check-throw && \
	echo 'tsan: SKIPPED check-fault (stands in for what the runner of' \
		'tests/tools/plain calls), check-step, check-malloc, check-unload (as' \
		'under asan)'

asan-long: ## The same, in the long form of those that have one
ubsan-long: ## The same, in the long form of those that have one
tsan-long: ## The same, in the long form of those that have one
asan-long ubsan-long tsan-long: %-long:
	+@TEST_FORM=long TEST_TIMEOUT=3600 $(MAKE) --no-print-directory $*

# Leaves out unit tests without threads and signal handlers, which cannot race.
plain_sources := $(wildcard tests/kernel/*.c) tests/tools/plain/run.c \
	tests/unit/moves.c \
	$(shell grep -lE 'pthread|SIG[A-Z]|trap_pmu' tests/unit/*.c)
plain_objects := $(plain_sources:%.c=$(O)/plain/%.o)

$(O)/plain/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(filter-out -Wpedantic,$(test_cflags)) \
		-Itests/tools/plain $(CPPFLAGS) $(CFLAGS) $(code_for) -c $< -o $@

$(O)/tests/tools/plain/run: $(plain_objects) $(objects)
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ -o $@

.PHONY: check-plain
check-plain: $(O)/tests/tools/plain/run
	@SELFMON_OUTPUT=none $<

-include $(plain_objects:.o=.d)

# Static programs: the hardware tests run on machines that have only a kernel,
# and the unit tests run under an emulator of user programs.
plain_of = $(patsubst %.c,$(O)/plain/%.o,$(wildcard tests/$(1)/*.c) \
	tests/tools/plain/run.c)
guest_objects := $(call plain_of,hw)

$(O)/hw/run: $(guest_objects) $(objects)
$(O)/unit/run: $(call plain_of,unit) $(unit_tool_objects) $(objects)
$(O)/hw/run $(O)/unit/run:
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -static -pthread \
		$(filter %.o,$^) -o $@

##@ Build

.PHONY: hw tests tests-rest
hw: $(O)/hw/run ## The hardware tests as one static program
tests: $(addprefix $(O)/tests/,unit/run kernel/run fault/run) tests-rest
tests: ## The tests' programs
tests-rest: $(O)/tests/hw/run \
	$(addprefix $(O)/tests/programs/,step/run soak/run soak/plugin.so \
	doctor/run malloc/held process/guest secure/secure \
	escapes/program escapes/sampled trace/program) \
	$(throw_programs) $(unload_programs) \
	$(fuzz_targets:%=$(O)/tests/fuzz/%) bench-build
tests-rest: ## The tests' programs that asan does not build

-include $(guest_objects:.o=.d)

##@ Test

# Each run of the analyzer gets one file, because with several it misjudges
# va_lists after the first.
tidy := $(sources:%=tidy/%)
tidy_tools := $(patsubst %,tidy/%,$(wildcard tools/*.c))
.PHONY: cppcheck $(tidy) $(tidy_tools)
$(tidy): tidy_flags := -std=c11 -Iinclude -Ilibselfmon
$(tidy_tools): tidy_flags := -std=gnu11 -Iinclude -Ilibselfmon -Itools \
	$(cpuid_cflags)
$(tidy) $(tidy_tools): tidy/%:
	@tests/tools/tidy.sh $* $(tidy_flags)

cppcheck:
	@cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr \
		--enable=warning,performance,portability -USELFMON_DISABLE \
		-Iinclude -Ilibselfmon -Itools libselfmon include tools

analyze: ## clang-tidy and cppcheck
	+@$(side_by_side) cppcheck $(tidy_tools) $(tidy) && \
	echo 'analyze: $(words $(tidy) $(tidy_tools)) files by clang-tidy,' \
		'all by cppcheck'
