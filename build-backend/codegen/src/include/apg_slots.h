/* Calls of slots in device code: follows apg_slot_table.h in the source of kernels that make them. */
/* Posts the request of the block, and waits for the answer. */
static __device__ __forceinline__ void apg_post_and_wait(apg_mailbox *mailbox, apg_slot_state &state, apg_u64 number, unsigned rank, unsigned lanes) {
  const apg_u64 block = (apg_u64)state.post.request.block;
  volatile apg_u64 *to = (volatile apg_u64 *)&mailbox->posts[block];
  for (unsigned i = rank; i < sizeof(apg_slot_post) / 8u; i += lanes) to[i] = ((const volatile apg_u64 *)&state.post)[i];
  __syncwarp(apg_mask(lanes));
  if (rank == 0) {
    const apg_u32 ticket = atomicAdd(&mailbox->tickets, 1u), bits = mailbox->ring_bits;
    const apg_u64 entry = ((apg_u64)((ticket >> bits) + 1u) << 32) | block;
    apg_store_release_to_host(mailbox->ring + (ticket & ((1u << bits) - 1u)), entry);
  }
  __syncwarp(apg_mask(lanes));
  for (unsigned half = rank; half < 2u; half += lanes) {
    ((apg_slot_pair *)&state.answer)[half] = apg_await_answer(&mailbox->answers[block], half, number);
  }
}
/* Makes a call through the host, for which it is the block's call `number`. */
static __device__ __forceinline__ void apg_call_host(apg_mailbox *mailbox, apg_slot_state &state, apg_u64 number, unsigned rank, unsigned size) {
  const apg_slot_buffer &given = state.post.request.buffers[0];
  const apg_u64 staging = mailbox->staging, at = (apg_u64)state.post.request.block * staging;
  /* The host reports a range outside of its rail. */
  const bool is_inside = apg_is_inside(given, state.parts);
  const apg_u64 bytes = is_inside ? apg_bytes_of(given) * (apg_u64)state.parts : 0;
  if (is_inside && bytes <= staging) {
    apg_copy_by_block(mailbox->sent + at, apg_first_element(given), bytes, rank, size);
    if (rank == 0) state.post.staged = 1;
  }
  if (rank == 0 && state.own) atomicOr(&state.own->flags, APG_SLOT_IN_HOST);
  __syncthreads();
  if (rank < 32u) apg_post_and_wait(mailbox, state, number, rank, size < 32u ? size : 32u);
  __syncthreads();
  if (state.answer.state & APG_ANSWER_FAILED) {
    /* The group has failed: its slots learn of it from the host. */
    for (apg_u64 i = rank; state.part && i < state.part->count; i += size) atomicOr(&state.part->slots[i].flags, APG_SLOT_BY_HOST);
    apg_end_thread();
  }
  if (state.answer.state & APG_ANSWER_STAGED) {
    apg_copy_by_block((void *)state.answer.target, mailbox->received + at, state.answer.bytes >> 16, rank, size);
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
    state.post.staged = 0; state.post.unused = 0;
    state.parts = parts;
  }
  __syncthreads();
  return apg_slot_exchange(mailbox, state, calls);
}
