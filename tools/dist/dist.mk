# SPDX-License-Identifier: MIT
# Makes a release: the tarball, its SBOM and checksums. Included by the
# Makefile. docs/RELEASING.md describes the steps.

release := libselfmon-$(version)
tarball := $(O)/$(release).tar.gz
sbom := $(O)/$(release).spdx.json

# URL=ADDRESS is where the tarball will be published. SIGN=KEY is the GnuPG key
# that signs the checksums.
URL :=
SIGN :=

##@ Install and release

# Made from the current commit, so one commit always gives the same bytes.
.PHONY: dist
dist: ## The tarball of this commit, its SBOM and checksums (SIGN=KEY: signed)
	@git rev-parse -q --verify HEAD > /dev/null || \
		{ echo 'make dist: this is no clone of the repository'; exit 1; }
	@git diff --quiet HEAD || \
		echo 'make dist: changes that are not committed are left out'
	@mkdir -p $(O)
	@rm -f $(O)/SHA256SUMS $(O)/SHA256SUMS.asc
	@set -e; git -c tar.umask=0022 archive --format=tar \
		--prefix=$(release)/ HEAD > $(tarball).tar; \
	gzip -n -9 < $(tarball).tar > $(tarball); rm $(tarball).tar
	@tools/dist/sbom.py $(tarball) $(URL) > $(sbom)
	@cd $(O) && sha256sum $(notdir $(tarball) $(sbom)) > SHA256SUMS
	@$(if $(SIGN),gpg --batch --local-user '$(SIGN)' --armor \
		--output $(O)/SHA256SUMS.asc --detach-sign $(O)/SHA256SUMS)
	@cat $(O)/SHA256SUMS

##@ One kind of test

check-dist: ## The SBOM against the tarball, checksums, a signature
	@if command -v python3 > /dev/null; then MAKE='$(MAKE)' tests/tools/dist.py; \
		else echo 'check-dist: SKIPPED: no python3'; fi
