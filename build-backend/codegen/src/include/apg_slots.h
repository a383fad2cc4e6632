/* Calls of slots in device code: follows apg_slot_table.h in the source of kernels that make them. */
/* Partners that try to reach this slot, and that its call concerns, take their calls to the host as well. */
static __device__ __forceinline__ void apg_note_in_host(const apg_slot_state &state) {
  const apg_slot_request &request = state.request;
  const int call = request.call;
  if (!state.own || call >= APG_BARRIER || call == APG_TEST) return;
  const bool is_of_one = call == APG_SEND || (call == APG_RECEIVE && request.from >= 0);
  const apg_u32 concerns = !is_of_one ? APG_ALL_SLOTS : (apg_u32)(call == APG_SEND ? request.partner : request.from);
  atomicOr(&state.own->flags, APG_SLOT_IN_HOST | APG_SLOT_CONCERNS(concerns));
  if (state.own_flags) apg_store(state.own_flags, APG_SLOT_IN_HOST | APG_SLOT_CONCERNS(concerns) | (state.is_by_host ? (apg_u32)APG_SLOT_BY_HOST : 0u));
}
/* Posts the request of the block, and waits for the answer. The block's first warp does. */
static __device__ __forceinline__ void apg_post_and_wait(apg_mailbox *mailbox, apg_slot_state &state, apg_u64 number, unsigned rank, unsigned lanes) {
  const apg_u64 block = (apg_u64)state.request.block;
  const bool is_inline = (state.post.words[1] >> 9 & 3u) == APG_SENT_INLINE;
  /* Staged elements, and those that the host's copy engine reads, are there before the request is. */
  if (rank == 0 && is_inline) apg_fence_of_device();
  if (rank == 0 && !is_inline) apg_fence_of_system();
  __syncwarp(apg_mask(lanes));
  const unsigned units = APG_POST_UNITS + ((state.post.words[1] & 0x1ffu) + 7u) / 8u;
  apg_store_units(mailbox->posts + block * APG_ALL_POST_UNITS, &state.post, units, number, rank, lanes);
  __syncwarp(apg_mask(lanes));
  if (rank == 0) {
    apg_store(mailbox->doorbells + block, (apg_u32)number);
    apg_note_in_host(state);
  }
  const apg_slot_pair *answer = mailbox->answers + block * APG_ALL_ANSWER_UNITS;
  apg_await_units(&state.answer, answer, 0u, APG_ANSWER_UNITS, number, rank, lanes);
  __syncwarp(apg_mask(lanes));
  const apg_u32 found = state.answer.state;
  if (found & APG_ANSWER_INLINE) {
    const unsigned all = (APG_ANSWER_HEAD_BYTES + state.answer.bytes + 7u) / 8u;
    apg_await_units(&state.answer, answer, APG_ANSWER_UNITS, all, number, rank, lanes);
  }
  if (rank == 0 && (found & (APG_ANSWER_STAGED | APG_ANSWER_WRITTEN))) apg_fence_of_system();
  else if (rank == 0) apg_fence_of_device();
}
/* Writes the request as it travels; one thread does. A barrier that is made for all slots of a part names them in place of
   elements. */
static __device__ __forceinline__ void apg_write_post(apg_slot_state &state, apg_u32 sent, apg_u32 sent_bytes, bool is_short) {
  const apg_slot_request &request = state.request;
  const apg_slot_buffer &given = request.buffers[0], &room = apg_received(request);
  const bool is_collective = request.call >= APG_BARRIER;
  apg_u32 *words = state.post.words;
  if (!is_short) {
    const apg_u32 *all = (const apg_u32 *)&request;
    for (unsigned i = 0; i < sizeof(request) / 4u; ++i) ((apg_u32 *)state.post.elements)[i] = all[i];
    words[1] = (apg_u32)sizeof(request) | sent << 9 | APG_POST_WIDE;
    return;
  }
  words[0] = (apg_u32)request.rank | (apg_u32)request.call << 24;
  words[1] = sent_bytes | sent << 9 | request.buffer_count << 12 | given.kind << 14 | (apg_u32)request.operation << 18 | given.size << 22;
  words[2] = (apg_u32)request.group; words[3] = (apg_u32)request.partner;
  words[4] = request.line | request.file << 20;
  words[5] = state.is_for_all ? (apg_u32)state.part->first : (apg_u32)given.count;
  words[6] = state.is_for_all ? (apg_u32)state.part->count : (apg_u32)room.count;
  const apg_u64 target = (apg_u64)apg_first_element(room);
  words[7] = (apg_u32)target; words[8] = (apg_u32)(target >> 32);
  words[9] = (apg_u32)(is_collective ? request.first : request.from);
  words[10] = (apg_u32)(is_collective ? request.members : request.tag);
  words[11] = (apg_u32)request.stride;
}
/* Lets the others go on for which this slot has made the call. */
static __device__ __forceinline__ void apg_end_meeting(const apg_slot_state &state) {
  apg_store_release(&state.part->meeting->word, (state.seen / APG_MEETING_ENDED + 1u) * APG_MEETING_ENDED);
}
/* Makes a call through the host, for which it is the block's call `number`. */
static __device__ __forceinline__ void apg_call_host(apg_mailbox *mailbox, apg_slot_state &state, apg_u64 number, unsigned rank, unsigned size) {
  const apg_slot_buffer &given = state.request.buffers[0];
  const apg_u64 staging = mailbox->staging, at = (apg_u64)state.request.block * staging;
  /* The host reports a range outside of its rail. */
  const bool is_inside = apg_is_inside(given, state.parts);
  const apg_u64 bytes = is_inside ? apg_bytes_of(given) * (apg_u64)state.parts : 0;
  const bool is_short = bytes <= staging && apg_is_short(state.request, state.parts), is_inline = is_short && bytes <= APG_INLINE_BYTES;
  if (bytes > 0 && bytes <= staging) {
    apg_copy_by_block(is_inline ? (unsigned char *)state.post.elements : mailbox->sent + at, apg_first_element(given), bytes, rank, size);
  }
  if (rank == 0) {
    const apg_u32 sent = is_inline ? APG_SENT_INLINE : bytes <= staging ? APG_SENT_STAGED : APG_SENT_ON_DEVICE;
    apg_write_post(state, sent, is_inline ? (apg_u32)bytes : 0u, is_short);
  }
  __syncthreads();
  if (rank < 32u) apg_post_and_wait(mailbox, state, number, rank, size < 32u ? size : 32u);
  __syncthreads();
  const apg_u32 found = state.answer.state;
  if (found & APG_ANSWER_FAILED) {
    /* The group has failed: its slots learn of it from the host. */
    for (apg_u64 i = rank; state.part && i < state.part->count; i += size) atomicOr(&state.part->slots[i].flags, APG_SLOT_BY_HOST | APG_SLOT_FAILED);
    __syncthreads();
    if (rank == 0 && state.is_for_all) apg_end_meeting(state);
    apg_end_thread();
  }
  if (found & (APG_ANSWER_INLINE | APG_ANSWER_STAGED)) {
    const void *from = found & APG_ANSWER_INLINE ? state.answer.elements : mailbox->received + at;
    apg_copy_by_block((void *)state.answer.target, from, state.answer.bytes, rank, size);
  }
  if (rank == 0 && state.own) atomicAnd(&state.own->flags, ~(APG_SLOT_IN_HOST | APG_SLOT_CONCERNS(APG_ALL_SLOTS)));
  if (rank == 0 && state.own_flags) apg_store(state.own_flags, state.is_by_host ? (apg_u32)APG_SLOT_BY_HOST : 0u);
  if (rank == 0 && state.is_for_all) apg_end_meeting(state);
  if (rank == 0 && state.is_announced) apg_end_announcement(state.out);
}
/* The part of a call that is not expanded in line. */
static __device__ __noinline__ apg_i64 apg_slot_exchange(apg_mailbox *mailbox, apg_slot_state &state, apg_slot_calls &calls) {
  const unsigned rank = apg_rank(), size = apg_block_size();
  if (rank == 0) { apg_find_slot(mailbox, state, calls); state.word = 0; state.has_received = state.is_for_all = state.is_lost = state.is_announced = false; }
  __syncthreads();
  const bool is_done = apg_call_on_device(mailbox, state, calls, rank, size);
  if (!is_done) apg_call_host(mailbox, state, ++calls.posted, rank, size);
  const apg_i64 word = is_done || state.has_received ? state.word : state.answer.word;
  __syncthreads();
  return word;
}
/* A call of the block's slot: all threads make it. It sends `parts` times the
   elements of the first buffer. If it fails the threads end, and the host raises the exception. */
static __device__ __forceinline__ apg_i64 apg_slot_message(apg_mailbox *mailbox, apg_slot_calls &calls, apg_i64 parts, const apg_slot_request &request) {
  apg_slot_state &state = apg_shared<apg_slot_state>();
  /* Threads of a failed check have ended: their block does not go on without them. */
  if (__syncthreads_count(1) != (int)apg_block_size()) { apg_end_thread(); }
  if (apg_rank() == 0) {
    state.request = request;
    state.parts = parts;
  }
  __syncthreads();
  return apg_slot_exchange(mailbox, state, calls);
}
