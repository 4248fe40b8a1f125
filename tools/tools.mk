# SPDX-License-Identifier: MIT
# The selfmon program; included by the Makefile. It is linked with the
# library's objects, for it uses what they hide.

tool_cflags := -std=gnu11 $(c_warnings) $(common) -Ilibselfmon -Itools
tool_objects := $(patsubst %.c,$(O)/%.o,$(wildcard tools/*.c))
tool := $(O)/selfmon

.PHONY: tool
tool: $(tool) ## The selfmon program

$(O)/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(tool_cflags) $(CPPFLAGS) $(CFLAGS) -fPIE -c $< \
		-o $@

$(tool): $(tool_objects) $(objects)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread $^ \
		$(cpuid_libs) -o $@

-include $(tool_objects:.o=.d)
