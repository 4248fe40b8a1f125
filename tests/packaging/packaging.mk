# SPDX-License-Identifier: MIT
# What is handed out: a tarball, packages of Debian; included by the Makefile.

tarball := $(O)/libselfmon-$(version).tar.gz

# Of the commit that is checked out, as git has it: the same bytes each time.
.PHONY: dist check-packaging
dist: ## A tarball of the commit that is checked out
	@git rev-parse -q --verify HEAD > /dev/null || \
		{ echo 'make dist: this is no clone of the repository'; exit 1; }
	@git diff --quiet HEAD || \
		echo 'make dist: what is not committed is not in it'
	@mkdir -p $(O)
	@set -e; git -c tar.umask=0022 archive --format=tar \
		--prefix=libselfmon-$(version)/ HEAD > $(tarball).tar; \
	gzip -n -9 < $(tarball).tar > $(tarball); rm $(tarball).tar
	@sha256sum $(tarball)

check-packaging: ## Packages out of the tarball, and a program against them
	+@MAKE="$(MAKE)" tests/packaging/packaging.sh $(O) $(version)
