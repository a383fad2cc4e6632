/* Support of generated host code besides the ABI: checks, integer semantics, dispatch. Small on purpose:
   every unit compiles it. */
#ifndef APG_PROGRAM_H
#define APG_PROGRAM_H
#include "apg.h"
#include "apg_kernel.h"

/* ---- exceptions ---- */
[[noreturn]] static APG_COLD void apg_null() { apg_raise_null(); __builtin_unreachable(); }
[[noreturn]] static APG_COLD void apg_bounds(apg_i64 index, apg_i64 length) { apg_raise_bounds(index, length); __builtin_unreachable(); }
[[noreturn]] static APG_COLD void apg_by_zero() { apg_raise_division(); __builtin_unreachable(); }
[[noreturn]] static APG_COLD void apg_bad_cast(apg_object *o, const char *target) { apg_raise_cast(o, target); __builtin_unreachable(); }
[[noreturn]] static APG_COLD void apg_throw(apg_object *e) { if (!e) apg_null(); apg_raised(e); }

/* ---- objects ---- */
static inline apg_object *apg_check(apg_object *o) { if (APG_UNLIKELY(!o)) apg_null(); return o; }
static inline bool apg_is(const apg_object *o, const apg_type *t) {
  if (!o) return false;
  for (const apg_type *at = o->type; at; at = at->super) if (at == t) return true;
  return false;
}
static inline const void *const *apg_find(const apg_type *t, apg_u32 interface) {
  const apg_itable *tables = t->interfaces;
  apg_u32 low = 0, high = t->interface_count;
  while (low < high) {
    apg_u32 middle = (low + high) / 2;
    if (tables[middle].interface < interface) low = middle + 1; else high = middle;
  }
  return low < t->interface_count && tables[low].interface == interface ? tables[low].methods : nullptr;
}
static inline bool apg_implements(const apg_object *o, apg_u32 interface) { return o && apg_find(o->type, interface); }
static inline apg_object *apg_cast(apg_object *o, const apg_type *t) { if (o && !apg_is(o, t)) apg_bad_cast(o, t->name); return o; }
/* Unboxes a value; null is an error. Boxed classes have no subclasses. */
static inline apg_object *apg_unbox(apg_object *o, const apg_type *t) { if (APG_UNLIKELY(!o || o->type != t)) apg_bad_cast(o, t->name); return o; }
static inline apg_object *apg_cast_interface(apg_object *o, apg_u32 interface, const char *name) {
  if (o && !apg_find(o->type, interface)) apg_bad_cast(o, name);
  return o;
}
/* Methods of an interface; they exist in every program that type-checks. */
static inline const void *const *apg_methods(apg_object *o, apg_u32 interface) { return apg_find(apg_check(o)->type, interface); }
/* Code of a function value: a closure, or an object of a class that implements the function type. */
static inline const void *apg_function(apg_object *o, apg_u32 interface) {
  const apg_type *t = apg_check(o)->type;
  return t->kind == APG_CLOSURE ? t->vtable[4] : apg_find(t, interface)[0];
}

/* ---- the stack ---- Stacks of activities begin at multiples of their size, so that the stack pointer tells
   how much is left. Size and reserve are powers of two: whether the reserve is reached is one test of bits.
   */
static __attribute__((noinline, cold, unused)) void apg_stack_full() { apg_stack_overflow(); }
static inline __attribute__((always_inline)) void apg_stack_check() {
#ifdef __x86_64__
  /* One instruction and a branch, without a frame pointer. The compiler may reuse the result within a
     function. */
  bool full;
  __asm__("testl %1, %%esp" : "=@ccz"(full) : "i"(APG_STACK - APG_STACK_RESERVE));
#else
  const bool full = !((apg_u64)__builtin_frame_address(0) & (APG_STACK - APG_STACK_RESERVE));
#endif
  if (APG_UNLIKELY(full)) apg_stack_full();
}
/* Clears the stack below the caller, where calls that an exception ended left references: the collector scans
   stacks conservatively, and frames of later calls do not overwrite all of their memory. What an
   OutOfMemoryError ended must be garbage for its handler. */
static __attribute__((noinline, cold, unused)) void apg_clear_dead_frames() {
  char below[8192];
  __builtin_memset(below, 0, sizeof below);
  __asm__ volatile("" : : "r"(below) : "memory");
}

/* ---- activities ---- Fast paths: a finish with few activities opens, closes, and runs its activities here,
   without a call of the runtime. */
/* Fiber of the caller; the same while the activity lives. */
static inline __attribute__((always_inline)) apg_fiber *apg_own_fiber() {
#ifdef __x86_64__
  apg_u64 at;
  __asm__("movq %%rsp, %0" : "=r"(at));
#else
  apg_u64 at = (apg_u64)__builtin_frame_address(0);
#endif
  return *(apg_fiber **)((at | (APG_STACK - 1)) + 1 - sizeof(apg_fiber *));
}
/* Whether fast paths may be taken; the runtime changes that. */
static inline bool apg_is_quick() { return __atomic_load_n(&apg_rt->quick, __ATOMIC_RELAXED); }
static inline void apg_finish_open() {
  if (APG_LIKELY(apg_is_quick())) {
    apg_fiber *fiber = apg_own_fiber();
    apg_activity *activity = fiber->activity;
    apg_finish *finish = fiber->spare;
    if (APG_LIKELY(finish && activity && !activity->atomic)) {
      fiber->spare = finish->outer;
      finish->outer = activity->open;
      activity->open = finish;
      return;
    }
  }
  apg_finish_begin(false);
}
static inline void apg_spawn(apg_object *closure) {
  if (APG_LIKELY(apg_is_quick())) {
    apg_fiber *fiber = apg_own_fiber();
    apg_activity *activity = fiber->activity;
    apg_finish *finish;
    if (APG_LIKELY(activity && (finish = activity->open) && !activity->atomic)) {
      apg_queue *queue = fiber->queue;
      apg_i64 at = __atomic_load_n(&queue->bottom, __ATOMIC_RELAXED);
      /* Thieves write `top`: it is read only if needed. */
      if (APG_UNLIKELY(at - queue->known_top >= queue->room)) queue->known_top = (apg_i64)(__atomic_load_n(&queue->top, __ATOMIC_SEQ_CST) >> 16);
      if (APG_LIKELY(at - queue->known_top < queue->room)) {
        const apg_slots *slots = queue->slots;
        apg_pair *pair = &slots->pairs[at & slots->mask];
        finish->own++;
        __atomic_store_n(&pair->closure, closure, __ATOMIC_RELAXED);
        __atomic_store_n(&pair->finish, finish, __ATOMIC_RELAXED);
        __atomic_store_n(&queue->bottom, at + 1, __ATOMIC_RELEASE);
        const apg_sleepers *sleepers = fiber->sleepers;
        if (APG_UNLIKELY(__atomic_load_n(&sleepers->asleep, __ATOMIC_RELAXED) & 0xffff) && !__atomic_load_n(&sleepers->looking, __ATOMIC_RELAXED)) apg_wake_worker();
        return;
      }
    }
  }
  apg_async_here(closure);
}
/* Pops the newest activity of this thread if it belongs to the finish. Not from a long queue, where thieves
   take several at once. */
static inline apg_object *apg_take_back(apg_queue *queue, const apg_finish *finish) {
  apg_i64 at = __atomic_load_n(&queue->bottom, __ATOMIC_RELAXED) - 1;
  if ((apg_i64)(__atomic_load_n(&queue->top, __ATOMIC_RELAXED) >> 16) > at || queue->is_long) return nullptr;
  const apg_slots *slots = queue->slots;
  apg_pair *pair = &slots->pairs[at & slots->mask];
  if (__atomic_load_n(&pair->finish, __ATOMIC_RELAXED) != finish) return nullptr;
  /* Release order: a thief that sees this sees the activities before it too. */
  __atomic_exchange_n(&queue->bottom, at, __ATOMIC_SEQ_CST);
  apg_u64 top = __atomic_load_n(&queue->top, __ATOMIC_SEQ_CST);
  apg_object *closure = __atomic_load_n(&pair->closure, __ATOMIC_RELAXED);
  apg_i64 oldest = (apg_i64)(top >> 16);
  if (oldest < at) return closure;
  /* The last one: a thief may take it too. */
  if (oldest > at || !__atomic_compare_exchange_n(&queue->top, &top, top + (1 << 16), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) closure = nullptr;
  __atomic_store_n(&queue->bottom, at + 1, __ATOMIC_RELEASE);
  return closure;
}
/* The end of a finish without a clock: runs the activities that nobody has taken on this stack, as part of this activity, which waits for them
   anyway. */
static __attribute__((noinline, unused)) void apg_finish_close(apg_object *exception) {
  if (APG_LIKELY(apg_is_quick() && !exception)) {
    apg_fiber *fiber = apg_own_fiber();
    apg_activity *activity = fiber->activity;
    apg_finish *finish;
    if (APG_LIKELY(activity && (finish = activity->open) && !activity->clocks)) {
      /* Activities of a cancelled job do not begin: the runtime takes them back. Whether there is one is seen after each activity. */
      bool quick = true;
      while (apg_object *closure = quick ? apg_take_back(fiber->queue, finish) : nullptr) {
        apg_object *raised = nullptr;
        activity->nested++;
        try {
          ((void (*)(apg_object *))apg_function(closure, 0))(closure);
        } catch (apg_object *e) { raised = e; }
        if (APG_UNLIKELY(raised || activity->clocks)) apg_finish_note(raised);
        activity->nested--;
        finish->own--;
        quick = apg_is_quick();
      }
      if (APG_LIKELY(quick && !finish->own && __atomic_load_n(&finish->count, __ATOMIC_ACQUIRE) == APG_BODY && !__atomic_load_n(&finish->touched, __ATOMIC_RELAXED))) {
        activity->open = finish->outer;
        finish->outer = fiber->spare;
        fiber->spare = finish;
        return;
      }
    }
  }
  apg_finish_end(exception);
}

/* ---- rails ---- */
/* A type of 64 bits that is not the elements' (`long` and `long long` are different types to the compiler): a store into a rail
   does not change a length. */
template <class T> struct apg_other_long { typedef long type; };
template <> struct apg_other_long<long> { typedef long long type; };
typedef apg_other_long<apg_i64>::type apg_stored_length;
struct apg_rail_header { const apg_type *type; apg_stored_length length; };
static inline apg_i64 apg_length(const apg_object *o) { return ((const apg_rail_header *)o)->length; }
template <class T> static inline T &apg_unchecked(apg_object *o, apg_i64 i) { return ((T *)((char *)o + sizeof(apg_rail_header)))[i]; }
template <class T> static inline T &apg_element(apg_object *o, apg_i64 i) {
  apg_i64 length = apg_length(apg_check(o));
  if (APG_UNLIKELY((apg_u64)i >= (apg_u64)length)) apg_bounds(i, length);
  return apg_unchecked<T>(o, i);
}
static inline void apg_quick_rail_copy(apg_object *from, apg_i64 at, apg_object *to, apg_i64 start, apg_i64 count) {
  const bool plain = from && to && from->type == to->type && at >= 0 && start >= 0 && count >= 0
    && count <= apg_length(from) - at && count <= apg_length(to) - start;
  if (APG_UNLIKELY(!plain)) return apg_rail_copy(from, at, to, start, count);
  const apg_u64 size = from->type->element_size;
  __builtin_memmove(&apg_unchecked<char>(to, start * size), &apg_unchecked<char>(from, at * size), count * size);
}
static inline apg_kernel_rail apg_rail_data(apg_object *o) {
  return o ? apg_kernel_rail{(char *)o + sizeof(apg_rail_header), apg_length(o)} : apg_kernel_rail{nullptr, 0};
}
/* This place's object of a PlaceLocalHandle. */
static inline apg_object *apg_quick_place_local_get(apg_i64 number) {
  const apg_u64 place = (apg_u64)number >> APG_LOCAL_BITS, entry = (apg_u64)number & ((1ull << APG_LOCAL_BITS) - 1);
  if (APG_LIKELY(place < APG_LOCALS_PLACES && entry < APG_LOCALS_EACH)) {
    apg_object *const *own = apg_rt->locals[place];
    if (APG_LIKELY(own)) return __atomic_load_n(&own[entry], __ATOMIC_ACQUIRE);
  }
  return apg_place_local_get(number);
}
/* A string in constant memory. */
template <int bytes_with_end> struct apg_string_constant { const apg_type *type; apg_i64 length; char bytes[bytes_with_end]; };
/* ---- tables: constants that rails are made from, or rails of rails ---- */
/* For each level, the outermost first: the class of its rails, and the lengths of all of them in order. */
struct apg_table { apg_u32 levels, element_size; const apg_type *const *types; const apg_i64 *const *lengths; const void *elements; };
#define APG_MAX_TABLE_LEVELS 8
static apg_object *apg_table_level(const apg_table *table, apg_u32 level, apg_i64 *next, const char **elements) {
  const apg_i64 length = table->lengths[level][next[level]++];
  apg_object *rail = apg_allocate_rail(table->types[level], length);
  if (level + 1 < table->levels) {
    for (apg_i64 i = 0; i < length; ++i) {
      apg_object *inner = apg_table_level(table, level + 1, next, elements);
      apg_unchecked<apg_object *>(rail, i) = inner;
    }
  } else {
    __builtin_memcpy(&apg_unchecked<char>(rail, 0), *elements, length * table->element_size);
    *elements += length * table->element_size;
  }
  return rail;
}
static __attribute__((noinline, unused)) apg_object *apg_table_rail(const apg_table *table) {
  apg_i64 next[APG_MAX_TABLE_LEVELS] = {};
  const char *elements = (const char *)table->elements;
  return apg_table_level(table, 0, next, &elements);
}
/* ---- strings: what is short enough to be done in place; the rest, and what goes wrong, is the runtime's ---- */
struct apg_string_header { const apg_type *type; apg_stored_length length; };
static inline const unsigned char *apg_string_bytes(const apg_object *o) { return (const unsigned char *)o + sizeof(apg_string_header); }
static inline apg_i64 apg_byte_count(const apg_object *o) { return ((const apg_string_header *)o)->length; }
static inline apg_i32 apg_quick_string_length(apg_object *s) { return (apg_i32)apg_byte_count(apg_check(s)); }
/* Raises an exception. It does not return, so that the compiler keeps what it knows of memory on the other path. */
[[noreturn]] static APG_COLD void apg_no_char(apg_object *s, apg_i32 i) { apg_string_char_at(s, i); __builtin_unreachable(); }
static inline apg_char apg_quick_string_char_at(apg_object *s, apg_i32 i) {
  if (APG_UNLIKELY((apg_u64)(apg_i64)i >= (apg_u64)apg_byte_count(apg_check(s)))) apg_no_char(s, i);
  return apg_string_bytes(s)[i];
}
template <class T> static inline T apg_bytes_as(const unsigned char *p) { T t; __builtin_memcpy(&t, p, sizeof t); return t; }
/* Compares the first and the last bytes of short ranges, which may overlap. */
static inline bool apg_same_bytes(const unsigned char *a, const unsigned char *b, apg_i64 n) {
  if (n > 16) return __builtin_memcmp(a, b, n) == 0;
  if (n >= 8) return apg_bytes_as<apg_u64>(a) == apg_bytes_as<apg_u64>(b) && apg_bytes_as<apg_u64>(a + n - 8) == apg_bytes_as<apg_u64>(b + n - 8);
  if (n >= 4) return apg_bytes_as<apg_u32>(a) == apg_bytes_as<apg_u32>(b) && apg_bytes_as<apg_u32>(a + n - 4) == apg_bytes_as<apg_u32>(b + n - 4);
  return n == 0 || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
}
/* Hashes four bytes at a time, independently of the hash so far. */
static inline apg_i32 apg_quick_string_hash(apg_object *s) {
  const apg_i64 n = apg_byte_count(apg_check(s));
  if (n > 32) return apg_string_hash(s);
  const unsigned char *p = apg_string_bytes(s), *const end = p + n;
  apg_u32 hash = 0;
  for (; end - p >= 4; p += 4) hash = hash * 923521u + (p[0] * 29791u + p[1] * 961u + p[2] * 31u + p[3]);
  for (; p < end; ++p) hash = hash * 31u + *p;
  return (apg_i32)hash;
}
static inline bool apg_quick_string_equals(apg_object *a, apg_object *b) {
  if (APG_UNLIKELY(!b || apg_check(a)->type != b->type)) return apg_string_equals(a, b);
  if (a == b) return true;
  apg_i64 length = apg_byte_count(a);
  return length == apg_byte_count(b) && apg_same_bytes(apg_string_bytes(a), apg_string_bytes(b), length);
}
/* Copies the first and the last bytes of short ranges, which may overlap: a call would take longer. */
static inline void apg_copy_few(unsigned char *to, const unsigned char *from, apg_u64 n) {
  if (n >= 8) {
    const apg_u64 first = apg_bytes_as<apg_u64>(from), last = apg_bytes_as<apg_u64>(from + n - 8);
    __builtin_memcpy(to, &first, 8);
    __builtin_memcpy(to + n - 8, &last, 8);
  } else if (n >= 4) {
    const apg_u32 first = apg_bytes_as<apg_u32>(from), last = apg_bytes_as<apg_u32>(from + n - 4);
    __builtin_memcpy(to, &first, 4);
    __builtin_memcpy(to + n - 4, &last, 4);
  } else if (n) {
    to[0] = from[0];
    to[n / 2] = from[n / 2];
    to[n - 1] = from[n - 1];
  }
}
static inline void apg_quick_string_copy_bytes(apg_object *s, apg_object *into, apg_i64 start) {
  apg_i64 count = apg_byte_count(apg_check(s)), room = apg_length(apg_check(into));
  if (APG_UNLIKELY(start < 0 || count > room - start)) apg_string_copy_bytes(s, into, start);
  else if (count <= 16) apg_copy_few(&apg_unchecked<apg_u8>(into, start), apg_string_bytes(s), count);
  else __builtin_memcpy(&apg_unchecked<apg_i8>(into, start), apg_string_bytes(s), count);
}
static inline apg_part apg_text(const apg_object *s) { return {APG_PART_STRING, (apg_u64)s}; }
static inline apg_part apg_text(apg_i64 i) { return {APG_PART_I64, (apg_u64)i}; }
static inline apg_part apg_text(apg_u64 i) { return {APG_PART_U64, i}; }
static inline apg_part apg_text(bool b) { return {APG_PART_BOOL, b}; }
static inline apg_part apg_text(apg_char c) { return {APG_PART_CHAR, c}; }
static inline apg_part apg_text(double x) { apg_part p = {APG_PART_F64, 0}; __builtin_memcpy(&p.bits, &x, sizeof x); return p; }
static inline apg_part apg_text(float x) { apg_part p = {APG_PART_F32, 0}; __builtin_memcpy(&p.bits, &x, sizeof x); return p; }
template <class... T> static inline apg_object *apg_joined(T... operands) {
  const apg_part parts[] = {apg_text(operands)...};
  return apg_string_join(parts, sizeof...(T));
}
/* `own`: the string s has no other reference and may grow in place. */
template <class... T> static inline apg_object *apg_appended(apg_object *s, bool own, T... operands) {
  const apg_part parts[] = {apg_text(operands)...};
  return apg_string_append(s, own, parts, sizeof...(T));
}
/* Keeps the object alive up to here. */
static inline void apg_alive(apg_object *o) { asm volatile("" : : "r"(o) : "memory"); }
/* Number of blocks or threads on one axis of a launch. */
static inline apg_i32 apg_extent(apg_i64 n) {
  if (n > 0x7fffffff) apg_raise(APG_ILLEGAL_ARGUMENT_EXCEPTION, "a kernel has more than 2147483647 blocks or threads on one axis");
  return n < 0 ? 0 : (apg_i32)n;
}

/* ---- arithmetic ---- */
template <class T> static inline T apg_div(T a, T b) {
  if (APG_UNLIKELY(b == 0)) apg_by_zero();
  if ((T)-1 < 0 && b == (T)-1) return (T)(0 - a);
  return (T)(a / b);
}
template <class T> static inline T apg_rem(T a, T b) {
  if (APG_UNLIKELY(b == 0)) apg_by_zero();
  if ((T)-1 < 0 && b == (T)-1) return 0;
  return (T)(a % b);
}
/* ---- textures: the operation of a device's texture units, step by step ---- */
/* Coordinate in elements. */
static inline float apg_texture_coordinate(float x, apg_i32 n, apg_u32 mode) {
  if (!(x == x)) x = 0;
  if (mode & 2) {
    if ((mode & 12) == 8) x -= __builtin_floorf(x);
    if ((mode & 12) == 12) { const float periods = __builtin_floorf(x); x -= periods; if (__builtin_fmodf(periods, 2.0f) != 0) x = 1 - x; }
    x *= (float)n;
  }
  return x < -16777216.0f ? -16777216.0f : x > 2147483520.0f ? 2147483520.0f : x;
}
/* Index of the element for a coordinate out of range; -1 is none. */
static inline apg_i64 apg_texture_number(apg_i64 i, apg_i32 n, apg_u32 mode) {
  if (i >= 0 && i < n) return i;
  switch (mode & 12) {
    case 4: return -1;
    case 8: i %= n; return i < 0 ? i + n : i;
    case 12: i %= 2 * (apg_i64)n; if (i < 0) i += 2 * (apg_i64)n; return i < n ? i : 2 * (apg_i64)n - 1 - i;
    default: return i < 0 ? 0 : n - 1;
  }
}
template <class T> static inline T apg_texture_nearest(const apg_texture *t, int rank, const float *at) {
  apg_i64 found = 0;
  for (int axis = rank - 1; axis >= 0; --axis) {
    const apg_i32 n = t->extent[axis];
    const apg_i64 i = apg_texture_number((apg_i64)__builtin_floorf(apg_texture_coordinate(at[axis], n, t->mode)), n, t->mode);
    if (i < 0) return 0;
    found = found * n + i;
  }
  return ((const T *)t->data)[found];
}
/* Linear filtering: fractions have 8 bits. */
template <class T> static inline T apg_texture_filtered(const apg_texture *t, int rank, const float *at) {
  apg_i64 number[3][2];
  float part[3];
  for (int axis = 0; axis < rank; ++axis) {
    const apg_i32 n = t->extent[axis];
    const apg_i64 fixed = (apg_i64)__builtin_floor(((double)apg_texture_coordinate(at[axis], n, t->mode) - 0.5) * 256 + 0.5);
    part[axis] = (float)(fixed & 255) / 256;
    number[axis][0] = apg_texture_number(fixed >> 8, n, t->mode);
    number[axis][1] = apg_texture_number((fixed >> 8) + 1, n, t->mode);
  }
  float sum = 0;
  for (int corner = 0; corner < 1 << rank; ++corner) {
    apg_i64 found = 0;
    float weight = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      const int side = corner >> axis & 1;
      const apg_i64 i = number[axis][side];
      weight *= side ? part[axis] : 1 - part[axis];
      found = i < 0 || found < 0 ? -1 : found * t->extent[axis] + i;
    }
    if (found >= 0 && weight > 0) sum += weight * (float)((const T *)t->data)[found];
  }
  return (T)sum;
}
template <class T, class... C> static inline T apg_texture_at(apg_i64 object, C... c) {
  const apg_texture *t = (const apg_texture *)object;
  const float at[] = {c...};
  return t->mode & 1 ? apg_texture_filtered<T>(t, sizeof...(C), at) : apg_texture_nearest<T>(t, sizeof...(C), at);
}

#endif
