/* Collective operations of warps and blocks, for kernels on CPUs. Only units of kernels include it. */
#ifndef APG_COLLECTIVES_H
#define APG_COLLECTIVES_H
/* Values of all lanes: each operand is a function of the thread's rank. Sums are added in the order of a
   device, and never contracted with a preceding product. */
template <class T, class V> struct apg_lane_values {
  T of[32];
  apg_i64 lanes;
  apg_lane_values(apg_i64 base, apg_i64 n, const V &value) : lanes(n - base < 32 ? n - base : 32) {
    for (apg_i64 i = 0; i < lanes; ++i) of[i] = value(base + i);
    asm volatile("" : : "r"(&of) : "memory");
  }
};
/* An operand that is in an array already. */
template <class T> struct apg_in_array {
  const T *of;
  T operator()(apg_i64 r) const { return of[r]; }
};
template <class T, class V, class F> static inline void apg_lanes(T *out, apg_i64 n, const V &value, const F &from) {
  for (apg_i64 base = 0; base < n; base += 32) {
    const apg_lane_values<T, V> all(base, n, value);
    for (apg_i64 i = 0; i < all.lanes; ++i) {
      const apg_i64 other = from(base + i, i);
      out[base + i] = all.of[other >= 0 && other < all.lanes ? other : i];
    }
  }
}
template <class T, class V, class B> static inline void apg_warp_shuffle(T *out, apg_i64 n, const V &value, const B &by) {
  apg_lanes(out, n, value, [&](apg_i64 r, apg_i64) { return by(r) & 31; });
}
template <class T, class V, class B> static inline void apg_warp_shuffle_up(T *out, apg_i64 n, const V &value, const B &by) {
  apg_lanes(out, n, value, [&](apg_i64 r, apg_i64 i) { const apg_i64 b = by(r); return b >= 0 && b <= i ? i - b : i; });
}
template <class T, class V, class B> static inline void apg_warp_shuffle_down(T *out, apg_i64 n, const V &value, const B &by) {
  apg_lanes(out, n, value, [&](apg_i64 r, apg_i64 i) { const apg_i64 b = by(r); return b >= 0 && b < 32 ? i + b : i; });
}
/* The same with a uniform distance: adjacent lanes stay adjacent, and a warp is read contiguously, once
   shifted and once not. */
template <class T, class V, class M> static inline void apg_shifted(T *__restrict__ out, apg_i64 n, const V &value, apg_i64 by, const M &moves) {
  const auto warp = [&](const apg_i64 base, const apg_i64 lanes) __attribute__((always_inline)) {
    #pragma GCC ivdep
    #pragma GCC unroll 1
    for (apg_i64 i = 0; i < lanes; ++i) {
      T all = value(base + i);
      if (moves(i, lanes)) all = value(base + i + by);
      out[base + i] = all;
    }
  };
  apg_i64 base = 0;
  for (; base + 32 <= n; base += 32) warp(base, 32);
  if (base < n) warp(base, n - base);
}
template <class T, class V> static inline void apg_warp_shuffle_up(T *out, apg_i64 n, const V &value, apg_i32 by) {
  const apg_i64 far = by > 0 && by < 32 ? by : 32;
  apg_shifted(out, n, value, -far, [far](apg_i64 i, apg_i64) { return i >= far; });
}
template <class T, class V> static inline void apg_warp_shuffle_down(T *out, apg_i64 n, const V &value, apg_i32 by) {
  const apg_i64 far = by > 0 && by < 32 ? by : 32;
  apg_shifted(out, n, value, far, [far](apg_i64 i, apg_i64 lanes) { return i + far < lanes; });
}
template <class T, class V, class B> static inline void apg_warp_shuffle_xor(T *out, apg_i64 n, const V &value, const B &by) {
  apg_lanes(out, n, value, [&](apg_i64 r, apg_i64 i) { return (i ^ by(r)) & 31; });
}
template <class T, class V> static inline void apg_warp_shuffle_xor(T *__restrict__ out, apg_i64 n, const V &value, apg_i32 by) {
  if (by <= 0 || by >= 32 || (by & (by - 1)) || n % 32) return apg_warp_shuffle_xor(out, n, value, [by](apg_i64) { return by; });
  const apg_i64 far = by;
  for (apg_i64 base = 0; base < n; base += 32) {
    #pragma GCC ivdep
    #pragma GCC unroll 1
    for (apg_i64 i = 0; i < 32; ++i) {
      T other;
      if (i & far) other = value(base + i - far); else other = value(base + i + far);
      out[base + i] = other;
    }
  }
}
/* The results of the first `lanes` lanes of a full warp, by distances from 1 to 31, powers of two in the
   second function. */
template <class T, class V> static inline void apg_first_of_warp_shuffle_down(T *__restrict__ out, apg_i64 lanes, const V &value, apg_i32 by) {
  #pragma GCC ivdep
  #pragma GCC unroll 1
  for (apg_i64 i = 0; i < lanes; ++i) {
    T other = value(i);
    if (i + by < 32) other = value(i + by);
    out[i] = other;
  }
}
template <class T, class V> static inline void apg_first_of_warp_shuffle_xor(T *__restrict__ out, apg_i64 lanes, const V &value, apg_i32 by) {
  #pragma GCC ivdep
  #pragma GCC unroll 1
  for (apg_i64 i = 0; i < lanes; ++i) {
    T other;
    if (i & by) other = value(i - by); else other = value(i + by);
    out[i] = other;
  }
}
template <class T, class V> static inline void apg_warp_shuffle(T *out, apg_i64 n, const V &value, apg_i32 from) {
  if (n % 32) return apg_warp_shuffle(out, n, value, [from](apg_i64) { return from; });
  for (apg_i64 base = 0; base < n; base += 32) {
    const T one = value(base + (from & 31));
    for (apg_i64 i = 0; i < 32; ++i) out[base + i] = one;
  }
}
#if defined(APG_ROW)
/* Shuffles of full warps in memory by a uniform distance, as permutations of vectors: no load depends on a
   store just before it. Lanes whose source is out of range keep their value. */
enum apg_move { apg_up, apg_down, apg_across };
template <apg_move way, int by, class T> static inline __attribute__((always_inline)) apg_row<T> apg_moved(const apg_row<T> *of, int row) {
  constexpr int side = apg_side<T>, rows = 32 / side, whole = by / side, rest = by % side;
  constexpr apg_lanes_of<T> up = apg_pick<T>([](int i) { return i + side - rest; }), first = apg_pick<T>([](int i) { return i < rest ? i : side + i - rest; });
  constexpr apg_lanes_of<T> down = apg_pick<T>([](int i) { return i + rest; }), last = apg_pick<T>([](int i) { return i + rest < side ? i + rest : side + i; });
  constexpr apg_lanes_of<T> across = apg_pick<T>([](int i) { return i ^ rest; });
  if (way == apg_across) return rest ? __builtin_shuffle(of[row ^ whole], across) : of[row ^ whole];
  const int from = way == apg_up ? row - whole : row + whole;
  if (from < 0 || from >= rows) return of[row];
  if (!rest) return of[from];
  if (way == apg_up) return from > 0 ? __builtin_shuffle(of[from - 1], of[from], up) : __builtin_shuffle(of[row], of[from], first);
  return from + 1 < rows ? __builtin_shuffle(of[from], of[from + 1], down) : __builtin_shuffle(of[from], of[row], last);
}
template <apg_move way, int by, class T> static inline __attribute__((always_inline)) void apg_move_warps(T *out, const T *of, apg_i64 n) {
  constexpr int side = apg_side<T>;
  for (apg_i64 base = 0; base < n; base += 32) {
    apg_row<T> rows[32 / side];
#pragma GCC unroll 16
    for (int row = 0; row < 32 / side; ++row) __builtin_memcpy(&rows[row], of + base + row * side, APG_ROW);
#pragma GCC unroll 16
    for (int row = 0; row < 32 / side; ++row) {
      const apg_row<T> now = apg_moved<way, by, T>(rows, row);
      __builtin_memcpy(out + base + row * side, &now, APG_ROW);
    }
  }
}
template <apg_move way, class T> static inline __attribute__((always_inline)) bool apg_move_by(T *out, const T *of, apg_i64 n, apg_i32 by) {
  switch (n % 32 ? 0 : by) {
    case 1: return apg_move_warps<way, 1>(out, of, n), true;
    case 2: return apg_move_warps<way, 2>(out, of, n), true;
    case 4: return apg_move_warps<way, 4>(out, of, n), true;
    case 8: return apg_move_warps<way, 8>(out, of, n), true;
    case 16: return apg_move_warps<way, 16>(out, of, n), true;
  }
  return false;
}
template <apg_move way, class T> __attribute__((noinline)) static bool apg_move_by_any(T *out, const T *of, apg_i64 n, apg_i32 by) { return apg_move_by<way>(out, of, n, by); }
#define APG_MOVE(name, way) template <class T> static inline void apg_warp_shuffle_##name(T *out, apg_i64 n, const apg_in_array<T> &value, apg_i32 by) { \
    if constexpr (apg_fills_rows<T>) \
      if (__builtin_constant_p(by) ? apg_move_by<way>(out, value.of, n, by) : apg_move_by_any<way>(out, value.of, n, by)) return; \
    apg_warp_shuffle_##name<T, apg_in_array<T>>(out, n, value, by); \
  }
APG_MOVE(up, apg_up) APG_MOVE(down, apg_down) APG_MOVE(xor, apg_across)
#endif
template <class T, class R, class V> static inline void apg_warp_ballot(R *out, apg_i64 n, const V &value) {
  for (apg_i64 base = 0; base < n; base += 32) {
    const apg_i64 end = n - base < 32 ? n : base + 32;
    apg_u32 bits = 0;
    for (apg_i64 i = base; i < end; ++i) bits |= (apg_u32)(value(i) ? 1 : 0) << (i - base);
    for (apg_i64 i = base; i < end; ++i) out[i] = (R)bits;
  }
}
template <class T, class V> static inline void apg_warp_any(bool *out, apg_i64 n, const V &value) {
  for (apg_i64 base = 0; base < n; base += 32) {
    const apg_lane_values<T, V> all(base, n, value);
    bool found = false;
    for (apg_i64 i = 0; i < all.lanes; ++i) found |= all.of[i];
    for (apg_i64 i = 0; i < all.lanes; ++i) out[base + i] = found;
  }
}
template <class T, class V> static inline void apg_warp_all(bool *out, apg_i64 n, const V &value) {
  apg_warp_any<T>(out, n, [&](apg_i64 r) { return !value(r); });
  for (apg_i64 i = 0; i < n; ++i) out[i] = !out[i];
}
struct apg_of_sum { template <class T> static T of(T a, T b) { return a + b; } };
struct apg_of_min { template <class T> static T of(T a, T b) { return b < a ? b : a; } };
struct apg_of_max { template <class T> static T of(T a, T b) { return b > a ? b : a; } };
struct apg_of_and { template <class T> static T of(T a, T b) { return a & b; } };
struct apg_of_or { template <class T> static T of(T a, T b) { return a | b; } };
struct apg_of_xor { template <class T> static T of(T a, T b) { return a ^ b; } };
/* Tree reduction of a warp in the order of a device: the first 16 lanes with the other 16, then 8 with 8, and
   so on. */
template <class Op, class T> __attribute__((noinline)) static T apg_tree(const T *values, apg_i64 count) {
  T of[32];
  for (apg_i64 i = 0; i < count; ++i) of[i] = values[i];
  for (apg_i64 by = 16; by > 0; by /= 2)
    #pragma GCC unroll 1
    for (apg_i64 i = 0; i < by && i + by < count; ++i) of[i] = Op::of(of[i], of[i + by]);
  return of[0];
}
#if defined(APG_ROW)
/* The same for several warps at once, as many as a vector has lanes: after each step two vectors are packed
   into one. */
template <class Op, int width, int count, class T> static inline __attribute__((always_inline)) apg_row<T> apg_halve_rows(const apg_row<T> *of) {
  constexpr apg_lanes_of<T> low = apg_pick<T>([](int i) { return i / (width / 2) * width + i % (width / 2); });
  constexpr int pairs = count > 1 ? count / 2 : 1;
  apg_row<T> next[pairs];
#pragma GCC unroll 8
  for (int i = 0; i < pairs; ++i) {
    const apg_row<T> a = of[2 * i], b = of[count > 1 ? 2 * i + 1 : 0];
    next[i] = Op::of((apg_row<T>)__builtin_shuffle(a, b, low), (apg_row<T>)__builtin_shuffle(a, b, low + width / 2));
  }
  if constexpr (width > 2) return apg_halve_rows<Op, width / 2, pairs, T>(next);
  else return next[0];
}
template <class Op, int warps, class T> static inline __attribute__((always_inline)) apg_row<T> apg_halve(const T *of) {
  constexpr int side = apg_side<T>;
  apg_row<T> all[warps];
#pragma GCC unroll 16
  for (int warp = 0; warp < warps; ++warp) {
    apg_row<T> part[32 / side];
    __builtin_memcpy(part, of + warp * 32, sizeof part);
#pragma GCC unroll 4
    for (int by = 16 / side; by > 0; by /= 2)
#pragma GCC unroll 8
      for (int i = 0; i < by; ++i) part[i] = Op::of(part[i], part[i + by]);
    all[warp] = part[0];
  }
  return apg_halve_rows<Op, side, warps, T>(all);
}
/* Tree reduction of the first `count` lanes of a vector. */
template <class Op, int count, class T> static inline __attribute__((always_inline)) T apg_halve_row(apg_row<T> of) {
  if constexpr (count > 1) {
    constexpr apg_lanes_of<T> other = apg_pick<T>([](int i) { return (i + count / 2) % apg_side<T>; });
    return apg_halve_row<Op, count / 2, T>(Op::of(of, (apg_row<T>)__builtin_shuffle(of, other)));
  } else {
    return of[0];
  }
}
/* Tree reduction of a block of full warps. */
template <class Op, int warps, class T> static inline T apg_halve_block(const T *of) {
  constexpr int side = apg_side<T>, group = warps < side ? warps : side, rows = warps / group;
  apg_row<T> sums[rows];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) sums[i] = apg_halve<Op, group>(of + i * group * 32);
#pragma GCC unroll 4
  for (int by = rows / 2; by > 0; by /= 2)
#pragma GCC unroll 8
    for (int i = 0; i < by; ++i) sums[i] = Op::of(sums[i], sums[i + by]);
  return apg_halve_row<Op, group, T>(sums[0]);
}
#endif
/* Tree reduction of a block of up to 32 warps. If their number is unknown, one instance per type is compiled.
   */
template <class Op, class T> static inline __attribute__((always_inline)) T apg_block_tree(const T *of, apg_i64 count) {
#if defined(APG_ROW)
  switch (count) {
    case 32: return apg_halve_block<Op, 1>(of);
    case 64: return apg_halve_block<Op, 2>(of);
    case 128: return apg_halve_block<Op, 4>(of);
    case 256: return apg_halve_block<Op, 8>(of);
    case 512: return apg_halve_block<Op, 16>(of);
    case 1024: return apg_halve_block<Op, 32>(of);
  }
#endif
  T parts[32];
  apg_i64 warps = 0;
  for (apg_i64 base = 0; base < count; base += 32) parts[warps++] = apg_tree<Op>(of + base, count - base < 32 ? count - base : 32);
  return apg_tree<Op>(parts, warps);
}
template <class Op, class T> __attribute__((noinline)) static T apg_any_block_tree(const T *of, apg_i64 count) { return apg_block_tree<Op>(of, count); }
template <class T> static inline void apg_fill_warp(T *out, apg_i64 lanes, T value) {
  for (apg_i64 i = 0; i < lanes; ++i) out[i] = value;
}
/* Reduces each warp; all of its lanes get the result. */
template <class Op, class T> __attribute__((noinline)) static void apg_warp_trees(T *out, const T *of, apg_i64 count) {
  apg_i64 base = 0;
#if defined(APG_ROW)
  constexpr int group = apg_side<T> < 8 ? apg_side<T> : 8;
  for (; base + group * 32 <= count; base += group * 32) {
    const apg_row<T> sums = apg_halve<Op, group>(of + base);
    for (int warp = 0; warp < group; ++warp) apg_fill_warp(out + base + warp * 32, 32, sums[warp]);
  }
  for (; base + 32 <= count; base += 32) apg_fill_warp(out + base, 32, apg_halve<Op, 1>(of + base)[0]);
#endif
  for (; base < count; base += 32) {
    const apg_i64 lanes = count - base < 32 ? count - base : 32;
    apg_fill_warp(out + base, lanes, apg_tree<Op>(of + base, lanes));
  }
}
/* Values of up to 1024 threads, in memory. */
template <class T, class V> struct apg_block_values {
  alignas(64) T of[1024];
  apg_i64 count;
  __attribute__((always_inline)) apg_block_values(apg_i64 first, apg_i64 n, const V &value) : count(n - first < 1024 ? n - first : 1024) {
    #pragma GCC unroll 1
    for (apg_i64 i = 0; i < count; ++i) of[i] = value(first + i);
    asm volatile("" : : "r"(&of) : "memory");
  }
};
template <class T> struct apg_block_values<T, apg_in_array<T>> {
  const T *of;
  apg_i64 count;
  __attribute__((always_inline)) apg_block_values(apg_i64 first, apg_i64 n, const apg_in_array<T> &value) : of(value.of + first), count(n - first < 1024 ? n - first : 1024) {
    asm volatile("" : : "r"(of) : "memory");
  }
};
template <class Op, class T, class V> static inline void apg_warp_reduce(T *out, apg_i64 n, const V &value) {
  for (apg_i64 first = 0; first < n; first += 1024) {
    apg_block_values<T, V> all(first, n, value);
    apg_warp_trees<Op, T>(out + first, all.of, all.count);
  }
}
/* CPUs accept blocks of more than 1024 threads: 1024 at a time. */
template <class Op, class T, class V> static inline T apg_block_reduce(apg_i64 n, const V &value) {
  T result = {};
  for (apg_i64 first = 0; first < n; first += 1024) {
    apg_block_values<T, V> all(first, n, value);
    const T found = __builtin_constant_p(n) ? apg_block_tree<Op, T>(all.of, all.count) : apg_any_block_tree<Op, T>(all.of, all.count);
    result = first > 0 ? Op::of(result, found) : found;
  }
  return result;
}
/* Prefix sums of a warp in the order of a device (Hillis and Steele): with distance 1, 2, 4, and so on. */
#if defined(APG_ROW)
template <class T, int by = 1> static inline __attribute__((always_inline)) void apg_scan_rows(apg_row<T> *of) {
  constexpr int side = apg_side<T>;
  constexpr apg_lanes_of<T> from = apg_pick<T>([](int i) { return i + side - by % side; }), number = apg_pick<T>([](int i) { return i; });
#pragma GCC unroll 16
  for (int row = 32 / side - 1; row >= by / side; --row) {
    if (by >= side) {
      of[row] = of[row - by / side] + of[row];
    } else {
      const apg_row<T> sum = (apg_row<T>)__builtin_shuffle(of[row > 0 ? row - 1 : 0], of[row], from) + of[row];
      of[row] = row > 0 ? sum : number < by ? of[row] : sum;
    }
  }
  if constexpr (by < 16) apg_scan_rows<T, 2 * by>(of);
}
#endif
template <class T> static inline void apg_scan(T *of, apg_i64 count) {
  for (apg_i64 by = 1; by < 32; by *= 2)
    for (apg_i64 i = count - 1; i >= by; --i) of[i] = of[i - by] + of[i];
}
/* Prefix sums of each warp, and its last one. */
template <bool inclusive, class T> __attribute__((noinline)) static void apg_scan_warps(T *out, const T *of, apg_i64 count, T *last) {
  apg_i64 base = 0;
#if defined(APG_ROW)
  constexpr int side = apg_side<T>;
  constexpr apg_lanes_of<T> before = apg_pick<T>([](int i) { return i + side - 1; });
  for (; base + 32 <= count; base += 32) {
    apg_row<T> rows[32 / side];
#pragma GCC unroll 16
    for (int row = 0; row < 32 / side; ++row) __builtin_memcpy(&rows[row], of + base + row * side, APG_ROW);
    apg_scan_rows<T>(rows);
    if (last) last[base / 32] = rows[32 / side - 1][side - 1];
#pragma GCC unroll 16
    for (int row = 32 / side - 1; row >= 0; --row) {
      const apg_row<T> now = inclusive ? rows[row] : __builtin_shuffle(row > 0 ? rows[row - 1] : apg_row<T>{}, rows[row], before);
      __builtin_memcpy(out + base + row * side, &now, APG_ROW);
    }
  }
#endif
  for (; base < count; base += 32) {
    const apg_i64 lanes = count - base < 32 ? count - base : 32;
    T sums[33] = {};
    for (apg_i64 i = 0; i < lanes; ++i) sums[i + 1] = of[base + i];
    apg_scan(sums + 1, lanes);
    if (last) last[base / 32] = sums[lanes];
    for (apg_i64 i = 0; i < lanes; ++i) out[base + i] = sums[inclusive ? i + 1 : i];
  }
}
/* Adds the sums of preceding warps to the prefix sums of each warp. `last` becomes the sums up to each warp.
   */
template <bool inclusive, class T> __attribute__((noinline)) static void apg_scan_block(T *out, const T *of, apg_i64 count, T *last) {
  apg_scan_warps<inclusive>(out, of, count, last);
  T warps[32];
  for (int i = 0; i < 32; ++i) warps[i] = last[i];
  apg_scan_warps<true, T>(last, warps, 32, nullptr);
  for (apg_i64 base = 32; base < count; base += 32) {
    const apg_i64 lanes = count - base < 32 ? count - base : 32;
    const T before = last[base / 32 - 1];
    for (apg_i64 i = 0; i < lanes; ++i) out[base + i] = before + out[base + i];
    if (!inclusive) out[base] = before;
  }
}
template <bool inclusive, class T, class V> static inline void apg_warp_scan(T *out, apg_i64 n, const V &value) {
  for (apg_i64 first = 0; first < n; first += 1024) {
    apg_block_values<T, V> all(first, n, value);
    apg_scan_warps<inclusive, T>(out + first, all.of, all.count, nullptr);
  }
}
template <bool inclusive, class T, class V> static inline void apg_block_scan(T *out, apg_i64 n, const V &value) {
  T carried = {};
  for (apg_i64 first = 0; first < n; first += 1024) {
    T parts[32] = {};
    apg_block_values<T, V> all(first, n, value);
    apg_scan_block<inclusive, T>(out + first, all.of, all.count, parts);
    if (first > 0) for (apg_i64 i = 0; i < all.count; ++i) out[first + i] = carried + out[first + i];
    carried = carried + parts[31];
  }
}
template <class T, class V> static inline void apg_warp_inclusive(T *out, apg_i64 n, const V &value) { apg_warp_scan<true>(out, n, value); }
template <class T, class V> static inline void apg_warp_exclusive(T *out, apg_i64 n, const V &value) { apg_warp_scan<false>(out, n, value); }
template <class T, class V> static inline void apg_block_inclusive(T *out, apg_i64 n, const V &value) { apg_block_scan<true>(out, n, value); }
template <class T, class V> static inline void apg_block_exclusive(T *out, apg_i64 n, const V &value) { apg_block_scan<false>(out, n, value); }
template <class T, class V> static inline apg_i32 apg_block_count(apg_i64 n, const V &value) {
  apg_i32 all = 0;
  for (apg_i64 r = 0; r < n; ++r) all += value(r) ? 1 : 0;
  return all;
}
template <class T, class V> static inline bool apg_block_any(apg_i64 n, const V &value) { return apg_block_count<T>(n, value) > 0; }
template <class T, class V> static inline bool apg_block_all(apg_i64 n, const V &value) { return apg_block_count<T>(n, value) == n; }
#define APG_REDUCTION(name) \
  template <class T, class V> static inline void apg_warp_##name(T *out, apg_i64 n, const V &value) { apg_warp_reduce<apg_of_##name>(out, n, value); } \
  template <class T, class V> static inline T apg_block_##name(apg_i64 n, const V &value) { return apg_block_reduce<apg_of_##name, T>(n, value); }
APG_REDUCTION(sum) APG_REDUCTION(min) APG_REDUCTION(max) APG_REDUCTION(and) APG_REDUCTION(or) APG_REDUCTION(xor)
#endif
