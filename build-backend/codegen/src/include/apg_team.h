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
/* objects: addresses that the code names by their indices. run_schedule, run_chunk: `schedule(runtime)`. The rest belongs
   to the threads: those that have arrived at a barrier, its number, the number of `single` constructs. */
struct apg_team {
  const apg_i64 *objects, *reserved; apg_i64 exchange, run_chunk; apg_i32 threads, run_schedule;
  alignas(64) apg_u32 arrived; alignas(64) apg_u32 phase; alignas(64) apg_u32 singles; alignas(64) apg_team_slot slots[APG_TEAM_SLOTS];
};
/* A threadprivate object: that of the initial thread, and those of the others. */
struct apg_private { apg_i64 master, copies, stride; };
enum { APG_SCHEDULE_ANY, APG_SCHEDULE_STATIC, APG_SCHEDULE_CHUNKS, APG_SCHEDULE_DYNAMIC, APG_SCHEDULE_GUIDED, APG_SCHEDULE_RUNTIME };
/* number, threads: those that the program sees; `home` is the number in the team. */
struct apg_thread {
  apg_team *team; apg_i32 number, threads, home, is_nested; apg_u32 singles, loops;
  apg_team_slot *slot; apg_i32 schedule, is_ordered, is_past; apg_i32 padding;
  apg_i64 total, chunk, next, first, end, step, iteration;
};
static_assert(sizeof(apg_thread) <= 24 * 8, "the state of a thread");
#define APG_SELF(self) ((apg_thread *)(self))
/* ---- memory ---- */
#if APG_TEAM_DEVICE
APG_TEAM void apg_team_flush() { __threadfence(); }
APG_TEAM apg_u32 apg_team_load(const apg_u32 *p) { apg_u32 v = *(const volatile apg_u32 *)p; __threadfence(); return v; }
APG_TEAM apg_i64 apg_team_load(const apg_i64 *p) { apg_i64 v = *(const volatile apg_i64 *)p; __threadfence(); return v; }
APG_TEAM void apg_team_store(apg_u32 *p, apg_u32 v) { __threadfence(); *(volatile apg_u32 *)p = v; }
APG_TEAM void apg_team_store(apg_i64 *p, apg_i64 v) { __threadfence(); *(volatile apg_i64 *)p = v; }
APG_TEAM apg_u32 apg_team_add(apg_u32 *p, apg_u32 v) { __threadfence(); apg_u32 old = atomicAdd(p, v); __threadfence(); return old; }
APG_TEAM apg_i64 apg_team_add(apg_i64 *p, apg_i64 v) { return (apg_i64)atomicAdd((apg_u64 *)p, (apg_u64)v); }
APG_TEAM bool apg_team_replace(apg_u32 *p, apg_u32 old, apg_u32 v) { bool done = atomicCAS(p, old, v) == old; __threadfence(); return done; }
APG_TEAM bool apg_team_replace(apg_i64 *p, apg_i64 old, apg_i64 v) { return (apg_i64)atomicCAS((apg_u64 *)p, (apg_u64)old, (apg_u64)v) == old; }
APG_TEAM void apg_team_wait(apg_u32 times) { __nanosleep(times < 8 ? 20u << times : 4000u); }
#else
APG_TEAM void apg_team_flush() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
template <class T> APG_TEAM T apg_team_load(const T *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
template <class T> APG_TEAM void apg_team_store(T *p, T v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); }
template <class T> APG_TEAM T apg_team_add(T *p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL); }
template <class T> APG_TEAM bool apg_team_replace(T *p, T old, T v) { return __atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); }
/* A thread that waits lets others run soon: there may be more threads than CPUs. */
APG_TEAM void apg_team_wait(apg_u32 times) { if (times > 16) sched_yield(); }
#endif
/* ---- threads ---- */
APG_TEAM void apg_team_enter(apg_i64 self, apg_i64 team, apg_i32 number) {
  apg_thread *const it = APG_SELF(self);
  it->team = (apg_team *)team; it->number = it->home = number; it->threads = it->team->threads;
  it->is_nested = 0; it->singles = it->loops = 0; it->slot = nullptr;
}
APG_TEAM void apg_team_nest(apg_i64 self, apg_i64 around) {
  apg_thread *const it = APG_SELF(self);
  it->team = APG_SELF(around)->team; it->home = APG_SELF(around)->home; it->number = 0; it->threads = 1;
  it->is_nested = 1; it->singles = it->loops = 0; it->slot = nullptr;
}
APG_TEAM apg_i32 apg_team_thread(apg_i64 self) { return APG_SELF(self)->number; }
APG_TEAM apg_i32 apg_team_threads(apg_i64 self) { return APG_SELF(self)->threads; }
APG_TEAM apg_i32 apg_team_in_parallel(apg_i64 self) { return APG_SELF(self)->team->threads > 1; }
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
  __syncthreads();
  if (threadIdx.x == 0) {
    const apg_u32 phase = apg_team_load(&team->phase);
    if (apg_team_add(&team->arrived, 1u) + 1 == (team->threads + blockDim.x - 1) / blockDim.x) {
      team->arrived = 0;
      apg_team_store(&team->phase, phase + 1);
    } else while (apg_team_load(&team->phase) == phase);
  }
  __syncthreads();
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
  return apg_team_replace(&it->team->singles, number, number + 1);
}
/* Null for a thread alone. */
APG_TEAM apg_i64 apg_team_copyprivate(apg_i64 self) { return APG_SELF(self)->threads == 1 ? 0 : APG_SELF(self)->team->exchange; }
/* ---- worksharing loops ---- */
APG_TEAM void apg_team_loop_begin(apg_i64 self, apg_i32 schedule, apg_i64 total, apg_i64 chunk, apg_i32 is_ordered) {
  apg_thread *const it = APG_SELF(self);
  if (schedule == APG_SCHEDULE_RUNTIME) { schedule = it->team->run_schedule; chunk = it->team->run_chunk; }
  if (it->threads == 1) schedule = APG_SCHEDULE_STATIC;
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
      it->first = apg_team_load(&it->slot->next);
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
  if (!slot || apg_team_add(&slot->left, 1u) + 1 != (apg_u32)it->threads) return;
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
  return apg_team_load(word) == 0 && apg_team_replace(word, 0u, 1u);
}
APG_TEAM void apg_team_lock(apg_i64 lock) { for (apg_u32 times = 0; !apg_team_try_lock(lock); ++times) apg_team_wait(times); }
APG_TEAM void apg_team_unlock(apg_i64 lock) { apg_team_store((apg_u32 *)lock, 0u); }
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
/* ---- functions of the host ---- */
#if !APG_TEAM_DEVICE
APG_TEAM void apg_team_host_call(apg_i64, apg_i64 function, apg_i64 operands, apg_i32) { ((void (*)(void *))function)((void *)operands); }
#endif
#endif
