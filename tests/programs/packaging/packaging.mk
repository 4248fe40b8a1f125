# SPDX-License-Identifier: MIT
# Debian packages. Included by the Makefile.

##@ One kind of test

.PHONY: check-packaging
check-packaging: ## Packages out of the tarball, and a program against them
	+@MAKE="$(MAKE)" tests/programs/packaging/packaging.sh $(O) $(version)
