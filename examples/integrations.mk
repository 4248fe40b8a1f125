# SPDX-License-Identifier: MIT
# Tests the library inside other programs. Included by the Makefile.
#
# Each folder of examples/ with a file `packages` (Debian packages, one per
# line) is an integration. The Makefile of the folder finds the library by
# pkg-config like any user's, writes into O, and has a target `check`. Two more
# integrations are in tests/programs: Debian's packages, and the HTML page in a
# browser.

# The checks that take longest are first.
integrations := tests/programs/packaging tests/programs/browser \
	examples/cmake
integrations += $(filter-out $(integrations), \
	$(patsubst %/packages,%,$(wildcard examples/*/packages)))
stage := $(abspath $(O))/integrations/stage

##@ Test

.PHONY: check-integrations
check-integrations: lib tool ## The library inside other programs and packages
	+@$(MAKE) --no-print-directory -s install DESTDIR= PREFIX=$(stage) \
		LIBDIR=$(stage)/lib > /dev/null
	+@MAKE="$(MAKE)" tests/tools/integrations.sh \
		$(abspath $(O))/integrations $(integrations)
