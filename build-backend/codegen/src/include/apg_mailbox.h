/* The way of a call of a slot through the host: follows apg_memory_order.h in the source of kernels that make such calls. The
   structures are those of the runtime's mailbox. A block's request and its answer lie in host memory that the device knows, as
   pairs of words, of which each carries the number of the call beside it: both sides see which words have come, and no fence
   stands between data and flag (the low-latency protocol of NCCL). A doorbell, the number of the block's last call, makes the
   host look at the request. */
enum { APG_BOOL, APG_I8, APG_I16, APG_I32, APG_I64, APG_U8, APG_U16, APG_U32, APG_U64, APG_F32, APG_F64, APG_CHAR, APG_REF, APG_VALUE };
struct apg_slot_buffer { void *data; apg_i64 length, index, count; apg_u32 size, kind; };
struct apg_slot_request {
  apg_i64 group, rank, partner, from, tag, operation, first, members, stride, block;
  apg_slot_buffer buffers[2];
  apg_i32 call; apg_u32 buffer_count, file, line;
};
/* Most bytes of elements that travel in a request or an answer. */
#define APG_INLINE_BYTES 256
/* Where the elements of a request are: in memory of the device, in the block's staging memory, in the request. */
enum { APG_SENT_ON_DEVICE, APG_SENT_STAGED, APG_SENT_INLINE };
/* A request as it travels: the numbers of a call in 12 words, and elements behind them, so that with 16 bytes of elements it
   takes 128 bytes. Calls with numbers that have no room there, and those whose elements the host reads in the memory of the
   device, are wide: the structure above follows in place of elements.
   words: 0 rank and call (8 bits); 1 bytes of elements that follow (9), where they are (2), whether it is wide, number of buffers
   (2), kind (4), operation (4), size (10); 2 group; 3 partner; 4 line (20) and file (12); 5 elements of the first buffer; 6 of the
   last one; 7, 8 address of the first element of the last one; 9 from, or first; 10 tag, or members; 11 stride. */
#define APG_POST_WORDS 12u
#define APG_POST_WIDE (1u << 11)
struct alignas(16) apg_slot_post { apg_u32 words[APG_POST_WORDS]; apg_u8 elements[APG_INLINE_BYTES + 16]; };
#define APG_ANSWER_HEAD_BYTES 24u
struct alignas(16) apg_slot_answer { apg_u32 state, bytes; apg_i64 word; apg_u64 target; apg_u8 elements[APG_INLINE_BYTES + 8]; };
/* Of an answer's state: received elements are in the answer; in staging memory; written to the target by the host. */
enum { APG_ANSWER_FAILED = 1, APG_ANSWER_INLINE = 2, APG_ANSWER_STAGED = 4, APG_ANSWER_WRITTEN = 8 };
/* Pairs of words of a request in front of its elements; those of an answer that is always written whole, with room for 8 bytes
   of elements. */
#define APG_POST_UNITS (APG_POST_WORDS / 2u)
#define APG_ANSWER_UNITS 4u
enum { APG_SEND, APG_RECEIVE, APG_EXCHANGE, APG_REPLACE, APG_START_SEND, APG_START_RECEIVE, APG_TEST, APG_WAIT, APG_BARRIER, APG_BROADCAST, APG_GATHER, APG_SCATTER, APG_ALL_GATHER, APG_ALL_TO_ALL, APG_REDUCE, APG_ALL_REDUCE };
static __device__ __forceinline__ const apg_slot_buffer &apg_received(const apg_slot_request &request) { return request.buffers[request.buffer_count > 1u]; }
static __device__ __forceinline__ bool apg_is_inside(const apg_slot_buffer &buffer, apg_i64 parts) {
  return parts > 0 && buffer.index >= 0 && buffer.count >= 0 && buffer.count <= buffer.length / parts && buffer.index <= buffer.length - buffer.count * parts;
}
static __device__ __forceinline__ char *apg_first_element(const apg_slot_buffer &buffer) { return (char *)buffer.data + buffer.index * buffer.size; }
static __device__ __forceinline__ apg_u64 apg_bytes_of(const apg_slot_buffer &buffer) { return (apg_u64)buffer.count * buffer.size; }
/* Parts that a call has room for. */
static __device__ __forceinline__ apg_i64 apg_received_parts(const apg_slot_request &request) {
  const bool is_root = request.partner == request.rank;
  switch (request.call) {
    case APG_RECEIVE: case APG_EXCHANGE: case APG_REPLACE: case APG_START_RECEIVE: case APG_BROADCAST: case APG_SCATTER: case APG_ALL_REDUCE: return 1;
    case APG_REDUCE: return is_root;
    case APG_GATHER: return is_root ? request.members : 0;
    case APG_ALL_GATHER: case APG_ALL_TO_ALL: return request.members;
    default: return 0;
  }
}
static __device__ __forceinline__ bool apg_fits_word(apg_i64 number) { return number == (apg_i32)number; }
/* Whether the numbers of a call that sends `sent` parts have room in the words of a request. The host reports ranges
   outside of their rails, and so gets all numbers of those. */
static __device__ __forceinline__ bool apg_is_short(const apg_slot_request &request, apg_i64 sent) {
  const apg_slot_buffer &given = request.buffers[0], &room = apg_received(request);
  const bool is_collective = request.call >= APG_BARRIER;
  const apg_i64 received = apg_received_parts(request);
  return (apg_u64)request.rank < 1u << 24 && apg_fits_word(request.group) && apg_fits_word(request.partner) && request.file < 1u << 12 && request.line < 1u << 20
    && apg_fits_word(is_collective ? request.first : request.from) && apg_fits_word(is_collective ? request.members : request.tag) && apg_fits_word(request.stride)
    && given.size == room.size && given.size < 1u << 10 && given.kind == room.kind && given.kind < 16u && (apg_u64)request.operation < 16u
    && apg_fits_word(given.count) && apg_fits_word(room.count) && (sent == 0 || apg_is_inside(given, sent)) && (received == 0 || apg_is_inside(room, received));
}
struct apg_slot_part;
struct apg_peer_part;
struct apg_mailbox {
  apg_u32 *doorbells;               /* of each block, the number of its last call */
  apg_slot_pair *posts, *answers;   /* of each block, two words of the structures above with the call's number in each pair */
  unsigned char *sent, *received;   /* staging memory of each block, one after the other */
  apg_u64 staging;                  /* bytes of one */
  unsigned char *kept;              /* staging memory of each block on the device */
  const apg_slot_part *parts; apg_u64 part_count;
  const apg_peer_part *peers; apg_u64 peer_count; /* those of a group in the order of ranks */
};
static_assert(sizeof(apg_mailbox) == 88 && sizeof(apg_slot_request) == 176 && sizeof(apg_slot_post) == 320 && sizeof(apg_slot_answer) == 288, "the mailbox of the runtime");
#define APG_ALL_POST_UNITS (sizeof(apg_slot_post) / 8u)
#define APG_ALL_ANSWER_UNITS (sizeof(apg_slot_answer) / 8u)
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
/* Writes words of a structure with the call's number, from one pair of them to another. */
static __device__ __forceinline__ void apg_store_units(apg_slot_pair *to, const void *from, unsigned units, apg_u64 number, unsigned rank, unsigned lanes) {
  for (unsigned unit = rank; unit < units; unit += lanes) {
    const apg_u32 *words = (const apg_u32 *)from + 2u * unit;
    apg_store(to + unit, apg_slot_pair{number << 32 | words[0], number << 32 | words[1]});
  }
}
/* Reads words of a structure as they come with the call's number. */
static __device__ __forceinline__ void apg_await_units(void *to, const apg_slot_pair *from, unsigned first, unsigned units, apg_u64 number, unsigned rank, unsigned lanes) {
  for (unsigned unit = first + rank; unit < units; unit += lanes) {
    apg_slot_pair seen;
    for (unsigned pause = 16; ; pause = pause < 256u ? 2 * pause : pause) {
      apg_load(seen, from + unit);
      if (seen.low >> 32 == (apg_u32)number && seen.high >> 32 == (apg_u32)number) break;
      __nanosleep(pause);
    }
    apg_u32 *words = (apg_u32 *)to + 2u * unit;
    words[0] = (apg_u32)seen.low; words[1] = (apg_u32)seen.high;
  }
}
