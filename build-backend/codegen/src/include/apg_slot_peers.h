/* Messages to and from slots at other devices that reach this one, by stores to each other's memory: follows apg_mailbox.h. A
   slot has one blocking call at a time, and so at most one message to another device: there is a channel for each slot and each
   other device, in the memory of the latter. The sender writes the head of a message and its elements there, as words that
   carry the message's number (the low-latency protocol of NCCL); more elements than have room the receiver reads in the
   sender's memory. A message is claimed by the receiver, or taken back by its sender, by compare-and-swap on a word of the
   channel; then the receiver says in the sender's memory that it has the elements. Channels outlive launches. */
struct apg_peer_part {
  apg_i64 group; apg_u64 first, count, own_first, own_count; /* ranks at the other device, and at this one */
  char *out, *in;                   /* channels of the slots here, at the other device; and of the slots there, at this one */
  apg_u64 *out_taken, *in_taken;    /* two words of each sender, here and there: the number of the last message that its receiver
                                       has, and that of the last one sent */
  apg_u32 *flags, *own_flags;       /* of the slots there, and here: as in apg_slot */
  apg_u64 room, direct;             /* bytes of elements in a channel, a multiple of 64; of the longest message that does not
                                       take the copy engine */
};
static_assert(sizeof(apg_peer_part) == 104, "the peers of the runtime");
/* The word of a channel, twice the number of the last message that has ended and whether it was claimed; the head's units; and
   units of elements, which begin at a multiple of 64 bytes. */
#define APG_CHANNEL_HEAD_UNITS 3u
#define APG_CHANNEL_HEAD_BYTES 64u
/* One end of a channel; `claim` is null if there is none. */
struct apg_channel { apg_u64 *claim; apg_slot_pair *units; apg_u64 *taken; const apg_u32 *flags; apg_u64 number, room, direct; apg_u32 receiver; };
/* A size of 0 says that the sender is at the host. */
struct apg_peer_head { apg_u32 tag, size, count; const char *data; };
/* The other device's slots of a group that has one with that rank. */
static __device__ __forceinline__ const apg_peer_part *apg_peer_of(const apg_mailbox *mailbox, apg_i64 group, apg_i64 rank) {
  for (apg_u64 i = 0; i < mailbox->peer_count; ++i) {
    const apg_peer_part &peer = mailbox->peers[i];
    if (peer.group == group && (apg_u64)rank - peer.first < peer.count) return &peer;
  }
  return nullptr;
}
/* Where a slot says to others what its flags are. */
static __device__ __forceinline__ apg_u32 *apg_flags_for_peers(const apg_mailbox *mailbox, apg_i64 group, apg_i64 own) {
  for (apg_u64 i = 0; i < mailbox->peer_count; ++i) {
    const apg_peer_part &peer = mailbox->peers[i];
    if (peer.group == group) return peer.own_flags + ((apg_u64)own - peer.own_first);
  }
  return nullptr;
}
static __device__ __forceinline__ apg_channel apg_channel_at(const apg_peer_part &peer, char *base, apg_u64 sender, apg_u64 *taken, const apg_u32 *flags, apg_u64 receiver) {
  char *at = base + sender * (APG_CHANNEL_HEAD_BYTES + 2u * peer.room);
  return {(apg_u64 *)at, (apg_slot_pair *)(at + 16), taken + 2u * sender, flags, 0, peer.room, peer.direct, (apg_u32)receiver};
}
/* The channel for a message from a slot of this device to one elsewhere, with the message's number. */
static __device__ __forceinline__ apg_channel apg_channel_to(const apg_mailbox *mailbox, apg_i64 group, apg_i64 own, apg_i64 other) {
  const apg_peer_part *peer = apg_peer_of(mailbox, group, other);
  if (!peer) return {};
  const apg_u64 i = (apg_u64)own - peer->own_first, j = (apg_u64)other - peer->first;
  apg_channel channel = apg_channel_at(*peer, peer->out, i, peer->out_taken, peer->flags + j, j);
  apg_u64 sent;
  apg_load(sent, channel.taken + 1);
  channel.number = sent + 1u;
  return channel;
}
/* The channel of a slot elsewhere, for a message to one of this device. */
static __device__ __forceinline__ apg_channel apg_channel_from(const apg_mailbox *mailbox, apg_i64 group, apg_i64 own, apg_i64 other) {
  const apg_peer_part *peer = apg_peer_of(mailbox, group, other);
  if (!peer) return {};
  const apg_u64 i = (apg_u64)own - peer->own_first, j = (apg_u64)other - peer->first;
  return apg_channel_at(*peer, peer->in, j, peer->in_taken, peer->flags + j, i);
}
/* Words of elements of any alignment, of which the last one may have fewer bytes. */
static __device__ __forceinline__ apg_u32 apg_word_at(const char *data, apg_u64 at, apg_u64 bytes) {
  apg_u32 word = 0;
  if (((apg_u64)data & 3u) == 0 && at + 4u <= bytes) { apg_load(word, (const apg_u32 *)(data + at)); return word; }
  for (unsigned k = 0; k < 4u && at + k < bytes; ++k) { apg_u8 byte; apg_load(byte, (const apg_u8 *)data + at + k); word |= (apg_u32)byte << 8u * k; }
  return word;
}
static __device__ __forceinline__ void apg_put_word(char *data, apg_u64 at, apg_u64 bytes, apg_u32 word) {
  if (((apg_u64)data & 3u) == 0 && at + 4u <= bytes) return apg_store((apg_u32 *)(data + at), word);
  for (unsigned k = 0; k < 4u && at + k < bytes; ++k) apg_store((apg_u8 *)data + at + k, (apg_u8)(word >> 8u * k));
}
/* Eight bytes of elements in a packet that carries a message's number (in the upper halves of `number`), and out of one. */
static __device__ __forceinline__ apg_slot_pair apg_packet_at(const char *data, apg_u64 at, apg_u64 bytes, apg_u64 number) {
  if (((apg_u64)data & 7u) != 0 || at + 8u > bytes) return {number | apg_word_at(data, at, bytes), number | apg_word_at(data, at + 4u, bytes)};
  apg_u64 both;
  apg_load(both, (const apg_u64 *)(data + at));
  return {number | (apg_u32)both, number | both >> 32};
}
static __device__ __forceinline__ void apg_put_packet(char *data, apg_u64 at, apg_u64 bytes, const apg_slot_pair &packet) {
  if (((apg_u64)data & 7u) == 0 && at + 8u <= bytes) return apg_store((apg_u64 *)(data + at), (packet.low & 0xffffffffu) | packet.high << 32);
  apg_put_word(data, at, bytes, (apg_u32)packet.low);
  apg_put_word(data, at + 4u, bytes, (apg_u32)packet.high);
}
/* Packets that a thread has under way: each load takes longer than all stores. */
#define APG_PACKETS_AT_ONCE 4u
static __device__ __forceinline__ void apg_write_head(const apg_channel &channel, const apg_peer_head &head) {
  const apg_u64 number = channel.number << 32, data = (apg_u64)head.data;
  apg_store(channel.taken + 1, channel.number);
  apg_store(channel.units, apg_slot_pair{number | head.tag, number | channel.receiver});
  apg_store(channel.units + 1, apg_slot_pair{number | head.size, number | head.count});
  apg_store(channel.units + 2, apg_slot_pair{number | (apg_u32)data, number | data >> 32});
}
/* Tells the receiver that it is met at the host; behind that call the channel is free again. */
static __device__ __forceinline__ void apg_announce(const apg_channel &channel) { apg_write_head(channel, {}); }
static __device__ __forceinline__ void apg_end_announcement(const apg_channel &channel) { apg_store(channel.claim, 2u * channel.number); }
/* Writes a message; all threads do, and those that hold elements in memory have met before. */
static __device__ __forceinline__ void apg_write_message(const apg_channel &channel, const apg_peer_head &head, unsigned rank, unsigned size) {
  const apg_u64 bytes = (apg_u64)head.count * head.size, number = channel.number << 32, units = (bytes + 7u) / 8u;
  const bool has_room = bytes <= channel.room;
  if (rank == 0) {
    /* What the receiver reads in this memory is there before it knows of it. */
    if (!has_room) apg_fence_of_system();
    apg_write_head(channel, head);
  }
  apg_slot_pair *packets = channel.units + APG_CHANNEL_HEAD_UNITS;
  for (apg_u64 unit = rank; has_room && unit < units; unit += APG_PACKETS_AT_ONCE * size) {
    apg_slot_pair made[APG_PACKETS_AT_ONCE];
    #pragma unroll
    for (unsigned k = 0; k < APG_PACKETS_AT_ONCE; ++k) if (unit + k * size < units) made[k] = apg_packet_at(head.data, 8u * (unit + k * size), bytes, number);
    #pragma unroll
    for (unsigned k = 0; k < APG_PACKETS_AT_ONCE; ++k) if (unit + k * size < units) apg_store(packets + unit + k * size, made[k]);
  }
}
static __device__ __forceinline__ bool apg_has_number(const apg_slot_pair &unit, apg_u64 number) {
  return unit.low >> 32 == (apg_u32)number && unit.high >> 32 == (apg_u32)number;
}
/* The head of the next message, if it has come and is for this slot; `seen` is the word of the channel then. */
static __device__ __forceinline__ bool apg_read_head(apg_channel &channel, apg_peer_head &head, apg_u64 &seen) {
  apg_slot_pair units[APG_CHANNEL_HEAD_UNITS];
  apg_load(seen, channel.claim);
  for (unsigned i = 0; i < APG_CHANNEL_HEAD_UNITS; ++i) apg_load(units[i], channel.units + i);
  channel.number = seen / 2u + 1u;
  for (unsigned i = 0; i < APG_CHANNEL_HEAD_UNITS; ++i) if (!apg_has_number(units[i], channel.number)) return false;
  head = {(apg_u32)units[0].low, (apg_u32)units[1].low, (apg_u32)units[1].high, (const char *)((units[2].low & 0xffffffffu) | units[2].high << 32)};
  return (apg_u32)units[0].high == channel.receiver;
}
/* Whether the group has failed, so that the other end may have ended: looked for seldom, as the word is in memory of the host. */
static __device__ __forceinline__ bool apg_has_failed(const apg_u32 *failed, unsigned polls) {
  apg_u32 seen = 0;
  if (polls % 1024u == 1023u) apg_load(seen, failed);
  return seen != 0;
}
/* Copies the elements of a message that has been claimed; all threads do. False if they do not come, as the sender has failed. */
static __device__ __forceinline__ bool apg_read_message(const apg_channel &channel, char *to, const char *from, apg_u64 bytes, const apg_u32 *failed, unsigned rank, unsigned size) {
  if (bytes > channel.room) { apg_copy_by_block(to, from, bytes, rank, size); return true; }
  const apg_slot_pair *packets = channel.units + APG_CHANNEL_HEAD_UNITS;
  const apg_u64 units = (bytes + 7u) / 8u;
  for (apg_u64 unit = rank; unit < units; unit += APG_PACKETS_AT_ONCE * size) {
    apg_slot_pair seen[APG_PACKETS_AT_ONCE];
    #pragma unroll
    for (unsigned k = 0; k < APG_PACKETS_AT_ONCE; ++k) if (unit + k * size < units) apg_load(seen[k], packets + unit + k * size);
    #pragma unroll
    for (unsigned k = 0; k < APG_PACKETS_AT_ONCE; ++k) {
      const apg_u64 at = unit + k * size;
      if (at >= units) break;
      for (unsigned polls = 0; !apg_has_number(seen[k], channel.number); ++polls) {
        if (apg_has_failed(failed, polls)) return false;
        apg_load(seen[k], packets + at);
      }
      apg_put_packet(to, 8u * at, bytes, seen[k]);
    }
  }
  return true;
}
/* The elements have been copied; one thread says so. */
static __device__ __forceinline__ void apg_end_message(const apg_channel &channel, apg_u64 bytes) {
  if (bytes > channel.room) apg_fence_of_system();
  apg_store(channel.taken, channel.number);
}
static __device__ __forceinline__ bool apg_is_taken(const apg_channel &channel) {
  apg_u64 taken;
  apg_load(taken, channel.taken);
  return taken == channel.number;
}
/* How often a sender looks for the end of a copy: some ten milliseconds, and some twenty nanoseconds for each byte. A block of 32
   threads that reads four bytes each at a time, in a microsecond or two, takes about half of that. */
static __device__ __forceinline__ apg_u64 apg_polls_of_copy(apg_u64 bytes) { return 65536u + bytes / 8u; }
/* Takes a message of that many bytes back; false if the receiver has claimed it, and the elements have been copied when this returns.
   True as well if the receiver has failed in between: the host refuses the call then. A receiver that lives while another member of
   the group has failed may read this device's memory just now, which is released when the launch has ended: it gets more time than
   its copy takes. */
static __device__ __forceinline__ bool apg_take_back(const apg_channel &channel, apg_u64 bytes, const apg_u32 *failed) {
  const apg_u64 polls_of_copy = apg_polls_of_copy(bytes);
  apg_u64 seen;
  apg_load(seen, channel.claim);
  while (seen / 2u != channel.number) if (apg_exchange_of_system(channel.claim, seen, 2u * channel.number)) return true;
  for (apg_u64 polls = 0; !apg_is_taken(channel); ++polls) if (polls >= polls_of_copy && apg_has_failed(failed, (unsigned)polls)) return true;
  return false;
}
