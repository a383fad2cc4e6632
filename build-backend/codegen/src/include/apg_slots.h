/* Calls of slots in device code: follows apg_device.h in the source of kernels that make them. The structures are
   those of the runtime's mailbox. A block's request and its answer lie in host memory that the device knows; a
   doorbell, an entry of a ring in arrival order, makes the host look at the request. The commit word of an entry holds
   the number of the lap around the ring, so that entries are never reset. */
enum { APG_BOOL, APG_I8, APG_I16, APG_I32, APG_I64, APG_U8, APG_U16, APG_U32, APG_U64, APG_F32, APG_F64, APG_CHAR, APG_REF, APG_VALUE };
struct apg_slot_buffer { void *data; apg_i64 length, index, count; apg_u32 size, kind; };
struct apg_slot_request {
  apg_i64 group, rank, partner, from, tag, operation, first, members, stride, block;
  apg_slot_buffer buffers[2];
  apg_i32 call; apg_u32 buffer_count, file, line;
};
/* `staged` if the elements to send are in the block's staging memory. */
struct alignas(64) apg_slot_post { apg_slot_request request; apg_u64 staged, unused; };
/* Pairs that are read at once. state: the number of the answered call, above two flags; bytes: above the lowest 16 bits of
   that number. */
struct alignas(64) apg_slot_answer { apg_u64 state; apg_i64 word; apg_u64 target, bytes; };
enum { APG_ANSWER_FAILED = 1, APG_ANSWER_STAGED = 2 };
struct apg_mailbox {
  apg_u32 tickets, ring_bits;       /* doorbells rung so far; logarithm of the ring's entries */
  apg_u64 *ring;
  apg_slot_post *posts; apg_slot_answer *answers;
  unsigned char *sent, *received;   /* staging memory of each block, one after the other */
  apg_u64 staging;                  /* bytes of one */
};
static_assert(sizeof(apg_mailbox) == 56 && sizeof(apg_slot_post) == 192 && sizeof(apg_slot_answer) == 64, "the mailbox of the runtime");
static __device__ __forceinline__ apg_i64 apg_block_number() { return blockIdx.x + (apg_i64)gridDim.x * (blockIdx.y + (apg_i64)gridDim.y * blockIdx.z); }
struct apg_slot_pair { apg_u64 low, high; };
static __device__ __forceinline__ void apg_load(apg_slot_pair &to, const apg_slot_pair *from) {
  asm volatile("ld.volatile.v2.u64 {%0, %1}, [%2];" : "=l"(to.low), "=l"(to.high) : "l"(from) : "memory");
}
static __device__ __forceinline__ void apg_store(apg_slot_pair *to, apg_slot_pair value) {
  asm volatile("st.volatile.v2.u64 [%0], {%1, %2};" :: "l"(to), "l"(value.low), "l"(value.high) : "memory");
}
template <class T> static __device__ __forceinline__ void apg_load(T &to, const T *from) { to = *(const volatile T *)from; }
template <class T> static __device__ __forceinline__ void apg_store(T *to, T value) { *(volatile T *)to = value; }
/* Each thread has several loads under way: those of host memory take long. */
template <class T> static __device__ __forceinline__ void apg_copy_elements(T *to, const T *from, apg_u64 count, unsigned rank, unsigned size) {
  for (apg_u64 i = rank; i < count; i += 4u * size) {
    T loaded[4];
    #pragma unroll
    for (unsigned k = 0; k < 4u; ++k) if (i + k * size < count) apg_load(loaded[k], from + i + k * size);
    #pragma unroll
    for (unsigned k = 0; k < 4u; ++k) if (i + k * size < count) apg_store(to + i + k * size, loaded[k]);
  }
}
/* Copies by all threads of the block, with the widest accesses that both addresses allow. */
static __device__ __forceinline__ void apg_copy_by_block(void *to, const void *from, apg_u64 bytes, unsigned rank, unsigned size) {
  const apg_u64 low = ((apg_u64)to | (apg_u64)from) & 15u, done = low == 0 ? bytes & ~15ULL : low % 4u == 0 ? bytes & ~3ULL : 0;
  if (low == 0) apg_copy_elements((apg_slot_pair *)to, (const apg_slot_pair *)from, done / 16u, rank, size);
  else apg_copy_elements((apg_u32 *)to, (const apg_u32 *)from, done / 4u, rank, size);
  apg_copy_elements((apg_u8 *)to + done, (const apg_u8 *)from + done, bytes - done, rank, size);
}
/* Waits until the host has answered call number `number`, and reads a half of the answer. */
static __device__ __forceinline__ apg_slot_pair apg_await_answer(const apg_slot_answer *answer, unsigned half, apg_u64 number) {
  apg_slot_pair seen;
  for (unsigned pause = 16; ; pause = pause < 256u ? 2 * pause : pause) {
    apg_load(seen, (const apg_slot_pair *)answer + half);
    if (half == 0 ? seen.low >> 2 >= number : (seen.high & 0xffffu) == (number & 0xffffu)) break;
    __nanosleep(pause);
  }
  asm volatile("fence.acq_rel.sys;" ::: "memory");
  return seen;
}
/* What a block's threads have in common during a call. */
struct apg_slot_state { apg_slot_post post; apg_slot_answer answer; };
/* Posts the request of the block, and waits for the answer. */
static __device__ __forceinline__ void apg_post_and_wait(apg_mailbox *mailbox, apg_slot_state &state, apg_u64 number, unsigned rank, unsigned lanes) {
  const apg_u64 block = (apg_u64)state.post.request.block;
  volatile apg_u64 *to = (volatile apg_u64 *)&mailbox->posts[block];
  for (unsigned i = rank; i < sizeof(apg_slot_post) / 8u; i += lanes) to[i] = ((const volatile apg_u64 *)&state.post)[i];
  __syncwarp(apg_mask(lanes));
  if (rank == 0) {
    const apg_u32 ticket = atomicAdd(&mailbox->tickets, 1u), bits = mailbox->ring_bits;
    const apg_u64 entry = ((apg_u64)((ticket >> bits) + 1u) << 32) | block;
    asm volatile("st.release.sys.global.u64 [%0], %1;" :: "l"(mailbox->ring + (ticket & ((1u << bits) - 1u))), "l"(entry) : "memory");
  }
  __syncwarp(apg_mask(lanes));
  for (unsigned half = rank; half < 2u; half += lanes) {
    ((apg_slot_pair *)&state.answer)[half] = apg_await_answer(&mailbox->answers[block], half, number);
  }
}
/* The part of a call that is not expanded in line. Sends `parts` times the elements of the first buffer. */
static __device__ __noinline__ apg_i64 apg_slot_exchange(apg_mailbox *mailbox, apg_slot_state &state, apg_u64 number, apg_i64 parts) {
  const unsigned rank = apg_rank(), size = apg_block_size();
  const apg_slot_buffer &given = state.post.request.buffers[0];
  const apg_u64 staging = mailbox->staging, at = (apg_u64)state.post.request.block * staging;
  /* The host reports a range outside of its rail. */
  const bool inside = parts > 0 && given.index >= 0 && given.count >= 0 && given.count <= given.length / parts
    && given.index <= given.length - given.count * parts;
  const apg_u64 bytes = inside ? (apg_u64)(given.count * parts) * given.size : 0;
  if (inside && bytes <= staging) {
    apg_copy_by_block(mailbox->sent + at, (const char *)given.data + given.index * given.size, bytes, rank, size);
    if (rank == 0) state.post.staged = 1;
  }
  __syncthreads();
  if (rank < 32u) apg_post_and_wait(mailbox, state, number, rank, size < 32u ? size : 32u);
  __syncthreads();
  if (state.answer.state & APG_ANSWER_FAILED) { asm volatile("exit;"); __builtin_unreachable(); }
  if (state.answer.state & APG_ANSWER_STAGED) {
    apg_copy_by_block((void *)state.answer.target, mailbox->received + at, state.answer.bytes >> 16, rank, size);
  }
  const apg_i64 word = state.answer.word;
  __syncthreads();
  return word;
}
/* Call number `number` of the block's slot: all threads make it. If it fails they end, and the host raises the
   exception. */
static __device__ __forceinline__ apg_i64 apg_slot_message(apg_mailbox *mailbox, apg_u64 number, apg_i64 parts, const apg_slot_request &request) {
  __shared__ apg_slot_state state;
  /* Threads of a failed check have ended: their block does not go on without them. */
  if (__syncthreads_count(1) != (int)apg_block_size()) { asm volatile("exit;"); __builtin_unreachable(); }
  if (apg_rank() == 0) {
    state.post.request = request;
    state.post.staged = 0; state.post.unused = 0;
  }
  __syncthreads();
  return apg_slot_exchange(mailbox, state, number, parts);
}
