/* The C ABI between a compiled X10 program and the apg runtime: one versioned table each way.
   No other header is included by generated code. Generated from the list of entries in the runtime's `abi` module. */
#ifndef APG_H
#define APG_H
typedef signed char apg_i8; typedef short apg_i16; typedef int apg_i32; typedef long long apg_i64;
typedef unsigned char apg_u8; typedef unsigned short apg_u16; typedef unsigned apg_u32; typedef unsigned long long apg_u64;
typedef unsigned apg_char;          /* a Unicode code point */

#define APG_ABI_VERSION 1

/* ---- objects ---- */
typedef struct apg_type apg_type;
typedef struct apg_object { const apg_type *type; } apg_object;
typedef struct apg_rail { const apg_type *type; apg_i64 length; /* elements follow */ } apg_rail;
typedef struct apg_string { const apg_type *type; apg_i64 length; char bytes[]; } apg_string;

typedef enum { APG_OBJECT, APG_RAIL, APG_STRING, APG_BOXED, APG_CLOSURE, APG_CELL, APG_STRUCT } apg_kind;
typedef enum { APG_BOOL, APG_I8, APG_I16, APG_I32, APG_I64, APG_U8, APG_U16, APG_U32, APG_U64,
               APG_F32, APG_F64, APG_CHAR, APG_REF, APG_VALUE } apg_slot;

typedef struct apg_field {
  const char *name; apg_u32 offset; apg_u8 slot; apg_u8 transient;
  const apg_type *type;             /* for APG_VALUE: the struct's descriptor */
} apg_field;
typedef struct apg_itable { apg_u32 interface; const void *const *methods; } apg_itable;

/* Drives collection, serialization, dispatch, casts, names. Index in apg_program.types is the same at every place. */
struct apg_type {
  apg_u32 id; apg_u32 kind;
  const char *name;                 /* X10 name, with type arguments */
  const apg_type *super;
  apg_u64 size;                     /* bytes of an instance with header; of a rail or string: of the header;
                                       of a struct: of the value, whose field offsets start at 0 */
  apg_u32 field_count; const apg_field *fields;      /* all, inherited first; not of rails and strings */
  apg_u8 element_slot; apg_u32 element_size; const apg_type *element;   /* rails */
  apg_u32 interface_count; const apg_itable *interfaces;   /* sorted by id */
  const void *const *vtable; apg_u32 vtable_length;
};

/* x10.lang.GlobalRail by value: on a host the handle names a registered rail, on an accelerator it is the device address. */
typedef struct apg_global_rail { apg_i64 size; apg_i64 home; apg_i64 handle; } apg_global_rail;

/* ---- kernels ---- */
typedef enum { APG_SCALAR, APG_HOST_RAIL, APG_CONSTANT_RAIL, APG_GLOBAL_RAIL } apg_capture_kind;
typedef struct apg_capture { const char *name; apg_u32 kind; apg_u32 offset; apg_u32 size; /* in env */ apg_u32 element_size; } apg_capture;
typedef struct apg_launch { apg_i32 blocks[3]; apg_i32 threads[3]; apg_i64 shared_lengths[16]; apg_u32 shared_bytes; } apg_launch;
typedef struct apg_kernel {
  const char *name; const char *file; apg_u32 line;
  const char *cuda;                 /* CUDA C++ of this kernel, compiled by NVRTC for the device at hand */
  apg_u32 env_size; apg_u32 capture_count; const apg_capture *captures;
  apg_u32 shared_count;             /* shared rails */
  /* CPU form: runs blocks [first, last) of the flattened grid; the exception raised, or null */
  apg_object *(*cpu)(const void *env, const apg_launch *launch, apg_i64 first, apg_i64 last);
} apg_kernel;

/* ---- statics ---- */
/* One for each static field, zero but for the name. Reading: if (apg_static_ready(&s)) use it; otherwise
   if (apg_static_begin(&s)) { try { initialise } catch { e } apg_static_end(&s, e or null) }. */
typedef struct apg_static { apg_u32 state; const char *name; apg_object *failure; } apg_static;
/* Memory of the program that holds references (static fields): scanned word by word. */
typedef struct apg_roots { const void *start; apg_u64 size; } apg_roots;

/* ---- exceptions the runtime raises; apg_program.make_exception gets one of them ---- */
typedef enum {
  APG_NULL_POINTER_EXCEPTION, /* x10.lang.NullPointerException */
  APG_ARRAY_INDEX_OUT_OF_BOUNDS_EXCEPTION, /* x10.lang.ArrayIndexOutOfBoundsException */
  APG_NEGATIVE_ARRAY_SIZE_EXCEPTION, /* x10.lang.NegativeArraySizeException */
  APG_ARITHMETIC_EXCEPTION, /* x10.lang.ArithmeticException */
  APG_CLASS_CAST_EXCEPTION, /* x10.lang.ClassCastException */
  APG_FAILED_DYNAMIC_CHECK_EXCEPTION, /* x10.lang.FailedDynamicCheckException */
  APG_OUT_OF_MEMORY_EXCEPTION, /* x10.lang.OutOfMemoryError */
  APG_STACK_OVERFLOW_EXCEPTION, /* x10.lang.StackOverflowError */
  APG_ILLEGAL_ARGUMENT_EXCEPTION, /* x10.lang.IllegalArgumentException */
  APG_ILLEGAL_OPERATION_EXCEPTION, /* x10.lang.IllegalOperationException */
  APG_UNSUPPORTED_OPERATION_EXCEPTION, /* x10.lang.UnsupportedOperationException */
  APG_CLOCK_USE_EXCEPTION, /* x10.lang.ClockUseException */
  APG_MULTIPLE_EXCEPTION, /* x10.lang.MultipleExceptions */
  APG_NUMBER_FORMAT_EXCEPTION, /* x10.lang.NumberFormatException */
  APG_STRING_INDEX_OUT_OF_BOUNDS_EXCEPTION, /* x10.lang.StringIndexOutOfBoundsException */
  APG_BAD_PLACE_EXCEPTION, /* x10.lang.BadPlaceException */
  APG_DEAD_PLACE_EXCEPTION, /* x10.lang.DeadPlaceException */
  APG_NOT_SERIALIZABLE_EXCEPTION, /* x10.io.NotSerializableException */
  APG_SERIALIZATION_EXCEPTION, /* x10.io.SerializationException */
  APG_IO_EXCEPTION, /* x10.io.IOException */
  APG_FILE_NOT_FOUND_EXCEPTION, /* x10.io.FileNotFoundException */
  APG_EOF_EXCEPTION, /* x10.io.EOFException */
  APG_INTERNAL_EXCEPTION, /* x10.lang.InternalError */
} apg_exception_kind;

/* ---- the runtime's table ---- */
typedef struct apg_runtime {
  apg_u32 abi;
  apg_u32 entry_count;
  apg_i64 here;                     /* the id of this place */
  apg_object *(*allocate)(const apg_type *ty, apg_object **out);
  apg_object *(*allocate_rail)(const apg_type *ty, apg_i64 length, apg_object **out);
  apg_object *(*string_literal)(const char *bytes, apg_i64 length, apg_object **out);
  apg_object *(*raise)(apg_u32 kind, const char *message);
  apg_object *(*raise_null)(void);
  apg_object *(*raise_bounds)(apg_i64 index, apg_i64 length);
  apg_object *(*raise_division)(void);
  apg_object *(*raise_cast)(apg_object *object, const char *target);
  apg_i32 (*object_identity_hash)(apg_object *object);
  apg_object *(*object_type_name)(apg_object *object, apg_object **out);
  apg_object *(*object_to_string)(apg_object *object, apg_object **out);
  apg_object *(*static_begin)(apg_static *state, bool *out);
  apg_object *(*static_end)(apg_static *state, apg_object *failure);
  apg_object *(*rail_copy)(apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count);
  apg_object *(*rail_clear)(apg_object *rail, apg_i64 start, apg_i64 count);
  apg_object *(*global_ref_make)(apg_object *object, apg_i64 *out);
  apg_object *(*global_ref_get)(apg_i64 handle, apg_object **out);
  void (*global_ref_forget)(apg_i64 handle);
  apg_object *(*async_here)(apg_object *closure);
  apg_object *(*async_clocked)(apg_object *closure);
  apg_object *(*async_on_clocks)(apg_object *closure, apg_object *const *clocks, apg_u32 count);
  apg_object *(*async_uncounted)(apg_object *closure);
  apg_object *(*async_at)(apg_i64 place, apg_object *closure);
  apg_object *(*async_at_clocked)(apg_i64 place, apg_object *closure);
  apg_object *(*async_at_on_clocks)(apg_i64 place, apg_object *closure, apg_object *const *clocks, apg_u32 count);
  apg_object *(*async_at_uncounted)(apg_i64 place, apg_object *closure);
  apg_object *(*at)(apg_i64 place, apg_object *closure);
  apg_object *(*at_value)(apg_i64 place, apg_object *closure, apg_object **out);
  apg_object *(*finish_begin)(bool clocked);
  apg_object *(*finish_end)(apg_object *exception);
  apg_object *(*atomic_begin)(void);
  void (*atomic_end)(void);
  apg_object *(*when_begin)(void);
  apg_object *(*when_wait)(void);
  void (*when_end)(void);
  apg_object *(*activity_sleep)(apg_i64 milliseconds, bool *out);
  apg_object *(*activity_yield)(void);
  apg_i32 (*activity_workers)(void);
  apg_i32 (*activity_worker)(void);
  apg_object *(*clock_make)(apg_i64 *out);
  apg_object *(*clock_advance)(apg_i64 clock);
  apg_object *(*clock_resume)(apg_i64 clock);
  apg_object *(*clock_drop)(apg_i64 clock);
  apg_object *(*clock_phase)(apg_i64 clock, apg_i32 *out);
  bool (*clock_registered)(apg_i64 clock);
  apg_object *(*clock_advance_all)(void);
  apg_object *(*clock_resume_all)(void);
  apg_i64 (*lock_make)(void);
  apg_object *(*lock_enter)(apg_i64 lock);
  bool (*lock_try)(apg_i64 lock);
  apg_object *(*lock_exit)(apg_i64 lock);
  apg_object *(*string_concat)(apg_object *left, apg_object *right, apg_object **out);
  apg_object *(*string_length)(apg_object *string, apg_i32 *out);
  apg_object *(*string_char_at)(apg_object *string, apg_i32 index, apg_char *out);
  apg_object *(*string_substring)(apg_object *string, apg_i32 start, apg_i32 end, apg_object **out);
  apg_object *(*string_index_of)(apg_object *string, apg_object *other, apg_i32 start, apg_i32 *out);
  apg_object *(*string_index_of_char)(apg_object *string, apg_char character, apg_i32 start, apg_i32 *out);
  apg_object *(*string_last_index_of)(apg_object *string, apg_object *other, apg_i32 start, apg_i32 *out);
  apg_object *(*string_last_index_of_char)(apg_object *string, apg_char character, apg_i32 start, apg_i32 *out);
  apg_object *(*string_equals)(apg_object *string, apg_object *other, bool *out);
  apg_object *(*string_equals_ignore_case)(apg_object *string, apg_object *other, bool *out);
  apg_object *(*string_compare)(apg_object *string, apg_object *other, apg_i32 *out);
  apg_object *(*string_compare_ignore_case)(apg_object *string, apg_object *other, apg_i32 *out);
  apg_object *(*string_hash)(apg_object *string, apg_i32 *out);
  apg_object *(*string_to_lower)(apg_object *string, apg_object **out);
  apg_object *(*string_to_upper)(apg_object *string, apg_object **out);
  apg_object *(*string_trim)(apg_object *string, apg_object **out);
  apg_object *(*string_starts_with)(apg_object *string, apg_object *prefix, bool *out);
  apg_object *(*string_ends_with)(apg_object *string, apg_object *suffix, bool *out);
  apg_object *(*string_split)(apg_object *string, apg_object *separator, apg_object **out);
  apg_object *(*string_from_bytes)(apg_object *rail, apg_i64 start, apg_i64 count, apg_object **out);
  apg_object *(*string_from_chars)(apg_object *rail, apg_i64 start, apg_i64 count, apg_object **out);
  apg_object *(*string_copy_bytes)(apg_object *string, apg_object *rail);
  apg_object *(*string_copy_chars)(apg_object *string, apg_object *rail);
  apg_object *(*string_format)(apg_object *format, apg_object *arguments, apg_object **out);
  apg_object *(*bool_to_string)(bool value, apg_object **out);
  apg_object *(*char_to_string)(apg_char value, apg_object **out);
  apg_object *(*long_to_string)(apg_i64 value, apg_object **out);
  apg_object *(*ulong_to_string)(apg_u64 value, apg_object **out);
  apg_object *(*float_to_string)(float value, apg_object **out);
  apg_object *(*double_to_string)(double value, apg_object **out);
  apg_object *(*long_to_string_radix)(apg_i64 value, apg_i32 radix, apg_object **out);
  apg_object *(*ulong_to_string_radix)(apg_u64 value, apg_i32 radix, apg_object **out);
  apg_object *(*long_parse)(apg_object *string, apg_i32 radix, apg_i32 bits, apg_i64 *out);
  apg_object *(*ulong_parse)(apg_object *string, apg_i32 radix, apg_i32 bits, apg_u64 *out);
  apg_object *(*double_parse)(apg_object *string, double *out);
  apg_object *(*float_parse)(apg_object *string, float *out);
  apg_object *(*console_write)(apg_i32 stream, apg_object *string);
  apg_object *(*console_write_line)(apg_i32 stream, apg_object *string);
  apg_object *(*console_flush)(apg_i32 stream);
  apg_object *(*console_read_line)(apg_object **out);
  apg_object *(*console_read)(apg_i32 *out);
  apg_i64 (*nano_time)(void);
  apg_i64 (*current_time_millis)(void);
  void (*system_exit)(apg_i32 code);
  void (*system_set_exit_code)(apg_i32 code);
  apg_object *(*system_getenv)(apg_object *name, apg_object **out);
  apg_object *(*system_environment)(apg_object **out);
  void (*system_collect)(void);
  apg_i64 (*system_heap_size)(void);
  apg_object *(*stack_trace)(apg_object **out);
  apg_object *(*file_open)(apg_object *name, apg_i32 mode, apg_i64 *out);
  apg_object *(*file_close)(apg_i64 file);
  apg_object *(*file_read)(apg_i64 file, apg_i32 *out);
  apg_object *(*file_read_bytes)(apg_i64 file, apg_object *rail, apg_i64 start, apg_i64 count, apg_i64 *out);
  apg_object *(*file_read_line)(apg_i64 file, apg_object **out);
  apg_object *(*file_write)(apg_i64 file, apg_i8 byte);
  apg_object *(*file_write_bytes)(apg_i64 file, apg_object *rail, apg_i64 start, apg_i64 count);
  apg_object *(*file_write_string)(apg_i64 file, apg_object *string);
  apg_object *(*file_flush)(apg_i64 file);
  apg_object *(*file_size)(apg_object *name, apg_i64 *out);
  apg_object *(*file_kind)(apg_object *name, apg_i32 *out);
  apg_object *(*file_modified)(apg_object *name, apg_i64 *out);
  apg_object *(*file_delete)(apg_object *name, bool *out);
  apg_object *(*file_rename)(apg_object *name, apg_object *target, bool *out);
  apg_object *(*file_make_directory)(apg_object *name, bool all, bool *out);
  apg_object *(*file_list)(apg_object *name, apg_object **out);
  apg_object *(*kernel_auto)(apg_i64 place, const apg_kernel *kernel, apg_u32 shared_bytes, apg_i32 *blocks, apg_i32 *threads);
  apg_object *(*kernel_launch)(apg_i64 place, const apg_kernel *kernel, const void *environment, const apg_launch *launch);
} apg_runtime;

/* ---- the program's table, exported as `apg_program_v1`; every function returns the exception raised, or null ---- */
typedef struct apg_program {
  apg_u32 abi; apg_u32 type_count; const apg_type *const *types;
  apg_u32 kernel_count; const apg_kernel *const *kernels;
  apg_u32 file_count; const char *const *files;
  apg_u32 root_count; const apg_roots *roots;
  void (*bind)(const apg_runtime *runtime);                 /* first of all: keep it in apg_rt */
  apg_object *(*main)(apg_object *arguments);
  apg_object *(*make_exception)(apg_u32 kind, apg_object *message, apg_object **out);   /* APG_MULTIPLE_EXCEPTION: a rail of throwables */
  apg_object *(*call)(apg_object *closure);                 /* no parameters, no result */
  apg_object *(*call_value)(apg_object *closure, apg_object **out);   /* no parameters, result a reference */
  apg_object *(*to_string)(apg_object *object, apg_object **out);
} apg_program;

#ifdef __cplusplus
/* ---- what generated code calls; raising entries throw the X10 exception object as `apg_object *` ---- */
extern "C" __attribute__((visibility("hidden"))) const apg_runtime *apg_rt;
static inline bool apg_static_ready(const apg_static *s) { return __atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == 2; }
static inline apg_i64 apg_here() { return apg_rt->here; }
/* A new object with zero fields. */
static inline apg_object *apg_allocate(const apg_type *ty) { apg_object *out; if (apg_object *e = apg_rt->allocate(ty, &out)) throw e; return out; }
/* A new rail of zeros; a negative length raises NegativeArraySizeException. */
static inline apg_object *apg_allocate_rail(const apg_type *ty, apg_i64 length) { apg_object *out; if (apg_object *e = apg_rt->allocate_rail(ty, length, &out)) throw e; return out; }
/* The one string of the process with this text (UTF-8, `length` bytes). */
static inline apg_object *apg_string_literal(const char *bytes, apg_i64 length) { apg_object *out; if (apg_object *e = apg_rt->string_literal(bytes, length, &out)) throw e; return out; }
/* Raises the exception of an apg_exception_kind; always throws. */
static inline void apg_raise(apg_u32 kind, const char *message) { if (apg_object *e = apg_rt->raise(kind, message)) throw e; }
/* Raises NullPointerException; always throws. */
static inline void apg_raise_null() { if (apg_object *e = apg_rt->raise_null()) throw e; }
/* Raises ArrayIndexOutOfBoundsException; always throws. */
static inline void apg_raise_bounds(apg_i64 index, apg_i64 length) { if (apg_object *e = apg_rt->raise_bounds(index, length)) throw e; }
/* Raises ArithmeticException for a division by zero; always throws. */
static inline void apg_raise_division() { if (apg_object *e = apg_rt->raise_division()) throw e; }
/* Raises ClassCastException; always throws. */
static inline void apg_raise_cast(apg_object *object, const char *target) { if (apg_object *e = apg_rt->raise_cast(object, target)) throw e; }
/* A number that stays with the object. */
static inline apg_i32 apg_object_identity_hash(apg_object *object) { return apg_rt->object_identity_hash(object); }
/* The X10 name of the object's class. */
static inline apg_object *apg_object_type_name(apg_object *object) { apg_object *out; if (apg_object *e = apg_rt->object_type_name(object, &out)) throw e; return out; }
/* The default toString: class name, `@`, hash code in hexadecimal. */
static inline apg_object *apg_object_to_string(apg_object *object) { apg_object *out; if (apg_object *e = apg_rt->object_to_string(object, &out)) throw e; return out; }
/* Whether the caller must initialise the static field; otherwise it is ready, or raises what its initialiser raised. */
static inline bool apg_static_begin(apg_static *state) { bool out; if (apg_object *e = apg_rt->static_begin(state, &out)) throw e; return out; }
/* Ends the initialisation that static_begin gave; raises `failure` unless it is null. */
static inline void apg_static_end(apg_static *state, apg_object *failure) { if (apg_object *e = apg_rt->static_end(state, failure)) throw e; }
/* Copies elements between rails of one type, which may overlap; bounds are checked. */
static inline void apg_rail_copy(apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count) { if (apg_object *e = apg_rt->rail_copy(source, source_index, target, target_index, count)) throw e; }
/* Zeroes elements; bounds are checked. */
static inline void apg_rail_clear(apg_object *rail, apg_i64 start, apg_i64 count) { if (apg_object *e = apg_rt->rail_clear(rail, start, count)) throw e; }
/* Registers an object under a number that other places can hold (GlobalRef); it stays alive until forgotten. */
static inline apg_i64 apg_global_ref_make(apg_object *object) { apg_i64 out; if (apg_object *e = apg_rt->global_ref_make(object, &out)) throw e; return out; }
/* The object registered here under that number. */
static inline apg_object *apg_global_ref_get(apg_i64 handle) { apg_object *out; if (apg_object *e = apg_rt->global_ref_get(handle, &out)) throw e; return out; }
/* Ends a registration. */
static inline void apg_global_ref_forget(apg_i64 handle) { apg_rt->global_ref_forget(handle); }
/* Starts `closure` as an activity here, governed by the innermost finish. */
static inline void apg_async_here(apg_object *closure) { if (apg_object *e = apg_rt->async_here(closure)) throw e; }
/* As async_here, registered on the clock of the innermost clocked finish. */
static inline void apg_async_clocked(apg_object *closure) { if (apg_object *e = apg_rt->async_clocked(closure)) throw e; }
/* As async_here, registered on these clocks (x10.lang.Clock objects). */
static inline void apg_async_on_clocks(apg_object *closure, apg_object *const *clocks, apg_u32 count) { if (apg_object *e = apg_rt->async_on_clocks(closure, clocks, count)) throw e; }
/* Starts `closure` as an activity that no finish waits for. */
static inline void apg_async_uncounted(apg_object *closure) { if (apg_object *e = apg_rt->async_uncounted(closure)) throw e; }
/* Starts a copy of `closure` at a place, governed by the innermost finish. */
static inline void apg_async_at(apg_i64 place, apg_object *closure) { if (apg_object *e = apg_rt->async_at(place, closure)) throw e; }
/* As async_at, registered on the clock of the innermost clocked finish. */
static inline void apg_async_at_clocked(apg_i64 place, apg_object *closure) { if (apg_object *e = apg_rt->async_at_clocked(place, closure)) throw e; }
/* As async_at, registered on these clocks. */
static inline void apg_async_at_on_clocks(apg_i64 place, apg_object *closure, apg_object *const *clocks, apg_u32 count) { if (apg_object *e = apg_rt->async_at_on_clocks(place, closure, clocks, count)) throw e; }
/* Starts a copy of `closure` at a place; no finish waits for it. */
static inline void apg_async_at_uncounted(apg_i64 place, apg_object *closure) { if (apg_object *e = apg_rt->async_at_uncounted(place, closure)) throw e; }
/* Runs a copy of `closure` at a place and waits. */
static inline void apg_at(apg_i64 place, apg_object *closure) { if (apg_object *e = apg_rt->at(place, closure)) throw e; }
/* Runs a copy of `closure`, which returns a reference, at a place, and returns a copy of its result. */
static inline apg_object *apg_at_value(apg_i64 place, apg_object *closure) { apg_object *out; if (apg_object *e = apg_rt->at_value(place, closure, &out)) throw e; return out; }
/* Opens a finish; a clocked one makes a clock and registers this activity on it. */
static inline void apg_finish_begin(bool clocked) { if (apg_object *e = apg_rt->finish_begin(clocked)) throw e; }
/* Closes the innermost finish: waits, then raises `exception` and all others of its activities as MultipleExceptions. */
static inline void apg_finish_end(apg_object *exception) { if (apg_object *e = apg_rt->finish_end(exception)) throw e; }
/* Enters the place's atomic section. */
static inline void apg_atomic_begin() { if (apg_object *e = apg_rt->atomic_begin()) throw e; }
/* Leaves it; guards of waiting `when`s are looked at again. */
static inline void apg_atomic_end() { apg_rt->atomic_end(); }
/* Enters the atomic section to evaluate the guards of a `when`. */
static inline void apg_when_begin() { if (apg_object *e = apg_rt->when_begin()) throw e; }
/* No guard holds: leaves the section, waits until another atomic section ended, enters it again. */
static inline void apg_when_wait() { if (apg_object *e = apg_rt->when_wait()) throw e; }
/* Leaves the atomic section after the code of a `when`. */
static inline void apg_when_end() { apg_rt->when_end(); }
/* Lets other activities run for at least that long; false if the time was negative. */
static inline bool apg_activity_sleep(apg_i64 milliseconds) { bool out; if (apg_object *e = apg_rt->activity_sleep(milliseconds, &out)) throw e; return out; }
/* Lets other activities run. */
static inline void apg_activity_yield() { if (apg_object *e = apg_rt->activity_yield()) throw e; }
/* Number of threads that run activities here. */
static inline apg_i32 apg_activity_workers() { return apg_rt->activity_workers(); }
/* Number of the thread that runs this activity, from 0. */
static inline apg_i32 apg_activity_worker() { return apg_rt->activity_worker(); }
/* A new clock, with this activity registered on it: its handle, to be kept in the field `handle` of x10.lang.Clock. */
static inline apg_i64 apg_clock_make() { apg_i64 out; if (apg_object *e = apg_rt->clock_make(&out)) throw e; return out; }
/* Waits for all activities registered on the clock. */
static inline void apg_clock_advance(apg_i64 clock) { if (apg_object *e = apg_rt->clock_advance(clock)) throw e; }
/* Says that this activity is done with the clock's phase, without waiting. */
static inline void apg_clock_resume(apg_i64 clock) { if (apg_object *e = apg_rt->clock_resume(clock)) throw e; }
/* Ends this activity's registration. */
static inline void apg_clock_drop(apg_i64 clock) { if (apg_object *e = apg_rt->clock_drop(clock)) throw e; }
/* The phase of this activity on the clock, from 1. */
static inline apg_i32 apg_clock_phase(apg_i64 clock) { apg_i32 out; if (apg_object *e = apg_rt->clock_phase(clock, &out)) throw e; return out; }
/* Whether this activity is registered on the clock. */
static inline bool apg_clock_registered(apg_i64 clock) { return apg_rt->clock_registered(clock); }
/* Advances on all clocks of this activity. */
static inline void apg_clock_advance_all() { if (apg_object *e = apg_rt->clock_advance_all()) throw e; }
/* Resumes all clocks of this activity. */
static inline void apg_clock_resume_all() { if (apg_object *e = apg_rt->clock_resume_all()) throw e; }
/* A new lock (x10.util.concurrent.Lock): its handle. */
static inline apg_i64 apg_lock_make() { return apg_rt->lock_make(); }
/* Takes it; waits while another activity has it. */
static inline void apg_lock_enter(apg_i64 lock) { if (apg_object *e = apg_rt->lock_enter(lock)) throw e; }
/* Takes it if it is free. */
static inline bool apg_lock_try(apg_i64 lock) { return apg_rt->lock_try(lock); }
/* Releases it; raises IllegalOperationException if this activity does not have it. */
static inline void apg_lock_exit(apg_i64 lock) { if (apg_object *e = apg_rt->lock_exit(lock)) throw e; }
/* The two texts after each other; null reads `null`. */
static inline apg_object *apg_string_concat(apg_object *left, apg_object *right) { apg_object *out; if (apg_object *e = apg_rt->string_concat(left, right, &out)) throw e; return out; }
/* Number of bytes. */
static inline apg_i32 apg_string_length(apg_object *string) { apg_i32 out; if (apg_object *e = apg_rt->string_length(string, &out)) throw e; return out; }
/* The byte at an index. */
static inline apg_char apg_string_char_at(apg_object *string, apg_i32 index) { apg_char out; if (apg_object *e = apg_rt->string_char_at(string, index, &out)) throw e; return out; }
/* The bytes from `start` up to, not including, `end`. */
static inline apg_object *apg_string_substring(apg_object *string, apg_i32 start, apg_i32 end) { apg_object *out; if (apg_object *e = apg_rt->string_substring(string, start, end, &out)) throw e; return out; }
/* First index of `other` from `start`, or -1. */
static inline apg_i32 apg_string_index_of(apg_object *string, apg_object *other, apg_i32 start) { apg_i32 out; if (apg_object *e = apg_rt->string_index_of(string, other, start, &out)) throw e; return out; }
/* First index of a character from `start`, or -1. */
static inline apg_i32 apg_string_index_of_char(apg_object *string, apg_char character, apg_i32 start) { apg_i32 out; if (apg_object *e = apg_rt->string_index_of_char(string, character, start, &out)) throw e; return out; }
/* Last index of `other` that is at most `start`, or -1. */
static inline apg_i32 apg_string_last_index_of(apg_object *string, apg_object *other, apg_i32 start) { apg_i32 out; if (apg_object *e = apg_rt->string_last_index_of(string, other, start, &out)) throw e; return out; }
/* Last index of a character that is at most `start`, or -1. */
static inline apg_i32 apg_string_last_index_of_char(apg_object *string, apg_char character, apg_i32 start) { apg_i32 out; if (apg_object *e = apg_rt->string_last_index_of_char(string, character, start, &out)) throw e; return out; }
/* Whether both have the same text; false when `other` is no string. */
static inline bool apg_string_equals(apg_object *string, apg_object *other) { bool out; if (apg_object *e = apg_rt->string_equals(string, other, &out)) throw e; return out; }
/* As string_equals, ASCII case aside. */
static inline bool apg_string_equals_ignore_case(apg_object *string, apg_object *other) { bool out; if (apg_object *e = apg_rt->string_equals_ignore_case(string, other, &out)) throw e; return out; }
/* Less than, equal to or more than 0, byte by byte. */
static inline apg_i32 apg_string_compare(apg_object *string, apg_object *other) { apg_i32 out; if (apg_object *e = apg_rt->string_compare(string, other, &out)) throw e; return out; }
/* As string_compare, ASCII case aside. */
static inline apg_i32 apg_string_compare_ignore_case(apg_object *string, apg_object *other) { apg_i32 out; if (apg_object *e = apg_rt->string_compare_ignore_case(string, other, &out)) throw e; return out; }
/* 31-based polynomial over the bytes. */
static inline apg_i32 apg_string_hash(apg_object *string) { apg_i32 out; if (apg_object *e = apg_rt->string_hash(string, &out)) throw e; return out; }
/* In lower case. */
static inline apg_object *apg_string_to_lower(apg_object *string) { apg_object *out; if (apg_object *e = apg_rt->string_to_lower(string, &out)) throw e; return out; }
/* In upper case. */
static inline apg_object *apg_string_to_upper(apg_object *string) { apg_object *out; if (apg_object *e = apg_rt->string_to_upper(string, &out)) throw e; return out; }
/* Without white space at both ends. */
static inline apg_object *apg_string_trim(apg_object *string) { apg_object *out; if (apg_object *e = apg_rt->string_trim(string, &out)) throw e; return out; }
/* Whether it begins with `prefix`. */
static inline bool apg_string_starts_with(apg_object *string, apg_object *prefix) { bool out; if (apg_object *e = apg_rt->string_starts_with(string, prefix, &out)) throw e; return out; }
/* Whether it ends with `suffix`. */
static inline bool apg_string_ends_with(apg_object *string, apg_object *suffix) { bool out; if (apg_object *e = apg_rt->string_ends_with(string, suffix, &out)) throw e; return out; }
/* The pieces between occurrences of a text, as a rail of strings. */
static inline apg_object *apg_string_split(apg_object *string, apg_object *separator) { apg_object *out; if (apg_object *e = apg_rt->string_split(string, separator, &out)) throw e; return out; }
/* A string of `count` bytes of a Rail[Byte] from `start`. */
static inline apg_object *apg_string_from_bytes(apg_object *rail, apg_i64 start, apg_i64 count) { apg_object *out; if (apg_object *e = apg_rt->string_from_bytes(rail, start, count, &out)) throw e; return out; }
/* A string of `count` characters of a Rail[Char] from `start`. */
static inline apg_object *apg_string_from_chars(apg_object *rail, apg_i64 start, apg_i64 count) { apg_object *out; if (apg_object *e = apg_rt->string_from_chars(rail, start, count, &out)) throw e; return out; }
/* Copies the string's bytes into a Rail[Byte] of that length. */
static inline void apg_string_copy_bytes(apg_object *string, apg_object *rail) { if (apg_object *e = apg_rt->string_copy_bytes(string, rail)) throw e; }
/* Copies the string's bytes as characters into a Rail[Char] of that length. */
static inline void apg_string_copy_chars(apg_object *string, apg_object *rail) { if (apg_object *e = apg_rt->string_copy_chars(string, rail)) throw e; }
/* printf-like formatting of a Rail[Any]. */
static inline apg_object *apg_string_format(apg_object *format, apg_object *arguments) { apg_object *out; if (apg_object *e = apg_rt->string_format(format, arguments, &out)) throw e; return out; }
/* `true` or `false`. */
static inline apg_object *apg_bool_to_string(bool value) { apg_object *out; if (apg_object *e = apg_rt->bool_to_string(value, &out)) throw e; return out; }
/* The character as UTF-8. */
static inline apg_object *apg_char_to_string(apg_char value) { apg_object *out; if (apg_object *e = apg_rt->char_to_string(value, &out)) throw e; return out; }
/* Decimal. */
static inline apg_object *apg_long_to_string(apg_i64 value) { apg_object *out; if (apg_object *e = apg_rt->long_to_string(value, &out)) throw e; return out; }
/* Decimal. */
static inline apg_object *apg_ulong_to_string(apg_u64 value) { apg_object *out; if (apg_object *e = apg_rt->ulong_to_string(value, &out)) throw e; return out; }
/* Shortest decimal that reads back as the same Float. */
static inline apg_object *apg_float_to_string(float value) { apg_object *out; if (apg_object *e = apg_rt->float_to_string(value, &out)) throw e; return out; }
/* Shortest decimal that reads back as the same Double. */
static inline apg_object *apg_double_to_string(double value) { apg_object *out; if (apg_object *e = apg_rt->double_to_string(value, &out)) throw e; return out; }
/* Digits in a radix from 2 to 36. */
static inline apg_object *apg_long_to_string_radix(apg_i64 value, apg_i32 radix) { apg_object *out; if (apg_object *e = apg_rt->long_to_string_radix(value, radix, &out)) throw e; return out; }
/* Digits in a radix from 2 to 36. */
static inline apg_object *apg_ulong_to_string_radix(apg_u64 value, apg_i32 radix) { apg_object *out; if (apg_object *e = apg_rt->ulong_to_string_radix(value, radix, &out)) throw e; return out; }
/* Reads an integer of `bits` bits; NumberFormatException otherwise. */
static inline apg_i64 apg_long_parse(apg_object *string, apg_i32 radix, apg_i32 bits) { apg_i64 out; if (apg_object *e = apg_rt->long_parse(string, radix, bits, &out)) throw e; return out; }
/* Reads an unsigned integer of `bits` bits; NumberFormatException otherwise. */
static inline apg_u64 apg_ulong_parse(apg_object *string, apg_i32 radix, apg_i32 bits) { apg_u64 out; if (apg_object *e = apg_rt->ulong_parse(string, radix, bits, &out)) throw e; return out; }
/* Reads a Double; NumberFormatException otherwise. */
static inline double apg_double_parse(apg_object *string) { double out; if (apg_object *e = apg_rt->double_parse(string, &out)) throw e; return out; }
/* Reads a Float; NumberFormatException otherwise. */
static inline float apg_float_parse(apg_object *string) { float out; if (apg_object *e = apg_rt->float_parse(string, &out)) throw e; return out; }
/* Writes a string to standard output (1) or standard error (2). */
static inline void apg_console_write(apg_i32 stream, apg_object *string) { if (apg_object *e = apg_rt->console_write(stream, string)) throw e; }
/* As console_write, with a line end. */
static inline void apg_console_write_line(apg_i32 stream, apg_object *string) { if (apg_object *e = apg_rt->console_write_line(stream, string)) throw e; }
/* Writes what is buffered. */
static inline void apg_console_flush(apg_i32 stream) { if (apg_object *e = apg_rt->console_flush(stream)) throw e; }
/* A line of standard input without its end; null at the end. */
static inline apg_object *apg_console_read_line() { apg_object *out; if (apg_object *e = apg_rt->console_read_line(&out)) throw e; return out; }
/* A byte of standard input; -1 at the end. */
static inline apg_i32 apg_console_read() { apg_i32 out; if (apg_object *e = apg_rt->console_read(&out)) throw e; return out; }
/* Nanoseconds of a clock that never goes back. */
static inline apg_i64 apg_nano_time() { return apg_rt->nano_time(); }
/* Milliseconds since 1970. */
static inline apg_i64 apg_current_time_millis() { return apg_rt->current_time_millis(); }
/* Ends the program at all places. */
static inline void apg_system_exit(apg_i32 code) { apg_rt->system_exit(code); }
/* The status with which the program will end. */
static inline void apg_system_set_exit_code(apg_i32 code) { apg_rt->system_set_exit_code(code); }
/* The value of an environment variable, or null. */
static inline apg_object *apg_system_getenv(apg_object *name) { apg_object *out; if (apg_object *e = apg_rt->system_getenv(name, &out)) throw e; return out; }
/* The environment as `NAME=value`, a rail of strings. */
static inline apg_object *apg_system_environment() { apg_object *out; if (apg_object *e = apg_rt->system_environment(&out)) throw e; return out; }
/* Collects garbage now. */
static inline void apg_system_collect() { apg_rt->system_collect(); }
/* Bytes in use in the heap. */
static inline apg_i64 apg_system_heap_size() { return apg_rt->system_heap_size(); }
/* The functions that are active, innermost first, a rail of strings. */
static inline apg_object *apg_stack_trace() { apg_object *out; if (apg_object *e = apg_rt->stack_trace(&out)) throw e; return out; }
/* Opens a file: mode 0 reads, 1 writes anew, 2 appends. Its handle. */
static inline apg_i64 apg_file_open(apg_object *name, apg_i32 mode) { apg_i64 out; if (apg_object *e = apg_rt->file_open(name, mode, &out)) throw e; return out; }
/* Closes it. */
static inline void apg_file_close(apg_i64 file) { if (apg_object *e = apg_rt->file_close(file)) throw e; }
/* A byte; -1 at the end. */
static inline apg_i32 apg_file_read(apg_i64 file) { apg_i32 out; if (apg_object *e = apg_rt->file_read(file, &out)) throw e; return out; }
/* Reads up to `count` bytes into a Rail[Byte] at `start`: how many, 0 at the end. */
static inline apg_i64 apg_file_read_bytes(apg_i64 file, apg_object *rail, apg_i64 start, apg_i64 count) { apg_i64 out; if (apg_object *e = apg_rt->file_read_bytes(file, rail, start, count, &out)) throw e; return out; }
/* A line without its end; null at the end. */
static inline apg_object *apg_file_read_line(apg_i64 file) { apg_object *out; if (apg_object *e = apg_rt->file_read_line(file, &out)) throw e; return out; }
/* Writes a byte. */
static inline void apg_file_write(apg_i64 file, apg_i8 byte) { if (apg_object *e = apg_rt->file_write(file, byte)) throw e; }
/* Writes bytes of a Rail[Byte]. */
static inline void apg_file_write_bytes(apg_i64 file, apg_object *rail, apg_i64 start, apg_i64 count) { if (apg_object *e = apg_rt->file_write_bytes(file, rail, start, count)) throw e; }
/* Writes a string. */
static inline void apg_file_write_string(apg_i64 file, apg_object *string) { if (apg_object *e = apg_rt->file_write_string(file, string)) throw e; }
/* Hands what is buffered to the system. */
static inline void apg_file_flush(apg_i64 file) { if (apg_object *e = apg_rt->file_flush(file)) throw e; }
/* Bytes of a file; -1 if there is none. */
static inline apg_i64 apg_file_size(apg_object *name) { apg_i64 out; if (apg_object *e = apg_rt->file_size(name, &out)) throw e; return out; }
/* 0 nothing, 1 a file, 2 a directory, 3 something else. */
static inline apg_i32 apg_file_kind(apg_object *name) { apg_i32 out; if (apg_object *e = apg_rt->file_kind(name, &out)) throw e; return out; }
/* Milliseconds since 1970 of the last change; 0 if there is none. */
static inline apg_i64 apg_file_modified(apg_object *name) { apg_i64 out; if (apg_object *e = apg_rt->file_modified(name, &out)) throw e; return out; }
/* Deletes a file or an empty directory: whether it did. */
static inline bool apg_file_delete(apg_object *name) { bool out; if (apg_object *e = apg_rt->file_delete(name, &out)) throw e; return out; }
/* Renames a file: whether it did. */
static inline bool apg_file_rename(apg_object *name, apg_object *target) { bool out; if (apg_object *e = apg_rt->file_rename(name, target, &out)) throw e; return out; }
/* Makes a directory, with those above it if `all`: whether it did. */
static inline bool apg_file_make_directory(apg_object *name, bool all) { bool out; if (apg_object *e = apg_rt->file_make_directory(name, all, &out)) throw e; return out; }
/* Names in a directory, a rail of strings; null if it is none. */
static inline apg_object *apg_file_list(apg_object *name) { apg_object *out; if (apg_object *e = apg_rt->file_list(name, &out)) throw e; return out; }
/* Values of autoBlocks() and autoThreads() for a kernel at a place. */
static inline void apg_kernel_auto(apg_i64 place, const apg_kernel *kernel, apg_u32 shared_bytes, apg_i32 *blocks, apg_i32 *threads) { if (apg_object *e = apg_rt->kernel_auto(place, kernel, shared_bytes, blocks, threads)) throw e; }
/* Runs a kernel at a place (this host or an accelerator of it) and waits for it. */
static inline void apg_kernel_launch(apg_i64 place, const apg_kernel *kernel, const void *environment, const apg_launch *launch) { if (apg_object *e = apg_rt->kernel_launch(place, kernel, environment, launch)) throw e; }
#endif
#endif
