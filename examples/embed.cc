/* SPDX-License-Identifier: MIT */
/*
 * A C++ program that controls its own output. Nothing is written at exit; the
 * program takes the report and iterates over its rows. When an exception
 * passes, a region ends like any other object.
 *
 *	c++ -std=c++17 embed.cc $(pkg-config --cflags --libs selfmon) -o embed
 *	./embed
 */
#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include <selfmon.hpp>

namespace
{

int parse_number(std::string_view text)
{
	SELFMON_FUNCTION();
	int value = 0;

	for (const char c : text) {
		if (c < '0' || c > '9')
			throw std::invalid_argument(std::string(text));
		value = value * 10 + (c - '0');
	}
	return value;
}

/*
 * An exception of parse_number() ends the regions "parse_number", "sum" and
 * "list N".
 */
int sum(std::string_view list, int index)
{
	const selfmon::Name name(("list " + std::to_string(index)).c_str());
	const selfmon::Region whole(name);
	int total = 0;

	SELFMON_REGION("sum") {
		for (std::size_t at = 0; at < list.size();) {
			const std::size_t comma = list.find(',', at);

			total += parse_number(list.substr(at, comma - at));
			at = comma < list.size() ? comma + 1 : list.size();
		}
	}
	return total;
}

/* Prints to standard error, this program's log. */
void print_report()
{
	const selfmon::Report report = selfmon::Report::take();

	for (const selfmon_row &row : report)
		std::fprintf(stderr, "log: %*s%s: %llu visits, %llu open\n",
			     static_cast<int>(2 * row.depth), "", row.name,
			     static_cast<unsigned long long>(row.visits),
			     static_cast<unsigned long long>(row.open));
}

} /* namespace */

int main()
{
	selfmon_options options = SELFMON_OPTIONS_INIT;

	options.output = nullptr; /* no report at exit */
	/* -ENOSYS: compiled with SELFMON_DISABLE, without the library. */
	const int configured = selfmon_configure(&options);
	if (configured != 0 && configured != -ENOSYS)
		return 1;

	int index = 0;
	for (const char *list : { "1,2,3", "10,x,30", "40,50", "7,8,9z" }) {
		try {
			std::printf("%s: %d\n", list, sum(list, index++));
		} catch (const std::invalid_argument &bad) {
			std::printf("%s: not a number: %s\n", list, bad.what());
		}
	}
	print_report();
	return 0;
}
