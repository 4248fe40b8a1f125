# SPDX-License-Identifier: MIT
# Tests and checks; included by the Makefile.
#
# One Criterion program a kind: unit (pure, fake pages; runs anywhere), kernel
# (software events; any Linux), fault (each kernel call made to fail).

criterion_cflags = $(shell $(PKG_CONFIG) --cflags criterion)
criterion_libs = $(shell $(PKG_CONFIG) --libs criterion)

unit_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/unit/*.c))
kernel_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/kernel/*.c))
fault_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tests/fault/*.c))
test_programs := $(foreach k,unit kernel fault,$(if $($(k)_objects),$(O)/tests/$(k)/run))

$(O)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(test_cflags) $(criterion_cflags) $(CPPFLAGS) \
		$(CFLAGS) -fPIE -c $< -o $@

# Calls that tests/fault/kernel_faults.c stands in for.
fault_wrapped := perf_open map_page unmap_page enable_group read close \
	map_memory
fault_ldflags := $(fault_wrapped:%=-Wl,--wrap=selfmon_kernel_%)

# Tests link the objects, not the archive: they may call hidden functions.
$(O)/tests/unit/run: $(unit_objects) $(objects)
$(O)/tests/kernel/run: $(kernel_objects) $(objects)
$(O)/tests/fault/run: $(fault_objects) $(objects)
$(O)/tests/%/run:
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $($*_ldflags) -pthread \
		$(filter %.o,$^) $(criterion_libs) $(cpuid_libs) -o $@

.PHONY: check check-layers check-codegen check-unit check-kernel check-fault
check: check-layers check-codegen check-unit check-kernel check-fault ## Every quick test

check-unit check-kernel check-fault: check-%: $(O)/tests/%/run
	@tests/tools/criterion.sh $< $*

check-layers: ## Includes point down only
	@tests/tools/layers.sh

check-codegen: ## The machine code of one inline read
	@tests/tools/codegen.sh

-include $(unit_objects:.o=.d) $(kernel_objects:.o=.d) $(fault_objects:.o=.d)
