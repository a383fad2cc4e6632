/* Calls of slots in device code: follows apg_slot_table.h in the source of kernels that make them. */
/* Posts the request of the block, and waits for the answer. The block's first warp does. */
static __device__ __forceinline__ void apg_post_and_wait(apg_mailbox *mailbox, apg_slot_state &state, apg_u64 number, unsigned rank, unsigned lanes) {
  const apg_u64 block = (apg_u64)state.post.request.block;
  const bool is_inline = state.post.sent == APG_SENT_INLINE;
  /* Staged elements, and those that the host's copy engine reads, are there before the request is. */
  if (rank == 0 && is_inline) apg_fence_of_device();
  if (rank == 0 && !is_inline) apg_fence_of_system();
  __syncwarp(apg_mask(lanes));
  const unsigned units = APG_POST_UNITS + (is_inline ? (state.post.sent_bytes + 7u) / 8u : 0u);
  apg_store_units(mailbox->posts + block * APG_ALL_POST_UNITS, &state.post, units, number, rank, lanes);
  __syncwarp(apg_mask(lanes));
  if (rank == 0) {
    apg_store(mailbox->doorbells + block, (apg_u32)number);
    /* Partners that try to reach this slot take their calls to the host as well. */
    if (state.own) atomicOr(&state.own->flags, APG_SLOT_IN_HOST);
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
/* Makes a call through the host, for which it is the block's call `number`. */
static __device__ __forceinline__ void apg_call_host(apg_mailbox *mailbox, apg_slot_state &state, apg_u64 number, unsigned rank, unsigned size) {
  const apg_slot_buffer &given = state.post.request.buffers[0];
  const apg_u64 staging = mailbox->staging, at = (apg_u64)state.post.request.block * staging;
  /* The host reports a range outside of its rail. */
  const bool is_inside = apg_is_inside(given, state.parts);
  const apg_u64 bytes = is_inside ? apg_bytes_of(given) * (apg_u64)state.parts : 0;
  const bool is_inline = bytes <= APG_INLINE_BYTES;
  if (bytes > 0 && (is_inline || bytes <= staging)) {
    apg_copy_by_block(is_inline ? (unsigned char *)state.post.elements : mailbox->sent + at, apg_first_element(given), bytes, rank, size);
  }
  if (rank == 0) {
    state.post.sent = is_inline ? APG_SENT_INLINE : bytes <= staging ? APG_SENT_STAGED : APG_SENT_ON_DEVICE;
    state.post.sent_bytes = is_inline ? (apg_u32)bytes : 0u;
  }
  __syncthreads();
  if (rank < 32u) apg_post_and_wait(mailbox, state, number, rank, size < 32u ? size : 32u);
  __syncthreads();
  const apg_u32 found = state.answer.state;
  if (found & APG_ANSWER_FAILED) {
    /* The group has failed: its slots learn of it from the host. */
    for (apg_u64 i = rank; state.part && i < state.part->count; i += size) atomicOr(&state.part->slots[i].flags, APG_SLOT_BY_HOST);
    apg_end_thread();
  }
  if (found & (APG_ANSWER_INLINE | APG_ANSWER_STAGED)) {
    const void *from = found & APG_ANSWER_INLINE ? state.answer.elements : mailbox->received + at;
    apg_copy_by_block((void *)state.answer.target, from, state.answer.bytes, rank, size);
  }
  if (rank == 0 && state.own) atomicAnd(&state.own->flags, ~(apg_u32)APG_SLOT_IN_HOST);
}
/* The part of a call that is not expanded in line. */
static __device__ __noinline__ apg_i64 apg_slot_exchange(apg_mailbox *mailbox, apg_slot_state &state, apg_slot_calls &calls) {
  const unsigned rank = apg_rank(), size = apg_block_size();
  if (rank == 0) { apg_find_slot(mailbox, state, calls); state.word = 0; state.has_received = false; }
  __syncthreads();
  const bool is_done = apg_call_on_device(mailbox, state, rank, size);
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
    state.post.request = request;
    state.parts = parts;
  }
  __syncthreads();
  return apg_slot_exchange(mailbox, state, calls);
}
