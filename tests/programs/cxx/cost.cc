/* SPDX-License-Identifier: MIT */
/*
 * Makes the same region by the macro and by the class. tests/tools/cxx.sh
 * compares their instructions.
 */
#include <selfmon.hpp>

extern "C" {

void work();
void by_macro();
void by_class();
void by_macro_of(struct selfmon_region *handle);
void by_class_of(selfmon::Name name);

void by_macro()
{
	SELFMON_SCOPE("cost");
	work();
}

void by_class()
{
	static selfmon::Site site("cost");
	const selfmon::Region region(site);

	work();
}

void by_macro_of(struct selfmon_region *handle)
{
	SELFMON_REGION_OF(handle)
	{
		work();
	}
}

void by_class_of(selfmon::Name name)
{
	const selfmon::Region region(name);

	work();
}

} /* extern "C" */
