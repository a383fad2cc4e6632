/* Accesses to memory that blocks and the host share, by PTX's memory model: follows apg_device.h in the source of kernels that
   make calls of slots. */
struct apg_slot_pair { apg_u64 low, high; };
static __device__ __forceinline__ void apg_load(apg_slot_pair &to, const apg_slot_pair *from) {
  asm volatile("ld.volatile.v2.u64 {%0, %1}, [%2];" : "=l"(to.low), "=l"(to.high) : "l"(from) : "memory");
}
static __device__ __forceinline__ void apg_store(apg_slot_pair *to, apg_slot_pair value) {
  asm volatile("st.volatile.v2.u64 [%0], {%1, %2};" :: "l"(to), "l"(value.low), "l"(value.high) : "memory");
}
static __device__ __forceinline__ apg_u64 apg_load_acquire(const apg_u64 *from) {
  apg_u64 seen;
  asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(seen) : "l"(from) : "memory");
  return seen;
}
static __device__ __forceinline__ void apg_store_release(apg_u64 *to, apg_u64 value) {
  asm volatile("st.release.gpu.u64 [%0], %1;" :: "l"(to), "l"(value) : "memory");
}
/* Compare-and-swap: true if the word was `from` and is `to` now; `from` becomes what was seen. */
#define APG_COMPARE_AND_SWAP(name, order) \
  static __device__ __forceinline__ bool name(apg_u64 *word, apg_u64 &from, apg_u64 to) { \
    apg_u64 seen; \
    asm volatile("atom." order ".cas.b64 %0, [%1], %2, %3;" : "=l"(seen) : "l"(word), "l"(from), "l"(to) : "memory"); \
    const bool is_done = seen == from; \
    from = seen; \
    return is_done; \
  }
APG_COMPARE_AND_SWAP(apg_exchange_if, "acq_rel.gpu")
/* These order no other accesses: a load that acquires, or a fence, does where that is needed. The second is for words that several
   devices access. */
APG_COMPARE_AND_SWAP(apg_exchange_relaxed, "relaxed.gpu")
APG_COMPARE_AND_SWAP(apg_exchange_of_system, "relaxed.sys")
#undef APG_COMPARE_AND_SWAP
/* Adds to a word; what it was. */
static __device__ __forceinline__ apg_u64 apg_add(apg_u64 *word, apg_u64 value) {
  apg_u64 seen;
  asm volatile("atom.acq_rel.gpu.add.u64 %0, [%1], %2;" : "=l"(seen) : "l"(word), "l"(value) : "memory");
  return seen;
}
/* Orders accesses to the host's memory before what follows, and those to the device's memory. */
static __device__ __forceinline__ void apg_fence_of_system() { asm volatile("fence.acq_rel.sys;" ::: "memory"); }
static __device__ __forceinline__ void apg_fence_of_device() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
/* Memory that other blocks reach. */
static __device__ __forceinline__ bool apg_is_common(const void *data) { return __isGlobal(data); }
/* What the threads of a block have in common, of any content at first. */
template <class T> static __device__ __forceinline__ T &apg_shared() { __shared__ T shared; return shared; }
static __device__ __forceinline__ void apg_end_thread() { asm volatile("exit;"); __builtin_unreachable(); }
