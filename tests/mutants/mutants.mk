# SPDX-License-Identifier: MIT
# The library with one defence taken out, again and again; included by the
# Makefile. README.md here says what a mutant is.

MUTANT ?=

.PHONY: mutants
mutants: ## Does a test notice each defence taken out? (MUTANT="NAME ...")
	@env -u MAKEFLAGS -u MFLAGS tests/mutants/run.sh $(O) $(MUTANT)

.PHONY: mutants-native
mutants-native: ## The same for what needs no PMU and no emulator
	@env -u MAKEFLAGS -u MFLAGS tests/mutants/native.sh $(O) $(MUTANT)
