# SPDX-License-Identifier: MIT
# Makes the amalgamation: the library as two files, for programs that contain
# its source. Also makes the optional files for C++ and for benchmarks. Included
# by the Makefile.

all_files := $(addprefix $(O)/amalgamation/selfmon_all,.h .c .hpp _bench.h)
amalgamate := amalgamation/amalgamate.sh

##@ Build

.PHONY: amalgamation
amalgamation: $(all_files) ## selfmon_all.h and selfmon_all.c

amalgamation_of = $(call quiet,AWK)mkdir -p $(@D) && \
	$(amalgamate) $(1) > $@.new && mv $@.new $@

$(all_files): $(amalgamate) amalgamation/amalgamate.awk LICENSE $(headers) \
		$(sources) $(wildcard libselfmon/*/*.h)

$(O)/amalgamation/selfmon_all.h:
	$(call amalgamation_of,h)
$(O)/amalgamation/selfmon_all.c:
	$(call amalgamation_of,c)
$(O)/amalgamation/selfmon_all.hpp:
	$(call amalgamation_of,hpp)
$(O)/amalgamation/selfmon_all_bench.h:
	$(call amalgamation_of,bench)

##@ One kind of test

check-amalgamation: amalgamation $(shared_lib) ## Each example against the two files
	@tests/tools/amalgamation.sh $(O)
