/* Teams of threads that execute one parallel region (OpenMP 2.5, chapter 2), on CPUs and on devices: barriers, schedules of
   loops, `single`, `ordered`, locks. A thread of a device is a thread of the team, and so is one of the operating system.
   The runtime makes the team in front of the launch; each thread keeps its state in memory of its own. */
#ifndef APG_TEAM_H
#define APG_TEAM_H
#ifdef __CUDACC_RTC__
#define APG_TEAM static __device__
#define APG_TEAM_DEVICE 1
#else
#include <sched.h>
#define APG_TEAM [[maybe_unused]] static
#define APG_TEAM_DEVICE 0
#endif
/* Worksharing constructs that threads may be ahead of others by, without a barrier between them. */
#define APG_TEAM_SLOTS 64
/* What the threads share of one worksharing loop: `epoch` is the number of the loop that it belongs to. */
struct apg_team_slot { apg_u32 epoch, left; apg_i64 next, ordered; };
/* What they share of one reduction: its number, and how many partial results there are. */
struct apg_team_reduction { apg_u32 epoch, arrived; };
/* A call that a thread of a GPU makes on the host, in memory of the host: 1 of `state` asks for it, 2 says that it is done.
   ended: the program ends, and the host makes no calls any more.
   room: copies of objects of the thread that the operands point to, each at a multiple of 16 bytes. */
#define APG_TEAM_CALLS 1024
#define APG_TEAM_CALL_WORDS 32
#define APG_TEAM_CALL_ROOM 4096
struct apg_team_call { apg_u32 state, ended; apg_i64 function, operands[APG_TEAM_CALL_WORDS]; apg_u64 room[APG_TEAM_CALL_ROOM / 8]; };
static_assert(sizeof(apg_team_call) == 4368, "the runtime has the same struct");
/* objects: addresses that the code names by their indices. partials: partial results of APG_TEAM_SLOTS reductions.
   run_schedule, run_chunk: `schedule(runtime)`. calls: APG_TEAM_CALLS calls of the host, on a GPU. is_independent: nothing tells
   how many threads there are, or which of them executes an iteration; not all blocks run at the same time. The rest belongs to the
   threads: those that have arrived at a barrier, its number, the number of `single` constructs, the number of calls. */
struct apg_team {
  const apg_i64 *objects; apg_u64 *partials; apg_i64 exchange, run_chunk; apg_i32 threads, run_schedule; apg_team_call *calls;
  apg_i32 is_independent, reserved;
  alignas(64) apg_u32 arrived; alignas(64) apg_u32 phase; alignas(64) apg_u32 singles; alignas(64) apg_u32 tickets;
  alignas(64) apg_team_slot slots[APG_TEAM_SLOTS]; apg_team_reduction reductions[APG_TEAM_SLOTS]; apg_u32 rounds[APG_TEAM_CALLS];
};
static_assert(sizeof(apg_team) == 6464, "the runtime has the same struct");
/* A threadprivate object: that of the initial thread, and those of the others. */
struct apg_private { apg_i64 master, copies, stride; };
enum { APG_SCHEDULE_ANY, APG_SCHEDULE_STATIC, APG_SCHEDULE_CHUNKS, APG_SCHEDULE_DYNAMIC, APG_SCHEDULE_GUIDED, APG_SCHEDULE_RUNTIME };
/* number, threads: those that the program sees; `home` is the number in the team. inner: how many nested regions are around. */
struct apg_thread {
  apg_team *team; apg_i32 number, threads, home, inner; apg_u32 singles, loops, reductions; apg_i32 is_owner;
  apg_team_slot *slot; apg_i32 schedule, is_ordered, is_past; apg_i32 padding;
  apg_i64 total, chunk, next, first, end, step, iteration;
};
static_assert(sizeof(apg_thread) <= 24 * 8, "the state of a thread");
#define APG_SELF(self) ((apg_thread *)(self))
/* ---- memory ---- */
#if APG_TEAM_DEVICE
/* Scopes are those of the device: PTX ISA, Memory Consistency Model. */
#define APG_TEAM_WORD(T, type, letter) \
  APG_TEAM T apg_team_peek(const T *p) { T v; asm volatile("ld.relaxed.gpu." type " %0, [%1];" : "=" letter(v) : "l"(p) : "memory"); return v; } \
  APG_TEAM T apg_team_load(const T *p) { T v; asm volatile("ld.acquire.gpu." type " %0, [%1];" : "=" letter(v) : "l"(p) : "memory"); return v; } \
  APG_TEAM void apg_team_store(T *p, T v) { asm volatile("st.release.gpu." type " [%0], %1;" :: "l"(p), letter(v) : "memory"); } \
  APG_TEAM T apg_team_add(T *p, T v) { T old; asm volatile("atom.add.acq_rel.gpu." type " %0, [%1], %2;" : "=" letter(old) : "l"(p), letter(v) : "memory"); return old; }
APG_TEAM_WORD(apg_u32, "u32", "r")
APG_TEAM_WORD(apg_i64, "u64", "l")
#undef APG_TEAM_WORD
/* A thread that waits for the value of another one flushes: others of its warp go on. */
APG_TEAM void apg_team_flush() { __threadfence_system(); __nanosleep(20); }
APG_TEAM bool apg_team_replace(apg_u32 *p, apg_u32 old, apg_u32 v) {
  apg_u32 found;
  asm volatile("atom.cas.acq_rel.gpu.b32 %0, [%1], %2, %3;" : "=r"(found) : "l"(p), "r"(old), "r"(v) : "memory");
  return found == old;
}
APG_TEAM bool apg_team_replace(apg_i64 *p, apg_i64 old, apg_i64 v) {
  apg_i64 found;
  asm volatile("atom.cas.acq_rel.gpu.b64 %0, [%1], %2, %3;" : "=l"(found) : "l"(p), "l"(old), "l"(v) : "memory");
  return found == old;
}
APG_TEAM void apg_team_wait(apg_u32 times) { __nanosleep(times < 7 ? 20u << times : 2000u); }
/* Threads of a warp reach barriers apart, so that the barrier is not an aligned one. */
APG_TEAM void apg_team_block_barrier() { asm volatile("barrier.sync 0;" ::: "memory"); }
APG_TEAM apg_u32 apg_team_lane() { return threadIdx.x % 32u; }
/* Whether the calling thread is the first of those of its warp that are here at the same time. */
APG_TEAM bool apg_team_is_elected() { return apg_team_lane() == (apg_u32)__ffs((int)__activemask()) - 1u; }
#else
APG_TEAM void apg_team_flush() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
template <class T> APG_TEAM T apg_team_load(const T *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
template <class T> APG_TEAM T apg_team_peek(const T *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
template <class T> APG_TEAM void apg_team_store(T *p, T v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); }
template <class T> APG_TEAM T apg_team_add(T *p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL); }
template <class T> APG_TEAM bool apg_team_replace(T *p, T old, T v) { return __atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); }
/* A thread that waits lets others run soon: there may be more threads than CPUs. */
APG_TEAM void apg_team_wait(apg_u32 times) { if (times > 16) sched_yield(); }
APG_TEAM bool apg_team_is_elected() { return true; }
#endif
/* ---- threads ---- */
APG_TEAM void apg_team_enter(apg_i64 self, apg_i64 team, apg_i32 number) {
  apg_thread *const it = APG_SELF(self);
  it->team = (apg_team *)team; it->number = it->home = number; it->threads = it->team->threads;
  it->inner = 0; it->singles = it->loops = it->reductions = 0; it->slot = nullptr;
}
APG_TEAM void apg_team_nest(apg_i64 self, apg_i64 around) {
  apg_thread *const it = APG_SELF(self);
  it->team = APG_SELF(around)->team; it->home = APG_SELF(around)->home; it->number = 0; it->threads = 1;
  it->inner = APG_SELF(around)->inner + 1; it->singles = it->loops = it->reductions = 0; it->slot = nullptr;
}
APG_TEAM apg_i32 apg_team_thread(apg_i64 self) { return APG_SELF(self)->number; }
APG_TEAM apg_i32 apg_team_threads(apg_i64 self) { return APG_SELF(self)->threads; }
APG_TEAM apg_i32 apg_team_in_parallel(apg_i64 self) { return APG_SELF(self)->team->threads > 1; }
APG_TEAM apg_i32 apg_team_level(apg_i64 self) { return APG_SELF(self)->inner + 1; }
APG_TEAM apg_i32 apg_team_ancestor(apg_i64 self, apg_i32 level) {
  return level < 0 || level > apg_team_level(self) ? -1 : level == 1 ? APG_SELF(self)->home : 0;
}
APG_TEAM apg_i32 apg_team_size(apg_i64 self, apg_i32 level) {
  return level < 0 || level > apg_team_level(self) ? -1 : level == 1 ? APG_SELF(self)->team->threads : 1;
}
APG_TEAM apg_i64 apg_team_object(apg_i64 self, apg_i32 index) { return APG_SELF(self)->team->objects[index]; }
APG_TEAM apg_i64 apg_team_master_copy(apg_i64, apg_i64 object) { return ((apg_private *)object)->master; }
APG_TEAM apg_i64 apg_team_private(apg_i64 self, apg_i64 object) {
  const apg_private *const it = (const apg_private *)object;
  const apg_i64 number = APG_SELF(self)->home;
  return number == 0 ? it->master : it->copies + (number - 1) * it->stride;
}
APG_TEAM void apg_team_copy(apg_i64 to, apg_i64 from, apg_i64 bytes) {
  for (apg_i64 i = 0; i < bytes; ++i) ((char *)to)[i] = ((const char *)from)[i];
}
APG_TEAM void apg_team_synchronize(apg_i64 self) {
  apg_thread *const it = APG_SELF(self);
  if (it->threads == 1) return;
  apg_team *const team = it->team;
#if APG_TEAM_DEVICE
  /* Blocks arrive as a whole; the last one may have threads that are not in the team, which have ended. */
  apg_team_block_barrier();
  if (threadIdx.x == 0) {
    const apg_u32 phase = apg_team_peek(&team->phase);
    if (apg_team_add(&team->arrived, 1u) + 1 == (team->threads + blockDim.x - 1) / blockDim.x) {
      team->arrived = 0;
      apg_team_store(&team->phase, phase + 1);
    } else while (apg_team_load(&team->phase) == phase);
  }
  apg_team_block_barrier();
#else
  const apg_u32 phase = apg_team_load(&team->phase);
  if (apg_team_add(&team->arrived, 1u) + 1 == (apg_u32)team->threads) {
    team->arrived = 0;
    apg_team_store(&team->phase, phase + 1);
  } else for (apg_u32 times = 0; apg_team_load(&team->phase) == phase; ++times) apg_team_wait(times);
#endif
}
/* ---- single ---- */
APG_TEAM apg_i32 apg_team_single(apg_i64 self) {
  apg_thread *const it = APG_SELF(self);
  if (it->threads == 1) return 1;
  const apg_u32 number = it->singles++;
  return apg_team_peek(&it->team->singles) == number && apg_team_replace(&it->team->singles, number, number + 1);
}
/* Null for a thread alone. */
APG_TEAM apg_i64 apg_team_copyprivate(apg_i64 self) { return APG_SELF(self)->threads == 1 ? 0 : APG_SELF(self)->team->exchange; }
/* ---- worksharing loops ---- */
APG_TEAM void apg_team_loop_begin(apg_i64 self, apg_i32 schedule, apg_i64 total, apg_i64 chunk, apg_i32 is_ordered) {
  apg_thread *const it = APG_SELF(self);
  if (schedule == APG_SCHEDULE_RUNTIME) { schedule = it->team->run_schedule; chunk = it->team->run_chunk; }
  if (it->threads == 1) schedule = APG_SCHEDULE_STATIC;
  else if (it->team->is_independent) schedule = APG_SCHEDULE_ANY;
  it->schedule = schedule; it->total = total; it->chunk = chunk < 1 ? 1 : chunk; it->is_ordered = is_ordered;
  it->next = 0; it->step = 1; it->slot = nullptr;
  if (it->threads > 1 && (is_ordered || schedule >= APG_SCHEDULE_DYNAMIC)) {
    const apg_u32 number = it->loops++;
    it->slot = &it->team->slots[number % APG_TEAM_SLOTS];
    for (apg_u32 times = 0; apg_team_load(&it->slot->epoch) != number; ++times) apg_team_wait(times);
  }
}
APG_TEAM apg_i32 apg_team_loop_next(apg_i64 self) {
  apg_thread *const it = APG_SELF(self);
  const apg_i64 threads = it->threads, number = it->number, total = it->total;
  switch (it->schedule) {
    case APG_SCHEDULE_ANY:
      if (APG_TEAM_DEVICE && !it->is_ordered) {
        it->first = number; it->end = total; it->step = threads;
        return it->next++ == 0 && it->first < total;
      }
      [[fallthrough]];
    case APG_SCHEDULE_STATIC: {
      const apg_i64 size = total / threads, rest = total % threads;
      it->first = number * size + (number < rest ? number : rest);
      it->end = it->first + size + (number < rest);
      return it->next++ == 0 && it->first < it->end;
    }
    case APG_SCHEDULE_CHUNKS:
      it->first = (it->next++ * threads + number) * it->chunk;
      break;
    case APG_SCHEDULE_DYNAMIC:
      it->first = apg_team_peek(&it->slot->next);
      if (it->first < total) it->first = apg_team_add(&it->slot->next, it->chunk);
      break;
    default:
      for (;;) {
        const apg_i64 first = apg_team_load(&it->slot->next), rest = total - first;
        if (rest <= 0) return 0;
        apg_i64 size = (rest + threads - 1) / threads;
        if (size < it->chunk) size = it->chunk;
        if (size > rest) size = rest;
        if (apg_team_replace(&it->slot->next, first, first + size)) {
          it->first = first; it->end = first + size;
          return 1;
        }
      }
  }
  it->end = it->first + it->chunk < total ? it->first + it->chunk : total;
  return it->first < total;
}
APG_TEAM apg_i64 apg_team_loop_first(apg_i64 self) { return APG_SELF(self)->first; }
APG_TEAM apg_i64 apg_team_loop_end(apg_i64 self) { return APG_SELF(self)->end; }
APG_TEAM apg_i64 apg_team_loop_step(apg_i64 self) { return APG_SELF(self)->step; }
/* The last thread that leaves a loop gives its slot to a later one. */
APG_TEAM void apg_team_loop_leave(apg_i64 self) {
  apg_thread *const it = APG_SELF(self);
  apg_team_slot *const slot = it->slot;
  it->is_ordered = 0; it->slot = nullptr;
  if (!slot) return;
#if APG_TEAM_DEVICE
  /* One thread counts those of its warp that leave the same loop together. */
  __threadfence();
  const apg_u32 together = __match_any_sync(__activemask(), (apg_u64)slot), count = __popc(together);
  if (apg_team_lane() != (apg_u32)__ffs((int)together) - 1u) return;
#else
  const apg_u32 count = 1;
#endif
  if (apg_team_add(&slot->left, count) + count != (apg_u32)it->threads) return;
  slot->next = slot->ordered = 0; slot->left = 0;
  apg_team_store(&slot->epoch, slot->epoch + APG_TEAM_SLOTS);
}
/* ---- ordered ---- */
APG_TEAM void apg_team_iteration_begin(apg_i64 self, apg_i64 iteration) {
  APG_SELF(self)->iteration = iteration; APG_SELF(self)->is_past = 0;
}
APG_TEAM void apg_team_ordered_enter(apg_i64 self) {
  apg_thread *const it = APG_SELF(self);
  if (!it->slot || !it->is_ordered || it->is_past) return;
  for (apg_u32 times = 0; apg_team_load(&it->slot->ordered) != it->iteration; ++times) apg_team_wait(times);
}
APG_TEAM void apg_team_ordered_leave(apg_i64 self) {
  apg_thread *const it = APG_SELF(self);
  if (!it->slot || !it->is_ordered || it->is_past) return;
  it->is_past = 1;
  apg_team_store(&it->slot->ordered, it->iteration + 1);
}
/* Iterations without an ordered part pass it on as well. */
APG_TEAM void apg_team_iteration_end(apg_i64 self) { apg_team_ordered_enter(self); apg_team_ordered_leave(self); }
/* ---- locks: a word that is zero when it is free, as the system's library has it ---- */
APG_TEAM apg_i32 apg_team_try_lock(apg_i64 lock) {
  apg_u32 *const word = (apg_u32 *)lock;
  return apg_team_peek(word) == 0 && apg_team_replace(word, 0u, 1u);
}
/* `omp_test_lock`: programs call it until it succeeds. */
APG_TEAM apg_i32 apg_team_test_lock(apg_i64 lock) {
  if (apg_team_try_lock(lock)) return 1;
  apg_team_wait(0);
  return 0;
}
/* Of the threads of a warp that wait together one looks for the lock, so that the owner can make progress. */
APG_TEAM void apg_team_lock(apg_i64 lock) {
  for (apg_u32 times = 0; !apg_team_is_elected() || !apg_team_try_lock(lock); ++times) apg_team_wait(times);
}
APG_TEAM void apg_team_unlock(apg_i64 lock) { apg_team_store((apg_u32 *)lock, 0u); }
/* ---- `critical`: threads of a warp that arrive together take the lock once and have it one after the other, so that it goes
   from one multiprocessor to another once for all of them (cohort locking: Dice, Marathe and Shavit, PPoPP 2012). They are bits
   of a word, and `left` are those that have not had it; the code between, which waits for no thread, is executed by the first
   of these. ---- */
#if APG_TEAM_DEVICE
APG_TEAM bool apg_team_is_first(apg_u32 threads) { return apg_team_lane() == (apg_u32)__ffs((int)threads) - 1u; }
APG_TEAM apg_u32 apg_team_critical_enter(apg_i64 lock) {
  const apg_u32 together = __match_any_sync(__activemask(), (apg_u64)lock);
  if (apg_team_is_first(together)) {
    for (apg_u32 times = 0; !apg_team_try_lock(lock); ++times) apg_team_wait(times);
  }
  __syncwarp(together);
  return together;
}
APG_TEAM apg_u32 apg_team_critical_next(apg_u32 together, apg_u32 left) { __syncwarp(together); return left & (left - 1u); }
APG_TEAM void apg_team_critical_leave(apg_i64 lock, apg_u32 together) { if (apg_team_is_first(together)) apg_team_unlock(lock); }
#else
APG_TEAM bool apg_team_is_first(apg_u32) { return true; }
APG_TEAM apg_u32 apg_team_critical_enter(apg_i64 lock) { apg_team_lock(lock); return 1; }
APG_TEAM apg_u32 apg_team_critical_next(apg_u32, apg_u32) { return 0; }
APG_TEAM void apg_team_critical_leave(apg_i64 lock, apg_u32) { apg_team_unlock(lock); }
#endif
/* The lock, how often it is taken, and the thread that has it, counted from 1. */
struct apg_nest_lock { apg_u32 word, count; apg_i64 owner; };
APG_TEAM apg_i32 apg_team_nest_try_lock(apg_i64 self, apg_i64 lock) {
  apg_nest_lock *const it = (apg_nest_lock *)lock;
  const apg_i64 own = APG_SELF(self)->home + 1;
  if (apg_team_load(&it->owner) != own) {
    if (!apg_team_try_lock(lock)) return 0;
    it->count = 0;
    apg_team_store(&it->owner, own);
  }
  return (apg_i32)++it->count;
}
APG_TEAM apg_i32 apg_team_nest_lock(apg_i64 self, apg_i64 lock) {
  for (apg_u32 times = 0;; ++times) {
    if (const apg_i32 count = apg_team_nest_try_lock(self, lock)) return count;
    apg_team_wait(times);
  }
}
APG_TEAM void apg_team_nest_unlock(apg_i64, apg_i64 lock) {
  apg_nest_lock *const it = (apg_nest_lock *)lock;
  if (--it->count != 0) return;
  apg_team_store(&it->owner, (apg_i64)0);
  apg_team_unlock(lock);
}
/* ---- reductions: in the order of the threads, so that the same threads with the same values give the same result ---- */
enum { APG_REDUCE_ADD, APG_REDUCE_MULTIPLY, APG_REDUCE_MIN, APG_REDUCE_MAX, APG_REDUCE_BITAND, APG_REDUCE_BITOR, APG_REDUCE_BITXOR,
       APG_REDUCE_AND, APG_REDUCE_OR };
template <class T> APG_TEAM T apg_team_bits(apg_i32 operation, T a, T b) {
  return operation == APG_REDUCE_BITAND ? a & b : operation == APG_REDUCE_BITOR ? a | b : a ^ b;
}
APG_TEAM float apg_team_bits(apg_i32, float a, float) { return a; }
APG_TEAM double apg_team_bits(apg_i32, double a, double) { return a; }
template <class T> APG_TEAM T apg_team_combine(apg_i32 operation, T a, T b) {
  switch (operation) {
    case APG_REDUCE_ADD: return a + b;
    case APG_REDUCE_MULTIPLY: return a * b;
    case APG_REDUCE_MIN: return b < a ? b : a;
    case APG_REDUCE_MAX: return b > a ? b : a;
    case APG_REDUCE_AND: return (T)(a != 0 && b != 0);
    case APG_REDUCE_OR: return (T)(a != 0 || b != 0);
    default: return apg_team_bits(operation, a, b);
  }
}
union apg_team_value { apg_u64 bits; apg_i32 i32; apg_u32 u32; apg_i64 i64; apg_u64 u64; float f32; double f64; };
#define APG_TEAM_GET(T, member) APG_TEAM void apg_team_get(apg_team_value it, T *to) { *to = it.member; } \
  APG_TEAM apg_u64 apg_team_word(T value) { apg_team_value it; it.bits = 0; it.member = value; return it.bits; }
APG_TEAM_GET(apg_i32, i32) APG_TEAM_GET(apg_u32, u32) APG_TEAM_GET(apg_i64, i64) APG_TEAM_GET(apg_u64, u64)
APG_TEAM_GET(float, f32) APG_TEAM_GET(double, f64)
#undef APG_TEAM_GET
template <class T> APG_TEAM T apg_team_partial(apg_u64 bits) {
  apg_team_value it; it.bits = bits;
  T value; apg_team_get(it, &value);
  return value;
}
template <class T> APG_TEAM T apg_team_partial(const apg_u64 *p) { return apg_team_partial<T>((apg_u64)apg_team_peek((const apg_i64 *)p)); }
#if APG_TEAM_DEVICE
/* The values of the first `count` threads of a warp, by a tree; the first thread has the result. */
template <class T> APG_TEAM T apg_team_reduce_warp(apg_i32 operation, T value, apg_u32 count) {
  const apg_u32 mask = count >= 32u ? 0xffffffffu : (1u << count) - 1u, lane = apg_team_lane();
  if (lane >= count) return value;
  for (apg_u32 distance = 1; distance < 32u; distance *= 2) {
    const T other = __shfl_down_sync(mask, value, distance);
    if (lane + distance < count) value = apg_team_combine(operation, value, other);
  }
  return value;
}
#endif
/* Combines the values of all threads (M. Harris, Optimizing Parallel Reduction in CUDA): the last part of the team that
   arrives combines the partial results. It is the owner, which has the result; others get some value. */
template <class T> APG_TEAM T apg_team_reduce(apg_i64 self, apg_i32 operation, T value) {
  apg_thread *const it = APG_SELF(self);
  it->is_owner = it->threads == 1;
  if (it->is_owner) return value;
  apg_team *const team = it->team;
  const apg_u32 number = it->reductions++;
  apg_team_reduction *const reduction = &team->reductions[number % APG_TEAM_SLOTS];
#if APG_TEAM_DEVICE
  __shared__ apg_u64 partials[32];
  __shared__ apg_u32 is_last;
  const apg_u32 parts = (team->threads + blockDim.x - 1) / blockDim.x, own = blockIdx.x, warp = threadIdx.x / 32u;
  const apg_u32 left = team->threads - own * blockDim.x, here = left < blockDim.x ? left : blockDim.x, warps = (here + 31u) / 32u;
  value = apg_team_reduce_warp(operation, value, here - warp * 32u);
  if (apg_team_lane() == 0) partials[warp] = apg_team_word(value);
  apg_team_block_barrier();
  apg_u64 *const all = team->partials + (apg_u64)(number % APG_TEAM_SLOTS) * parts;
  if (threadIdx.x == 0) {
    for (apg_u32 i = 1; i < warps; ++i) value = apg_team_combine(operation, value, apg_team_partial<T>(partials[i]));
    while (apg_team_load(&reduction->epoch) != number);
    all[own] = apg_team_word(value);
    is_last = apg_team_add(&reduction->arrived, 1u) + 1 == parts;
  }
  apg_team_block_barrier();
  if (!is_last || warp != 0) return value;
  const apg_u32 lanes = here < 32u ? here : 32u, each = (parts + lanes - 1) / lanes, first = apg_team_lane() * each;
  __threadfence();
  if (first < parts) value = apg_team_partial<T>(all + first);
  for (apg_u32 i = first + 1; i < first + each && i < parts; ++i) value = apg_team_combine(operation, value, apg_team_partial<T>(all + i));
  value = apg_team_reduce_warp(operation, value, (parts + each - 1) / each);
  it->is_owner = threadIdx.x == 0;
#else
  const apg_u32 parts = team->threads;
  apg_u64 *const all = team->partials + (apg_u64)(number % APG_TEAM_SLOTS) * parts;
  for (apg_u32 times = 0; apg_team_load(&reduction->epoch) != number; ++times) apg_team_wait(times);
  all[it->home] = apg_team_word(value);
  it->is_owner = apg_team_add(&reduction->arrived, 1u) + 1 == parts;
  if (!it->is_owner) return value;
  value = apg_team_partial<T>(all);
  for (apg_u32 i = 1; i < parts; ++i) value = apg_team_combine(operation, value, apg_team_partial<T>(all + i));
#endif
  if (it->is_owner) {
    reduction->arrived = 0;
    apg_team_store(&reduction->epoch, number + APG_TEAM_SLOTS);
  }
  return value;
}
APG_TEAM apg_i32 apg_team_reduce_i32(apg_i64 self, apg_i32 operation, apg_i32 value) { return apg_team_reduce(self, operation, value); }
APG_TEAM apg_u32 apg_team_reduce_u32(apg_i64 self, apg_i32 operation, apg_u32 value) { return apg_team_reduce(self, operation, value); }
APG_TEAM apg_i64 apg_team_reduce_i64(apg_i64 self, apg_i32 operation, apg_i64 value) { return apg_team_reduce(self, operation, value); }
APG_TEAM apg_u64 apg_team_reduce_u64(apg_i64 self, apg_i32 operation, apg_u64 value) { return apg_team_reduce(self, operation, value); }
APG_TEAM float apg_team_reduce_f32(apg_i64 self, apg_i32 operation, float value) { return apg_team_reduce(self, operation, value); }
APG_TEAM double apg_team_reduce_f64(apg_i64 self, apg_i32 operation, double value) { return apg_team_reduce(self, operation, value); }
/* Whether the thread has the result of its last reduction. */
APG_TEAM apg_i32 apg_team_is_owner(apg_i64 self) { return APG_SELF(self)->is_owner; }
/* ---- functions of the host ---- */
#if APG_TEAM_DEVICE
/* Whether a number is the address of an object of this thread (PTX ISA, isspacep). */
APG_TEAM bool apg_team_is_own(apg_i64 address) {
  apg_u32 is_own;
  asm("{ .reg .pred p; isspacep.local p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is_own) : "l"(address));
  return is_own != 0;
}
/* What the host gets of the object that an operand points into: its address, and its size in bytes, 0 if that is not known.
   A text has its address alone, or the object with it, and APG_TEAM_TEXT. */
#define APG_TEAM_TEXT (1ll << 62)
#define APG_TEAM_POINTERS (1ll << 61)
#define APG_TEAM_BYTES(size) ((size) & (APG_TEAM_POINTERS - 1))
#define APG_TEAM_PLACES(size) ((APG_TEAM_BYTES(size) + 15) & ~15ll)
/* The operands, the objects that they point into, and the sizes of these; `used` bytes of the room are taken. */
struct apg_team_loan { apg_team_call *call; apg_i64 *own, *objects, *sizes; apg_i32 words; apg_i64 used; };
/* What a pointer to the copy of an object means to the thread. */
APG_TEAM apg_i64 apg_team_of_thread(const apg_team_loan *it, apg_i64 pointer) {
  apg_i64 at = (apg_i64)it->call->room;
  for (apg_i32 i = 1; i < it->words; at += APG_TEAM_PLACES(it->sizes[i]), ++i)
    if (it->sizes[i] && pointer >= at && pointer <= at + APG_TEAM_BYTES(it->sizes[i])) return pointer - at + it->objects[i];
  return pointer;
}
/* What a pointer to an object of the thread, whose copy is there, means to the host; 0 if there is no copy. */
APG_TEAM apg_i64 apg_team_of_host(const apg_team_loan *it, apg_i32 count, apg_i64 pointer) {
  apg_i64 at = (apg_i64)it->call->room;
  for (apg_i32 i = 1; i < count; at += APG_TEAM_PLACES(it->sizes[i]), ++i)
    if (it->sizes[i] && pointer >= it->objects[i] && pointer <= it->objects[i] + APG_TEAM_BYTES(it->sizes[i])) return pointer - it->objects[i] + at;
  return 0;
}
/* The characters of a text, with its end; an object has an end as well. */
APG_TEAM void apg_team_measure(apg_team_loan *it, apg_i32 i) {
  const apg_i64 end = it->objects[i] + APG_TEAM_BYTES(it->sizes[i]), text = it->own[i];
  const apg_i64 most = it->objects[i] ? end - text : APG_TEAM_CALL_ROOM + 1;
  apg_i64 bytes = 0;
  while (bytes < most && bytes <= APG_TEAM_CALL_ROOM && ((const char *)text)[bytes++]);
  it->objects[i] = text; it->sizes[i] = bytes;
}
/* Copies the object that an operand points into to the host's memory: its place there, or 0 if that cannot be. */
APG_TEAM apg_i64 apg_team_lend(apg_team_loan *it, apg_i32 i) {
  const apg_i64 room = (apg_i64)it->call->room;
  if (it->sizes[i] & APG_TEAM_TEXT) apg_team_measure(it, i);
  for (apg_i32 j = 1, at = 0; j < i; at += APG_TEAM_PLACES(it->sizes[j]), ++j)
    if (it->sizes[i] && it->objects[i] == it->objects[j] && it->sizes[i] == it->sizes[j]) {
      it->sizes[i] = 0;
      return room + at + it->own[i] - it->objects[j];
    }
  const apg_i64 object = it->objects[i], bytes = APG_TEAM_BYTES(it->sizes[i]);
  const bool is_inside = it->own[i] >= object && it->own[i] <= object + bytes;
  if (bytes == 0 || !is_inside || it->used + bytes > APG_TEAM_CALL_ROOM) return 0;
  for (apg_i64 k = 0; k < bytes; k += 8) {
    apg_u64 word = 0;
    for (apg_i64 b = 0; b < 8 && k + b < bytes; ++b) word |= (apg_u64)((const unsigned char *)object)[k + b] << 8 * b;
    if ((it->sizes[i] & APG_TEAM_POINTERS) && apg_team_is_own((apg_i64)word)) {
      word = (apg_u64)apg_team_of_host(it, i, (apg_i64)word);
      if (word == 0) return 0;
    }
    ((volatile apg_u64 *)it->call->room)[(it->used + k) / 8] = word;
  }
  const apg_i64 place = room + it->used + it->own[i] - object;
  it->used += APG_TEAM_PLACES(bytes);
  return place;
}
/* Takes what the host has made of the objects. */
APG_TEAM void apg_team_take_back(const apg_team_loan *it) {
  apg_i64 at = 0;
  for (apg_i32 i = 1; i < it->words; at += APG_TEAM_PLACES(it->sizes[i]), ++i)
    for (apg_i64 k = 0, bytes = APG_TEAM_BYTES(it->sizes[i]); k < bytes; k += 8) {
      apg_u64 word = ((volatile apg_u64 *)it->call->room)[(at + k) / 8];
      if (it->sizes[i] & APG_TEAM_POINTERS) word = (apg_u64)apg_team_of_thread(it, (apg_i64)word);
      for (apg_i64 b = 0; b < 8 && k + b < bytes; ++b) ((unsigned char *)it->objects[i])[k + b] = (unsigned char)(word >> 8 * b);
    }
}
/* Takes the next call, in the order of the calls, and waits until a thread of the host has made it. Behind the operands are the objects that
   they point into, and the sizes of these. An address of this thread means nothing there: the object is copied to the host
   and back; a call without a function tells that this cannot be, and of which operand. */
APG_TEAM void apg_team_host_call(apg_i64 self, apg_i64 function, apg_i64 operands, apg_i32 words) {
  apg_team *const team = APG_SELF(self)->team;
  apg_i64 *const own = (apg_i64 *)operands;
  const apg_u32 ticket = apg_team_add(&team->tickets, 1u), index = ticket % APG_TEAM_CALLS;
  for (apg_u32 times = 0; apg_team_load(&team->rounds[index]) != ticket / APG_TEAM_CALLS; ++times) apg_team_wait(times);
  volatile apg_team_call *const call = &team->calls[index];
  apg_team_loan loan = { &team->calls[index], own, own + words, own + 2 * words, words, 0 };
  for (apg_i32 i = 1; i < words; ++i) {
    apg_i64 operand = own[i];
    if (!apg_team_is_own(operand)) loan.sizes[i] = 0;
    else if ((operand = apg_team_lend(&loan, i)) == 0) { function = 0; call->operands[0] = i; break; }
    call->operands[i] = operand;
  }
  call->function = function;
  __threadfence_system();
  call->state = 1;
  /* Both words at once: a look takes its time. If the program ends, so do all threads. */
  for (apg_u32 times = 0;; ++times) {
    const apg_u64 answer = *(volatile apg_u64 *)&call->state;
    if ((apg_u32)answer == 2u) break;
    if (answer >> 32) __trap();
    apg_team_wait(times);
  }
  __threadfence_system();
  apg_team_take_back(&loan);
  own[0] = apg_team_of_thread(&loan, call->operands[0]);
  call->state = 0;
  __threadfence_system();
  apg_team_store(&team->rounds[index], ticket / APG_TEAM_CALLS + 1);
}
#else
APG_TEAM void apg_team_host_call(apg_i64, apg_i64 function, apg_i64 operands, apg_i32) { ((void (*)(void *))function)((void *)operands); }
#endif
#endif
