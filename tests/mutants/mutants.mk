# SPDX-License-Identifier: MIT
# Tests of the tests: each mutant is the library without one defence. Included
# by the Makefile. README.md in this folder explains mutants.

##@ Test

MUTANT ?=

.PHONY: mutants
mutants: ## Does a test notice each defence taken out? (MUTANT="NAME ...")
	@env -u MAKEFLAGS -u MFLAGS TEST_FORM=full tests/mutants/run.sh $(O) $(MUTANT)

.PHONY: mutants-native
mutants-native: ## The same for what needs no PMU and no emulator
	@env -u MAKEFLAGS -u MFLAGS TEST_FORM=full tests/mutants/native.sh $(O) $(MUTANT)

# `make check` runs all tests that these mutants name, in the same form.
fast_path = $(shell grep -lE '^[+]{3} b/(libselfmon/visit/|include/selfmon/(region.h|page.h|arch/))' \
	tests/mutants/native/*.patch)

.PHONY: mutants-fast
mutants-fast: ## Those of the fast path and the page reader alone
	@env -u MAKEFLAGS -u MFLAGS -u TEST_FORM tests/mutants/native.sh $(O) \
		$(fast_path)
