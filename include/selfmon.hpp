/* SPDX-License-Identifier: MIT */
/*
 * libselfmon for C++17: classes that own the objects of the C interface.
 * Measuring makes no virtual call and no allocation.
 *
 *	static selfmon::Site parse("parse");       a place, made at compile time
 *	const selfmon::Region region(parse);       a visit, to the end of the block
 *
 *	const selfmon::Name query("query");        a name made at run time
 *	selfmon::Span span(query);                 a visit that is not lexical
 *	selfmon::AsyncSpan request(query);         work that is not a call
 *	selfmon::Fiber job("job");                 the visits of another stack
 *
 *	selfmon::CounterSet set("cycles,instructions");
 *	const selfmon::Delta cost = set.measure([&] { work(); });
 *	if (const auto cycles = cost.count(0)) ...
 *	for (const selfmon::Value &value : set.values(cost)) ...
 *
 *	for (const selfmon_row &row : selfmon::Report()) ...
 *
 * The macros of selfmon.h are available too; SELFMON_SCOPE("parse") combines
 * the first two lines.
 *
 * Only the constructors of CounterSet and Report throw; with -fno-exceptions
 * they are left out. For each of them a static function does the same without
 * exceptions: on failure it returns an object that converts to false.
 *
 * With SELFMON_DISABLE defined, sites, names, regions, spans, units and fibers
 * are empty classes. Arguments of their constructors are still evaluated. Sets
 * and reports cannot be opened: their constructors throw ENOSYS. Files compiled
 * with and without SELFMON_DISABLE may be linked together, but their classes
 * differ: an object cannot be passed from one file to the other.
 */
#ifndef SELFMON_HPP
#define SELFMON_HPP

#if !defined(__cplusplus) ||                                                   \
	(__cplusplus < 201703L &&                                              \
	 (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L))
#error "selfmon.hpp needs C++17; selfmon.h does with C++11"
#endif

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

/*
 * gcc offers coroutines in C++17, too. The class for coroutines below uses
 * `requires`, so this also tests for concepts.
 */
#if defined(__cpp_impl_coroutine) && defined(__cpp_concepts)
#define SELFMON_IMPL_COROUTINE_FIBERS
#include <coroutine>
#endif

#include "selfmon.h"

/*
 * Separate namespaces, so that the linker does not merge the classes with and
 * without SELFMON_DISABLE.
 */
#ifdef SELFMON_DISABLE
#define SELFMON_IMPL_NAMESPACE compiled_off
#else
#define SELFMON_IMPL_NAMESPACE measured
#endif

#ifdef __GNUC__
#define SELFMON_IMPL_INLINE [[gnu::always_inline]]
#define SELFMON_IMPL_NOINLINE [[gnu::noinline]]
#else
#define SELFMON_IMPL_INLINE
#define SELFMON_IMPL_NOINLINE
#endif

namespace selfmon
{

inline namespace SELFMON_IMPL_NAMESPACE
{

/* ---- regions ------------------------------------------------------------- */

#ifndef SELFMON_DISABLE

/*
 * A region's place in the source. Declare it static: it is a constant, which
 * needs no initialisation code. The name is copied at the first visit.
 */
class Site {
public:
	constexpr explicit Site(const char *name,
				std::uint32_t line = __builtin_LINE(),
				const char *file = __builtin_FILE()) noexcept
		: site{ line, 0, name, file, 0 }
	{
	}
	Site(const Site &) = delete;
	Site &operator=(const Site &) = delete;

private:
	friend class Region;
	selfmon_site site;
};

/*
 * A region whose name is made at run time. A copy represents the same region.
 * The constructor takes a lock: construct it once. If there is no memory, see
 * selfmon_region(), the object is valid, but its visits are not measured.
 */
class Name {
public:
	explicit Name(const char *name) noexcept : handle(selfmon_region(name))
	{
	}
	/*
	 * Returns the library's copy of the name. Valid as long as the library
	 * is loaded.
	 */
	const char *c_str() const noexcept
	{
		return selfmon_region_name(handle);
	}

private:
	friend class Region;
	friend class Span;
	friend class AsyncSpan;
	struct selfmon_region *handle; /* with `struct`, since a function has
				        * the same name */
};

/*
 * A visit from here to the end of the block. It costs the same as
 * SELFMON_SCOPE. Use it only as a local variable: the library detects longjmp
 * by the address of the function's stack frame. Use a Span for a visit that is
 * not a local variable, or that overlaps with others.
 */
class [[maybe_unused]] Region {
public:
	SELFMON_IMPL_INLINE explicit Region(Site &place) noexcept
	{
		selfmon_impl_open(&place.site, &frame);
	}
	SELFMON_IMPL_INLINE explicit Region(Name name) noexcept
	{
		selfmon_impl_open(selfmon_impl_site_of(name.handle), &frame);
	}
	~Region() { selfmon_impl_close(&frame); }
	Region(const Region &) = delete;
	Region &operator=(const Region &) = delete;
	static void *operator new(std::size_t) = delete;
	static void *operator new[](std::size_t) = delete;

	/*
	 * Ends the visit before the end of the block. Further calls do nothing.
	 */
	void end() noexcept { selfmon_leave(&frame); }

private:
	selfmon_frame frame;
};

/*
 * A visit that begins and ends at any two points, and may overlap with others;
 * see selfmon_enter(). A Span is identified by its address, so it cannot be
 * copied or moved. It may be returned by the function that constructs it, be a
 * member, or be allocated on the heap.
 */
class [[maybe_unused]] Span {
public:
	Span() noexcept : frame{} {}
	SELFMON_IMPL_INLINE explicit Span(Name name) noexcept
	{
		selfmon_enter(name.handle, &frame);
	}
	~Span() { leave(); }
	Span(const Span &) = delete;
	Span &operator=(const Span &) = delete;

	/*
	 * Begins a visit. If this Span has an open visit, ends that one first.
	 */
	SELFMON_IMPL_INLINE void enter(Name name) noexcept
	{
		leave();
		selfmon_enter(name.handle, &frame);
	}
	/* Ends the visit. Does nothing if no visit is open. */
	void leave() noexcept { selfmon_leave(&frame); }

private:
	selfmon_frame frame;
};

/*
 * A detached span: work that is not a call and may end on another thread; see
 * async.h. It can be moved together with the work. The destructor ends the
 * span, unless the object was moved from, ended or dropped.
 */
class [[maybe_unused]] AsyncSpan {
public:
	AsyncSpan() noexcept : span{} {}
	SELFMON_IMPL_INLINE explicit AsyncSpan(Name name) noexcept
	{
		selfmon_async_begin(name.handle, &span);
	}
	~AsyncSpan() { end(); }
	AsyncSpan(AsyncSpan &&other) noexcept : span(other.span)
	{
		other.drop();
	}
	AsyncSpan &operator=(AsyncSpan &&other) noexcept
	{
		if (this != &other) {
			end();
			span = other.span;
			other.drop();
		}
		return *this;
	}

	/*
	 * Begins a span. If this object has an open span, ends that one first.
	 */
	SELFMON_IMPL_INLINE void begin(Name name) noexcept
	{
		end();
		selfmon_async_begin(name.handle, &span);
	}
	/* Ends the span. Does nothing if no span is open. */
	void end() noexcept { selfmon_async_end(&span); }
	/* Forgets the span without ending it: the report counts it as open. */
	void drop() noexcept { span.node = nullptr; }
	void bytes(std::uint64_t n) noexcept { selfmon_async_bytes(&span, n); }
	void items(std::uint64_t n) noexcept { selfmon_async_items(&span, n); }

private:
	selfmon_async_span span;
};

/*
 * Owns a fiber: the open visits of a stack that the program switches itself;
 * see fiber.h. A Fiber that was made without a name, was moved from, or could
 * not be created represents the thread's own stack: its get() returns NULL.
 */
class [[maybe_unused]] Fiber {
public:
	Fiber() noexcept = default;
	explicit Fiber(const char *name) noexcept
		: fiber(selfmon_fiber_create(name))
	{
	}
	~Fiber() { selfmon_fiber_destroy(fiber); }
	Fiber(Fiber &&other) noexcept
		: fiber(std::exchange(other.fiber, nullptr))
	{
	}
	Fiber &operator=(Fiber &&other) noexcept
	{
		if (this != &other) {
			selfmon_fiber_destroy(fiber);
			fiber = std::exchange(other.fiber, nullptr);
		}
		return *this;
	}

	/* Call one of these directly before the switch of stacks. */
	void switch_to() const noexcept { selfmon_fiber_switch(fiber); }
	static void switch_to_own_stack() noexcept
	{
		selfmon_fiber_switch(nullptr);
	}
	struct selfmon_fiber *get() const noexcept { return fiber; }

private:
	struct selfmon_fiber *fiber = nullptr;
};

/*
 * A unit that visits count, see selfmon_unit(). A copy represents the same
 * unit. The constructor takes a lock: construct it once. The constructor never
 * fails, but a unit beyond SELFMON_MAX_UNITS, or one with an invalid name,
 * converts to false and counts nothing.
 */
class Unit {
public:
	explicit Unit(const char *name) noexcept : handle(selfmon_unit(name)) {}
	explicit operator bool() const noexcept { return handle != nullptr; }
	/* Adds n to the innermost open visit of the calling thread. */
	void count(std::uint64_t n) const noexcept
	{
		selfmon_region_count(handle, n);
	}

private:
	const struct selfmon_unit *handle; /* with `struct`, since a function
					    * has the same name */
};

#else /* SELFMON_DISABLE */

class [[maybe_unused]] Unit {
public:
	constexpr explicit Unit(const char *) noexcept {}
	explicit operator bool() const noexcept { return false; }
	void count(std::uint64_t) const noexcept {}
};

class [[maybe_unused]] Site {
public:
	constexpr explicit Site(const char *, std::uint32_t = 0,
				const char * = nullptr) noexcept
	{
	}
	Site(const Site &) = delete;
	Site &operator=(const Site &) = delete;
};

class [[maybe_unused]] Name {
public:
	constexpr explicit Name(const char *) noexcept {}
	const char *c_str() const noexcept { return ""; }
};

class [[maybe_unused]] Region {
public:
	explicit Region(Site &) noexcept {}
	explicit Region(Name) noexcept {}
	Region(const Region &) = delete;
	Region &operator=(const Region &) = delete;
	static void *operator new(std::size_t) = delete;
	static void *operator new[](std::size_t) = delete;

	void end() noexcept {}
};

class [[maybe_unused]] Span {
public:
	Span() noexcept {}
	explicit Span(Name) noexcept {}
	Span(const Span &) = delete;
	Span &operator=(const Span &) = delete;

	void enter(Name) noexcept {}
	void leave() noexcept {}
};

class [[maybe_unused]] AsyncSpan {
public:
	AsyncSpan() noexcept {}
	explicit AsyncSpan(Name) noexcept {}
	AsyncSpan(AsyncSpan &&) noexcept {}
	AsyncSpan &operator=(AsyncSpan &&) noexcept { return *this; }

	void begin(Name) noexcept {}
	void end() noexcept {}
	void drop() noexcept {}
	void bytes(std::uint64_t) noexcept {}
	void items(std::uint64_t) noexcept {}
};

class [[maybe_unused]] Fiber {
public:
	Fiber() noexcept {}
	explicit Fiber(const char *) noexcept {}
	Fiber(Fiber &&) noexcept {}
	Fiber &operator=(Fiber &&) noexcept { return *this; }

	void switch_to() const noexcept {}
	static void switch_to_own_stack() noexcept {}
	struct selfmon_fiber *get() const noexcept { return nullptr; }
};

#endif /* SELFMON_DISABLE */

/* ---- coroutines ---------------------------------------------------------- */

#ifdef SELFMON_IMPL_COROUTINE_FIBERS

/*
 * Base class of a coroutine's promise, with which the coroutine has a fiber of
 * its own. Regions of the coroutine are visits of this fiber: they have
 * counters, and include only the time in which the coroutine runs. Without this
 * class they are detached spans.
 *
 *	struct promise_type : selfmon::CoroutineFiber {
 *		promise_type() : CoroutineFiber("request") {}
 *		auto initial_suspend() noexcept
 *		{
 *			return on_initial_suspend(std::suspend_always());
 *		}
 *		auto final_suspend() noexcept
 *		{
 *			return on_final_suspend(std::suspend_always());
 *		}
 *		auto yield_value(int value) noexcept
 *		{
 *			return on_yield(std::suspend_always());
 *		}
 *		...
 *	};
 *
 * All awaiters of the promise must pass through this class, which switches
 * fibers around them: to the coroutine's fiber directly before await_resume(),
 * and back directly before await_suspend(). For co_await expressions,
 * await_transform() does that. If the promise has its own await_transform(),
 * call CoroutineFiber::await_transform() from there. The example above shows
 * the other three cases.
 *
 * A suspended coroutine returns to the CoroutineFiber that resumed it, or else
 * to the thread's own stack. So coroutines may resume each other, by symmetric
 * transfer too, and on any thread. Coroutines may not be resumed on a fiber
 * that the program switches to itself.
 *
 * If a coroutine is destroyed while it is suspended, its destructors run on its
 * fiber, and the regions that are open in it end there.
 *
 * Constructor and destructor take a lock. The name is copied at its first use.
 */
class CoroutineFiber {
public:
	explicit CoroutineFiber([[maybe_unused]] const char *name) noexcept
#ifndef SELFMON_DISABLE
		: fiber(name)
#endif
	{
	}
	CoroutineFiber(const CoroutineFiber &) = delete;
	CoroutineFiber &operator=(const CoroutineFiber &) = delete;

	/*
	 * The compiler calls this function for each co_await. The argument
	 * lives at least until the end of the co_await expression, so the
	 * result may refer to it.
	 */
	template <class Awaitable> auto await_transform(Awaitable &&awaitable)
	{
		using Inner = decltype(awaiter_of<Awaitable>(awaitable));

		return Awaiter<Inner, true>(
			*this, [&]() -> Inner {
				return awaiter_of<Awaitable>(awaitable);
			});
	}
	/*
	 * These functions move their argument, which must be an awaiter: they
	 * do not call operator co_await.
	 */
	template <class Inner> auto on_initial_suspend(Inner inner) noexcept
	{
		return held<false>(inner);
	}
	template <class Inner> auto on_yield(Inner inner) noexcept
	{
		return held<true>(inner);
	}
	template <class Inner> auto on_final_suspend(Inner inner) noexcept
	{
		return held<false>(inner);
	}

#ifndef SELFMON_DISABLE
	~CoroutineFiber() { leave(); }
	struct selfmon_fiber *get() const noexcept { return fiber.get(); }

private:
	/*
	 * These functions are not inlined: between two suspensions a coroutine
	 * may change threads, but compilers assume that the address of a
	 * thread-local variable stays the same throughout a function.
	 */
	SELFMON_IMPL_NOINLINE void enter() noexcept
	{
		if (runs)
			return;
		runs = true;
		resumer = std::exchange(current, fiber.get());
		fiber.switch_to();
	}
	SELFMON_IMPL_NOINLINE void leave() noexcept
	{
		if (!runs)
			return;
		runs = false;
		current = resumer;
		selfmon_fiber_switch(resumer);
	}

	/*
	 * The fiber of the innermost coroutine that this thread is running, or
	 * NULL.
	 */
	static inline thread_local struct selfmon_fiber *current = nullptr;

	Fiber fiber;
	struct selfmon_fiber *resumer = nullptr;
	bool runs = false;
#else
	struct selfmon_fiber *get() const noexcept { return nullptr; }

private:
	void enter() noexcept {}
	void leave() noexcept {}
#endif

	/*
	 * Returns the awaiter of an awaitable, as `co_await` does. The awaiter
	 * may be the awaitable itself.
	 */
	template <class Awaitable>
	static decltype(auto)
	awaiter_of(std::remove_reference_t<Awaitable> &awaitable)
	{
		if constexpr (requires {
				      static_cast<Awaitable &&>(awaitable)
					      .operator co_await();
			      })
			return static_cast<Awaitable &&>(awaitable)
				.operator co_await();
		else if constexpr (requires {
					   operator co_await(
						   static_cast<Awaitable &&>(
							   awaitable));
				   })
			return operator co_await(
				static_cast<Awaitable &&>(awaitable));
		else
			return static_cast<Awaitable &&>(awaitable);
	}

	/*
	 * Wraps an awaiter of the program. After the call of the awaiter's
	 * await_suspend(), another thread may resume or destroy the coroutine,
	 * so the wrapper must not access its members any more. INSIDE is false
	 * for the initial and the final suspension. There the coroutine has no
	 * variables whose destructors would have to run on its fiber.
	 */
	template <class Inner, bool INSIDE> class [[nodiscard]] Awaiter {
	public:
		/*
		 * make() creates the awaiter in place, because it may not be
		 * movable.
		 */
		template <class Make>
		Awaiter(CoroutineFiber &of, Make &&make) noexcept(
			noexcept(std::forward<Make>(make)()))
			: owner(of), inner(std::forward<Make>(make)())
		{
		}
		Awaiter(const Awaiter &) = delete;
		Awaiter &operator=(const Awaiter &) = delete;
		/*
		 * Also runs without an await_resume(): if await_suspend()
		 * threw, or if the coroutine is destroyed while it is
		 * suspended. Code of the coroutine runs next, so this switches
		 * to its fiber.
		 */
		~Awaiter()
		{
			if constexpr (INSIDE)
				owner.enter();
		}

		bool await_ready() noexcept(
			noexcept(std::declval<Inner &>().await_ready()))
		{
			return static_cast<bool>(inner.await_ready());
		}
		/*
		 * Not inlined: otherwise compilers would put variables of the
		 * inner await_suspend() into the coroutine's frame, which
		 * another thread may free meanwhile.
		 */
		template <class Promise>
		SELFMON_IMPL_NOINLINE auto
		await_suspend(std::coroutine_handle<Promise> handle) noexcept(
			noexcept(std::declval<Inner &>().await_suspend(handle)))
		{
			owner.leave();
			return inner.await_suspend(handle);
		}
		decltype(auto) await_resume() noexcept(
			noexcept(std::declval<Inner &>().await_resume()))
		{
			owner.enter();
			return inner.await_resume();
		}

	private:
		CoroutineFiber &owner;
		Inner inner;
	};

	template <bool INSIDE, class Inner>
	Awaiter<Inner, INSIDE> held(Inner &inner) noexcept
	{
		return Awaiter<Inner, INSIDE>(
			*this, [&]() noexcept -> Inner && {
				return std::move(inner);
			});
	}
};

#endif /* SELFMON_IMPL_COROUTINE_FIBERS */

/* ---- errors -------------------------------------------------------------- */

/*
 * The exception that constructors throw. what() is the sentence of
 * selfmon_explain().
 */
class Error : public std::exception {
public:
	explicit Error(const selfmon_failure &reason) noexcept : why(reason)
	{
		selfmon_explain(&why, text, sizeof(text));
	}
	const char *what() const noexcept override { return text; }
	const selfmon_failure &failure() const noexcept { return why; }
	/* Returns a positive errno. */
	int code() const noexcept { return why.error; }

private:
	selfmon_failure why;
	char text[512];
};

namespace detail
{

/* Stores the result of a call, unless the call has already stored an error. */
inline void note(selfmon_failure &failure, int result) noexcept
{
	if (result < 0 && failure.error == 0)
		failure.error = -result;
}

} /* namespace detail */

/* ---- counter sets -------------------------------------------------------- */

/* The values of a set at one time. The size is fixed: nothing is allocated. */
using Snapshot = ::selfmon_snapshot;

/* The difference of two snapshots of a set. */
struct Delta : ::selfmon_delta {
	/*
	 * Returns the elapsed time in ns. The first call in a process may wait
	 * like selfmon_clock().
	 */
	std::uint64_t ns() const noexcept
	{
		return selfmon_clock_ns(selfmon_clock(), ticks);
	}
	/* Returns the count, or no value if event i was not counted. */
	std::optional<std::uint64_t> count(std::size_t i) const noexcept
	{
		if (verdict(i) == SELFMON_NOT_COUNTED)
			return std::nullopt;
		return value[i].count;
	}
	selfmon_verdict verdict(std::size_t i) const noexcept
	{
		return i < SELFMON_MAX_COUNTERS ? value[i].verdict
						: SELFMON_NOT_COUNTED;
	}
	std::uint64_t uncertainty(std::size_t i) const noexcept
	{
		return i < SELFMON_MAX_COUNTERS
			       ? selfmon_delta_uncertainty(this, i)
			       : 0;
	}
};

/* The value of one event in a delta. The strings belong to the set. */
struct Value {
	const char *name;
	std::optional<std::uint64_t> count;
	selfmon_verdict verdict;
	const char *unit; /* "ns", or "" for a count */
};

/*
 * Owns a counter set of the thread that opened it. A CounterSet that was moved
 * from, or that could not be opened, converts to false. Such an object may only
 * be tested, assigned to and destroyed.
 */
class CounterSet {
public:
	CounterSet() noexcept = default;
#ifdef __cpp_exceptions
	/* Opens a set like selfmon_counters_open(). Throws Error. */
	explicit CounterSet(const char *spec, unsigned int flags = 0)
	{
		selfmon_failure failure = {};

		*this = open(spec, flags, &failure);
		if (!set)
			throw Error(failure);
	}
#endif
	/*
	 * Opens a set without exceptions. *failure is also filled in if the set
	 * was opened without some of its events.
	 */
	static CounterSet open(const char *spec, unsigned int flags = 0,
			       selfmon_failure *failure = nullptr) noexcept
	{
		selfmon_failure why = {};
		CounterSet opened;
		const int result = selfmon_counters_open(spec, flags,
							 &opened.set, &why);

		detail::note(why, result);
		opened.number = result < 0 ? 0U
					   : static_cast<unsigned int>(result);
		if (failure)
			*failure = why;
		return opened;
	}

	~CounterSet() { selfmon_counters_close(set); }
	CounterSet(CounterSet &&other) noexcept
		: set(std::exchange(other.set, nullptr)),
		  number(std::exchange(other.number, 0U))
	{
	}
	CounterSet &operator=(CounterSet &&other) noexcept
	{
		if (this != &other) {
			selfmon_counters_close(set);
			set = std::exchange(other.set, nullptr);
			number = std::exchange(other.number, 0U);
		}
		return *this;
	}

	explicit operator bool() const noexcept { return set != nullptr; }
	selfmon_counters *get() const noexcept { return set; }

	/*
	 * begin() takes a snapshot at the start of the measured code, and end()
	 * at its end.
	 */
	SELFMON_IMPL_INLINE void begin(Snapshot &snapshot) const noexcept
	{
		selfmon_counters_begin(set, &snapshot);
	}
	SELFMON_IMPL_INLINE void end(Snapshot &snapshot) const noexcept
	{
		selfmon_counters_end(set, &snapshot);
	}
	Delta delta(const Snapshot &a, const Snapshot &b) const noexcept
	{
		Delta between;

		selfmon_counters_delta(set, &a, &b, &between);
		return between;
	}
	/* Calls work() between two snapshots. Exceptions are passed on. */
	template <class Work> Delta measure(Work &&work) const
	{
		Snapshot a, b;

		begin(a);
		std::forward<Work>(work)();
		end(b);
		return delta(a, b);
	}

	/* Returns the number of events that are counted. */
	unsigned int counting() const noexcept { return number; }
	/*
	 * Returns the description of member i; all requested events are
	 * members.
	 */
	std::optional<selfmon_counter_info> info(std::size_t i) const noexcept
	{
		selfmon_counter_info about = {};

		about.size = sizeof(about);
		if (selfmon_counters_info(set, i, &about) != 0)
			return std::nullopt;
		return about;
	}
	/*
	 * Returns the index of the member with this name in the specification.
	 */
	std::optional<std::size_t> find(std::string_view name) const noexcept
	{
		for (std::size_t i = 0;; i++) {
			const auto about = info(i);

			if (!about)
				return std::nullopt;
			if (name == about->name)
				return i;
		}
	}

	/*
	 * Returns the delta's values of all requested events. Valid as long as
	 * this object exists and is not moved.
	 *
	 *	for (const auto &[name, count, verdict, unit] : set.values(cost))
	 */
	class Values;
	Values values(const Delta &delta) const noexcept;

private:
	selfmon_counters *set = nullptr;
	unsigned int number = 0;
};

class CounterSet::Values {
public:
	class iterator {
	public:
		using iterator_category = std::input_iterator_tag;
		using value_type = Value;
		using difference_type = std::ptrdiff_t;
		using pointer = void;
		using reference = Value;

		iterator(const Values *of, std::size_t member) noexcept
			: values(of), i(member)
		{
		}
		Value operator*() const noexcept
		{
			const auto info = values->set->info(i);
			const Delta &of = values->delta;

			return Value{ info->name, of.count(i),
				      of.verdict(i), info->unit };
		}
		iterator &operator++() noexcept
		{
			i++;
			return *this;
		}
		bool operator==(const iterator &other) const noexcept
		{
			return i == other.i;
		}
		bool operator!=(const iterator &other) const noexcept
		{
			return i != other.i;
		}

	private:
		const Values *values;
		std::size_t i;
	};

	Values(const CounterSet &of, const Delta &between) noexcept
		: set(&of), delta(between)
	{
		while (set->info(count))
			count++;
	}
	std::size_t size() const noexcept { return count; }
	iterator begin() const noexcept { return iterator(this, 0); }
	iterator end() const noexcept { return iterator(this, count); }

private:
	const CounterSet *set;
	Delta delta;
	std::size_t count = 0;
};

inline CounterSet::Values CounterSet::values(const Delta &delta) const noexcept
{
	return Values(*this, delta);
}

/* ---- reports ------------------------------------------------------------- */

/*
 * The histogram of a row: a range of selfmon_bucket, shortest visits first; see
 * selfmon_row_histogram(). It is empty if the row does not exist or its time
 * was not counted.
 */
class Histogram {
public:
	Histogram() noexcept = default;
	Histogram(const selfmon_report *report, std::size_t row) noexcept
	{
		const int copied = selfmon_row_histogram(
			report, row, bucket, SELFMON_BUCKETS_MAX);

		count = copied > 0 ? static_cast<std::size_t>(copied) : 0;
	}

	std::size_t size() const noexcept { return count; }
	const selfmon_bucket *begin() const noexcept { return bucket; }
	const selfmon_bucket *end() const noexcept { return bucket + count; }

private:
	selfmon_bucket bucket[SELFMON_BUCKETS_MAX] = {};
	std::size_t count = 0;
};

/*
 * Owns a report, which is a range of rows in tree order. A Report that was
 * moved from, or that could not be made, converts to false and has no rows.
 */
class Report {
public:
	class iterator {
	public:
		using iterator_category = std::forward_iterator_tag;
		using value_type = selfmon_row;
		using difference_type = std::ptrdiff_t;
		using pointer = const selfmon_row *;
		using reference = const selfmon_row &;

		iterator() noexcept = default;
		iterator(const selfmon_report *of, std::size_t row) noexcept
			: report(of), i(row)
		{
		}
		reference operator*() const noexcept
		{
			return *selfmon_report_row(report, i);
		}
		pointer operator->() const noexcept { return &**this; }
		iterator &operator++() noexcept
		{
			i++;
			return *this;
		}
		iterator operator++(int) noexcept
		{
			return iterator(report, i++);
		}
		bool operator==(const iterator &other) const noexcept
		{
			return i == other.i;
		}
		bool operator!=(const iterator &other) const noexcept
		{
			return i != other.i;
		}

	private:
		const selfmon_report *report = nullptr;
		std::size_t i = 0;
	};

#ifdef __cpp_exceptions
	/* Takes a report like selfmon_report_take(). Throws Error. */
	Report()
	{
		selfmon_failure failure = {};

		*this = take(&failure);
		if (!report)
			throw Error(failure);
	}
	/* Opens a live file like selfmon_report_open(). Throws Error. */
	explicit Report(const char *path)
	{
		selfmon_failure failure = {};

		*this = open(path, &failure);
		if (!report)
			throw Error(failure);
	}
#endif
	/* Take or open a report without exceptions. */
	static Report take(selfmon_failure *failure = nullptr) noexcept
	{
		selfmon_report *taken = nullptr;
		selfmon_failure why = {};

		detail::note(why, selfmon_report_take(&taken));
		if (failure)
			*failure = why;
		return Report(taken);
	}
	static Report open(const char *path,
			   selfmon_failure *failure = nullptr) noexcept
	{
		selfmon_report *opened = nullptr;
		selfmon_failure why = {};

		detail::note(why, selfmon_report_open(path, &opened, &why));
		if (failure)
			*failure = why;
		return Report(opened);
	}

	/*
	 * Returns the report of the time since an earlier report of the same
	 * process, like selfmon_report_subtract(). The result converts to false
	 * on failure.
	 */
	Report since(const Report &earlier,
		     selfmon_failure *failure = nullptr) const noexcept
	{
		selfmon_report *interval = nullptr;
		selfmon_failure why = {};

		detail::note(why, report && earlier.report
					  ? selfmon_report_subtract(
						    report, earlier.report,
						    &interval)
					  : -EINVAL);
		if (failure)
			*failure = why;
		return Report(interval);
	}

	~Report() { selfmon_report_free(report); }
	Report(Report &&other) noexcept
		: report(std::exchange(other.report, nullptr))
	{
	}
	Report &operator=(Report &&other) noexcept
	{
		if (this != &other) {
			selfmon_report_free(report);
			report = std::exchange(other.report, nullptr);
		}
		return *this;
	}

	explicit operator bool() const noexcept { return report != nullptr; }
	const selfmon_report *get() const noexcept { return report; }

	/*
	 * Returns the detached spans, a range of rows. Valid as long as the
	 * report. See selfmon_report_async().
	 */
	class Spans;
	Spans spans() const noexcept;

	std::size_t size() const noexcept
	{
		return report ? selfmon_report_row_count(report) : 0;
	}
	const selfmon_row &operator[](std::size_t i) const noexcept
	{
		return *selfmon_report_row(report, i);
	}
	iterator begin() const noexcept { return iterator(report, 0); }
	iterator end() const noexcept { return iterator(report, size()); }

	/*
	 * Returns the row with a path such as { "parent", "child" }, or NULL.
	 */
	const selfmon_row *
	find(std::initializer_list<const char *> path) const noexcept
	{
		return report ? selfmon_report_find(report, path.begin(),
						    path.size())
			      : nullptr;
	}

	/*
	 * Returns the description of a column, see
	 * selfmon_report_column_info().
	 */
	std::optional<selfmon_column_info>
	column_info(std::size_t i) const noexcept
	{
		selfmon_column_info made = {};

		made.size = sizeof(made);
		if (!report || selfmon_report_column_info(report, i, &made) != 0)
			return std::nullopt;
		return made;
	}
	/* Returns note i, or NULL. */
	const char *note(std::size_t i) const noexcept
	{
		return report ? selfmon_report_note(report, i) : nullptr;
	}
	/* Returns the name of a counter column, or NULL. */
	const char *column(std::size_t i) const noexcept
	{
		return report ? selfmon_report_column(report, i) : nullptr;
	}
	/*
	 * Returns metric i of a row. Returns no value if there is no such
	 * metric or row.
	 */
	std::optional<selfmon_metric> metric(std::size_t row,
					     std::size_t i) const noexcept
	{
		selfmon_metric made = {};

		made.size = sizeof(made);
		if (!report || selfmon_row_metric(report, row, i, &made) != 0)
			return std::nullopt;
		return made;
	}
	/*
	 * Returns the number of units: bytes, items, and the units that the
	 * program named.
	 */
	std::size_t units() const noexcept
	{
		return report ? selfmon_report_unit_count(report) : 0;
	}
	/*
	 * Returns what a row counted of unit i. Returns no value if the row or
	 * the unit does not exist.
	 */
	std::optional<struct selfmon_report_unit> unit(std::size_t row,
						std::size_t i) const noexcept
	{
		struct selfmon_report_unit made = {};

		made.size = sizeof(made);
		if (!report || ::selfmon_report_unit(report, row, i, &made) != 0)
			return std::nullopt;
		return made;
	}
	Histogram histogram(std::size_t row) const noexcept
	{
		return report ? Histogram(report, row) : Histogram();
	}
	/*
	 * Returns a quantile like selfmon_row_quantile(). Returns NaN on
	 * failure.
	 */
	double quantile(std::size_t row, double q) const noexcept
	{
		return report ? selfmon_row_quantile(report, row, q)
			      : std::numeric_limits<double>::quiet_NaN();
	}
	/*
	 * Writes the report like selfmon_report_write(). Returns 0 or -errno.
	 */
	int write(selfmon_format format, std::FILE *stream) const noexcept
	{
		return report ? selfmon_report_write(report, format, stream)
			      : -EINVAL;
	}

private:
	explicit Report(selfmon_report *owned) noexcept : report(owned) {}

	selfmon_report *report = nullptr;
};

class Report::Spans {
public:
	explicit Spans(const selfmon_report *of) noexcept : report(of) {}

	/*
	 * Returns the report for use with the C functions, or NULL if there are
	 * no spans.
	 */
	const selfmon_report *get() const noexcept { return report; }
	std::size_t size() const noexcept
	{
		return report ? selfmon_report_row_count(report) : 0;
	}
	const selfmon_row &operator[](std::size_t i) const noexcept
	{
		return *selfmon_report_row(report, i);
	}
	iterator begin() const noexcept { return iterator(report, 0); }
	iterator end() const noexcept { return iterator(report, size()); }
	/* Returns the row with this name, or NULL. */
	const selfmon_row *find(const char *name) const noexcept
	{
		return report ? selfmon_report_find(report, &name, 1) : nullptr;
	}
	Histogram histogram(std::size_t row) const noexcept
	{
		return report ? Histogram(report, row) : Histogram();
	}

private:
	const selfmon_report *report;
};

inline Report::Spans Report::spans() const noexcept
{
	return Spans(report ? selfmon_report_async(report) : nullptr);
}

} /* inline namespace */

} /* namespace selfmon */

#endif
