/* Messages and collective operations among the blocks of one kernel, through the memory of their device: follows
   apg_slot_peers.h. A slot that sends offers its elements in an entry of its own; a receive that names its source looks at
   that entry, claims it by compare-and-swap, copies the elements, and says so. A block tries this for a limited time.
   Then it takes its offer back and makes the call through the host, which knows receives from any source, slots
   elsewhere, failures and reports. While a block is in a call there, its partners take theirs to the host as well. Since
   a slot has one blocking call at a time, messages of a pair keep their order on either path. */
/* Operations of reductions. */
enum { APG_ADD, APG_MULTIPLY, APG_AND = 3, APG_OR, APG_XOR, APG_MAX, APG_MIN };
/* Of a slot: in a call of the host, with the rank of the only slot that this concerns, or that it may concern all; all its calls
   take that path; its group has failed. */
enum { APG_SLOT_IN_HOST = 1, APG_SLOT_BY_HOST = 2, APG_SLOT_FAILED = 4 };
#define APG_SLOT_CONCERNS(rank) ((apg_u32)(rank) << 8)
#define APG_ALL_SLOTS 0xffffffu
/* An offer that is none, that a receive has claimed, and that it has copied. Others: the receiver's position in its part
   plus one, above the tag. */
enum { APG_OFFER_NONE, APG_OFFER_CLAIMED, APG_OFFER_COPIED };
struct alignas(128) apg_slot {
  apg_u64 offer;
  const char *data;                 /* what it sends, memory that all blocks reach; null if it is not that */
  char *target;                     /* where it receives, likewise */
  apg_i64 root;                     /* of a collective operation */
  apg_u64 count;                    /* elements of a message or of a part */
  apg_u32 size, call;
  apg_u32 flags, owner;             /* owner: number of the block that has made a call, plus one */
};
/* A collective operation of all slots of a part: how many operations have ended (16 bits), whether this one takes the path
   through the host, whether all have arrived and the last one makes the call for all of them there, how many slots have arrived
   (22 bits) and how many have taken the path through the host (24 bits). */
struct alignas(128) apg_meeting { apg_u64 word; apg_u32 by_host; /* a slot takes the path through the host in all its calls */ };
#define APG_MEETING_ENDED (1ULL << 48)
#define APG_MEETING_BY_HOST (1ULL << 47)
#define APG_MEETING_CLOSED (1ULL << 46)
#define APG_MEETING_ARRIVED (1ULL << 24)
/* The slots that a group has for blocks of this device; in memory of the host, whether a block of them has made a call, and
   whether the group has failed while slots at other devices wait for some of its blocks. */
struct apg_slot_part { apg_i64 group; apg_u64 first, count; apg_slot *slots; apg_meeting *meeting; apg_u32 *joined; const apg_u32 *failed; };
static_assert(sizeof(apg_slot) == 128 && sizeof(apg_meeting) == 128 && sizeof(apg_slot_part) == 56, "the slots of the runtime");
/* How long a block tries: some milliseconds. */
#define APG_TRY_CYCLES (1LL << 22)
static __device__ __forceinline__ apg_u32 apg_slot_flags(const apg_slot *slot) { return *(const volatile apg_u32 *)&slot->flags; }
/* Whether a partner with those flags has to be met at the host: it is in a call there that concerns this slot, or all its calls take that
   path. What else it does there ends. */
static __device__ __forceinline__ bool apg_is_at_host(apg_u32 flags, apg_i64 rank) {
  const apg_u32 concerns = flags & APG_SLOT_CONCERNS(APG_ALL_SLOTS);
  if (flags & (APG_SLOT_BY_HOST | APG_SLOT_FAILED)) return true;
  return (flags & APG_SLOT_IN_HOST) != 0 && (concerns == APG_SLOT_CONCERNS(APG_ALL_SLOTS) || concerns == APG_SLOT_CONCERNS(rank));
}
/* What a thread knows of the calls of its block: how many took the path through the host, and of the last slot where it is
   on the device, where other devices see its flags (null if not there), whether all its calls take that path, and the last
   channels: the ranks at their other ends, plus one. */
struct apg_slot_calls { apg_u64 posted; apg_i64 group, rank; const apg_slot_part *part; apg_slot *own; apg_u32 *own_flags; bool is_by_host; apg_i64 to, from; apg_channel out, in; };
/* What a block's threads have in common during a call. */
struct apg_slot_state {
  apg_slot_request request; apg_slot_post post; apg_slot_answer answer;
  apg_i64 parts;                    /* how often the call sends its elements */
  const apg_slot_part *part;        /* of the slot and of its partners; null if they are not of one */
  apg_slot *own;                    /* the slot; null if its device does not know it */
  apg_slot *to, *from;              /* null if they are not slots of the part */
  apg_channel out, in;              /* if they are slots of other devices */
  apg_u32 *own_flags;               /* the slot's flags for other devices; null if there are none */
  apg_u64 offer, seen;              /* that of this call; the word of an operation */
  long long begun;
  apg_i64 word;                     /* the result of a receive on the device */
  const char *found;                /* elements that a claim has found, and their bytes */
  apg_u64 bytes;
  bool is_sending, is_receiving;    /* what is left to do */
  bool has_received, is_by_host, are_others_by_host;
  bool is_for_all;                  /* the call is made through the host for all slots of the part */
  bool is_lost;                     /* the sender of a message has failed before all elements came */
  bool is_announced;                /* the receiver at another device knows that the call is made through the host */
  int step;
};
enum { APG_STEP_END, APG_STEP_COPY, APG_STEP_HOST, APG_STEP_ASK };
/* The slot with a rank, if it is one of the part. */
static __device__ __forceinline__ apg_slot *apg_slot_of(const apg_slot_part *part, apg_i64 rank) {
  const apg_u64 position = (apg_u64)rank - part->first;
  return position < part->count ? part->slots + position : nullptr;
}
static __device__ __forceinline__ bool apg_has_slot_by_host(const apg_slot_part &part) { return *(const volatile apg_u32 *)&part.meeting->by_host != 0; }
/* Finds the block's slot, whose calls the host alone can tell apart if another block has made some. One thread does. */
static __device__ __forceinline__ void apg_find_slot(const apg_mailbox *mailbox, apg_slot_state &state, apg_slot_calls &calls) {
  const apg_slot_request &request = state.request;
  if (calls.group != request.group || calls.rank != request.rank) {
    calls.group = request.group; calls.rank = request.rank;
    calls.part = nullptr; calls.own = nullptr; calls.own_flags = nullptr; calls.is_by_host = false;
    /* A receive from any source, rank -1, has no channel. */
    calls.to = calls.from = 0; calls.out = calls.in = {};
    for (apg_u64 i = 0; i < mailbox->part_count; ++i) {
      if (mailbox->parts[i].group == request.group) { calls.part = mailbox->parts + i; calls.own = apg_slot_of(calls.part, request.rank); }
    }
    if (calls.own) {
      apg_store(calls.part->joined, 1u);
      const apg_u32 block = (apg_u32)request.block + 1u, owner = atomicCAS(&calls.own->owner, 0u, block);
      calls.is_by_host = (owner != 0u && owner != block) || (apg_slot_flags(calls.own) & APG_SLOT_BY_HOST) != 0;
      calls.own_flags = apg_flags_for_peers(mailbox, request.group, request.rank);
      /* Those of an earlier launch. */
      if (calls.own_flags) apg_store(calls.own_flags, 0u);
    }
  }
  if (request.call == APG_START_SEND || request.call == APG_START_RECEIVE) calls.is_by_host = true;
  state.part = calls.part; state.own = calls.own; state.own_flags = calls.own_flags; state.is_by_host = calls.is_by_host;
  if (calls.own && calls.is_by_host) {
    atomicOr(&calls.own->flags, APG_SLOT_BY_HOST);
    apg_store(&calls.part->meeting->by_host, 1u);
    if (calls.own_flags) apg_store(calls.own_flags, (apg_u32)APG_SLOT_BY_HOST);
  }
  /* Messages do not wait for the load. */
  state.are_others_by_host = request.call >= APG_BARRIER && calls.own && apg_has_slot_by_host(*calls.part);
}
/* Claims the message of a slot elsewhere if it has come; false if it does not fit, or its sender is at the host. */
static __device__ __forceinline__ bool apg_claim_of_peer(apg_slot_state &state, bool &is_claimed) {
  const apg_slot_buffer &room = apg_received(state.request);
  apg_peer_head head;
  apg_u64 seen;
  if (!apg_read_head(state.in, head, seen)) return true;
  if (head.size == 0) return false;
  if (head.tag != (apg_u32)state.request.tag) return true;
  if (head.size != room.size || head.count > (apg_u64)room.count) return false;
  /* The word alone decides between this slot and its sender. Elements in packets carry the message's number; for others a fence
     follows, which with that of the sender in front of the head orders them. */
  is_claimed = apg_exchange_of_system(state.in.claim, seen, 2u * state.in.number + 1u);
  if (is_claimed) {
    state.found = head.data; state.bytes = (apg_u64)head.count * head.size;
    state.word = (apg_i64)((apg_u64)head.count << 24 | (apg_u64)state.request.from);
    /* Elements that the block reads in the sender's memory are read behind the head. */
    if (state.bytes > state.in.room) apg_fence_of_system();
  }
  return true;
}
/* Whether partners have to be met at the host. To look at those of other devices takes long. */
static __device__ __forceinline__ bool apg_are_at_host(const apg_slot_state &state, bool looks_at_peers) {
  const apg_i64 rank = state.request.rank;
  apg_u32 to = 0, from = 0;
  if (state.is_sending && state.to) to = apg_slot_flags(state.to);
  if (state.is_receiving && state.from) from = apg_slot_flags(state.from);
  if (looks_at_peers && state.is_sending && state.out.claim) apg_load(to, state.out.flags);
  if (looks_at_peers && state.is_receiving && state.in.claim) apg_load(from, state.in.flags);
  return apg_is_at_host(to, rank) || apg_is_at_host(from, rank);
}
/* Takes the slot's own message back if it is still to be sent; what a receive has claimed it lets be copied first. The block's first
   thread does. */
static __device__ __forceinline__ void apg_end_sending(apg_slot_state &state) {
  apg_slot *own = state.own;
  apg_u64 seen = state.offer;
  if (state.is_sending && state.out.claim) state.is_sending = apg_take_back(state.out, apg_bytes_of(state.request.buffers[0]), state.part->failed);
  else if (state.is_sending && !apg_exchange_if(&own->offer, seen, APG_OFFER_NONE)) {
    /* A receive has claimed it, and copies it now. */
    while (apg_load_acquire(&own->offer) != APG_OFFER_COPIED) { }
    own->offer = APG_OFFER_NONE;
    state.is_sending = false;
  }
}
/* The next step of a message; the block's first thread looks for it. */
static __device__ __forceinline__ int apg_next_step(apg_slot_state &state) {
  const apg_slot_request &request = state.request;
  apg_slot *own = state.own, *from = state.from;
  const apg_u64 expected = from ? (apg_u64)(own - state.part->slots + 1) << 32 | (apg_u64)request.tag : 0;
  for (unsigned polls = 0; ; ++polls) {
    if (state.is_sending && state.out.claim) state.is_sending = !apg_is_taken(state.out);
    else if (state.is_sending && apg_load_acquire(&own->offer) == APG_OFFER_COPIED) {
      own->offer = APG_OFFER_NONE;
      state.is_sending = false;
    }
    bool fits = true, is_claimed = false;
    if (state.is_receiving && state.in.claim) {
      fits = apg_claim_of_peer(state, is_claimed);
      if (is_claimed) return APG_STEP_COPY;
    } else if (state.is_receiving && apg_load_acquire(&from->offer) == expected) {
      /* An offer that is taken back does not come again while this receive tries. */
      const volatile apg_slot *offered = from;
      const apg_slot_buffer &room = apg_received(request);
      const apg_u64 count = offered->count;
      const char *data = offered->data;
      fits = offered->size == room.size && count <= (apg_u64)room.count;
      apg_u64 seen = expected;
      /* The load has acquired what stands behind the offer. */
      if (fits && apg_exchange_relaxed(&from->offer, seen, APG_OFFER_CLAIMED)) {
        state.found = data; state.bytes = count * room.size;
        state.word = (apg_i64)(count << 24 | (apg_u64)request.from);
        return APG_STEP_COPY;
      }
    }
    if (!state.is_sending && !state.is_receiving) return APG_STEP_END;
    const bool leaves = (polls % 4u == 3u && apg_slot_flags(own) != 0) || apg_are_at_host(state, polls % 16u == 15u);
    if (leaves || !fits || clock64() - state.begun > APG_TRY_CYCLES) break;
    if (polls > 64u) __nanosleep(32u);
  }
  apg_end_sending(state);
  return state.is_sending || state.is_receiving ? APG_STEP_HOST : APG_STEP_END;
}
/* Copies elements that are not common memory to where all blocks reach them; null if there is no room. */
static __device__ __forceinline__ const char *apg_make_common(const apg_mailbox *mailbox, const apg_slot_state &state, const char *data, apg_u64 bytes, unsigned rank, unsigned size) {
  if (bytes > mailbox->staging) return nullptr;
  char *kept = (char *)mailbox->kept + (apg_u64)state.request.block * mailbox->staging;
  apg_copy_by_block(kept, data, bytes, rank, size);
  __syncthreads();
  return kept;
}
/* The channel for the next message to another device, if there is one. */
static __device__ __forceinline__ apg_channel apg_target_channel(const apg_mailbox *mailbox, apg_slot_calls &calls, const apg_slot_request &request) {
  if (calls.to != request.partner + 1) { calls.to = request.partner + 1; calls.out = apg_channel_to(mailbox, request.group, request.rank, request.partner); }
  return calls.out;
}
static __device__ __forceinline__ apg_channel apg_source_channel(const apg_mailbox *mailbox, apg_slot_calls &calls, const apg_slot_request &request) {
  if (calls.from != request.from + 1) { calls.from = request.from + 1; calls.in = apg_channel_from(mailbox, request.group, request.rank, request.from); }
  return calls.in;
}
/* Sends or receives, or both. False if the rest of the call is to be made through the host. */
static __device__ __noinline__ bool apg_message_on_device(const apg_mailbox *mailbox, apg_slot_state &state, apg_slot_calls &calls, unsigned rank, unsigned size) {
  apg_slot_request &request = state.request;
  const bool sends = request.call != APG_RECEIVE, receives = request.call != APG_SEND;
  const apg_slot_buffer given = request.buffers[0], room = apg_received(request);
  if (rank == 0) {
    state.to = sends ? apg_slot_of(state.part, request.partner) : nullptr;
    state.from = receives ? apg_slot_of(state.part, request.from) : nullptr;
    state.out = sends && !state.to ? apg_target_channel(mailbox, calls, request) : apg_channel{};
    state.is_announced = state.out.claim && apg_bytes_of(given) > state.out.direct;
    if (state.is_announced) { apg_announce(state.out); ++calls.out.number; }
    state.in = receives && !state.from ? apg_source_channel(mailbox, calls, request) : apg_channel{};
    state.is_sending = sends; state.is_receiving = receives;
  }
  __syncthreads();
  if (state.is_announced) return false;
  const bool is_out = state.out.claim != nullptr, is_in = state.in.claim != nullptr;
  if ((sends && ((!state.to && !is_out) || !apg_is_inside(given, 1))) || (receives && ((!state.from && !is_in) || !apg_is_inside(room, 1)))) return false;
  if (request.tag < 0 || request.tag > 0x7fffffff) return false;
  const char *data = apg_first_element(given);
  const bool is_packet = is_out && apg_bytes_of(given) <= state.out.room;
  if (sends && (request.call == APG_REPLACE || (!is_packet && !apg_is_common(data)))) {
    data = apg_make_common(mailbox, state, data, apg_bytes_of(given), rank, size);
    if (!data) return false;
  }
  if (rank == 0) {
    state.begun = clock64();
    if (sends && !is_out) {
      apg_slot *own = state.own;
      own->data = data; own->count = (apg_u64)given.count; own->size = given.size;
      state.offer = (apg_u64)(state.to - state.part->slots + 1) << 32 | (apg_u64)request.tag;
      apg_store_release(&own->offer, state.offer);
    }
  }
  if (is_out && rank == 0) ++calls.out.number;
  if (is_out) apg_write_message(state.out, {(apg_u32)request.tag, given.size, (apg_u32)given.count, data}, rank, size);
  for (;;) {
    if (rank == 0) state.step = apg_next_step(state);
    __syncthreads();
    if (state.step != APG_STEP_COPY) break;
    if (!is_in) apg_copy_by_block(apg_first_element(room), state.found, state.bytes, rank, size);
    else if (!apg_read_message(state.in, apg_first_element(room), state.found, state.bytes, state.part->failed, rank, size)) state.is_lost = true;
    __syncthreads();
    /* The host refuses the call, and so ends the block: nobody may claim its own message, whose elements are released then. */
    if (state.is_lost && rank == 0) apg_end_sending(state);
    if (state.is_lost) break;
    if (rank == 0) {
      if (is_in) apg_end_message(state.in, state.bytes);
      else apg_store_release(&state.from->offer, APG_OFFER_COPIED);
      state.is_receiving = false; state.has_received = true;
    }
  }
  if (state.step == APG_STEP_END) return true;
  if (rank == 0 && sends && receives && state.is_sending != state.is_receiving) {
    /* One half is left. */
    request.call = state.is_sending ? APG_SEND : APG_RECEIVE;
    request.buffers[0] = state.is_sending ? given : room;
    if (state.is_sending) { request.buffers[0].data = (void *)data; request.buffers[0].index = 0; request.buffers[0].length = given.count; }
    request.buffer_count = 1;
    state.parts = state.is_sending;
  }
  __syncthreads();
  return false;
}
/* Leaves an operation that takes the path through the host; false if it has ended meanwhile, or one slot makes the call for
   all. The last that leaves it ends it here. */
static __device__ __forceinline__ bool apg_leave(const apg_slot_part &part, apg_u64 ended) {
  apg_u64 seen = apg_load_acquire(&part.meeting->word);
  while (seen / APG_MEETING_ENDED == ended && !(seen & APG_MEETING_CLOSED)) {
    const bool is_last = (seen & 0xffffffu) + 1u == part.count;
    if (apg_exchange_if(&part.meeting->word, seen, is_last ? (ended + 1u) * APG_MEETING_ENDED : (seen | APG_MEETING_BY_HOST) + 1u)) return true;
  }
  return false;
}
/* Waits until the operation has ended in which this slot has arrived. The block's first thread does. */
static __device__ __forceinline__ int apg_await_others(const apg_slot_state &state, apg_u64 ended, bool may_leave, bool asks) {
  const apg_slot_part &part = *state.part;
  const long long begun = clock64();
  for (unsigned polls = 0; ; ++polls) {
    const apg_u64 seen = apg_load_acquire(&part.meeting->word);
    /* In a group that has failed the host refuses the call. */
    if (seen / APG_MEETING_ENDED != ended) return asks && (apg_slot_flags(state.own) & APG_SLOT_FAILED) != 0 ? APG_STEP_HOST : APG_STEP_END;
    const bool leaves = may_leave && !(seen & APG_MEETING_CLOSED) && ((seen & APG_MEETING_BY_HOST) != 0 || apg_slot_flags(state.own) != 0 || apg_has_slot_by_host(part) || clock64() - begun > APG_TRY_CYCLES);
    if (leaves && apg_leave(part, ended)) return APG_STEP_HOST;
    if (polls > 64u) __nanosleep(32u);
  }
}
/* Waits until all slots of the part have arrived. False if the operation takes the path through the host, which this
   slot demands if it `leaves`; all that have arrived have called the same otherwise. If it `asks`, the last one makes the call
   through the host for all, which wait for it. */
static __device__ __noinline__ bool apg_meet(apg_slot_state &state, bool may_leave, bool leaves, bool asks, unsigned rank, unsigned size) {
  const apg_slot_part &part = *state.part;
  if (rank == 0 && !leaves) state.seen = apg_add(&part.meeting->word, APG_MEETING_ARRIVED) + APG_MEETING_ARRIVED;
  if (rank == 0 && leaves) {
    /* It says so as it arrives: the last one must not end the operation in between. */
    apg_u64 before = apg_load_acquire(&part.meeting->word);
    do state.seen = (before + APG_MEETING_ARRIVED) | APG_MEETING_BY_HOST;
    while (!apg_exchange_if(&part.meeting->word, before, state.seen));
  }
  __syncthreads();
  const apg_u64 ended = state.seen / APG_MEETING_ENDED;
  /* The last one compares what they have called. */
  const bool is_last = (state.seen / APG_MEETING_ARRIVED & 0x3fffffu) == part.count;
  if (may_leave && is_last) {
    bool agrees = true;
    for (apg_u64 i = rank; i < part.count; i += size) {
      const volatile apg_slot *other = part.slots + i, *own = state.own;
      agrees = agrees && other->call == own->call && other->root == own->root && other->count == own->count && other->size == own->size;
    }
    leaves = !__syncthreads_and(agrees) || leaves;
  }
  if (rank == 0) {
    apg_u64 seen = state.seen;
    leaves = leaves || (seen & APG_MEETING_BY_HOST) != 0;
    if (!leaves && !is_last) state.step = apg_await_others(state, ended, may_leave, asks);
    else if (!leaves && apg_exchange_if(&part.meeting->word, seen, asks ? seen | APG_MEETING_CLOSED : (ended + 1u) * APG_MEETING_ENDED)) state.step = asks ? APG_STEP_ASK : APG_STEP_END;
    else state.step = apg_leave(part, ended) ? APG_STEP_HOST : APG_STEP_END;
  }
  __syncthreads();
  return state.step == APG_STEP_END;
}
/* Whether an operation has a meaning for elements. */
static __device__ __forceinline__ bool apg_can_combine(apg_u32 kind, apg_i64 operation) {
  const bool is_bitwise = operation >= APG_AND && operation <= APG_XOR;
  const bool is_other = operation == APG_ADD || operation == APG_MULTIPLY || operation == APG_MAX || operation == APG_MIN;
  const bool is_integer = kind >= APG_I8 && kind <= APG_U64, is_floating = kind == APG_F32 || kind == APG_F64;
  return (is_bitwise && (is_integer || kind == APG_BOOL)) || (is_other && (is_integer || is_floating));
}
/* Integers wrap; a floating minimum or maximum with a NaN is NaN. */
template <class T> static __device__ __forceinline__ T apg_combine(T left, T right, int operation) {
  const apg_u64 first = (apg_u64)left, second = (apg_u64)right;
  switch (operation) {
    case APG_ADD: return (T)(first + second);
    case APG_MULTIPLY: return (T)(first * second);
    case APG_AND: return (T)(first & second);
    case APG_OR: return (T)(first | second);
    case APG_XOR: return (T)(first ^ second);
    case APG_MAX: return left > right ? left : right;
    default: return left < right ? left : right;
  }
}
template <class T> static __device__ __forceinline__ T apg_combine_floating(T left, T right, int operation) {
  switch (operation) {
    case APG_ADD: return left + right;
    case APG_MULTIPLY: return left * right;
    case APG_MAX: return left != left || left > right ? left : right;
    default: return left != left || left < right ? left : right;
  }
}
static __device__ __forceinline__ float apg_combine(float left, float right, int operation) { return apg_combine_floating(left, right, operation); }
static __device__ __forceinline__ double apg_combine(double left, double right, int operation) { return apg_combine_floating(left, right, operation); }
/* Combines a range of the elements of all slots, in the order of ranks, into those of one slot, or of all if there is no
   root. */
template <class T> static __device__ __noinline__ void apg_reduce_elements(const apg_slot_part &part, const apg_slot *root, int operation, apg_u64 first, apg_u64 end, unsigned rank, unsigned size) {
  for (apg_u64 i = first + rank; i < end; i += size) {
    T sum, next;
    apg_load(sum, (const T *)part.slots[0].data + i);
    #pragma unroll 8
    for (apg_u64 slot = 1; slot < part.count; ++slot) {
      apg_load(next, (const T *)part.slots[slot].data + i);
      sum = apg_combine(sum, next, operation);
    }
    if (root) { apg_store((T *)root->target + i, sum); continue; }
    /* Several loads of addresses are under way. */
    for (apg_u64 slot = 0; slot < part.count; slot += 8u) {
      char *targets[8];
      #pragma unroll
      for (unsigned k = 0; k < 8u; ++k) targets[k] = part.slots[slot + k < part.count ? slot + k : slot].target;
      #pragma unroll
      for (unsigned k = 0; k < 8u; ++k) apg_store((T *)targets[k] + i, sum);
    }
  }
}
/* Each slot's block combines a part of the elements. */
static __device__ __forceinline__ void apg_reduce(const apg_slot_part &part, const apg_slot *root, apg_u32 kind, int operation, apg_u64 position, apg_u64 count, unsigned rank, unsigned size) {
  const apg_u64 first = count * position / part.count, end = count * (position + 1) / part.count;
  switch (kind) {
    case APG_I8: return apg_reduce_elements<apg_i8>(part, root, operation, first, end, rank, size);
    case APG_I16: return apg_reduce_elements<apg_i16>(part, root, operation, first, end, rank, size);
    case APG_I32: return apg_reduce_elements<apg_i32>(part, root, operation, first, end, rank, size);
    case APG_I64: return apg_reduce_elements<apg_i64>(part, root, operation, first, end, rank, size);
    case APG_U16: return apg_reduce_elements<apg_u16>(part, root, operation, first, end, rank, size);
    case APG_U32: return apg_reduce_elements<apg_u32>(part, root, operation, first, end, rank, size);
    case APG_U64: return apg_reduce_elements<apg_u64>(part, root, operation, first, end, rank, size);
    case APG_F32: return apg_reduce_elements<float>(part, root, operation, first, end, rank, size);
    case APG_F64: return apg_reduce_elements<double>(part, root, operation, first, end, rank, size);
    default: return apg_reduce_elements<apg_u8>(part, root, operation, first, end, rank, size);
  }
}
/* Whether all slots of the part take part in a barrier with others, which one request can say. */
static __device__ __forceinline__ bool apg_gathers(const apg_slot_request &request, const apg_slot_part &part) {
  const bool has_all = request.first <= (apg_i64)part.first && request.members >= (apg_i64)(part.first + part.count) - request.first;
  return request.call == APG_BARRIER && request.stride == 1 && part.count > 1u && has_all && apg_is_short(request, 0);
}
/* A collective operation of all slots of the part. False if it is to be made through the host. */
static __device__ __noinline__ bool apg_collective_on_device(const apg_mailbox *mailbox, apg_slot_state &state, unsigned rank, unsigned size) {
  const apg_slot_request &request = state.request;
  const apg_slot_part &part = *state.part;
  const int call = request.call;
  const bool is_of_part = (apg_u64)request.first == part.first && (apg_u64)request.members == part.count && request.stride == 1;
  /* A barrier with slots elsewhere is gathered here, and one block makes it for all. */
  const bool asks = !is_of_part && apg_gathers(request, part);
  if (!is_of_part && !asks) return false;
  const bool reduces = call == APG_REDUCE || call == APG_ALL_REDUCE;
  const bool has_root = call == APG_BROADCAST || call == APG_GATHER || call == APG_SCATTER || call == APG_REDUCE, is_root = request.partner == request.rank;
  const apg_slot *root = has_root ? apg_slot_of(&part, request.partner) : state.own;
  if (!root) return false;
  const apg_slot_buffer &given = request.buffers[0], &room = apg_received(request);
  const apg_i64 sent = state.parts, all = (apg_i64)part.count;
  const apg_i64 received = apg_received_parts(request);
  bool leaves = (sent > 0 && !apg_is_inside(given, sent)) || (received > 0 && !apg_is_inside(room, received)) || (reduces && !apg_can_combine(given.kind, request.operation));
  const apg_u64 bytes = call == APG_BARRIER || leaves ? 0 : apg_bytes_of(given);
  const char *data = apg_first_element(given);
  char *target = apg_first_element(room);
  /* A part of a gather is written by its slot. */
  if (sent > 0 && !leaves && call != APG_GATHER) {
    const apg_u64 span = reduces ? bytes : bytes * all;
    /* Each element of a reduction is read before the same one is written. */
    const bool overlaps = (call == APG_ALL_TO_ALL || (reduces && received > 0 && data != target)) && data < target + span && target < data + span;
    if (overlaps || !apg_is_common(data)) data = apg_make_common(mailbox, state, data, bytes * sent, rank, size);
    leaves = !data;
  }
  if (((call == APG_GATHER && is_root) || (reduces && received > 0)) && !apg_is_common(target)) leaves = true;
  if (rank == 0) {
    apg_slot *own = state.own;
    own->data = data; own->target = target; own->root = has_root ? request.partner : call == APG_BARRIER ? request.first : 0;
    own->count = call == APG_BARRIER ? (apg_u64)request.members : (apg_u64)given.count; own->size = call == APG_BARRIER ? 0 : given.size;
    own->call = (apg_u32)call | (reduces ? given.kind << 8 | (apg_u32)request.operation << 16 : 0u);
  }
  __syncthreads();
  const bool is_met = apg_meet(state, true, leaves, asks, rank, size);
  if (rank == 0) state.is_for_all = state.step == APG_STEP_ASK;
  if (!is_met) return false;
  const apg_u64 position = (apg_u64)(state.own - part.slots);
  if (call == APG_BROADCAST && !is_root) apg_copy_by_block(target, root->data, bytes, rank, size);
  if (call == APG_GATHER) apg_copy_by_block(root->target + position * bytes, data, bytes, rank, size);
  if (call == APG_SCATTER) apg_copy_by_block(target, root->data + position * bytes, bytes, rank, size);
  if (reduces) apg_reduce(part, call == APG_REDUCE ? root : nullptr, given.kind, (int)request.operation, position, (apg_u64)given.count, rank, size);
  for (apg_u64 i = 0; (call == APG_ALL_GATHER || call == APG_ALL_TO_ALL) && i < part.count; ++i) {
    /* Each begins with another one. */
    const apg_u64 from = (position + i) % part.count;
    apg_copy_by_block(target + from * bytes, part.slots[from].data + (call == APG_ALL_TO_ALL ? position * bytes : 0), bytes, rank, size);
  }
  if (call != APG_BARRIER) {
    __syncthreads();
    apg_meet(state, false, false, false, rank, size);
  }
  return true;
}
/* Makes a call by the memory of the device. False if it is to be made through the host. */
static __device__ __forceinline__ bool apg_call_on_device(const apg_mailbox *mailbox, apg_slot_state &state, apg_slot_calls &calls, unsigned rank, unsigned size) {
  const int call = state.request.call;
  if (!state.own || state.is_by_host) return false;
  return call <= APG_REPLACE ? apg_message_on_device(mailbox, state, calls, rank, size) : call >= APG_BARRIER && !state.are_others_by_host && apg_collective_on_device(mailbox, state, rank, size);
}
