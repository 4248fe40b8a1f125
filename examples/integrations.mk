# SPDX-License-Identifier: MIT
# The library inside other programs; included by the Makefile.
#
# Each folder of examples/ that has a file `packages` (of Debian, one a line)
# is an integration. Its own Makefile finds the library by pkg-config, as an
# outsider's would, puts what it makes into O, and has a target `check`. The
# packages of Debian, and the page of HTML in a browser, are two more.

integrations := $(patsubst %/packages,%,$(wildcard examples/*/packages)) \
	tests/packaging tests/browser
stage := $(abspath $(O))/integrations/stage

.PHONY: check-integrations
check-integrations: lib tool ## The library inside other programs and packages
	+@$(MAKE) --no-print-directory -s install DESTDIR= PREFIX=$(stage) \
		LIBDIR=$(stage)/lib > /dev/null
	+@MAKE="$(MAKE)" tests/tools/integrations.sh \
		$(abspath $(O))/integrations $(integrations)
