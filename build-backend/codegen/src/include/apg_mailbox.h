/* The way of a call of a slot through the host: follows apg_memory_order.h in the source of kernels that make such calls. The
   structures are those of the runtime's mailbox. A block's request and its answer lie in host memory that the device knows; a
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
struct apg_slot_part;
struct apg_mailbox {
  apg_u32 tickets, ring_bits;       /* doorbells rung so far; logarithm of the ring's entries */
  apg_u64 *ring;
  apg_slot_post *posts; apg_slot_answer *answers;
  unsigned char *sent, *received;   /* staging memory of each block, one after the other */
  apg_u64 staging;                  /* bytes of one */
  unsigned char *kept;              /* staging memory of each block on the device */
  const apg_slot_part *parts; apg_u64 part_count;
};
static_assert(sizeof(apg_mailbox) == 80 && sizeof(apg_slot_post) == 192 && sizeof(apg_slot_answer) == 64, "the mailbox of the runtime");
static __device__ __forceinline__ apg_i64 apg_block_number() { return blockIdx.x + (apg_i64)gridDim.x * (blockIdx.y + (apg_i64)gridDim.y * blockIdx.z); }
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
  apg_fence_of_system();
  return seen;
}
