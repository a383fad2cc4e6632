/* Support of generated device code. NVRTC finds no headers, so it precedes the source of every kernel. */
/* Promise that nothing else writes the memory that a pointer reads; absent in code for launches whose global
   rails overlap. */
#ifdef APG_OVERLAP
#define APG_APART
#else
#define APG_APART __restrict__
#endif
typedef signed char apg_i8; typedef short apg_i16; typedef int apg_i32; typedef long long apg_i64;
typedef unsigned char apg_u8; typedef unsigned short apg_u16; typedef unsigned apg_u32; typedef unsigned long long apg_u64;
typedef unsigned apg_char;
/* Record of the first failing check for the host; its thread ends, the others continue. */
struct apg_fault { apg_u32 kind, block[3], thread[3], file, line, ended; apg_i64 index, length; };
struct apg_launch_shared { apg_u32 offset[16]; apg_i32 length[16]; apg_fault *fault; struct apg_mailbox *mailbox; };
/* Begin of the next rail in shared memory; the host computes the same. */
template <class T> static __device__ constexpr unsigned apg_shared_end(unsigned start, unsigned length) {
  return (start + length * (unsigned)sizeof(T) + 15u) & ~15u;
}
/* Accesses that the host has proven in bounds are not checked. */
#ifdef APG_PROVEN
static constexpr bool proven_ = true;
#else
static constexpr bool proven_ = false;
#endif
/* If not all launch conditions hold, accesses whose own conditions hold are not checked. */
#ifndef APG_HELD
#define APG_HELD 0u
#endif
template <unsigned conditions> static constexpr bool held_ = proven_ || (conditions & ~APG_HELD) == 0;
/* Values that the host has proven to fit 32 bits are computed with 32. */
#ifdef APG_NARROW
static constexpr bool narrow_ = true;
typedef apg_i32 apg_narrow;
#else
static constexpr bool narrow_ = false;
typedef apg_i64 apg_narrow;
#endif
/* With few threads, software-pipelined loops load ahead what nothing writes meanwhile. */
#if defined(APG_PIPELINED) && !defined(APG_OVERLAP)
static constexpr bool pipelined_ = true;
#else
static constexpr bool pipelined_ = false;
#endif
#ifdef APG_CONSTANT
/* A launch may run a part of the grid. */
extern "C" { __constant__ __align__(256) unsigned char apg_constants[65536]; }
#endif
static __device__ __noinline__ void apg_fail(apg_fault *fault, apg_u32 kind, apg_u32 file, apg_u32 line, apg_i64 index, apg_i64 length) {
  if (atomicCAS(&fault->kind, 0u, kind) == 0u) {
    fault->block[0] = blockIdx.x; fault->block[1] = blockIdx.y; fault->block[2] = blockIdx.z;
    fault->thread[0] = threadIdx.x; fault->thread[1] = threadIdx.y; fault->thread[2] = threadIdx.z;
    fault->file = file; fault->line = line; fault->index = index; fault->length = length;
  }
  asm volatile("exit;");
}
/* The thread ends, the others continue. */
static __device__ __noinline__ void apg_thread_end() { asm volatile("exit;"); }
/* Seconds of the clock of the device, which counts nanoseconds (PTX ISA, "%globaltimer"). */
static __device__ double apg_wall_time() {
  apg_u64 nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds) :: "memory");
  return (double)nanoseconds * 1e-9;
}
/* The stack of a thread, for functions that call themselves. It grows downwards in the thread's local memory, and begins at the
   same address of it in all threads of a launch: a kernel keeps that in memory of the block, where each thread writes it
   before it calls a function. The host writes the size when it loads the code. A quarter is left for calls outside of the
   recursion. The address of a local is that of the frame, and keeps the compiler from making a loop of the recursion. */
#ifdef APG_RECURSION
extern "C" { __device__ volatile unsigned apg_stack_bytes = 1024; }
static __device__ __forceinline__ volatile unsigned *apg_stack_top() { __shared__ volatile unsigned top; return &top; }
static __device__ __forceinline__ unsigned apg_stack_address() {
  volatile char here;
  here = 0;
  unsigned long long address;
  asm volatile("cvta.to.local.u64 %0, %1;" : "=l"(address) : "l"(&here) : "memory");
  return (unsigned)address;
}
static __device__ __forceinline__ void apg_stack_begin() { *apg_stack_top() = apg_stack_address(); }
static __device__ __forceinline__ bool apg_stack_is_full() {
  const unsigned bytes = apg_stack_bytes;
  return *apg_stack_top() - apg_stack_address() > bytes - bytes / 4;
}
#else
static __device__ bool apg_stack_is_full() { return false; }
#endif
template <bool proven> static __device__ __forceinline__ apg_i64 apg_index(apg_i64 i, apg_i64 n, const void *data, apg_u32 file, apg_u32 line, apg_fault *fault) {
  if (!proven && (apg_u64)i >= (apg_u64)n) { apg_fail(fault, data ? 1 : 2, file, line, i, n); __builtin_unreachable(); }
  return i;
}
template <bool proven> static __device__ __forceinline__ apg_i64 apg_index(apg_i32 i, apg_i64 n, const void *data, apg_u32 file, apg_u32 line, apg_fault *fault) {
  if (!proven && (apg_u32)i >= (apg_u32)(n < 0x80000000LL ? n : 0x80000000LL)) { apg_fail(fault, data ? 1 : 2, file, line, i, n); __builtin_unreachable(); }
  return i;
}
template <bool proven, class T> static __device__ __forceinline__ T apg_divisor(T b, apg_u32 file, apg_u32 line, apg_fault *fault) {
  if (!proven && b == 0) { apg_fail(fault, 3, file, line, 0, 0); __builtin_unreachable(); }
  if (b == 0) __builtin_unreachable();
  return b;
}
template <class T> struct apg_view { T *data; apg_i64 length; };
template <class T> static __device__ __forceinline__ T &apg_at(apg_view<T> view, apg_i64 i, apg_u32 file, apg_u32 line, apg_fault *fault) {
  return view.data[apg_index<false>(i, view.length, view.data, file, line, fault)];
}
struct apg_global_rail { apg_i64 size, home, handle; };
/* Without checks, a division by zero gives all bits set, as the device's instructions do. */
template <class T> static __device__ __forceinline__ T apg_div(T a, T b) { return b == 0 ? (T)-1 : (T)(a / b); }
template <class T> static __device__ __forceinline__ T apg_rem(T a, T b) { return b == 0 ? a : (T)(a % b); }
/* The minimum divided by -1 is itself, which C++ leaves undefined. Signed division is done on magnitudes, as
   the device does. */
#define APG_SIGNED(T, U) \
  static __device__ __forceinline__ U apg_size(T a) { return a < 0 ? (U)0 - (U)a : (U)a; } \
  template <> __device__ __forceinline__ T apg_div<T>(T a, T b) { \
    if (b == 0) return -1; \
    U size = apg_size(a) / apg_size(b); \
    return (T)((a < 0) != (b < 0) ? (U)0 - size : size); \
  } \
  template <> __device__ __forceinline__ T apg_rem<T>(T a, T b) { \
    if (b == 0) return a; \
    U size = apg_size(a) % apg_size(b); \
    return (T)(a < 0 ? (U)0 - size : size); \
  }
APG_SIGNED(apg_i32, apg_u32)
APG_SIGNED(apg_i64, apg_u64)
#undef APG_SIGNED
template <class T> static __device__ __forceinline__ T apg_min(T a, T b) { return a < b ? a : b; }
template <class T> static __device__ __forceinline__ T apg_max(T a, T b) { return a > b ? a : b; }
template <> __device__ __forceinline__ float apg_min<float>(float a, float b) { return fminf(a, b); }
template <> __device__ __forceinline__ float apg_max<float>(float a, float b) { return fmaxf(a, b); }
template <> __device__ __forceinline__ double apg_min<double>(double a, double b) { return fmin(a, b); }
template <> __device__ __forceinline__ double apg_max<double>(double a, double b) { return fmax(a, b); }
template <class T> static __device__ __forceinline__ T apg_abs(T a) { return a < 0 ? (T)(0 - (apg_u64)a) : a; }
template <class T, class F> static __device__ __forceinline__ T apg_bits(F a) { union { F from; T to; } u; u.from = a; return u.to; }
template <class T> __device__ __forceinline__ T apg_nan();
template <> __device__ __forceinline__ float apg_nan<float>() { return __int_as_float(0x7fc00000); }
template <> __device__ __forceinline__ double apg_nan<double>() { return __longlong_as_double(0x7ff8000000000000LL); }
template <class T> __device__ __forceinline__ T apg_infinity();
template <> __device__ __forceinline__ float apg_infinity<float>() { return __int_as_float(0x7f800000); }
template <> __device__ __forceinline__ double apg_infinity<double>() { return __longlong_as_double(0x7ff0000000000000LL); }
/* Atomic operations: native ones where they exist, otherwise compare-and-swap of the bits. */
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
/* The device's conversions truncate and saturate; only NaN to 64 bits differs. */
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
/* Types of memory without declarators. */
template <class T> using apg_pointer = T *;
template <class T, unsigned long long N> using apg_array = T[N];
template <class F> using apg_code = F;
/* Sums, differences and products that end the program where they overflow. */
template <class T> static __device__ __forceinline__ T apg_add_trapping(T a, T b) {
  T sum = (T)((apg_u64)a + (apg_u64)b);
  if (T(-1) < T(0) ? ((a ^ sum) & (b ^ sum)) < 0 : sum < a) __trap();
  return sum;
}
template <class T> static __device__ __forceinline__ T apg_sub_trapping(T a, T b) {
  T difference = (T)((apg_u64)a - (apg_u64)b);
  if (T(-1) < T(0) ? ((a ^ b) & (a ^ difference)) < 0 : a < b) __trap();
  return difference;
}
template <class T> static __device__ __forceinline__ T apg_mul_trapping(T a, T b) {
  T product = (T)((apg_u64)a * (apg_u64)b);
  bool least = T(-1) < T(0) && a == T(-1) && b == product && b != 0;
  if (least || a != 0 && !(T(-1) < T(0) && a == T(-1)) && product / a != b) __trap();
  return product;
}
template <class T, class F> static __device__ __forceinline__ T apg_truncate(F a) { return apg_conversion<T>::of(a); }
/* ---- fewer exact digits ---- */
static __device__ __forceinline__ float apg_fast_div(float a, float b) { float r; asm("div.full.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
static __device__ __forceinline__ float apg_fast_sqrt(float a) { float r; asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(a)); return r; }
static __device__ __forceinline__ float apg_fast_rsqrt(float a) { float r; asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(a)); return r; }
static __device__ __forceinline__ float apg_fast_exp(float a) { return __expf(a); }
static __device__ __forceinline__ float apg_fast_log(float a) { return __logf(a); }
static __device__ __forceinline__ float apg_fast_log10(float a) { return __log10f(a); }
static __device__ __forceinline__ float apg_fast_pow(float a, float b) { return __powf(a, b); }
static __device__ __forceinline__ float apg_fast_sin(float a) { return __sinf(a); }
static __device__ __forceinline__ float apg_fast_cos(float a) { return __cosf(a); }
static __device__ __forceinline__ float apg_fast_tan(float a) { return __tanf(a); }
/* ---- textures ---- */
template <class T> static __device__ __forceinline__ T apg_texture_at(apg_i64 object, float x) { return tex1D<T>((apg_u64)object, x); }
template <class T> static __device__ __forceinline__ T apg_texture_at(apg_i64 object, float x, float y) { return tex2D<T>((apg_u64)object, x, y); }
template <class T> static __device__ __forceinline__ T apg_texture_at(apg_i64 object, float x, float y, float z) { return tex3D<T>((apg_u64)object, x, y, z); }
/* ---- collective operations of warps and blocks ---- */
static __device__ __forceinline__ unsigned apg_block_size() { return blockDim.x * blockDim.y * blockDim.z; }
static __device__ __forceinline__ unsigned apg_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
/* Number of lanes of this thread's warp. */
static __device__ __forceinline__ unsigned apg_lanes(unsigned size) {
  if ((size & 31u) == 0) return 32u;
  const unsigned left = size - (apg_rank() & ~31u);
  return left < 32u ? left : 32u;
}
static __device__ __forceinline__ unsigned apg_mask(unsigned lanes) { return lanes == 32u ? ~0u : (1u << lanes) - 1u; }
/* Shuffles each word of a value by an instruction of the warp. */
template <class T, class F> static __device__ __forceinline__ T apg_by_words(T v, const F &shuffle) {
  union { T value; unsigned words[(sizeof(T) + 3) / 4]; } mine = {}, theirs;
  mine.value = v;
  for (int i = 0; i < (int)((sizeof(T) + 3) / 4); ++i) theirs.words[i] = shuffle(mine.words[i]);
  return theirs.value;
}
/* Value of another active lane; the own value if that lane is not active. */
template <class T> static __device__ __forceinline__ T apg_from_lane(T v, int from, unsigned lanes) {
  const T other = apg_by_words(v, [=](unsigned word) { return __shfl_sync(apg_mask(lanes), word, from & 31); });
  return (unsigned)from < lanes ? other : v;
}
template <class T> static __device__ __forceinline__ T apg_warp_shuffle(T v, int lane, unsigned size) { return apg_from_lane(v, lane & 31, apg_lanes(size)); }
/* Full warps have instructions relative to the own lane, which leave lanes unchanged whose source is out of
   range. */
template <class T> static __device__ __forceinline__ T apg_warp_shuffle_up(T v, int by, unsigned size) {
  if ((size & 31u) == 0) {
    const T other = apg_by_words(v, [=](unsigned word) { return __shfl_up_sync(~0u, word, by & 31); });
    return (unsigned)by < 32u ? other : v;
  }
  const int lane = apg_rank() & 31u;
  return apg_from_lane(v, by >= 0 && by <= lane ? lane - by : lane, apg_lanes(size));
}
template <class T> static __device__ __forceinline__ T apg_warp_shuffle_down(T v, int by, unsigned size) {
  if ((size & 31u) == 0) {
    const T other = apg_by_words(v, [=](unsigned word) { return __shfl_down_sync(~0u, word, by & 31); });
    return (unsigned)by < 32u ? other : v;
  }
  const int lane = apg_rank() & 31u;
  return apg_from_lane(v, by >= 0 && by < 32 ? lane + by : lane, apg_lanes(size));
}
template <class T> static __device__ __forceinline__ T apg_warp_shuffle_xor(T v, int bits, unsigned size) {
  if ((size & 31u) == 0) return apg_by_words(v, [=](unsigned word) { return __shfl_xor_sync(~0u, word, bits & 31); });
  return apg_from_lane(v, (int)(apg_rank() ^ bits) & 31, apg_lanes(size));
}
template <class T> static __device__ __forceinline__ apg_i32 apg_warp_ballot(T v, unsigned size) { return (apg_i32)__ballot_sync(apg_mask(apg_lanes(size)), v); }
template <class T> static __device__ __forceinline__ bool apg_warp_any(T v, unsigned size) { return __any_sync(apg_mask(apg_lanes(size)), v) != 0; }
template <class T> static __device__ __forceinline__ bool apg_warp_all(T v, unsigned size) { return __all_sync(apg_mask(apg_lanes(size)), v) != 0; }
/* Operators of reductions. Sums are never contracted with a preceding product, so that every lane gets the
   same. */
struct apg_of_sum {
  static __device__ __forceinline__ float of(float a, float b) { return __fadd_rn(a, b); }
  static __device__ __forceinline__ double of(double a, double b) { return __dadd_rn(a, b); }
  template <class T> static __device__ __forceinline__ T of(T a, T b) { return (T)((apg_u64)a + (apg_u64)b); }
};
struct apg_of_min { template <class T> static __device__ __forceinline__ T of(T a, T b) { return b < a ? b : a; } };
struct apg_of_max { template <class T> static __device__ __forceinline__ T of(T a, T b) { return b > a ? b : a; } };
struct apg_of_and { template <class T> static __device__ __forceinline__ T of(T a, T b) { return a & b; } };
struct apg_of_or { template <class T> static __device__ __forceinline__ T of(T a, T b) { return a | b; } };
struct apg_of_xor { template <class T> static __device__ __forceinline__ T of(T a, T b) { return a ^ b; } };
/* Tree reduction over the first `count` of the active lanes. */
template <class Op, class T> static __device__ __forceinline__ T apg_tree(T v, unsigned count, unsigned lanes) {
  const unsigned lane = apg_rank() & 31u;
  for (unsigned by = 16; by > 0; by /= 2) {
    const T other = apg_from_lane(v, (int)(lane + by), lanes);
    if (lane + by < count) v = Op::of(v, other);
  }
  return apg_from_lane(v, 0, lanes);
}
template <class Op, class T> static __device__ __forceinline__ T apg_warp_reduce(T v, unsigned size) {
  const unsigned lanes = apg_lanes(size);
  if (lanes != 32u) return apg_tree<Op>(v, lanes, lanes);
  const unsigned lane = apg_rank() & 31u;
  for (unsigned by = 16; by > 0; by /= 2) {
    const T other = apg_warp_shuffle_xor(v, (int)by, 32u);
    v = lane & by ? Op::of(other, v) : Op::of(v, other);
  }
  return v;
}
template <class Op, class T> static __device__ __forceinline__ T apg_block_reduce(T v, unsigned size) {
  const unsigned rank = apg_rank(), warps = (size + 31u) / 32u;
  v = apg_warp_reduce<Op>(v, size);
  __syncthreads();
  if (warps == 1) return v;
  __shared__ T parts[33];
  if ((rank & 31u) == 0) parts[rank / 32u] = v;
  __syncthreads();
  if ((size & 31u) == 0) return apg_tree<Op>((rank & 31u) < warps ? parts[rank & 31u] : v, warps, 32u);
  if (rank < 32u) {
    v = apg_tree<Op>(rank < warps ? parts[rank] : v, warps, 32u);
    if (rank == 0) parts[32] = v;
  }
  __syncthreads();
  return parts[32];
}
template <class T> static __device__ __forceinline__ T apg_scan(T v, unsigned lanes) {
  const int lane = apg_rank() & 31u;
  for (int by = 1; by < 32; by *= 2) {
    const T before = lanes == 32u ? apg_warp_shuffle_up(v, by, 32u) : apg_from_lane(v, lane - by, lanes);
    if (lane >= by) v = apg_of_sum::of(before, v);
  }
  return v;
}
template <class T> static __device__ __forceinline__ T apg_warp_inclusive(T v, unsigned size) { return apg_scan(v, apg_lanes(size)); }
template <class T> static __device__ __forceinline__ T apg_warp_exclusive(T v, unsigned size) {
  const int lane = apg_rank() & 31u;
  v = apg_warp_shuffle_up(apg_scan(v, apg_lanes(size)), 1, size);
  return lane == 0 ? (T)0 : v;
}
/* Prefix sums of the warp's threads and the sums of the warps before it. */
template <class T> static __device__ __forceinline__ T apg_block_scan(T v, unsigned size, bool inclusive) {
  const unsigned rank = apg_rank(), warps = (size + 31u) / 32u, lanes = apg_lanes(size), lane = rank & 31u, warp = rank / 32u;
  const T all = apg_scan(v, lanes);
  T mine = all;
  if (!inclusive) {
    mine = apg_warp_shuffle_up(all, 1, size);
    if (lane == 0) mine = (T)0;
  }
  __syncthreads();
  if (warps == 1) return mine;
  __shared__ T parts[32];
  if (lane == lanes - 1) parts[warp] = all;
  __syncthreads();
  if (warp == 0) {
    const T sum = apg_scan(lane < warps ? parts[lane] : (T)0, 32u);
    __syncwarp();
    parts[lane] = sum;
  }
  __syncthreads();
  if (warp == 0) return mine;
  return !inclusive && lane == 0 ? parts[warp - 1] : apg_of_sum::of(parts[warp - 1], mine);
}
template <class T> static __device__ __forceinline__ T apg_block_inclusive(T v, unsigned size) { return apg_block_scan(v, size, true); }
template <class T> static __device__ __forceinline__ T apg_block_exclusive(T v, unsigned size) { return apg_block_scan(v, size, false); }
template <class T> static __device__ __forceinline__ bool apg_block_any(T v, unsigned) { return __syncthreads_or(v) != 0; }
template <class T> static __device__ __forceinline__ bool apg_block_all(T v, unsigned) { return __syncthreads_and(v) != 0; }
template <class T> static __device__ __forceinline__ apg_i32 apg_block_count(T v, unsigned) { return __syncthreads_count(v); }
#define APG_REDUCTION(name) \
  template <class T> static __device__ __forceinline__ T apg_warp_##name(T v, unsigned size) { return apg_warp_reduce<apg_of_##name>(v, size); } \
  template <class T> static __device__ __forceinline__ T apg_block_##name(T v, unsigned size) { return apg_block_reduce<apg_of_##name>(v, size); }
APG_REDUCTION(sum) APG_REDUCTION(min) APG_REDUCTION(max) APG_REDUCTION(and) APG_REDUCTION(or) APG_REDUCTION(xor)
#if __CUDA_ARCH__ >= 800
template <> __device__ __forceinline__ apg_i32 apg_warp_sum<apg_i32>(apg_i32 v, unsigned size) { return (apg_i32)__reduce_add_sync(apg_mask(apg_lanes(size)), (unsigned)v); }
template <> __device__ __forceinline__ apg_u32 apg_warp_sum<apg_u32>(apg_u32 v, unsigned size) { return __reduce_add_sync(apg_mask(apg_lanes(size)), v); }
template <> __device__ __forceinline__ apg_i32 apg_warp_min<apg_i32>(apg_i32 v, unsigned size) { return __reduce_min_sync(apg_mask(apg_lanes(size)), v); }
template <> __device__ __forceinline__ apg_u32 apg_warp_min<apg_u32>(apg_u32 v, unsigned size) { return __reduce_min_sync(apg_mask(apg_lanes(size)), v); }
template <> __device__ __forceinline__ apg_i32 apg_warp_max<apg_i32>(apg_i32 v, unsigned size) { return __reduce_max_sync(apg_mask(apg_lanes(size)), v); }
template <> __device__ __forceinline__ apg_u32 apg_warp_max<apg_u32>(apg_u32 v, unsigned size) { return __reduce_max_sync(apg_mask(apg_lanes(size)), v); }
#endif
