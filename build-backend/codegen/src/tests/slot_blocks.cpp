// Blocks of kernels of one or two devices as threads of the host, which run the device code of slots (apg_slot_peers.h,
// apg_slot_table.h, apg_slots.h) unchanged, beside a host that matches what goes through it by linear search. Each program is made by a seed: messages and
// collective operations whose elements say where they come from, with delays that make blocks give up in between.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <unistd.h>
#include <vector>
typedef long long apg_i64; typedef unsigned long long apg_u64; typedef int apg_i32; typedef unsigned apg_u32; typedef unsigned char apg_u8; typedef signed char apg_i8; typedef short apg_i16; typedef unsigned short apg_u16;
#define __device__
#define __forceinline__ inline
#define __noinline__
struct Extent { unsigned x = 1, y = 1, z = 1; };
static Extent gridDim;
static thread_local Extent blockIdx;
struct Block { std::barrier<> barrier; std::atomic<bool> all{true}; explicit Block(int threads) : barrier(threads) {} };
static thread_local Block *own_block;
static thread_local unsigned own_rank;
static unsigned threads;
static unsigned apg_rank() { return own_rank; }
static unsigned apg_block_size() { return threads; }
static unsigned apg_mask(unsigned) { return 0; }
static void __syncthreads() { own_block->barrier.arrive_and_wait(); }
static void __syncwarp(unsigned) { __syncthreads(); }
static int __syncthreads_count(int) { __syncthreads(); return (int)threads; }
static bool __syncthreads_and(bool value) {
  if (!value) own_block->all = false;
  __syncthreads();
  const bool all = own_block->all;
  __syncthreads();
  if (own_rank == 0) own_block->all = true;
  return all;
}
static void __nanosleep(unsigned) { std::this_thread::yield(); }
// Patient blocks never give up, and so stay for ever where a partner at the host has not said so.
static bool is_patient;
static long long clock64() { return is_patient ? 0 : std::chrono::steady_clock::now().time_since_epoch().count(); }
static apg_u32 atomicAdd(apg_u32 *at, apg_u32 value) { return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST); }
static apg_u32 atomicOr(apg_u32 *at, apg_u32 value) { return __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST); }
static apg_u32 atomicAnd(apg_u32 *at, apg_u32 value) { return __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST); }
static apg_u32 atomicCAS(apg_u32 *at, apg_u32 from, apg_u32 to) {
  __atomic_compare_exchange_n(at, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return from;
}
// In place of apg_memory_order.h.
struct apg_slot_pair { apg_u64 low, high; };
static apg_u64 apg_load_acquire(const apg_u64 *from) { return __atomic_load_n(from, __ATOMIC_ACQUIRE); }
static void apg_store_release(apg_u64 *to, apg_u64 value) { __atomic_store_n(to, value, __ATOMIC_RELEASE); }
static bool apg_exchange_if(apg_u64 *word, apg_u64 &from, apg_u64 to) {
  return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
static bool apg_exchange_relaxed(apg_u64 *word, apg_u64 &from, apg_u64 to) {
  return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
static bool apg_exchange_of_system(apg_u64 *word, apg_u64 &from, apg_u64 to) { return apg_exchange_relaxed(word, from, to); }
static apg_u64 apg_add(apg_u64 *word, apg_u64 value) { return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL); }
static void apg_load(apg_slot_pair &to, const apg_slot_pair *from) { to.low = apg_load_acquire(&from->low); to.high = apg_load_acquire(&from->high); }
static void apg_store(apg_slot_pair *to, apg_slot_pair value) { apg_store_release(&to->low, value.low); apg_store_release(&to->high, value.high); }
static void apg_fence_of_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static void apg_fence_of_device() { apg_fence_of_system(); }
static thread_local bool is_common = true;
static bool apg_is_common(const void *) { return is_common; }
static void apg_end_thread() { puts("a call has failed"); exit(1); }
template <class T> static T &apg_shared() { static T of_blocks[8]; return of_blocks[blockIdx.x]; }
#include "apg_mailbox.h"
#include "apg_slot_peers.h"
#include "apg_slot_table.h"
#include "apg_slots.h"

// The host: requests in the order of their doorbells, answered when they have ended.
struct Request { apg_slot_request call; apg_u64 number = 0; apg_i64 parts = 0, word = 0; bool is_sent = true, is_received = true, is_awaited = true, is_elsewhere = false; int gathered = 0; std::vector<char> elements, found; };
static int blocks, devices;
static std::deque<Request *> sends, receives;
static std::vector<Request *> arrived;
static std::map<apg_i64, Request *> begun;
static std::vector<apg_slot_pair> answers;
static const apg_slot_buffer &target_of(const Request &it) { return apg_received(it.call); }
static char *first_of(const apg_slot_buffer &buffer) { return (char *)buffer.data + buffer.index * buffer.size; }
static void answer(Request &it) {
  apg_slot_answer made{};
  made.word = it.word;
  if (!it.found.empty()) {
    made.state = APG_ANSWER_INLINE; made.bytes = (apg_u32)it.found.size(); made.target = (apg_u64)first_of(target_of(it));
    memcpy(made.elements, it.found.data(), it.found.size());
  }
  /* The first pair comes last: a block must wait for each. */
  apg_slot_pair *to = answers.data() + it.call.block * APG_ALL_ANSWER_UNITS;
  for (unsigned unit = it.found.empty() ? APG_ANSWER_UNITS : APG_ALL_ANSWER_UNITS; unit-- > 0; ) apg_store_units(to + unit, (const apg_u32 *)&made + 2 * unit, 1, it.number, 0, 1);
}
static void finish(Request &it) { if (!it.is_elsewhere && it.is_sent && it.is_received && it.is_awaited) answer(it); }
static bool match_one() {
  for (auto receive = receives.begin(); receive != receives.end(); ++receive) {
    for (auto send = sends.begin(); send != sends.end(); ++send) {
      Request &from = **send, &to = **receive;
      const bool is_its = to.call.from == -1 || to.call.from == from.call.rank;
      if (from.call.group != to.call.group || from.call.partner != to.call.rank || from.call.tag != to.call.tag || !is_its) continue;
      if (from.elements.size() <= APG_INLINE_BYTES) to.found = from.elements;
      else memcpy(first_of(target_of(to)), from.elements.data(), from.elements.size());
      to.word = from.call.buffers[0].count << 24 | from.call.rank;
      from.is_sent = to.is_received = true;
      sends.erase(send);
      receives.erase(receive);
      finish(from);
      if (&from != &to) finish(to);
      return true;
    }
  }
  return false;
}
static int gathered, arrived_slots;
static void collect(Request *last) {
  arrived.push_back(last);
  if (last->gathered > 0) ++gathered;
  arrived_slots += last->gathered > 0 ? last->gathered : 1;
  if (arrived_slots < blocks) return;
  arrived_slots = 0;
  for (Request *to : arrived) {
    const int call = to->call.call;
    const apg_u64 bytes = apg_bytes_of(to->call.buffers[0]);
    char *target = first_of(target_of(*to));
    for (Request *from : arrived) {
      if (from->call.call != call) { puts("different operations meet"); exit(1); }
      const char *elements = from->elements.data();
      const bool is_root = from->call.rank == from->call.partner;
      if (call == APG_BROADCAST && is_root && from != to) memcpy(target, elements, bytes);
      if (call == APG_SCATTER && is_root) memcpy(target, elements + to->call.rank * bytes, bytes);
      if (call == APG_ALL_GATHER || (call == APG_GATHER && to->call.rank == to->call.partner)) memcpy(target + from->call.rank * bytes, elements, bytes);
      const bool takes = call == APG_ALL_REDUCE || (call == APG_REDUCE && to->call.rank == to->call.partner);
      for (apg_u64 i = 0; takes && i < bytes / 8; ++i) {
        /* In the order of ranks: arrivals are in any order, which these operations do not see. */
        const apg_i64 element = ((const apg_i64 *)elements)[i];
        apg_i64 &sum = ((apg_i64 *)target)[i];
        sum = from == arrived[0] ? element : apg_combine(sum, element, (int)to->call.operation);
      }
      if (call == APG_ALL_TO_ALL) memcpy(target + from->call.rank * bytes, elements + to->call.rank * bytes, bytes);
    }
  }
  for (Request *it : arrived) answer(*it);
  arrived.clear();
}
// The call of a request that a block has written.
static apg_slot_request read(const apg_slot_post &post, int block) {
  apg_slot_request call{};
  const apg_u32 *words = post.words;
  if (words[1] & APG_POST_WIDE) { memcpy(&call, post.elements, sizeof call); return call; }
  call.call = words[0] >> 24; call.rank = words[0] & 0xffffff; call.group = words[2]; call.partner = (apg_i32)words[3]; call.block = block;
  call.operation = words[1] >> 18 & 15; call.buffer_count = words[1] >> 12 & 3; call.stride = words[11];
  if (call.call >= APG_BARRIER) { call.first = (apg_i32)words[9]; call.members = (apg_i32)words[10]; }
  else { call.from = (apg_i32)words[9]; call.tag = (apg_i32)words[10]; }
  for (unsigned i = 0; i < call.buffer_count; ++i) {
    const bool is_last = i + 1 == call.buffer_count;
    call.buffers[i] = {is_last ? (void *)(words[7] | (apg_u64)words[8] << 32) : nullptr, 1 << 30, 0, words[is_last ? 6 : 5], words[1] >> 22, words[1] >> 14 & 15};
  }
  return call;
}
static void handle(const apg_slot_post &post, apg_u64 number, int block, const char *staged) {
  Request *it = new Request{read(post, block), number};
  const int call = it->call.call, sent = post.words[1] >> 9 & 3;
  if (call == APG_BARRIER && !(post.words[1] & APG_POST_WIDE)) it->gathered = post.words[6];
  if (sent == APG_SENT_INLINE) it->elements.assign(post.elements, post.elements + (post.words[1] & 0x1ff));
  else if (sent == APG_SENT_STAGED) it->elements.assign(staged, staged + apg_bytes_of(it->call.buffers[0]) * (call == APG_SCATTER || call == APG_ALL_TO_ALL ? blocks : 1));
  if (call >= APG_BARRIER) return collect(it);
  if (call == APG_WAIT) {
    Request *other = begun[it->call.partner];
    other->call.block = it->call.block; other->number = number; other->is_awaited = true;
    return finish(*other);
  }
  if (call == APG_START_SEND) {
    begun[number << 8 | it->call.block] = it;
    it->is_awaited = false;
    Request started = *it;
    started.word = (apg_i64)(number << 8 | it->call.block) << 24;
    answer(started);
  }
  if (call != APG_RECEIVE && it->call.partner >= blocks) {
    /* A slot elsewhere sends on what it gets, to the slot as many ranks before it as there are blocks. */
    Request *on = new Request(*it);
    on->call.rank = it->call.partner; on->call.partner = it->call.partner - blocks; on->is_elsewhere = true;
    sends.push_back(on);
  } else if (call != APG_RECEIVE) { it->is_sent = false; sends.push_back(it); }
  if (call == APG_RECEIVE || call == APG_EXCHANGE || call == APG_REPLACE) { it->is_received = false; receives.push_back(it); }
  if (it->call.partner >= blocks) finish(*it);
  while (match_one()) { }
}

static const int MOST = 64;
// The first blocks are those of the first device.
static int of_first() { return devices == 1 ? blocks : (blocks + 1) / 2; }
static int device_of(int block) { return block >= of_first(); }
static const int GROUPS = 2, FIRST_GROUP = 5;
// Some messages are longer than a channel has room for, and some go through the host.
static const apg_u64 ROOM = 256, DIRECT = 448, CHANNEL = APG_CHANNEL_HEAD_BYTES + 2 * ROOM, STAGING = MOST * 8 * 8;
// The memory of a device for messages with the other one in a group. Launches have it one after the other.
struct Area { std::vector<apg_slot_pair> channels; std::vector<apg_u64> taken; std::vector<apg_u32> flags; };
struct Program {
  apg_mailbox mailbox[2]{};
  apg_slot_part part[2][GROUPS]{};
  apg_peer_part peer[2][GROUPS]{};
  Area area[2][GROUPS];
  std::vector<apg_i64> sent[8], received[8];
  std::atomic<long> wrong{0}, met{0};
  std::atomic<apg_u64> calls{0};
  apg_u64 posted = 0;
  bool is_clean = true;
};
// What one thread of a block runs.
static void run(Program &program, int block, unsigned seed, int rounds) {
  std::mt19937 random(seed);
  apg_slot_calls calls{};
  long barriers = 0;
  apg_i64 *sent = program.sent[block].data(), *received = program.received[block].data();
  const auto value = [](int round, int who, int i) { return (apg_i64)round * 1000003 + who * 1009 + i; };
  for (int round = 0; round < rounds; ++round) {
    // Between devices also messages alone, of which none waits for long.
    static const int messages[] = {0, 1, 2, 10};
    const int choice = random() % 16, kind = devices > 1 && seed % 2 ? messages[choice % 4] : choice, count = random() % MOST, root = random() % blocks, more = random() % 256, late = random() % (4 * blocks);
    const apg_i64 group = FIRST_GROUP + random() % GROUPS;
    const int next = (block + 1 + more) % blocks, before = (block + blocks - (1 + more) % blocks) % blocks, other = block ^ 1;
    const auto call = [&](int call, apg_i64 partner, apg_i64 from, apg_i64 tag, apg_i64 parts, std::vector<apg_slot_buffer> buffers) {
      // Lines of a large number make wide requests.
      apg_slot_request request{group, block, partner, from, tag, more & 1 ? APG_XOR : APG_ADD, 0, kind == 14 ? blocks + 1 : blocks, 1, block, {}, call, (apg_u32)buffers.size(), 0, more & 2 ? 7u : 1u << 20};
      for (size_t i = 0; i < buffers.size(); ++i) request.buffers[i] = buffers[i];
      if (own_rank == 0) program.calls++;
      return apg_slot_message(&program.mailbox[device_of(block)], calls, parts, request);
    };
    const apg_slot_buffer given{sent, MOST * blocks, 0, count, 8, 4}, part{received, MOST * blocks, 0, count, 8, 4}, room{received, MOST * blocks, 0, MOST, 8, 4};
    const auto expect = [&](const apg_i64 *found, int who, int first) {
      for (int i = 0; i < count; ++i) if (found[i] != value(round, who, first + i)) program.wrong++;
    };
    // Sometimes the root's elements are in memory that the other blocks do not reach.
    is_common = block != root || !(more & 64);
    __syncthreads();
    for (int i = own_rank; i < MOST * blocks; i += threads) { sent[i] = value(round, block, i); received[i] = -1; }
    // Longer than others try: they give up, and take the host's path.
    if (late == block && own_rank == 0 && more < 32) std::this_thread::sleep_for(std::chrono::milliseconds(8));
    __syncthreads();
    switch (kind) {
      case 0:
        if (other >= blocks) break;
        if (block < other) call(APG_SEND, other, 0, more & 3, 1, {given});
        else if (call(APG_RECEIVE, 0, other, more & 3, 0, {room}) == ((apg_i64)count << 24 | other)) expect(received, other, 0);
        else program.wrong++;
        break;
      case 1: call(APG_EXCHANGE, next, before, 0, 1, {given, room}); expect(received, before, 0); break;
      case 2: call(APG_REPLACE, next, before, 0, 1, {given}); expect(sent, before, 0); break;
      case 3: // From any slot.
        call(APG_BARRIER, 0, 0, 0, 0, {});
        if (block != root) call(APG_SEND, root, 0, 7, 1, {given});
        for (int i = 1; block == root && i < blocks; ++i) { const apg_i64 word = call(APG_RECEIVE, 0, -1, 7, 0, {room}); expect(received, word & 0xffffff, 0); }
        break;
      case 4: call(APG_BARRIER, 0, 0, 0, 0, {}); break;
      case 14: // With a slot elsewhere, which does not wait.
        if (own_rank == 0) program.met++;
        call(APG_BARRIER, 0, 0, 0, 0, {});
        if (program.met < (long)blocks * ++barriers) program.wrong++;
        break;
      case 15: { // Partners on either side: pairs of neighbours, of which one sends to a slot elsewhere that the other receives from.
        if (other < blocks) {
          const bool is_first = block < other;
          const apg_i64 to = is_first ? other : blocks + other, from = is_first ? blocks + block : other;
          if (more & 4) { call(APG_REPLACE, to, from, 2, 1, {given}); expect(sent, other, 0); }
          else { call(APG_EXCHANGE, to, from, 2, 1, {given, room}); expect(received, other, 0); }
        }
        // Among blocks at once, while some are at the host still.
        __syncthreads();
        for (int i = own_rank; i < count; i += threads) sent[i] = value(round, block, i);
        __syncthreads();
        call(APG_REPLACE, next, before, 0, 1, {given});
        expect(sent, before, 0);
        break;
      }
      case 5:
        call(APG_BROADCAST, root, 0, 0, block == root, {block == root ? given : part});
        if (block != root) expect(received, root, 0);
        break;
      case 6: call(APG_GATHER, root, 0, 0, 1, {given, part}); for (int i = 0; block == root && i < blocks; ++i) expect(received + i * count, i, 0); break;
      case 7: call(APG_SCATTER, root, 0, 0, block == root ? blocks : 0, {given, part}); expect(received, root, block * count); break;
      case 8: call(APG_ALL_GATHER, 0, 0, 0, 1, {given, part}); for (int i = 0; i < blocks; ++i) expect(received + i * count, i, 0); break;
      case 9: call(APG_ALL_TO_ALL, 0, 0, 0, blocks, {given, part}); for (int i = 0; i < blocks; ++i) expect(received + i * count, i, block * count); break;
      case 12: case 13: {
        call(kind == 12 ? APG_REDUCE : APG_ALL_REDUCE, kind == 12 ? root : 0, 0, 0, 1, {given, part});
        for (int i = 0; (kind == 13 || block == root) && i < count; ++i) {
          apg_i64 sum = value(round, 0, i);
          for (int who = 1; who < blocks; ++who) sum = more & 1 ? sum ^ value(round, who, i) : sum + value(round, who, i);
          if (received[i] != sum) program.wrong++;
        }
        break;
      }
      case 10: // An exchange, and a send and a receive one after the other.
        if (other >= blocks) break;
        if (block < other) call(APG_EXCHANGE, other, other, 1, 1, {given, room});
        else if (more & 1) { call(APG_RECEIVE, 0, other, 1, 0, {room}); call(APG_SEND, other, 0, 1, 1, {given}); }
        else { call(APG_SEND, other, 0, 1, 1, {given}); call(APG_RECEIVE, 0, other, 1, 0, {room}); }
        expect(received, other, 0);
        break;
      case 11: { // Begun sends, near the end: a slot that has begun one takes the host's path from then on.
        if (round < rounds / 2) break;
        const apg_i64 number = call(APG_START_SEND, next, 0, 3, 1, {given}) >> 24;
        call(APG_RECEIVE, 0, before, 3, 0, {room});
        expect(received, before, 0);
        call(APG_WAIT, number, 0, 0, 0, {});
        break;
      }
    }
  }
}
static apg_u64 first_of(int device) { return device == 0 ? 0 : (apg_u64)of_first(); }
static apg_u64 count_of(int device) { return (apg_u64)(device == 0 ? of_first() : blocks - of_first()); }
// Makes what launches share.
static void prepare(Program &program) {
  for (int i = 0; i < blocks; ++i) { program.sent[i].resize(MOST * blocks); program.received[i].resize(MOST * blocks); }
  for (int device = 0; device < devices; ++device) {
    for (Area &area : program.area[device]) {
      area.channels.resize(count_of(1 - device) * CHANNEL / sizeof(apg_slot_pair)); area.taken.resize(2 * count_of(device)); area.flags.resize(count_of(device));
    }
  }
  for (int device = 0; device < devices && devices > 1; ++device) {
    const int other = 1 - device;
    for (int group = 0; group < GROUPS; ++group) {
      Area &here = program.area[device][group], &there = program.area[other][group];
      program.peer[device][group] = {FIRST_GROUP + group, first_of(other), count_of(other), first_of(device), count_of(device), (char *)there.channels.data(), (char *)here.channels.data(), here.taken.data(), there.taken.data(), there.flags.data(), here.flags.data(), ROOM, DIRECT};
    }
  }
}
// The blocks of one launch, each with its threads, until they have ended.
static void run_blocks(Program &program, unsigned seed, int rounds) {
  std::vector<std::unique_ptr<Block>> shared;
  std::vector<std::thread> all;
  for (int block = 0; block < blocks; ++block) {
    shared.push_back(std::make_unique<Block>((int)threads));
    for (unsigned rank = 0; rank < threads; ++rank) {
      all.emplace_back([&, block, rank] {
        own_block = shared[block].get(); own_rank = rank; blockIdx.x = (unsigned)block;
        run(program, block, seed, rounds);
      });
    }
  }
  for (std::thread &it : all) it.join();
}
// A launch at each device, with a host of their own. All messages have ended then.
static void launch(Program &program, unsigned seed, int rounds) {
  std::vector<apg_slot> slots(GROUPS * blocks);
  apg_meeting meetings[2][GROUPS]{};
  std::vector<apg_slot_pair> posts(blocks * APG_ALL_POST_UNITS);
  std::vector<unsigned char> sent(STAGING * blocks), kept(STAGING * blocks);
  std::vector<apg_u32> doorbells(blocks);
  apg_u32 joined = 0, failed = 0;
  answers.assign(blocks * APG_ALL_ANSWER_UNITS, {});
  program.met = 0;
  for (int device = 0; device < devices; ++device) {
    for (int group = 0; group < GROUPS; ++group) program.part[device][group] = {FIRST_GROUP + group, first_of(device), count_of(device), slots.data() + group * blocks + first_of(device), &meetings[device][group], &joined, &failed};
    program.mailbox[device] = {doorbells.data(), posts.data(), answers.data(), sent.data(), sent.data(), STAGING, kept.data(), program.part[device], GROUPS, program.peer[device], devices > 1 ? GROUPS : 0u};
  }
  std::atomic<bool> is_over{false};
  std::thread host([&] {
    std::vector<apg_u64> made(blocks);
    for (int block = 0; !is_over; block = (block + 1) % blocks) {
      std::this_thread::yield();
      const volatile apg_u32 *rung = doorbells.data() + block;
      if (*rung == (apg_u32)made[block]) continue;
      apg_slot_post post;
      const apg_slot_pair *units = posts.data() + block * APG_ALL_POST_UNITS;
      apg_await_units(&post, units, 0, APG_POST_UNITS, made[block] + 1, 0, 1);
      apg_await_units(&post, units, APG_POST_UNITS, APG_POST_UNITS + ((post.words[1] & 0x1ff) + 7) / 8, made[block] + 1, 0, 1);
      ++program.posted;
      handle(post, ++made[block], block, (const char *)sent.data() + block * STAGING);
    }
  });
  run_blocks(program, seed, rounds);
  is_over = true;
  host.join();
  for (const apg_slot &slot : slots) program.is_clean = program.is_clean && slot.offer == APG_OFFER_NONE && !(slot.flags & APG_SLOT_IN_HOST);
  program.is_clean = program.is_clean && sends.empty() && receives.empty() && arrived.empty() && joined == 1;
}
// A slot exchanges elements with one of its device and one elsewhere, of which the head has come and the elements do not. Whether it
// takes its own message back.
static bool withdraws() {
  apg_slot slots[2]{};
  apg_meeting meeting{};
  std::vector<apg_slot_pair> in(CHANNEL / sizeof(apg_slot_pair));
  apg_u64 taken[2]{}, sent[1]{3}, received[1]{};
  apg_u32 joined = 0, failed = 1, flags[1]{}, own_flags[2]{};
  const apg_slot_part part{FIRST_GROUP, 0, 2, slots, &meeting, &joined, &failed};
  const apg_peer_part peer{FIRST_GROUP, 2, 1, 0, 2, nullptr, (char *)in.data(), nullptr, taken, flags, own_flags, ROOM, DIRECT};
  apg_mailbox mailbox{};
  mailbox.parts = &part; mailbox.part_count = 1; mailbox.peers = &peer; mailbox.peer_count = 1;
  apg_channel head = apg_channel_at(peer, peer.in, 0, taken, flags, 0);
  head.number = 1;
  apg_write_head(head, {0, 8, 1, nullptr});
  apg_slot_state state{};
  apg_slot_calls calls{};
  state.request = {FIRST_GROUP, 0, 1, 2, 0, 0, 0, 3, 1, 0, {{sent, 1, 0, 1, 8, 4}, {received, 1, 0, 1, 8, 4}}, APG_EXCHANGE, 2, 0, 0};
  apg_find_slot(&mailbox, state, calls);
  Block alone(1);
  own_block = &alone;
  const bool has_ended = apg_message_on_device(&mailbox, state, calls, 0, 1);
  return !has_ended && state.is_lost && state.is_sending && slots[0].offer == APG_OFFER_NONE;
}
// The other device fails while a block waits: for a receiver that has claimed a message, and for elements behind a head.
static int lose() {
  apg_u64 claim = 3, taken[2] = {0, 1};
  std::vector<apg_slot_pair> units(APG_CHANNEL_HEAD_UNITS + ROOM / 8);
  char to[ROOM];
  apg_u32 failed = 0;
  const apg_channel channel{&claim, units.data(), taken, nullptr, 1, ROOM, DIRECT, 0};
  std::thread other([&] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); apg_store(&failed, 1u); });
  const bool is_left = apg_take_back(channel, ROOM, &failed), is_read = apg_read_message(channel, to, nullptr, ROOM, &failed, 0, 1);
  other.join();
  printf("%s, %s, %s\n", is_left ? "left" : "taken", is_read ? "read" : "lost", withdraws() ? "withdrawn" : "offered");
  return 0;
}
// Messages of each length and alignment in a channel, by one to nine threads: how many come with other elements, or change memory beside.
static int carry() {
  std::vector<apg_slot_pair> units(APG_CHANNEL_HEAD_UNITS + ROOM / 8);
  apg_u64 claim = 0, taken[2]{}, number = 0;
  const apg_u32 failed = 0;
  alignas(8) char from[ROOM + 16], to[ROOM + 16], expected[ROOM + 16];
  int wrong = 0;
  for (unsigned bytes = 0; bytes <= ROOM; ++bytes) {
    for (unsigned offsets = 0; offsets < 64; ++offsets) {
      const apg_channel channel{&claim, units.data(), taken, nullptr, ++number, ROOM, DIRECT, 0};
      const unsigned size = 1 + (bytes + offsets) % 9;
      for (unsigned i = 0; i < sizeof from; ++i) { from[i] = (char)(i * 7 + number); to[i] = expected[i] = (char)(i + bytes); }
      char *source = from + offsets % 8, *target = to + offsets / 8;
      memcpy(expected + offsets / 8, source, bytes);
      for (unsigned rank = 0; rank < size; ++rank) apg_write_message(channel, {0, 1, bytes, source}, rank, size);
      for (unsigned rank = 0; rank < size; ++rank) apg_read_message(channel, target, nullptr, bytes, &failed, rank, size);
      wrong += memcmp(to, expected, sizeof to) != 0;
    }
  }
  printf("%d wrong\n", wrong);
  return 0;
}
int main(int count, char **arguments) {
  if (count == 2 && !strcmp(arguments[1], "carry")) { alarm(60); return carry(); }
  if (count == 2 && !strcmp(arguments[1], "lose")) { alarm(60); return lose(); }
  blocks = atoi(arguments[1]); threads = (unsigned)atoi(arguments[2]);
  const int rounds = atoi(arguments[3]);
  const unsigned seed = (unsigned)atoi(arguments[4]);
  devices = atoi(arguments[6]);
  is_patient = !strcmp(arguments[5], "patient");
  if (is_patient) alarm(300);
  gridDim.x = (unsigned)blocks;
  Program program;
  prepare(program);
  launch(program, seed, rounds / 2);
  launch(program, seed + 100, rounds / 2);
  // Messages that receivers at the other device have taken; all have ended.
  apg_u64 taken = 0;
  for (int device = 0; device < devices; ++device) {
    for (int group = 0; group < GROUPS; ++group) {
      const Area &area = program.area[device][group], &other = program.area[1 - device][group];
      for (size_t i = 0; i < area.taken.size(); i += 2) {
        taken += area.taken[i] > 0;
        program.is_clean = program.is_clean && (devices == 1 || other.channels[i / 2 * CHANNEL / sizeof(apg_slot_pair)].low / 2 == area.taken[i + 1]);
      }
    }
  }
  printf("%ld wrong, %s, %s, %s, %s\n", program.wrong.load(), program.is_clean ? "clean" : "not clean", gathered > 0 ? "gathered" : "not gathered", program.posted > 0 && program.posted < program.calls ? "both paths" : "one path", taken > 0 ? "channels" : "no channels");
}
