/* Support of generated code of kernels on CPUs, which needs no objects: atomic operations, vectors, checks. */
#ifndef APG_KERNEL_H
#define APG_KERNEL_H
#ifndef APG_H
/* Programs without objects use the types of the ABI only. */
#define APG_NO_RUNTIME
#include "apg.h"
#endif
#include "apg_core.h"
#include <pthread.h>
#include <time.h>
#define APG_COLD __attribute__((noinline, cold))
#define APG_LIKELY(x) __builtin_expect(!!(x), 1)
#define APG_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* ---- atomic operations on elements of rails ---- */
template <class T> static inline T apg_atomic_exchange(T *p, T v) { T old; __atomic_exchange(p, &v, &old, __ATOMIC_RELAXED); return old; }
template <class T> static inline T apg_atomic_compare(T *p, T expected, T v) { __atomic_compare_exchange(p, &expected, &v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); return expected; }
// A field that is read and written in one step.
template <class T> struct apg_volatile {
  T value;
  T get() const { T now; __atomic_load(&value, &now, __ATOMIC_SEQ_CST); return now; }
  operator T() const { return get(); }
  void operator=(T now) { __atomic_store(&value, &now, __ATOMIC_SEQ_CST); }
};
template <class T, class F> static inline T apg_atomic_update(T *p, F next) {
  T old, v;
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  do v = next(old); while (!__atomic_compare_exchange(p, &old, &v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}
/* Vectors of the CPU's width, for compilers with `__builtin_shuffle`. */
#if defined(__GNUC__) && !defined(__clang__)
#if defined(__AVX512F__)
#define APG_ROW 64
#elif defined(__AVX__)
#define APG_ROW 32
#else
#define APG_ROW 16
#endif
template <class T> static constexpr bool apg_fills_rows = false;
template <> constexpr bool apg_fills_rows<apg_i32> = true;
template <> constexpr bool apg_fills_rows<apg_u32> = true;
template <> constexpr bool apg_fills_rows<apg_i64> = true;
template <> constexpr bool apg_fills_rows<apg_u64> = true;
template <> constexpr bool apg_fills_rows<float> = true;
template <> constexpr bool apg_fills_rows<double> = true;
template <class T> static constexpr int apg_side = APG_ROW / (int)sizeof(T);
template <class T> struct apg_row_of { typedef T row __attribute__((vector_size(APG_ROW))); typedef __typeof__(row{} < row{}) lanes; };
template <class T> using apg_row = typename apg_row_of<T>::row;
template <class T> using apg_lanes_of = typename apg_row_of<T>::lanes;
/* The lane indices `of(0)`, `of(1)`, ...: a constant expression. */
template <int... i> struct apg_numbers {};
template <class T, class F, int... i> static constexpr apg_lanes_of<T> apg_pick(F of, apg_numbers<i...>) { return apg_lanes_of<T>{of(i)...}; }
template <class T, class F> static constexpr apg_lanes_of<T> apg_pick(F of) { return apg_pick<T>(of, apg_numbers<__integer_pack(apg_side<T>)...>{}); }
#endif
/* Transposes a 16 x 16 tile that 16 threads read from rows of their own: squares with a side of one vector,
   transposed by perfect shuffles of their halves. */
alignas(64) static const char apg_no_row[128] = {};
template <class T> static inline __attribute__((always_inline)) void apg_transpose(const T *const *rows, T *to) {
#if defined(APG_ROW)
  constexpr int bytes = APG_ROW, side = apg_side<T>;
  apg_lanes_of<T> low, high;
  for (int i = 0; i < side; ++i) { low[i] = i / 2 + i % 2 * side; high[i] = low[i] + side / 2; }
  for (int first = 0; first < 16; first += side)
    for (int column = 0; column < 16; column += side) {
      apg_row<T> now[side], next[side];
#pragma GCC unroll 16
      for (int i = 0; i < side; ++i) __builtin_memcpy(&now[i], rows[first + i] + column, bytes);
#pragma GCC unroll 4
      for (int step = 1; step < side; step *= 2) {
#pragma GCC unroll 16
        for (int i = 0; i < side; ++i) next[i] = __builtin_shuffle(now[i / 2], now[i / 2 + side / 2], i % 2 ? high : low);
#pragma GCC unroll 16
        for (int i = 0; i < side; ++i) now[i] = next[i];
      }
#pragma GCC unroll 16
      for (int i = 0; i < side; ++i) __builtin_memcpy(to + (column + i) * 16 + first, &now[i], bytes);
    }
#else
  for (int thread = 0; thread < 16; ++thread)
    for (int column = 0; column < 16; ++column) to[column * 16 + thread] = rows[thread][column];
#endif
}
/* Prefetches the elements that a grid-stride loop reads sequentially in a later iteration, if its stride
   exceeds a page: hardware prefetchers do not cross pages. `next` is the begin of the next iteration;
   addresses out of bounds are harmless. */
template <class T> static inline void apg_prefetch_stream(const T *data, apg_i64 next, apg_i64 count, apg_i64 step) {
  const apg_i64 bytes = count * (apg_i64)sizeof(T), page = 4096, enough = 1024;
  if (step * (apg_i64)sizeof(T) < page || bytes > page || bytes <= 0) return;
  const apg_u64 at = (apg_u64)data + (apg_u64)(next + enough / bytes * step) * sizeof(T);
  for (apg_i64 i = 0; i < bytes; i += 64) __builtin_prefetch((const void *)(at + i));
}
/* The same for the next `iterations` iterations together, into the second-level cache. */
template <class T> static inline void apg_prefetch_stream(const T *data, apg_i64 next, apg_i64 count, apg_i64 step, int iterations) {
  const apg_i64 bytes = count * (apg_i64)sizeof(T), page = 4096;
  if (step * (apg_i64)sizeof(T) < page || bytes > page || bytes <= 0) return;
  for (int k = 0; k < iterations; ++k, next += step)
    for (apg_i64 i = 0; i < bytes; i += 64) __builtin_prefetch((const void *)((apg_u64)data + (apg_u64)next * sizeof(T) + i), 0, 2);
}
/* Prefetches the cache line of an element, which may not exist, into the second-level cache: the first level
   sustains few outstanding misses. For reading, even if it is stored to: prefetches for writing go to the
   first level. */
template <class T> static inline void apg_prefetch(const T *data, apg_i64 index) {
  __builtin_prefetch((const void *)((apg_u64)data + (apg_u64)index * sizeof(T)), 0, 2);
}
/* Whether iterations touch elements so distant that hardware prefetchers miss them: `then` is the index
   `iterations` iterations after `now`. */
template <class T> static inline bool apg_is_far(const T *, apg_i64 now, apg_i64 then, apg_i64 iterations) {
  return (apg_u64)(then - now) * sizeof(T) + 4096 * iterations > 2 * 4096 * iterations;
}
/* Prefetch distance in iterations, from the accesses of an iteration: memory latency is about 2,000 accesses
   of 16 threads. */
static inline apg_i64 apg_prefetch_distance(apg_i64 accesses) {
  const apg_i64 distance = 2048 * 16 / (accesses + 1);
  return distance < 1 ? 1 : distance > 4 ? 4 : distance;
}
/* Shared memory belongs to one block, and a block to one CPU thread: atomic operations need no atomicity. */
template <class T, class F> static inline T apg_alone_update(T *p, F next) {
  /* Atomic loads and stores keep the compiler from vectorising updates that may hit the same element. */
  T old, v;
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  v = next(old);
  __atomic_store(p, &v, __ATOMIC_RELAXED);
  return old;
}
template <class T> static inline T apg_alone_exchange(T *p, T v) { return apg_alone_update<T>(p, [v](T) { return v; }); }
template <class T> static inline T apg_alone_compare(T *p, T expected, T v) { return apg_alone_update<T>(p, [&](T old) { return __builtin_memcmp(&old, &expected, sizeof(T)) == 0 ? v : old; }); }
template <class T> static inline T apg_alone_add(T *p, T v) { return apg_alone_update<T>(p, [v](T old) { return (T)(old + v); }); }
template <class T> static inline T apg_alone_min(T *p, T v) { return apg_alone_update<T>(p, [v](T old) { return v < old ? v : old; }); }
template <class T> static inline T apg_alone_max(T *p, T v) { return apg_alone_update<T>(p, [v](T old) { return v > old ? v : old; }); }
template <class T> static inline T apg_alone_and(T *p, T v) { return apg_alone_update<T>(p, [v](T old) { return (T)(old & v); }); }
template <class T> static inline T apg_alone_or(T *p, T v) { return apg_alone_update<T>(p, [v](T old) { return (T)(old | v); }); }
template <class T> static inline T apg_alone_xor(T *p, T v) { return apg_alone_update<T>(p, [v](T old) { return (T)(old ^ v); }); }
template <class T> static inline T apg_atomic_add(T *p, T v) {
  if constexpr ((T)0.5 == 0) return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
  else return apg_atomic_update<T>(p, [v](T old) { return old + v; });
}
template <class T> static inline T apg_atomic_min(T *p, T v) { return apg_atomic_update<T>(p, [v](T old) { return v < old ? v : old; }); }
template <class T> static inline T apg_atomic_max(T *p, T v) { return apg_atomic_update<T>(p, [v](T old) { return v > old ? v : old; }); }
template <class T> static inline T apg_atomic_and(T *p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); }
template <class T> static inline T apg_atomic_or(T *p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
template <class T> static inline T apg_atomic_xor(T *p, T v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); }

/* ---- kernels on CPUs ---- */
template <class T> static inline void apg_exchange(T *&a, T *&b) { T *const moved = a; a = b; b = moved; }
template <class T> struct apg_view { T *data; apg_i64 length; };
/* A failing check ends the blocks of its CPU thread; the first failure of a launch is recorded. */
struct apg_kernel_fault { apg_u32 kind, file, line; apg_i64 index, length, block, rank; };
[[noreturn]] static APG_COLD void apg_fail(apg_u32 kind, apg_u32 file, apg_u32 line, apg_i64 index, apg_i64 length, apg_i64 block, apg_i64 rank) {
  throw apg_kernel_fault{kind, file, line, index, length, block, rank};
}
/* The blocks of the CPU thread end, without a record. */
[[noreturn]] static APG_COLD void apg_thread_end() { throw apg_kernel_fault{0, 0, 0, 0, 0, 0, 0}; }
[[maybe_unused]] static double apg_wall_time() {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
/* The stack of a thread, for functions that call themselves. A thread that runs on another stack, as a fiber does, is not checked.
   What is left is for calls outside of the recursion, and for large frames. */
struct apg_stack_room { apg_u64 low, limit; };
static APG_COLD apg_stack_room apg_find_stack() {
  pthread_attr_t attributes;
  void *low = nullptr;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  if (pthread_attr_getstack(&attributes, &low, &bytes) != 0) bytes = 0;
  pthread_attr_destroy(&attributes);
  const apg_u64 reserve = bytes / 4 < 0x40000 ? bytes / 4 : 0x40000;
  return {(apg_u64)low, (apg_u64)low + reserve};
}
[[maybe_unused]] static inline bool apg_stack_is_full() {
  static thread_local const apg_stack_room room = apg_find_stack();
  const apg_u64 here = (apg_u64)__builtin_frame_address(0);
  return APG_UNLIKELY(here >= room.low && here < room.limit);
}
static APG_COLD void apg_record(const apg_launch *launch, const apg_kernel_fault &found) {
  apg_fault *fault = launch->fault;
  apg_u32 none = 0;
  if (found.kind == 0) return;
  if (!fault || !__atomic_compare_exchange_n(&fault->kind, &none, found.kind, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return;
  apg_i64 block = found.block, rank = found.rank;
  for (int axis = 0; axis < 3; ++axis) {
    apg_i32 blocks = launch->blocks[axis] > 0 ? launch->blocks[axis] : 1, threads = launch->threads[axis] > 0 ? launch->threads[axis] : 1;
    fault->block[axis] = (apg_u32)(block % blocks); block /= blocks;
    fault->thread[axis] = (apg_u32)(rank % threads); rank /= threads;
  }
  fault->file = found.file; fault->line = found.line; fault->index = found.index; fault->length = found.length;
}
template <bool proven> static inline apg_i64 apg_index(apg_i64 i, apg_i64 n, const void *data, apg_u32 file, apg_u32 line, apg_i64 block, apg_i64 rank) {
  if (!proven && APG_UNLIKELY((apg_u64)i >= (apg_u64)n)) apg_fail(data ? 1 : 2, file, line, i, n, block, rank);
  return i;
}
#ifndef APG_NO_RUNTIME
/* A call of the block's slot: its activity waits for it. */
static inline apg_i64 apg_slot_message(const apg_slot_request &request) { return apg_slot_kernel_call(&request); }
#endif
/* An element loaded ahead of its use; out of bounds it is not read. */
template <class T> static inline T apg_ahead(const T *data, apg_i64 n, apg_i64 i) { return (apg_u64)i < (apg_u64)n ? data[i] : T{}; }
template <class T> static inline T &apg_at(apg_view<T> view, apg_i64 i, apg_u32 file, apg_u32 line, apg_i64 block, apg_i64 rank) {
  return view.data[apg_index<false>(i, view.length, view.data, file, line, block, rank)];
}
template <bool proven, class T> static inline T apg_divisor(T b, apg_u32 file, apg_u32 line, apg_i64 block, apg_i64 rank) {
  if (!proven && APG_UNLIKELY(b == 0)) apg_fail(3, file, line, 0, 0, block, rank);
  if (b == 0) __builtin_unreachable();
  return b;
}
/* Arithmetic of launch conditions; `bad` is set on 64-bit overflow. */
static inline apg_i64 apg_sum(apg_i64 a, apg_i64 b, bool &bad) { apg_i64 c; bad |= __builtin_add_overflow(a, b, &c); return c; }
static inline apg_i64 apg_difference(apg_i64 a, apg_i64 b, bool &bad) { apg_i64 c; bad |= __builtin_sub_overflow(a, b, &c); return c; }
static inline apg_i64 apg_product(apg_i64 a, apg_i64 b, bool &bad) { apg_i64 c; bad |= __builtin_mul_overflow(a, b, &c); return c; }
static inline apg_i64 apg_least(apg_i64 a, apg_i64 b, bool &) { return a < b ? a : b; }
static inline apg_i64 apg_most(apg_i64 a, apg_i64 b, bool &) { return a > b ? a : b; }
/* A divisor that is not positive fails a condition of its own. */
static inline apg_i64 apg_floor(apg_i64 a, apg_i64 b, bool &) { return b <= 0 ? 0 : a / b - (a % b < 0); }
static inline apg_i64 apg_ones(apg_i64 a, bool &bad) {
  if (a < 0 || a > 0x3fffffffffffffffLL) { bad = true; return 0; }
  return a == 0 ? 0 : (apg_i64)(~0ULL >> __builtin_clzll((unsigned long long)a));
}
/* Whether comparisons, whose sides alternate, hold for all threads of a block or of adjacent blocks. The
   sides are evaluated at the corners and must differ there by their coefficients: then nothing wraps in
   between. */
template <int axes, int sides, class F> static inline bool apg_whole(const apg_i64 (&extents)[axes], const apg_i64 (&factors)[sides][axes], const bool *strict, const F &sides_at) {
  apg_i64 first[sides], here[sides];
  bool whole = true;
  for (int corner = 0; corner < 1 << axes; ++corner) {
    apg_i64 t[axes];
    for (int axis = 0; axis < axes; ++axis) t[axis] = corner & 1 << axis ? extents[axis] - 1 : 0;
    sides_at(t, here);
    for (int s = 0; s < sides; ++s) {
      if (corner == 0) first[s] = here[s];
      apg_u64 steps = 0;
      for (int axis = 0; axis < axes; ++axis) steps += (apg_u64)factors[s][axis] * (apg_u64)t[axis];
      whole &= (apg_u64)here[s] - (apg_u64)first[s] == steps;
    }
    for (int s = 0; s < sides; s += 2) whole &= strict[s / 2] ? here[s] < here[s + 1] : here[s] <= here[s + 1];
  }
  return whole;
}
/* Number of adjacent blocks that pass as a whole, of `left` in a row; 0 if the first does not. Often the last
   one does not. */
template <class F> static inline apg_i64 apg_strip(apg_i64 left, const F &whole) {
  apg_i64 count = left < 64 ? left : 64;
  if (!whole(1)) return 0;
  if (count > 1 && !whole(count)) --count;
  while (count > 1 && !whole(count)) count /= 2;
  return count;
}
/* Bounds of the threads of a row below, up to, from or above an index, which may be any. */
static constexpr apg_i64 apg_below(apg_i64 end, apg_i64 at) { return at < end ? at : end; }
static constexpr apg_i64 apg_up_to(apg_i64 end, apg_i64 at) { return at < end ? at + 1 : end; }
static constexpr apg_i64 apg_from(apg_i64 begin, apg_i64 at) { return at > begin ? at : begin; }
static constexpr apg_i64 apg_above(apg_i64 begin, apg_i64 end, apg_i64 at) { return at < begin ? begin : at < end ? at + 1 : end; }
/* ---- kernels of programs without objects ---- */
/* Number of blocks or threads on one axis; a launch refuses -1, which stands for more than 2147483647. */
static inline apg_i32 apg_axis(apg_i64 n) { return n > 0x7fffffff ? -1 : n < 0 ? 0 : (apg_i32)n; }
/* Runs a kernel at a place and waits for it. What the program is linked with defines it. */
extern "C" void apg_run_kernel(apg_i64 place, const apg_kernel *kernel, const void *environment);
extern "C" void *malloc(unsigned long) noexcept;
extern "C" void free(void *) noexcept;
#endif
