# SPDX-License-Identifier: MIT
# The library as two files, for programs that carry what they need with them;
# included by the Makefile. selfmon_all.hpp is selfmon.hpp for C++.

all_files := $(addprefix $(O)/amalgamation/selfmon_all.,h c hpp)
amalgamate := amalgamation/amalgamate.awk

.PHONY: amalgamation check-amalgamation
amalgamation: $(all_files) ## selfmon_all.h and selfmon_all.c

$(O)/amalgamation/selfmon_all.h: include/selfmon.h
$(O)/amalgamation/selfmon_all.hpp: include/selfmon.hpp
$(O)/amalgamation/selfmon_all.c: $(sources)
$(all_files): $(O)/amalgamation/selfmon_all.%: $(amalgamate) LICENSE \
		$(headers) $(wildcard libselfmon/*/*.h)
	@mkdir -p $(@D)
	$(call quiet,AWK)LC_ALL=C awk -v what=$* -v version=$(version) \
		-f $(amalgamate) -- $(if $(filter c,$*),$(sources),$(if \
		$(filter h,$*),include/selfmon/compiler.h include/selfmon.h,include/selfmon.hpp)) \
		> $@.new && mv $@.new $@

check-amalgamation: amalgamation $(shared_lib) ## Each example against the two files
	@tests/tools/amalgamation.sh $(O)
