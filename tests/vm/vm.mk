# SPDX-License-Identifier: MIT
# Emulated machines that have a PMU. Included by the Makefile. README.md in this
# folder describes them.

vm_rigs := x86-64 arm64 riscv64
vm_arch_arm64 := ARCH=arm64
vm_arch_riscv64 := ARCH=riscv64

# The tests of tests/kernel as a static program, similar to hw/run of tests/hw.
vm_kernel_objects := $(patsubst %.c,$(O)/plain/%.o,\
	$(wildcard tests/kernel/*.c) tests/tools/plain/run.c)

$(O)/vm/kernel: $(vm_kernel_objects) $(objects)
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -static -pthread $^ -o $@

# A guest's programs are built by a separate make: the compilers and flags of
# the calling make are for this machine.
vm_make = env -u MAKEFLAGS -u MFLAGS -u CC -u CXX -u CPPFLAGS -u CFLAGS \
	-u CXXFLAGS -u LDFLAGS $(firstword $(MAKE)) --no-print-directory \
	-j $$(nproc) CPUID=0 WERROR=$(WERROR) \
	CPPFLAGS=-DTHREAD_VISITS=50000 # few, since emulated CPUs are slow

.PHONY: $(vm_rigs:%=vm-programs-%)
$(vm_rigs:%=vm-programs-%): vm-programs-%:
	@mkdir -p $(O)/vm/$*
	@$(vm_make) $(vm_arch_$*) O=$(O)/vm/build-$* \
		$(addprefix $(O)/vm/build-$*/,hw/run vm/kernel vm/selfmon \
			vm/doctor)
	@cp $(O)/vm/build-$*/hw/run $(O)/vm/$*/hw
	@cp $(addprefix $(O)/vm/build-$*/vm/,kernel selfmon doctor) $(O)/vm/$*
	@cp tests/programs/doctor/guest/$*-*.expected $(O)/vm/$*

##@ Test

.PHONY: check-vm check-vm-x86 check-vm-arm64 check-vm-riscv64 vm-shell-x86 \
	vm-shell-arm64 vm-shell-riscv64
check-vm: $(vm_rigs:%=vm-programs-%) ## The hardware tests in emulated machines
	@tests/vm/run.sh check $(O)/vm $(vm_rigs)

check-vm-x86: vm-programs-x86-64 ## The same in the x86-64 ones
	@tests/vm/run.sh check $(O)/vm x86-64

check-vm-arm64: vm-programs-arm64 ## The same in the arm64 ones
	@tests/vm/run.sh check $(O)/vm arm64

check-vm-riscv64: vm-programs-riscv64 ## The same in the riscv64 ones
	@tests/vm/run.sh check $(O)/vm riscv64

vm-shell-x86: vm-programs-x86-64 ## A shell in an x86-64 guest, the tests inside
	@tests/vm/run.sh shell $(O)/vm x86-64

vm-shell-arm64: vm-programs-arm64 ## The same on arm64
	@tests/vm/run.sh shell $(O)/vm arm64

vm-shell-riscv64: vm-programs-riscv64 ## The same on riscv64
	@tests/vm/run.sh shell $(O)/vm riscv64

##@ One kind of test

check-vm-runner: ## Guests that hang, panic or print nothing count as failed
	@tests/vm/check-runner.sh
