/* What generated device code uses. NVRTC finds no header, so this stands in front of every kernel. */
/* What only reads promises that nothing else writes there; not in code for launches whose global rails overlap. */
#ifdef APG_OVERLAP
#define APG_APART
#else
#define APG_APART __restrict__
#endif
typedef signed char apg_i8; typedef short apg_i16; typedef int apg_i32; typedef long long apg_i64;
typedef unsigned char apg_u8; typedef unsigned short apg_u16; typedef unsigned apg_u32; typedef unsigned long long apg_u64;
typedef unsigned apg_char;
/* The first check that fails leaves a record for the host; its thread ends, the others go on. */
struct apg_fault { apg_u32 kind, block[3], thread[3], file, line, ended; apg_i64 index, length; };
struct apg_launch_shared { apg_u32 offset[16]; apg_i32 length[16]; apg_fault *fault; };
/* Accesses that the host has found to be inside their rails are not checked. */
#ifdef APG_PROVEN
static constexpr bool proven_ = true;
#else
static constexpr bool proven_ = false;
#endif
static __device__ __noinline__ void apg_fail(apg_fault *fault, apg_u32 kind, apg_u32 file, apg_u32 line, apg_i64 index, apg_i64 length) {
  if (atomicCAS(&fault->kind, 0u, kind) == 0u) {
    fault->block[0] = blockIdx.x; fault->block[1] = blockIdx.y; fault->block[2] = blockIdx.z;
    fault->thread[0] = threadIdx.x; fault->thread[1] = threadIdx.y; fault->thread[2] = threadIdx.z;
    fault->file = file; fault->line = line; fault->index = index; fault->length = length;
  }
  asm volatile("exit;");
}
template <bool proven> static __device__ __forceinline__ apg_i64 apg_index(apg_i64 i, apg_i64 n, const void *data, apg_u32 file, apg_u32 line, apg_fault *fault) {
  if (!proven && (apg_u64)i >= (apg_u64)n) { apg_fail(fault, data ? 1 : 2, file, line, i, n); __builtin_unreachable(); }
  return i;
}
template <bool proven> static __device__ __forceinline__ apg_i64 apg_index(apg_i32 i, apg_i64 n, const void *data, apg_u32 file, apg_u32 line, apg_fault *fault) {
  if (!proven && (apg_u32)i >= (apg_u32)(n < 0x80000000LL ? n : 0x80000000LL)) { apg_fail(fault, data ? 1 : 2, file, line, i, n); __builtin_unreachable(); }
  return i;
}
template <class T> static __device__ __forceinline__ T apg_divisor(T b, apg_u32 file, apg_u32 line, apg_fault *fault) {
  if (b == 0) { apg_fail(fault, 3, file, line, 0, 0); __builtin_unreachable(); }
  return b;
}
template <class T> struct apg_view { T *data; apg_i64 length; };
template <class T> static __device__ __forceinline__ T &apg_at(apg_view<T> view, apg_i64 i, apg_u32 file, apg_u32 line, apg_fault *fault) {
  return view.data[apg_index<false>(i, view.length, view.data, file, line, fault)];
}
struct apg_global_rail { apg_i64 size, home, handle; };
/* Unchecked, a division by zero gives all bits set, as the device's instructions do. */
template <class T> static __device__ __forceinline__ T apg_div(T a, T b) { return b == 0 ? (T)-1 : (T)-1 < 0 && b == (T)-1 ? (T)(0 - (apg_u64)a) : (T)(a / b); }
template <class T> static __device__ __forceinline__ T apg_rem(T a, T b) { return b == 0 ? a : (T)-1 < 0 && b == (T)-1 ? (T)0 : (T)(a % b); }
template <class T> static __device__ __forceinline__ T apg_min(T a, T b) { return a < b ? a : b; }
template <class T> static __device__ __forceinline__ T apg_max(T a, T b) { return a > b ? a : b; }
template <class T> static __device__ __forceinline__ T apg_abs(T a) { return a < 0 ? (T)(0 - (apg_u64)a) : a; }
template <class T, class F> static __device__ __forceinline__ T apg_bits(F a) { union { F from; T to; } u; u.from = a; return u.to; }
template <class T> __device__ __forceinline__ T apg_nan();
template <> __device__ __forceinline__ float apg_nan<float>() { return __int_as_float(0x7fc00000); }
template <> __device__ __forceinline__ double apg_nan<double>() { return __longlong_as_double(0x7ff8000000000000LL); }
template <class T> __device__ __forceinline__ T apg_infinity();
template <> __device__ __forceinline__ float apg_infinity<float>() { return __int_as_float(0x7f800000); }
template <> __device__ __forceinline__ double apg_infinity<double>() { return __longlong_as_double(0x7ff0000000000000LL); }
/* Atomic operations: the device's own where it has them, else by compare and swap of the bits. */
template <int size> struct apg_word; template <> struct apg_word<4> { typedef unsigned type; }; template <> struct apg_word<8> { typedef unsigned long long type; };
template <class T> static __device__ __forceinline__ T apg_atomic_exchange(T *p, T v) {
  typedef typename apg_word<sizeof(T)>::type word;
  return apg_bits<T>(atomicExch((word *)p, apg_bits<word>(v)));
}
template <class T> static __device__ __forceinline__ T apg_atomic_compare(T *p, T expected, T v) {
  typedef typename apg_word<sizeof(T)>::type word;
  return apg_bits<T>(atomicCAS((word *)p, apg_bits<word>(expected), apg_bits<word>(v)));
}
template <class T> static __device__ __forceinline__ T apg_atomic_add(T *p, T v) {
  typedef typename apg_word<sizeof(T)>::type word;
  return apg_bits<T>(atomicAdd((word *)p, apg_bits<word>(v)));
}
template <> __device__ __forceinline__ float apg_atomic_add<float>(float *p, float v) { return atomicAdd(p, v); }
template <> __device__ __forceinline__ double apg_atomic_add<double>(double *p, double v) { return atomicAdd(p, v); }
template <class T> static __device__ __forceinline__ T apg_atomic_and(T *p, T v) { typedef typename apg_word<sizeof(T)>::type word; return (T)atomicAnd((word *)p, (word)v); }
template <class T> static __device__ __forceinline__ T apg_atomic_or(T *p, T v) { typedef typename apg_word<sizeof(T)>::type word; return (T)atomicOr((word *)p, (word)v); }
template <class T> static __device__ __forceinline__ T apg_atomic_xor(T *p, T v) { typedef typename apg_word<sizeof(T)>::type word; return (T)atomicXor((word *)p, (word)v); }
template <class T> static __device__ __forceinline__ T apg_atomic_min(T *p, T v) { return atomicMin(p, v); }
template <class T> static __device__ __forceinline__ T apg_atomic_max(T *p, T v) { return atomicMax(p, v); }
template <class T> static __device__ T apg_atomic_extreme(T *p, T v, bool least) {
  T old = *(volatile T *)p;
  while (least ? v < old : v > old) {
    T seen = apg_atomic_compare<T>(p, old, v);
    if (apg_bits<typename apg_word<sizeof(T)>::type>(seen) == apg_bits<typename apg_word<sizeof(T)>::type>(old)) break;
    old = seen;
  }
  return old;
}
template <> __device__ __forceinline__ float apg_atomic_min<float>(float *p, float v) { return apg_atomic_extreme(p, v, true); }
template <> __device__ __forceinline__ float apg_atomic_max<float>(float *p, float v) { return apg_atomic_extreme(p, v, false); }
template <> __device__ __forceinline__ double apg_atomic_min<double>(double *p, double v) { return apg_atomic_extreme(p, v, true); }
template <> __device__ __forceinline__ double apg_atomic_max<double>(double *p, double v) { return apg_atomic_extreme(p, v, false); }
/* The device's conversions truncate and saturate; only not-a-number to 64 bits differs. */
template <class T> struct apg_conversion {
  template <class F> static __device__ __forceinline__ T of(F a) {
    constexpr bool is_signed = (T)-1 < 0;
    constexpr apg_i32 largest = is_signed ? (1 << (8 * sizeof(T) - 1)) - 1 : (T)-1;
    constexpr apg_i32 smallest = is_signed ? -largest - 1 : 0;
    apg_i32 whole = apg_conversion<apg_i32>::of(a);
    return (T)(whole > largest ? largest : whole < smallest ? smallest : whole);
  }
};
template <> struct apg_conversion<apg_i32> {
  static __device__ __forceinline__ apg_i32 of(float a) { return __float2int_rz(a); }
  static __device__ __forceinline__ apg_i32 of(double a) { return a == a ? __double2int_rz(a) : 0; }
};
template <> struct apg_conversion<apg_u32> {
  static __device__ __forceinline__ apg_u32 of(float a) { return __float2uint_rz(a); }
  static __device__ __forceinline__ apg_u32 of(double a) { return a == a ? __double2uint_rz(a) : 0; }
};
template <> struct apg_conversion<apg_i64> {
  static __device__ __forceinline__ apg_i64 of(float a) { return a == a ? __float2ll_rz(a) : 0; }
  static __device__ __forceinline__ apg_i64 of(double a) { return a == a ? __double2ll_rz(a) : 0; }
};
template <> struct apg_conversion<apg_u64> {
  static __device__ __forceinline__ apg_u64 of(float a) { return a == a ? __float2ull_rz(a) : 0; }
  static __device__ __forceinline__ apg_u64 of(double a) { return a == a ? __double2ull_rz(a) : 0; }
};
template <class T, class F> static __device__ __forceinline__ T apg_truncate(F a) { return apg_conversion<T>::of(a); }
