/* Arithmetic and types of memory: what code needs that uses no objects. */
#ifndef APG_CORE_H
#define APG_CORE_H
/* As in apg.h. */
typedef __INT8_TYPE__ apg_i8; typedef __INT16_TYPE__ apg_i16; typedef __INT32_TYPE__ apg_i32; typedef __INT64_TYPE__ apg_i64;
typedef __UINT8_TYPE__ apg_u8; typedef __UINT16_TYPE__ apg_u16; typedef __UINT32_TYPE__ apg_u32; typedef __UINT64_TYPE__ apg_u64;
typedef unsigned apg_char;
/* If one operand is NaN, the other one, as C's fmin and fmax; such loops are vectorised. */
template <class T> static inline T apg_min(T a, T b) { T r = a < b ? a : b; return b == b ? r : a; }
template <class T> static inline T apg_max(T a, T b) { T r = a > b ? a : b; return b == b ? r : a; }
template <class T> static inline T apg_abs(T a) { return a < 0 ? (T)(0 - a) : a; }
template <class T, class F> static inline T apg_bits(F a) { static_assert(sizeof(T) == sizeof(F)); T b; __builtin_memcpy(&b, &a, sizeof b); return b; }
template <class T> static inline T apg_nan() { return (T)__builtin_nan(""); }
template <class T> static inline T apg_infinity() { return (T)__builtin_inf(); }
/* Types of memory without declarators. */
template <class T> using apg_pointer = T *;
template <class T, unsigned long long N> using apg_array = T[N];
template <class F> using apg_code = F;
#define APG_TEXT_OF(x) #x
#define APG_TEXT(x) APG_TEXT_OF(x)
#define APG_SYMBOL APG_TEXT(__USER_LABEL_PREFIX__)
/* Sums, differences and products that end the program where they overflow. */
template <class T> static inline T apg_add_trapping(T a, T b) { T r; if (__builtin_add_overflow(a, b, &r)) __builtin_trap(); return r; }
template <class T> static inline T apg_sub_trapping(T a, T b) { T r; if (__builtin_sub_overflow(a, b, &r)) __builtin_trap(); return r; }
template <class T> static inline T apg_mul_trapping(T a, T b) { T r; if (__builtin_mul_overflow(a, b, &r)) __builtin_trap(); return r; }
/* Truncates towards zero and saturates; NaN becomes 0. */
template <class T, class F> static inline T apg_truncate(F a) {
  constexpr bool is_signed = (T)-1 < 0;
  constexpr T largest = is_signed ? (T)(~(apg_u64)0 >> (65 - 8 * sizeof(T))) : (T)-1;
  constexpr T smallest = is_signed ? (T)(-largest - 1) : 0;
  /* The bounds are powers of two and so exact in every floating type. */
  constexpr F end = is_signed ? -(F)smallest : (F)(largest / 2 + 1) * 2;
  if (!(a == a)) return 0;
  if (a >= end) return largest;
  if (a < (F)smallest) return smallest;
  return (T)a;
}

/* ---- mathematics ---- */
#if defined(APG_VECTOR_MATH)
#define APG_SIMD __attribute__((simd("notinbranch")))
#else
#define APG_SIMD
#endif
#define APG_MATH1(name, attributes) extern "C" attributes __attribute__((const)) double name(double) noexcept; \
  extern "C" attributes __attribute__((const)) float name##f(float) noexcept;
#define APG_MATH2(name, attributes) extern "C" attributes __attribute__((const)) double name(double, double) noexcept; \
  extern "C" attributes __attribute__((const)) float name##f(float, float) noexcept;
APG_MATH1(exp, APG_SIMD) APG_MATH1(log, APG_SIMD) APG_MATH1(sin, APG_SIMD) APG_MATH1(cos, APG_SIMD) APG_MATH2(pow, APG_SIMD)
APG_MATH1(tan, ) APG_MATH1(asin, ) APG_MATH1(acos, ) APG_MATH1(atan, ) APG_MATH1(sinh, ) APG_MATH1(cosh, ) APG_MATH1(tanh, )
APG_MATH1(cbrt, ) APG_MATH1(log10, ) APG_MATH1(expm1, ) APG_MATH1(log1p, ) APG_MATH1(erf, ) APG_MATH1(erfc, ) APG_MATH2(atan2, ) APG_MATH2(hypot, ) APG_MATH2(fmod, )

#endif
