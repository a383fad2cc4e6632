/* The C ABI between a compiled X10 program and the apg runtime: one versioned table each way.
   No other header is included by generated code. Generated from the list of entries in the runtime's `abi` module. */
#ifndef APG_H
#define APG_H
/* The types of <stdint.h>, so that C and C++ code of the program and generated code share pointers. */
typedef __INT8_TYPE__ apg_i8; typedef __INT16_TYPE__ apg_i16; typedef __INT32_TYPE__ apg_i32; typedef __INT64_TYPE__ apg_i64;
typedef __UINT8_TYPE__ apg_u8; typedef __UINT16_TYPE__ apg_u16; typedef __UINT32_TYPE__ apg_u32; typedef __UINT64_TYPE__ apg_u64;
typedef unsigned apg_char;          /* a Unicode code point */

#define APG_ABI_VERSION 19
/* Bytes of an activity's stack, which begins at a multiple of that, and of what is kept for code that does not check. */
#define APG_STACK 8388608
#define APG_STACK_RESERVE 262144
/* A PlaceLocalHandle has the number of the place that made it above this many bits; these are looked up without a call. */
#define APG_LOCAL_BITS 40
#define APG_LOCALS_PLACES 1024
#define APG_LOCALS_EACH 65536

/* ---- objects ---- */
typedef struct apg_type apg_type;
typedef struct apg_object { const apg_type *type; } apg_object;
typedef struct apg_rail { const apg_type *type; apg_i64 length; /* elements follow */ } apg_rail;
typedef struct apg_string { const apg_type *type; apg_i64 length; char bytes[]; } apg_string;

/* A part of a text that is joined: a string, or the bits of a value that is written into it. */
typedef enum { APG_PART_STRING, APG_PART_I64, APG_PART_U64, APG_PART_F64, APG_PART_F32, APG_PART_BOOL, APG_PART_CHAR } apg_part_kind;
typedef struct apg_part { apg_u64 kind, bits; } apg_part;

typedef enum { APG_OBJECT, APG_RAIL, APG_STRING, APG_BOXED, APG_CLOSURE, APG_CELL, APG_STRUCT } apg_kind;
typedef enum { APG_BOOL, APG_I8, APG_I16, APG_I32, APG_I64, APG_U8, APG_U16, APG_U32, APG_U64,
               APG_F32, APG_F64, APG_CHAR, APG_REF, APG_VALUE } apg_slot;

/* How instances are sent to other places: field by field; as their own code says (x10.io.CustomSerialization); not at all. */
typedef enum { APG_BY_FIELDS, APG_OWN, APG_REFUSED, APG_RESTORED, APG_GLOBAL } apg_custom;

/* What the code of a closure without parameters results in: other places have only such closures called as are known by it. */
typedef enum { APG_RESULT_OTHER, APG_RESULT_NOTHING, APG_RESULT_REFERENCE } apg_result;

typedef struct apg_field {
  const char *name; apg_u32 offset; apg_u8 slot; apg_u8 transient;
  const apg_type *type;             /* APG_VALUE: the struct's descriptor; APG_REF: the declared class, null if any object fits */
} apg_field;
typedef struct apg_itable { apg_u32 interface; const void *const *methods; } apg_itable;

/* Drives collection, serialization, dispatch, casts, names. Index in apg_program.types is the same at every place. */
#define APG_TYPE_MEMBERS \
  apg_u32 id; apg_u32 kind; \
  const char *name;                 /* X10 name, with type arguments */ \
  const apg_type *super; \
  apg_u64 size;                     /* bytes of an instance with header; of a rail or string: of the header */ \
  apg_u32 field_count; const apg_field *fields;      /* all, inherited first; not of rails and strings */ \
  apg_u8 element_slot; apg_u32 element_size; const apg_type *element;   /* rails */ \
  apg_u32 interface_count; const apg_itable *interfaces;   /* sorted by id */ \
  apg_u32 vtable_length; \
  apg_u32 custom;                   /* an apg_custom */ \
  apg_object *(*restore)(void *at, apg_object *deserializer);   /* APG_OWN: makes an instance there; null if it has no constructor for it. APG_RESTORED: sets transient fields; the deserializer is null */ \
  apg_u8 brief;                     /* closures without parameters: 1 if the code has no loops, waits for nothing and starts nothing */ \
  apg_u8 result;                    /* closures without parameters: an apg_result */
struct apg_type {
  APG_TYPE_MEMBERS
  const void *vtable[];             /* virtual methods: in the descriptor itself, so that a call reads no pointer to them */
};

/* x10.lang.GlobalRail by value: on a host the handle names a registered rail, on an accelerator it is the device address. */
typedef struct apg_global_rail { apg_i64 size; apg_i64 home; apg_i64 handle; } apg_global_rail;
/* x10.util.CUDATextureRail by value: the object is on a host an apg_texture, on an accelerator the texture object of the driver. */
typedef struct apg_texture_rail { apg_i64 rank; apg_i64 extent[3]; apg_i64 home; apg_i64 object; } apg_texture_rail;
/* Elements, x fastest. mode: 1 filtered, 2 normalized coordinates; outside of the elements 0 the nearest, 4 zero, 8 from the other end, 12 mirrored. */
typedef struct apg_texture { const void *data; apg_i32 extent[3]; apg_u32 mode; } apg_texture;

/* ---- kernels ----
   The environment is one struct, a member a capture, built by the program before the launch:
     APG_SCALAR         the value
     APG_HOST_RAIL, APG_CONSTANT_RAIL   apg_kernel_rail: address of the first element, length (null rail: both 0)
     APG_GLOBAL_RAIL    apg_global_rail; the runtime replaces `handle` by the address of the first element
     APG_TEXTURE        apg_texture_rail, in a value that travels: the runtime sees that it is at the kernel's place
   The runtime works on a copy of it in which it has put device addresses for host ones. The device function is
   extern "C" __global__ void NAME(const __grid_constant__ ENV env, apg_launch_shared s)   if env_by_value, else
   extern "C" __global__ void NAME(const ENV *env, apg_launch_shared s),
   with dynamic shared memory of shared_bytes, in which shared rail i starts at byte s.offset[i] and has s.length[i] elements. */
typedef enum { APG_SCALAR, APG_HOST_RAIL, APG_CONSTANT_RAIL, APG_GLOBAL_RAIL, APG_TEXTURE } apg_capture_kind;
typedef struct apg_kernel_rail { void *data; apg_i64 length; } apg_kernel_rail;
typedef struct apg_capture { const char *name; apg_u32 kind; apg_u32 offset; apg_u32 size; /* in env */ apg_u32 element_size; } apg_capture;
#define APG_MAX_SHARED 16
/* blocks, threads: [0] is x, the fastest (the last index of the X10 loop); unused axes are 1. */
/* What the first failing check of a launch left. kind: 0 none, 1 an index outside its rail, 2 an index into null, 3 a division
   by zero, 4 no memory for a block of the CPU form; file indexes the program's files; ended is the runtime's own. */
typedef struct apg_fault { apg_u32 kind, block[3], thread[3], file, line, ended; apg_i64 index, length; } apg_fault;
/* proven: 1 if the accesses that depend on the launch are inside their rails, 2 if their indices may be computed with 64 bits. fault: for the
   CPU form. */
typedef struct apg_launch { apg_i32 blocks[3]; apg_i32 threads[3]; apg_i64 shared_lengths[APG_MAX_SHARED]; apg_fault *fault; apg_u32 proven; } apg_launch;
/* mailbox: where kernels that make calls of slots post them, in device memory; null for others. */
typedef struct apg_launch_shared { apg_u32 offset[APG_MAX_SHARED]; apg_i32 length[APG_MAX_SHARED]; apg_fault *fault; void *mailbox; } apg_launch_shared;
typedef struct apg_kernel {
  const char *name; const char *file; apg_u32 line;
  const char *cuda;                 /* CUDA C++ of this kernel, compiled by NVRTC for the device at hand */
  apg_u32 env_size; apg_u8 env_by_value; apg_u8 auto_blocks; apg_u8 auto_threads;   /* autoBlocks(), autoThreads() used */
  apg_u8 early;                     /* with APG_PIPELINED, loops of the code read early, for launches of few threads */
  apg_u8 communicates;              /* it makes calls of slots: each block runs by itself, and may wait */
  apg_u32 capture_count; const apg_capture *captures;
  apg_u32 shared_count; const apg_u32 *shared_element_sizes;   /* shared rails */
  /* Evaluates extents and shared lengths from the captures (host addresses). Returns an exception object or null. May be
     called several times: once for each block size that the occupancy search tries. */
  apg_object *(*configure)(const void *env, apg_i32 auto_blocks, apg_i32 auto_threads, apg_launch *out);
  /* CPU form: runs blocks [first, last) of the flattened grid (x fastest) */
  apg_object *(*cpu)(const void *env, const apg_launch *launch, apg_i64 first, apg_i64 last);
  /* 1 if all accesses that depend on the launch are inside their rails: then the device code is compiled with APG_PROVEN
     and the CPU form gets the flag. 2, 4: their indices may be computed with 64 bits, with 32. The upper half has a bit for each condition that
     accesses depend on: where not all hold, APG_HELD has those that do. Null if nothing depends on the launch. */
  apg_u64 (*proven)(const void *env, const apg_launch *launch);
  /* What autoBlocks() and autoThreads() choose from, the preferred ones first; none for any number. */
  const apg_i32 *block_choices; apg_u32 block_choice_count;
  const apg_i32 *thread_choices; apg_u32 thread_choice_count;
} apg_kernel;

/* ---- messages of slots ----
   What a block of a kernel passes: of a CPU form to slot_kernel_call, of a device by its mailbox. Buffers: what is sent, then where received elements go; one for both if a call has one.
   kind: the code of the elements' type. */
typedef struct apg_slot_buffer { void *data; apg_i64 length, index, count; apg_u32 size, kind; } apg_slot_buffer;
typedef struct apg_slot_request {
  apg_i64 group, rank, partner, from, tag, operation, first, members, stride, block;
  apg_slot_buffer buffers[2];
  apg_i32 call; apg_u32 buffer_count, file, line;   /* where the call is */
} apg_slot_request;

/* ---- statics ----
   One state for each static field, zero but for the name. To read a field: if it is not apg_static_ready(&s) and
   apg_static_begin(&s), then { try { initialise } catch { e }; apg_static_end(&s, e or null) }. */
typedef struct apg_static { apg_u32 state; const char *name; apg_object *failure; } apg_static;

/* ---- exceptions the runtime raises: kinds that apg_program.make_exception gets ---- */
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
  APG_CANCELLATION_EXCEPTION, /* x10.lang.CancellationException */
  APG_NOT_SERIALIZABLE_EXCEPTION, /* x10.io.NotSerializableException */
  APG_IO_EXCEPTION, /* x10.io.IOException */
  APG_FILE_NOT_FOUND_EXCEPTION, /* x10.io.FileNotFoundException */
  APG_EOF_EXCEPTION, /* x10.io.EOFException */
  APG_INTERNAL_EXCEPTION, /* x10.lang.InternalError */
} apg_exception_kind;

/* ---- activities ----
   What generated code opens, starts and closes itself, where the table's `quick` says so; the rest of it is the runtime's. The address of
   the fiber that runs on a stack is the last word of that stack. */
typedef struct apg_finish {
  struct apg_finish *outer;         /* the one around it of the same activity; of a spare one, the next spare one */
  apg_i64 own;                      /* started by its body, less those that have run on its stack */
  bool touched; apg_u8 apart[111];  /* there are exceptions, or others know it */
  apg_u64 count;                    /* APG_BODY, and activities that other threads are concerned with */
} apg_finish;
#define APG_BODY (1ull << 48)
typedef struct apg_activity { apg_finish *open; const void *clocks; apg_u32 atomic, nested; } apg_activity;
typedef struct apg_pair { apg_object *closure; apg_finish *finish; } apg_pair;
typedef struct apg_slots { apg_pair *pairs; apg_u64 mask; } apg_slots;
typedef struct apg_queue {
  apg_u64 top; apg_u8 apart[120];   /* index of the oldest, above 16 bits of tag */
  apg_i64 bottom; apg_u8 apart1[120];
  apg_slots *slots; apg_u8 apart2[120];
  apg_i64 known_top, room; bool is_long;
} apg_queue;
typedef struct apg_sleepers { apg_u64 asleep; apg_u8 apart[120]; apg_u64 looking; } apg_sleepers;
typedef struct apg_fiber { apg_activity *activity; apg_queue *queue; apg_finish *spare; const apg_sleepers *sleepers; } apg_fiber;

/* ---- the runtime's table ---- */
typedef struct apg_runtime {
  apg_u32 abi;
  apg_u32 entry_count;
  apg_i64 here;                     /* the id of this place */
  apg_u64 quick;                    /* generated code may start activities itself */
  apg_object *const *const *locals; /* of APG_LOCALS_PLACES places each: the objects of its first APG_LOCALS_EACH PlaceLocalHandles here, or null */
  apg_object *(*allocate)(const apg_type *ty, apg_object **out);
  apg_object *(*allocate_rail)(const apg_type *ty, apg_i64 length, apg_object **out);
  apg_object *(*allocate_rail_unwritten)(const apg_type *ty, apg_i64 length, apg_object **out);
  apg_object *(*string_literal)(const char *bytes, apg_i64 length, apg_object **out);
  apg_object *(*raise)(apg_u32 kind, const char *message);
  apg_object *(*raise_null)(void);
  apg_object *(*raise_bounds)(apg_i64 index, apg_i64 length);
  apg_object *(*raise_division)(void);
  apg_object *(*raise_cast)(apg_object *object, const char *target);
  apg_object *(*raise_forgotten)(apg_i64 number);
  apg_object *(*stack_overflow)(void);
  apg_u64 (*hold_root)(apg_object *object);
  void (*release_root)(apg_u64 root);
  apg_i32 (*identity_hash)(apg_object *object);
  apg_object *(*object_type_name)(apg_object *object, apg_object **out);
  apg_object *(*object_to_string)(apg_object *object, apg_object **out);
  apg_object *(*static_begin)(apg_static *state, bool *out);
  apg_object *(*static_end)(apg_static *state, apg_object *failure);
  apg_object *(*rail_copy)(apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count);
  apg_object *(*rail_clear)(apg_object *rail, apg_i64 start, apg_i64 count);
  apg_object *(*global_ref_register)(apg_object *object, apg_i64 *out);
  apg_object *(*global_ref_get)(apg_i64 handle, apg_object **out);
  void (*global_ref_forget)(apg_i64 handle);
  apg_object *(*global_find)(apg_object *target);
  apg_object *(*global_enter)(apg_object *token, apg_object *target, apg_object **out);
  apg_object *(*global_forget)(apg_object *token);
  apg_object *(*graph_encode)(apg_object *object, apg_object *sample, apg_object **out);
  apg_object *(*graph_decode)(apg_object *bytes, apg_object **out);
  apg_object *(*async_here)(apg_object *closure);
  apg_object *(*async_clocked)(apg_object *closure);
  apg_object *(*async_on_clocks)(apg_object *closure, apg_object *const *clocks, apg_u32 count);
  apg_object *(*async_uncounted)(apg_object *closure);
  apg_object *(*async_at)(apg_i64 place, apg_object *closure);
  apg_object *(*at_async)(apg_i64 place, apg_object *closure);
  apg_object *(*async_at_clocked)(apg_i64 place, apg_object *closure);
  apg_object *(*async_at_on_clocks)(apg_i64 place, apg_object *closure, apg_object *const *clocks, apg_u32 count);
  apg_object *(*async_at_uncounted)(apg_i64 place, apg_object *closure);
  apg_object *(*at)(apg_i64 place, apg_object *closure);
  apg_object *(*at_value)(apg_i64 place, apg_object *closure, apg_object **out);
  apg_object *(*finish_begin)(bool clocked);
  apg_object *(*finish_end)(apg_object *exception);
  void (*finish_note)(apg_object *exception);
  void (*wake_worker)(void);
  apg_object *(*atomic_begin)(void);
  void (*atomic_end)(void);
  apg_object *(*when_begin)(void);
  apg_object *(*when_wait)(void);
  apg_object *(*sleep)(apg_i64 milliseconds);
  apg_object *(*probe)(void);
  apg_i64 (*finish_id)(void);
  apg_i32 (*worker_count)(void);
  apg_i32 (*max_worker_count)(void);
  apg_i32 (*worker_id)(void);
  apg_i32 (*surplus_activities)(void);
  apg_object *(*async_without_job)(apg_object *closure);
  apg_object *(*async_job)(apg_object *closure, apg_i64 epoch);
  apg_i64 (*job_epoch)(void);
  apg_i64 (*cancel_jobs)(void);
  void (*cancel_jobs_before)(apg_i64 epoch);
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
  apg_i32 (*lock_hold_count)(apg_i64 lock);
  apg_i32 (*atomic_load_i32)(apg_object *rail);
  void (*atomic_store_i32)(apg_object *rail, apg_i32 value);
  apg_i32 (*atomic_swap_i32)(apg_object *rail, apg_i32 value);
  apg_i32 (*atomic_add_i32)(apg_object *rail, apg_i32 delta);
  bool (*atomic_compare_i32)(apg_object *rail, apg_i32 expected, apg_i32 value);
  apg_i64 (*atomic_load_i64)(apg_object *rail);
  void (*atomic_store_i64)(apg_object *rail, apg_i64 value);
  apg_i64 (*atomic_swap_i64)(apg_object *rail, apg_i64 value);
  apg_i64 (*atomic_add_i64)(apg_object *rail, apg_i64 delta);
  bool (*atomic_compare_i64)(apg_object *rail, apg_i64 expected, apg_i64 value);
  apg_object *(*atomic_load_ref)(apg_object *rail);
  void (*atomic_store_ref)(apg_object *rail, apg_object *value);
  apg_object *(*atomic_swap_ref)(apg_object *rail, apg_object *value);
  bool (*atomic_compare_ref)(apg_object *rail, apg_object *expected, apg_object *value);
  void (*atomic_fence)(void);
  apg_object *(*string_concat)(apg_object *left, apg_object *right, apg_object **out);
  apg_object *(*string_length)(apg_object *string, apg_i32 *out);
  apg_object *(*string_char_at)(apg_object *string, apg_i32 index, apg_char *out);
  apg_object *(*string_substring)(apg_object *string, apg_i32 start, apg_i32 end, apg_object **out);
  apg_object *(*string_index_of)(apg_object *string, apg_object *other, apg_i32 start, apg_i32 *out);
  apg_object *(*string_last_index_of)(apg_object *string, apg_object *other, apg_i32 start, apg_i32 *out);
  apg_object *(*string_equals)(apg_object *string, apg_object *other, bool *out);
  apg_object *(*string_compare)(apg_object *string, apg_object *other, apg_i32 *out);
  apg_object *(*string_hash)(apg_object *string, apg_i32 *out);
  apg_object *(*string_to_lower)(apg_object *string, apg_object **out);
  apg_object *(*string_to_upper)(apg_object *string, apg_object **out);
  apg_object *(*string_trim)(apg_object *string, apg_object **out);
  apg_object *(*string_from_bytes)(apg_object *rail, apg_i64 start, apg_i64 count, apg_object **out);
  apg_object *(*string_from_chars)(apg_object *rail, apg_i64 start, apg_i64 count, apg_object **out);
  apg_object *(*string_copy_bytes)(apg_object *string, apg_object *rail, apg_i64 start);
  apg_object *(*string_join)(const void *parts, apg_i64 count, apg_object **out);
  apg_object *(*string_append)(apg_object *string, bool own, const void *parts, apg_i64 count, apg_object **out);
  apg_object *(*string_format)(apg_object *format, apg_object *arguments, apg_object **out);
  apg_object *(*string_from_char)(apg_char value, apg_object **out);
  bool (*char_is_lower)(apg_char value);
  bool (*char_is_upper)(apg_char value);
  bool (*char_is_digit)(apg_char value);
  bool (*char_is_letter)(apg_char value);
  bool (*char_is_whitespace)(apg_char value);
  apg_char (*char_to_lower)(apg_char value);
  apg_char (*char_to_upper)(apg_char value);
  apg_object *(*string_from_bool)(bool value, apg_object **out);
  apg_object *(*string_from_i64)(apg_i64 value, apg_object **out);
  apg_object *(*string_from_u64)(apg_u64 value, apg_object **out);
  apg_object *(*string_from_f32)(float value, apg_object **out);
  apg_object *(*string_from_f64)(double value, apg_object **out);
  apg_object *(*string_from_i64_radix)(apg_i64 value, apg_i32 radix, apg_object **out);
  apg_object *(*string_from_u64_radix)(apg_u64 value, apg_i32 radix, apg_object **out);
  apg_object *(*hex_string_from_f32)(float value, apg_object **out);
  apg_object *(*hex_string_from_f64)(double value, apg_object **out);
  apg_object *(*parse_i64)(apg_object *string, apg_i32 radix, apg_i64 *out);
  apg_object *(*parse_u64)(apg_object *string, apg_i32 radix, apg_u64 *out);
  apg_object *(*parse_f32)(apg_object *string, float *out);
  apg_object *(*parse_f64)(apg_object *string, double *out);
  double (*math_remainder)(double value, double of);
  double (*math_scale)(double value, apg_i32 exponent);
  apg_object *(*console_print)(apg_i32 stream, apg_object *string);
  apg_object *(*console_flush)(apg_i32 stream);
  apg_object *(*console_read_line)(apg_object **out);
  apg_object *(*console_read_byte)(apg_i32 *out);
  apg_i64 (*nano_time)(void);
  apg_i64 (*current_time_millis)(void);
  void (*set_exit_code)(apg_i32 code);
  void (*kill_here)(void);
  apg_object *(*getenv)(apg_object *name, apg_object **out);
  apg_object *(*environment)(apg_object **out);
  apg_object *(*process_name)(apg_object **out);
  void (*gc)(void);
  apg_i64 (*heap_size)(void);
  apg_object *(*stack_capture)(apg_object *frames);
  apg_object *(*stack_describe)(apg_object *frames, bool brief, apg_object **out);
  apg_object *(*view_open)(apg_object *title, apg_i32 port, apg_i64 *out);
  apg_object *(*view_url)(apg_i64 view, apg_object **out);
  apg_object *(*view_show)(apg_i64 view, apg_object *frame);
  apg_object *(*view_is_watched)(apg_i64 view, bool *out);
  apg_object *(*view_is_delivered)(apg_i64 view, bool *out);
  void (*view_close)(apg_i64 view);
  apg_object *(*file_open_read)(apg_object *name, apg_i64 *out);
  apg_object *(*file_open_write)(apg_object *name, bool append, apg_i64 *out);
  apg_object *(*process_open_read)(apg_object *command, apg_i64 *out);
  apg_object *(*process_open_write)(apg_object *command, apg_i64 *out);
  apg_object *(*file_close)(apg_i64 file);
  apg_object *(*file_read_byte)(apg_i64 file, apg_i32 *out);
  apg_object *(*file_read_line)(apg_i64 file, apg_object **out);
  apg_object *(*file_read)(apg_i64 file, apg_object *rail, apg_i64 start, apg_i64 count, apg_i64 *out);
  apg_object *(*file_available)(apg_i64 file, apg_i64 *out);
  apg_object *(*file_write_byte)(apg_i64 file, apg_i32 byte);
  apg_object *(*file_write_string)(apg_i64 file, apg_object *string);
  apg_object *(*file_write)(apg_i64 file, apg_object *rail, apg_i64 start, apg_i64 count);
  apg_object *(*file_flush)(apg_i64 file);
  apg_object *(*file_size)(apg_object *name, apg_i64 *out);
  apg_object *(*file_exists)(apg_object *name, bool *out);
  apg_object *(*file_is_directory)(apg_object *name, bool *out);
  apg_object *(*file_delete)(apg_object *name, bool *out);
  apg_object *(*file_mkdir)(apg_object *name, bool *out);
  apg_object *(*file_mkdirs)(apg_object *name, bool *out);
  apg_object *(*file_rename)(apg_object *from, apg_object *to, bool *out);
  apg_object *(*file_list)(apg_object *name, apg_object **out);
  apg_object *(*file_modified)(apg_object *name, apg_i64 *out);
  apg_object *(*file_set_modified)(apg_object *name, apg_i64 milliseconds, bool *out);
  apg_object *(*file_may)(apg_object *name, apg_i32 what, bool *out);
  apg_object *(*file_absolute)(apg_object *name, apg_object **out);
  apg_object *(*file_canonical)(apg_object *name, apg_object **out);
  apg_object *(*file_position)(apg_i64 file, apg_i64 *out);
  apg_object *(*file_seek)(apg_i64 file, apg_i64 position);
  apg_i64 (*place_count)(void);
  apg_i64 (*place_total)(void);
  bool (*place_is_accelerator)(apg_i64 place);
  apg_i64 (*place_parent)(apg_i64 place);
  apg_i64 (*place_host)(apg_i64 place);
  apg_object *(*place_name)(apg_i64 place, apg_object **out);
  apg_object *(*raise_elsewhere)(apg_object *what, apg_i64 home);
  apg_i64 (*place_child_count)(apg_i64 place);
  apg_object *(*place_child)(apg_i64 place, apg_i64 index, apg_i64 *out);
  apg_object *(*place_child_index)(apg_i64 place, apg_i64 *out);
  apg_i64 (*place_local_make)(void);
  apg_object *(*place_local_get)(apg_i64 number);
  void (*place_local_set)(apg_i64 number, apg_object *object);
  apg_object *(*async_put)(apg_object *source, apg_i64 source_index, apg_i64 target_size, apg_i64 target_home, apg_i64 target_handle, apg_i64 target_index, apg_i64 count);
  apg_object *(*async_get)(apg_i64 source_size, apg_i64 source_home, apg_i64 source_handle, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count);
  apg_object *(*async_copy_devices)(apg_object *sample, apg_i64 source_size, apg_i64 source_home, apg_i64 source_handle, apg_i64 source_index, apg_i64 target_size, apg_i64 target_home, apg_i64 target_handle, apg_i64 target_index, apg_i64 count);
  apg_i32 (*team_number)(void);
  void (*team_forget)(apg_i64 team);
  apg_object *(*team_barrier)(apg_i64 team, apg_object *members);
  apg_object *(*team_broadcast)(apg_i64 team, apg_object *members, apg_i64 root, apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count);
  apg_object *(*team_scatter)(apg_i64 team, apg_object *members, apg_i64 root, apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count, apg_object *counts);
  apg_object *(*team_gather)(apg_i64 team, apg_object *members, apg_i64 root, apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count, apg_object *counts);
  apg_object *(*team_exchange)(apg_i64 team, apg_object *members, apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count);
  bool (*team_combines)(apg_object *rail);
  apg_object *(*team_reduce)(apg_i64 team, apg_object *members, apg_i64 root, apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count, apg_i32 operation);
  apg_object *(*team_all_reduce)(apg_i64 team, apg_object *members, apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count, apg_i32 operation);
  apg_i64 (*slot_group_number)(void);
  apg_object *(*slot_group_register)(apg_i64 number, apg_object *table);
  apg_object *(*slot_group_first)(apg_i64 number, apg_i64 place, apg_i64 side, apg_i64 *out);
  apg_object *(*slot_group_count)(apg_i64 number, apg_i64 place, apg_i64 side, apg_i64 *out);
  void (*slot_group_forget)(apg_i64 number);
  apg_object *(*slot_rail)(apg_i64 home, apg_i64 handle, apg_object **out);
  apg_object *(*slot_call)(apg_i32 call, apg_i64 group, apg_i64 rank, apg_i64 partner, apg_i64 from, apg_i64 tag, apg_i64 operation, apg_i64 first, apg_i64 members, apg_i64 stride, apg_object *source, apg_i64 source_index, apg_i64 source_count, apg_object *target, apg_i64 target_index, apg_i64 target_count, apg_i64 *out);
  apg_object *(*slot_kernel_call)(const void *call, apg_i64 *out);
  apg_object *(*device_allocate)(apg_i64 place, apg_object *sample, apg_i64 count, apg_i64 *out);
  apg_object *(*device_free)(apg_i64 place, apg_i64 address);
  apg_object *(*device_synchronise)(apg_i64 place);
  apg_object *(*kernel_launch)(apg_i64 place, const apg_kernel *kernel, const void *environment, apg_i32 about);
  apg_object *(*kernel_start)(apg_i64 place, const apg_kernel *kernel, const void *environment, apg_object *closure, apg_i32 about);
  apg_object *(*texture_make)(apg_i64 place, apg_object *sample, apg_i64 rank, apg_i64 width, apg_i64 height, apg_i64 depth, apg_i32 mode, apg_i64 *out);
  apg_object *(*texture_fill)(apg_i64 place, apg_i64 number, apg_object *source);
  apg_object *(*texture_copy)(apg_i64 place, apg_i64 number, apg_i64 handle, apg_i64 count);
  apg_object *(*texture_free)(apg_i64 place, apg_i64 number);
  apg_object *(*texture_check)(apg_i64 place, apg_i64 number);
  bool (*collective_ready)(void);
  bool (*collective_mark)(apg_object *rail);
  apg_object *(*collective_join)(apg_object *places, apg_i64 first, apg_i64 size, apg_object *mark, apg_i64 *out);
  apg_object *(*collective_leave)(apg_i64 number);
  bool (*collective_combines)(apg_object *sample, apg_i32 operation);
  apg_object *(*collective_run)(apg_i64 number, apg_i32 what, apg_object *sample, apg_object *sources, apg_i64 source_index, apg_object *targets, apg_i64 target_index, apg_i64 count, apg_i64 root, apg_i32 operation);
  apg_object *(*collective_combine)(apg_object *target, apg_object *source, apg_i64 count, apg_i32 operation);
} apg_runtime;

/* ---- the program's table (exported as `apg_program_v1`) ---- */
typedef struct apg_root { void *address; apg_u32 slot; const apg_type *type; /* APG_VALUE: the struct */ } apg_root;
/* Entries never let a C++ exception out: they return the X10 exception object, or null. */
typedef struct apg_program {
  apg_u32 abi; apg_u32 type_count; const apg_type *const *types;
  apg_u32 kernel_count; const apg_kernel *const *kernels;
  apg_u32 file_count; const char *const *files;
  apg_u32 root_count; const apg_root *roots;         /* static fields: roots of collection */
  const apg_type *string_type; const apg_type *string_rail_type;   /* may be null if the program uses none */
  void (*bind)(const apg_runtime *runtime);          /* called first: the runtime's table, to be kept in apg_rt */
  apg_object *(*main)(apg_object *arguments);
  apg_object *(*make_exception)(apg_u32 kind, apg_object *message, apg_object **result);   /* APG_MULTIPLE_EXCEPTION: a rail of x10.lang.CheckedThrowable */
  apg_object *(*call)(apg_object *closure);          /* a closure without parameters and result */
  apg_object *(*call_value)(apg_object *closure, apg_object **result);   /* the same with a reference as its result */
  apg_object *(*to_string)(apg_object *object, apg_object **result);
  apg_object *(*equals)(apg_object *object, apg_object *other, apg_u8 *result);
  apg_object *(*hash_code)(apg_object *object, apg_i32 *result);
  apg_object *(*saved)(apg_object *object, apg_object **rail);   /* what an instance of an APG_OWN type sends; null if there is no such type */
  apg_object *(*deserializer)(apg_object *rail, apg_object **result);   /* what gives it back */
} apg_program;

#if defined(__cplusplus) && !defined(APG_NO_RUNTIME)
/* ---- what generated code calls; raising entries throw the X10 exception object as `apg_object *` ---- */
extern "C" __attribute__((visibility("hidden"))) const apg_runtime *apg_rt;
/* Throws it; out of line, defined once by the program. */
[[noreturn]] __attribute__((visibility("hidden"), cold)) void apg_raised(apg_object *e);
static inline bool apg_static_ready(const apg_static *s) { return __atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == 2; }
static inline apg_i64 apg_here() { return apg_rt->here; }
/* A new object with zero fields. */
__attribute__((malloc, returns_nonnull, noinline)) static apg_object *apg_allocate(const apg_type *ty) { apg_object *out; if (apg_object *e = apg_rt->allocate(ty, &out)) apg_raised(e); return out; }
/* A new rail of zeros; a negative length raises NegativeArraySizeException. */
__attribute__((malloc, returns_nonnull, noinline)) static apg_object *apg_allocate_rail(const apg_type *ty, apg_i64 length) { apg_object *out; if (apg_object *e = apg_rt->allocate_rail(ty, length, &out)) apg_raised(e); return out; }
/* A new rail whose elements the program sets before anything reads them: what they are at first is anything. */
__attribute__((malloc, returns_nonnull, noinline)) static apg_object *apg_allocate_rail_unwritten(const apg_type *ty, apg_i64 length) { apg_object *out; if (apg_object *e = apg_rt->allocate_rail_unwritten(ty, length, &out)) apg_raised(e); return out; }
/* The one string of the process with this text (UTF-8, `length` bytes). */
static inline apg_object *apg_string_literal(const char *bytes, apg_i64 length) { apg_object *out; if (apg_object *e = apg_rt->string_literal(bytes, length, &out)) apg_raised(e); return out; }
/* Raises the exception of an apg_exception_kind; always throws. */
static inline void apg_raise(apg_u32 kind, const char *message) { if (apg_object *e = apg_rt->raise(kind, message)) apg_raised(e); }
/* Raises NullPointerException; always throws. */
static inline void apg_raise_null() { if (apg_object *e = apg_rt->raise_null()) apg_raised(e); }
/* Raises ArrayIndexOutOfBoundsException; always throws. */
static inline void apg_raise_bounds(apg_i64 index, apg_i64 length) { if (apg_object *e = apg_rt->raise_bounds(index, length)) apg_raised(e); }
/* Raises ArithmeticException for a division by zero; always throws. */
static inline void apg_raise_division() { if (apg_object *e = apg_rt->raise_division()) apg_raised(e); }
/* Raises ClassCastException; always throws. */
static inline void apg_raise_cast(apg_object *object, const char *target) { if (apg_object *e = apg_rt->raise_cast(object, target)) apg_raised(e); }
/* Raises IllegalArgumentException: the object of that number was forgotten; always throws. */
static inline void apg_raise_forgotten(apg_i64 number) { if (apg_object *e = apg_rt->raise_forgotten(number)) apg_raised(e); }
/* The stack seems to be full: raises StackOverflowError if it is. */
static inline void apg_stack_overflow() { if (apg_object *e = apg_rt->stack_overflow()) apg_raised(e); }
/* Makes the object a root of the collector until `release_root`. */
static inline apg_u64 apg_hold_root(apg_object *object) { return apg_rt->hold_root(object); }
/* Ends what `hold_root` began. */
static inline void apg_release_root(apg_u64 root) { apg_rt->release_root(root); }
/* A number that stays with the object; 0 for null. */
static inline apg_i32 apg_identity_hash(apg_object *object) { return apg_rt->identity_hash(object); }
/* The X10 name of the object's class. */
static inline apg_object *apg_object_type_name(apg_object *object) { apg_object *out; if (apg_object *e = apg_rt->object_type_name(object, &out)) apg_raised(e); return out; }
/* The default toString: class name, `@`, identity hash in hexadecimal. */
static inline apg_object *apg_object_to_string(apg_object *object) { apg_object *out; if (apg_object *e = apg_rt->object_to_string(object, &out)) apg_raised(e); return out; }
/* Whether the caller must initialise the static field; otherwise it is ready, or raises what its initialiser raised. */
static inline bool apg_static_begin(apg_static *state) { bool out; if (apg_object *e = apg_rt->static_begin(state, &out)) apg_raised(e); return out; }
/* Ends the initialisation that static_begin gave; raises `failure` unless it is null. */
static inline void apg_static_end(apg_static *state, apg_object *failure) { if (apg_object *e = apg_rt->static_end(state, failure)) apg_raised(e); }
/* Copies elements between rails of one type, which may overlap; bounds are checked. */
static inline void apg_rail_copy(apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count) { if (apg_object *e = apg_rt->rail_copy(source, source_index, target, target_index, count)) apg_raised(e); }
/* Zeroes elements; bounds are checked. */
static inline void apg_rail_clear(apg_object *rail, apg_i64 start, apg_i64 count) { if (apg_object *e = apg_rt->rail_clear(rail, start, count)) apg_raised(e); }
/* Registers an object under a number that other places can hold; it stays alive until forgotten. 0 for null. */
static inline apg_i64 apg_global_ref_register(apg_object *object) { apg_i64 out; if (apg_object *e = apg_rt->global_ref_register(object, &out)) apg_raised(e); return out; }
/* The object registered here under that number. */
static inline apg_object *apg_global_ref_get(apg_i64 handle) { apg_object *out; if (apg_object *e = apg_rt->global_ref_get(handle, &out)) apg_raised(e); return out; }
/* Ends a registration. */
static inline void apg_global_ref_forget(apg_i64 handle) { apg_rt->global_ref_forget(handle); }
/* What the GlobalRefs to an object of this place share, or null. */
static inline apg_object *apg_global_find(apg_object *target) { return apg_rt->global_find(target); }
/* The same, which is `token` unless there is another one. */
static inline apg_object *apg_global_enter(apg_object *token, apg_object *target) { apg_object *out; if (apg_object *e = apg_rt->global_enter(token, target, &out)) apg_raised(e); return out; }
/* References of other places do not keep the object alive any more. */
static inline void apg_global_forget(apg_object *token) { if (apg_object *e = apg_rt->global_forget(token)) apg_raised(e); }
/* An object with all that it refers to as bytes, in a rail of the type of `sample`. */
static inline apg_object *apg_graph_encode(apg_object *object, apg_object *sample) { apg_object *out; if (apg_object *e = apg_rt->graph_encode(object, sample, &out)) apg_raised(e); return out; }
/* The object that graph_encode made bytes of. */
static inline apg_object *apg_graph_decode(apg_object *bytes) { apg_object *out; if (apg_object *e = apg_rt->graph_decode(bytes, &out)) apg_raised(e); return out; }
/* Starts `closure` as an activity here, governed by the innermost finish. */
static inline void apg_async_here(apg_object *closure) { if (apg_object *e = apg_rt->async_here(closure)) apg_raised(e); }
/* As async_here, registered on the clock of the innermost clocked finish. */
static inline void apg_async_clocked(apg_object *closure) { if (apg_object *e = apg_rt->async_clocked(closure)) apg_raised(e); }
/* As async_here, registered on these clocks (x10.lang.Clock objects). */
static inline void apg_async_on_clocks(apg_object *closure, apg_object *const *clocks, apg_u32 count) { if (apg_object *e = apg_rt->async_on_clocks(closure, clocks, count)) apg_raised(e); }
/* Starts `closure` as an activity that no finish waits for. */
static inline void apg_async_uncounted(apg_object *closure) { if (apg_object *e = apg_rt->async_uncounted(closure)) apg_raised(e); }
/* Starts a copy of `closure` at a place, governed by the innermost finish, which also gets what goes wrong on the way. */
static inline void apg_async_at(apg_i64 place, apg_object *closure) { if (apg_object *e = apg_rt->async_at(place, closure)) apg_raised(e); }
/* As async_at, but raises what goes wrong before it arrives. */
static inline void apg_at_async(apg_i64 place, apg_object *closure) { if (apg_object *e = apg_rt->at_async(place, closure)) apg_raised(e); }
/* As async_at, registered on the clock of the innermost clocked finish. */
static inline void apg_async_at_clocked(apg_i64 place, apg_object *closure) { if (apg_object *e = apg_rt->async_at_clocked(place, closure)) apg_raised(e); }
/* As async_at, registered on these clocks. */
static inline void apg_async_at_on_clocks(apg_i64 place, apg_object *closure, apg_object *const *clocks, apg_u32 count) { if (apg_object *e = apg_rt->async_at_on_clocks(place, closure, clocks, count)) apg_raised(e); }
/* Starts a copy of `closure` at a place; no finish waits for it. */
static inline void apg_async_at_uncounted(apg_i64 place, apg_object *closure) { if (apg_object *e = apg_rt->async_at_uncounted(place, closure)) apg_raised(e); }
/* Runs a copy of `closure` at a place and waits. */
static inline void apg_at(apg_i64 place, apg_object *closure) { if (apg_object *e = apg_rt->at(place, closure)) apg_raised(e); }
/* Runs a copy of `closure`, which returns a reference, at a place, and returns a copy of its result. */
static inline apg_object *apg_at_value(apg_i64 place, apg_object *closure) { apg_object *out; if (apg_object *e = apg_rt->at_value(place, closure, &out)) apg_raised(e); return out; }
/* Opens a finish; a clocked one makes a clock and registers this activity on it. */
static inline void apg_finish_begin(bool clocked) { if (apg_object *e = apg_rt->finish_begin(clocked)) apg_raised(e); }
/* Closes the innermost finish, whose body raised `exception` or null: waits, then raises all exceptions as one. */
static inline void apg_finish_end(apg_object *exception) { if (apg_object *e = apg_rt->finish_end(exception)) apg_raised(e); }
/* An activity of the innermost finish, which ran on the caller's stack, has ended with that exception or null, or with clocks. */
static inline void apg_finish_note(apg_object *exception) { apg_rt->finish_note(exception); }
/* A thread without work is to look for some. */
static inline void apg_wake_worker() { apg_rt->wake_worker(); }
/* Enters the place's atomic section. */
static inline void apg_atomic_begin() { if (apg_object *e = apg_rt->atomic_begin()) apg_raised(e); }
/* Leaves it; guards of waiting `when`s are evaluated again. */
static inline void apg_atomic_end() { apg_rt->atomic_end(); }
/* Enters the atomic section to evaluate the guards of a `when`; atomic_end leaves it. */
static inline void apg_when_begin() { if (apg_object *e = apg_rt->when_begin()) apg_raised(e); }
/* No guard holds: leaves the section, waits until another atomic section ended, enters it again. */
static inline void apg_when_wait() { if (apg_object *e = apg_rt->when_wait()) apg_raised(e); }
/* Lets other activities run for at least that long. */
static inline void apg_sleep(apg_i64 milliseconds) { if (apg_object *e = apg_rt->sleep(milliseconds)) apg_raised(e); }
/* Lets other activities run. */
static inline void apg_probe() { if (apg_object *e = apg_rt->probe()) apg_raised(e); }
/* The finish that waits for what the caller starts: `PLACE << 40 | NUMBER`; negative if there is none. */
static inline apg_i64 apg_finish_id() { return apg_rt->finish_id(); }
/* Number of threads that run activities here. */
static inline apg_i32 apg_worker_count() { return apg_rt->worker_count(); }
/* The most threads that can run activities here. */
static inline apg_i32 apg_max_worker_count() { return apg_rt->max_worker_count(); }
/* Number of the thread that runs this activity, from 0. */
static inline apg_i32 apg_worker_id() { return apg_rt->worker_id(); }
/* How many activities wait to begin, or to go on, in the queue of this activity's thread. */
static inline apg_i32 apg_surplus_activities() { return apg_rt->surplus_activities(); }
/* Starts an activity that nothing waits for, and that belongs to no job. */
static inline void apg_async_without_job(apg_object *closure) { if (apg_object *e = apg_rt->async_without_job(closure)) apg_raised(e); }
/* Starts an activity of the innermost finish that is a job of that epoch. */
static inline void apg_async_job(apg_object *closure, apg_i64 epoch) { if (apg_object *e = apg_rt->async_job(closure, epoch)) apg_raised(e); }
/* The epoch of jobs that are submitted at this place. */
static inline apg_i64 apg_job_epoch() { return apg_rt->job_epoch(); }
/* Cancels all jobs at this place: its new epoch. */
static inline apg_i64 apg_cancel_jobs() { return apg_rt->cancel_jobs(); }
/* Cancels all jobs of older epochs at this place. */
static inline void apg_cancel_jobs_before(apg_i64 epoch) { apg_rt->cancel_jobs_before(epoch); }
/* A new clock, with this activity registered on it: its handle, kept in the field `handle` of x10.lang.Clock. */
static inline apg_i64 apg_clock_make() { apg_i64 out; if (apg_object *e = apg_rt->clock_make(&out)) apg_raised(e); return out; }
/* Waits for all activities registered on the clock. */
static inline void apg_clock_advance(apg_i64 clock) { if (apg_object *e = apg_rt->clock_advance(clock)) apg_raised(e); }
/* Says that this activity is done with the clock's phase, without waiting. */
static inline void apg_clock_resume(apg_i64 clock) { if (apg_object *e = apg_rt->clock_resume(clock)) apg_raised(e); }
/* Ends this activity's registration. */
static inline void apg_clock_drop(apg_i64 clock) { if (apg_object *e = apg_rt->clock_drop(clock)) apg_raised(e); }
/* The phase of this activity on the clock, from 1. */
static inline apg_i32 apg_clock_phase(apg_i64 clock) { apg_i32 out; if (apg_object *e = apg_rt->clock_phase(clock, &out)) apg_raised(e); return out; }
/* Whether this activity is registered on the clock. */
static inline bool apg_clock_registered(apg_i64 clock) { return apg_rt->clock_registered(clock); }
/* Advances on all clocks of this activity. */
static inline void apg_clock_advance_all() { if (apg_object *e = apg_rt->clock_advance_all()) apg_raised(e); }
/* Resumes all clocks of this activity. */
static inline void apg_clock_resume_all() { if (apg_object *e = apg_rt->clock_resume_all()) apg_raised(e); }
/* A new lock: its handle. */
static inline apg_i64 apg_lock_make() { return apg_rt->lock_make(); }
/* Takes it; waits while another activity has it. */
static inline void apg_lock_enter(apg_i64 lock) { if (apg_object *e = apg_rt->lock_enter(lock)) apg_raised(e); }
/* Takes it if it is free. */
static inline bool apg_lock_try(apg_i64 lock) { return apg_rt->lock_try(lock); }
/* Releases it; raises IllegalOperationException if this activity does not have it. */
static inline void apg_lock_exit(apg_i64 lock) { if (apg_object *e = apg_rt->lock_exit(lock)) apg_raised(e); }
/* How often this activity has taken it. */
static inline apg_i32 apg_lock_hold_count(apg_i64 lock) { return apg_rt->lock_hold_count(lock); }
/* The one element of the rail. */
static inline apg_i32 apg_atomic_load_i32(apg_object *rail) { return apg_rt->atomic_load_i32(rail); }
/* Sets the one element of the rail. */
static inline void apg_atomic_store_i32(apg_object *rail, apg_i32 value) { apg_rt->atomic_store_i32(rail, value); }
/* Sets the one element of the rail: what it was. */
static inline apg_i32 apg_atomic_swap_i32(apg_object *rail, apg_i32 value) { return apg_rt->atomic_swap_i32(rail, value); }
/* Adds to the one element of the rail: what it was. */
static inline apg_i32 apg_atomic_add_i32(apg_object *rail, apg_i32 delta) { return apg_rt->atomic_add_i32(rail, delta); }
/* Sets the one element of the rail if it is as expected: whether it did. */
static inline bool apg_atomic_compare_i32(apg_object *rail, apg_i32 expected, apg_i32 value) { return apg_rt->atomic_compare_i32(rail, expected, value); }
/* The one element of the rail. */
static inline apg_i64 apg_atomic_load_i64(apg_object *rail) { return apg_rt->atomic_load_i64(rail); }
/* Sets the one element of the rail. */
static inline void apg_atomic_store_i64(apg_object *rail, apg_i64 value) { apg_rt->atomic_store_i64(rail, value); }
/* Sets the one element of the rail: what it was. */
static inline apg_i64 apg_atomic_swap_i64(apg_object *rail, apg_i64 value) { return apg_rt->atomic_swap_i64(rail, value); }
/* Adds to the one element of the rail: what it was. */
static inline apg_i64 apg_atomic_add_i64(apg_object *rail, apg_i64 delta) { return apg_rt->atomic_add_i64(rail, delta); }
/* Sets the one element of the rail if it is as expected: whether it did. */
static inline bool apg_atomic_compare_i64(apg_object *rail, apg_i64 expected, apg_i64 value) { return apg_rt->atomic_compare_i64(rail, expected, value); }
/* The one element of the rail. */
static inline apg_object *apg_atomic_load_ref(apg_object *rail) { return apg_rt->atomic_load_ref(rail); }
/* Sets the one element of the rail. */
static inline void apg_atomic_store_ref(apg_object *rail, apg_object *value) { apg_rt->atomic_store_ref(rail, value); }
/* Sets the one element of the rail: what it was. */
static inline apg_object *apg_atomic_swap_ref(apg_object *rail, apg_object *value) { return apg_rt->atomic_swap_ref(rail, value); }
/* Sets the one element of the rail if it is the expected object: whether it did. */
static inline bool apg_atomic_compare_ref(apg_object *rail, apg_object *expected, apg_object *value) { return apg_rt->atomic_compare_ref(rail, expected, value); }
/* Orders all accesses to memory before it before all after it. */
static inline void apg_atomic_fence() { apg_rt->atomic_fence(); }
/* The two strings concatenated; null reads `null`. */
static inline apg_object *apg_string_concat(apg_object *left, apg_object *right) { apg_object *out; if (apg_object *e = apg_rt->string_concat(left, right, &out)) apg_raised(e); return out; }
/* Number of bytes. */
static inline apg_i32 apg_string_length(apg_object *string) { apg_i32 out; if (apg_object *e = apg_rt->string_length(string, &out)) apg_raised(e); return out; }
/* The byte at an index. */
static inline apg_char apg_string_char_at(apg_object *string, apg_i32 index) { apg_char out; if (apg_object *e = apg_rt->string_char_at(string, index, &out)) apg_raised(e); return out; }
/* The bytes from `start` up to, not including, `end`. */
static inline apg_object *apg_string_substring(apg_object *string, apg_i32 start, apg_i32 end) { apg_object *out; if (apg_object *e = apg_rt->string_substring(string, start, end, &out)) apg_raised(e); return out; }
/* First index of `other` from `start`, or -1. */
static inline apg_i32 apg_string_index_of(apg_object *string, apg_object *other, apg_i32 start) { apg_i32 out; if (apg_object *e = apg_rt->string_index_of(string, other, start, &out)) apg_raised(e); return out; }
/* Last index of `other` that is at most `start`, or -1. */
static inline apg_i32 apg_string_last_index_of(apg_object *string, apg_object *other, apg_i32 start) { apg_i32 out; if (apg_object *e = apg_rt->string_last_index_of(string, other, start, &out)) apg_raised(e); return out; }
/* Whether both have the same text; false when `other` is no string. */
static inline bool apg_string_equals(apg_object *string, apg_object *other) { bool out; if (apg_object *e = apg_rt->string_equals(string, other, &out)) apg_raised(e); return out; }
/* Less than, equal to or more than 0, byte by byte. */
static inline apg_i32 apg_string_compare(apg_object *string, apg_object *other) { apg_i32 out; if (apg_object *e = apg_rt->string_compare(string, other, &out)) apg_raised(e); return out; }
/* 31-based polynomial over the bytes. */
static inline apg_i32 apg_string_hash(apg_object *string) { apg_i32 out; if (apg_object *e = apg_rt->string_hash(string, &out)) apg_raised(e); return out; }
/* In lower case. */
static inline apg_object *apg_string_to_lower(apg_object *string) { apg_object *out; if (apg_object *e = apg_rt->string_to_lower(string, &out)) apg_raised(e); return out; }
/* In upper case. */
static inline apg_object *apg_string_to_upper(apg_object *string) { apg_object *out; if (apg_object *e = apg_rt->string_to_upper(string, &out)) apg_raised(e); return out; }
/* Without white space at both ends. */
static inline apg_object *apg_string_trim(apg_object *string) { apg_object *out; if (apg_object *e = apg_rt->string_trim(string, &out)) apg_raised(e); return out; }
/* A string of `count` bytes of a Rail[Byte] from `start`. */
static inline apg_object *apg_string_from_bytes(apg_object *rail, apg_i64 start, apg_i64 count) { apg_object *out; if (apg_object *e = apg_rt->string_from_bytes(rail, start, count, &out)) apg_raised(e); return out; }
/* A string of `count` characters of a Rail[Char] from `start`. */
static inline apg_object *apg_string_from_chars(apg_object *rail, apg_i64 start, apg_i64 count) { apg_object *out; if (apg_object *e = apg_rt->string_from_chars(rail, start, count, &out)) apg_raised(e); return out; }
/* Copies the string's bytes into a Rail[Byte] at `start`. */
static inline void apg_string_copy_bytes(apg_object *string, apg_object *rail, apg_i64 start) { if (apg_object *e = apg_rt->string_copy_bytes(string, rail, start)) apg_raised(e); }
/* The concatenation of `count` parts (`apg_part`); at most 8. */
static inline apg_object *apg_string_join(const void *parts, apg_i64 count) { apg_object *out; if (apg_object *e = apg_rt->string_join(parts, count, &out)) apg_raised(e); return out; }
/* The text of a string and those of `count` parts behind it; `own`: nobody else has the string, which may become that. */
static inline apg_object *apg_string_append(apg_object *string, bool own, const void *parts, apg_i64 count) { apg_object *out; if (apg_object *e = apg_rt->string_append(string, own, parts, count, &out)) apg_raised(e); return out; }
/* printf-like formatting of a Rail[Any]. */
static inline apg_object *apg_string_format(apg_object *format, apg_object *arguments) { apg_object *out; if (apg_object *e = apg_rt->string_format(format, arguments, &out)) apg_raised(e); return out; }
/* The character as UTF-8. */
static inline apg_object *apg_string_from_char(apg_char value) { apg_object *out; if (apg_object *e = apg_rt->string_from_char(value, &out)) apg_raised(e); return out; }
/* Whether it is a lower-case letter. */
static inline bool apg_char_is_lower(apg_char value) { return apg_rt->char_is_lower(value); }
/* Whether it is an upper-case letter. */
static inline bool apg_char_is_upper(apg_char value) { return apg_rt->char_is_upper(value); }
/* Whether it is a decimal digit. */
static inline bool apg_char_is_digit(apg_char value) { return apg_rt->char_is_digit(value); }
/* Whether it is a letter. */
static inline bool apg_char_is_letter(apg_char value) { return apg_rt->char_is_letter(value); }
/* Whether it is white space. */
static inline bool apg_char_is_whitespace(apg_char value) { return apg_rt->char_is_whitespace(value); }
/* Its lower case. */
static inline apg_char apg_char_to_lower(apg_char value) { return apg_rt->char_to_lower(value); }
/* Its upper case. */
static inline apg_char apg_char_to_upper(apg_char value) { return apg_rt->char_to_upper(value); }
/* `true` or `false`. */
static inline apg_object *apg_string_from_bool(bool value) { apg_object *out; if (apg_object *e = apg_rt->string_from_bool(value, &out)) apg_raised(e); return out; }
/* Decimal. */
static inline apg_object *apg_string_from_i64(apg_i64 value) { apg_object *out; if (apg_object *e = apg_rt->string_from_i64(value, &out)) apg_raised(e); return out; }
/* Decimal. */
static inline apg_object *apg_string_from_u64(apg_u64 value) { apg_object *out; if (apg_object *e = apg_rt->string_from_u64(value, &out)) apg_raised(e); return out; }
/* Shortest decimal that reads back as the same Float. */
static inline apg_object *apg_string_from_f32(float value) { apg_object *out; if (apg_object *e = apg_rt->string_from_f32(value, &out)) apg_raised(e); return out; }
/* Shortest decimal that reads back as the same Double. */
static inline apg_object *apg_string_from_f64(double value) { apg_object *out; if (apg_object *e = apg_rt->string_from_f64(value, &out)) apg_raised(e); return out; }
/* Digits in a radix from 2 to 36, with a minus sign. */
static inline apg_object *apg_string_from_i64_radix(apg_i64 value, apg_i32 radix) { apg_object *out; if (apg_object *e = apg_rt->string_from_i64_radix(value, radix, &out)) apg_raised(e); return out; }
/* Digits in a radix from 2 to 36. */
static inline apg_object *apg_string_from_u64_radix(apg_u64 value, apg_i32 radix) { apg_object *out; if (apg_object *e = apg_rt->string_from_u64_radix(value, radix, &out)) apg_raised(e); return out; }
/* As C's and Java's hexadecimal floating-point text, `0x1.8p1`. */
static inline apg_object *apg_hex_string_from_f32(float value) { apg_object *out; if (apg_object *e = apg_rt->hex_string_from_f32(value, &out)) apg_raised(e); return out; }
/* As C's and Java's hexadecimal floating-point text, `0x1.8p1`. */
static inline apg_object *apg_hex_string_from_f64(double value) { apg_object *out; if (apg_object *e = apg_rt->hex_string_from_f64(value, &out)) apg_raised(e); return out; }
/* Reads an integer in a radix; NumberFormatException otherwise. */
static inline apg_i64 apg_parse_i64(apg_object *string, apg_i32 radix) { apg_i64 out; if (apg_object *e = apg_rt->parse_i64(string, radix, &out)) apg_raised(e); return out; }
/* Reads an unsigned integer in a radix; NumberFormatException otherwise. */
static inline apg_u64 apg_parse_u64(apg_object *string, apg_i32 radix) { apg_u64 out; if (apg_object *e = apg_rt->parse_u64(string, radix, &out)) apg_raised(e); return out; }
/* Reads a Float; NumberFormatException otherwise. */
static inline float apg_parse_f32(apg_object *string) { float out; if (apg_object *e = apg_rt->parse_f32(string, &out)) apg_raised(e); return out; }
/* Reads a Double; NumberFormatException otherwise. */
static inline double apg_parse_f64(apg_object *string) { double out; if (apg_object *e = apg_rt->parse_f64(string, &out)) apg_raised(e); return out; }
/* What is left after the nearest multiple of a number. */
static inline double apg_math_remainder(double value, double of) { return apg_rt->math_remainder(value, of); }
/* The number times two to the power of another. */
static inline double apg_math_scale(double value, apg_i32 exponent) { return apg_rt->math_scale(value, exponent); }
/* Writes a string to standard output (1) or standard error (2). */
static inline void apg_console_print(apg_i32 stream, apg_object *string) { if (apg_object *e = apg_rt->console_print(stream, string)) apg_raised(e); }
/* Writes what is buffered. */
static inline void apg_console_flush(apg_i32 stream) { if (apg_object *e = apg_rt->console_flush(stream)) apg_raised(e); }
/* A line of standard input without its end; null at the end. */
static inline apg_object *apg_console_read_line() { apg_object *out; if (apg_object *e = apg_rt->console_read_line(&out)) apg_raised(e); return out; }
/* A byte of standard input; -1 at the end. */
static inline apg_i32 apg_console_read_byte() { apg_i32 out; if (apg_object *e = apg_rt->console_read_byte(&out)) apg_raised(e); return out; }
/* Nanoseconds of a clock that never goes back. */
static inline apg_i64 apg_nano_time() { return apg_rt->nano_time(); }
/* Milliseconds since 1970. */
static inline apg_i64 apg_current_time_millis() { return apg_rt->current_time_millis(); }
/* The status with which the program will end. */
static inline void apg_set_exit_code(apg_i32 code) { apg_rt->set_exit_code(code); }
/* Ends this place at once. */
static inline void apg_kill_here() { apg_rt->kill_here(); }
/* The value of an environment variable, or null. */
static inline apg_object *apg_getenv(apg_object *name) { apg_object *out; if (apg_object *e = apg_rt->getenv(name, &out)) apg_raised(e); return out; }
/* All environment variables, `NAME=VALUE` with a zero byte after each. */
static inline apg_object *apg_environment() { apg_object *out; if (apg_object *e = apg_rt->environment(&out)) apg_raised(e); return out; }
/* `PID@HOST` of this place's process. */
static inline apg_object *apg_process_name() { apg_object *out; if (apg_object *e = apg_rt->process_name(&out)) apg_raised(e); return out; }
/* Collects garbage now. */
static inline void apg_gc() { apg_rt->gc(); }
/* Bytes in use in the heap. */
static inline apg_i64 apg_heap_size() { return apg_rt->heap_size(); }
/* Fills a Rail[Long] with the return addresses of the caller, innermost first; the rest stays 0. */
static inline void apg_stack_capture(apg_object *frames) { if (apg_object *e = apg_rt->stack_capture(frames)) apg_raised(e); }
/* `Class.method (file.x10:line)` for each call of a trace, a line each; if brief, repeated ones are counted. */
static inline apg_object *apg_stack_describe(apg_object *frames, bool brief) { apg_object *out; if (apg_object *e = apg_rt->stack_describe(frames, brief, &out)) apg_raised(e); return out; }
/* Serves a picture on a port of the loopback interface (0: any): its handle. */
static inline apg_i64 apg_view_open(apg_object *title, apg_i32 port) { apg_i64 out; if (apg_object *e = apg_rt->view_open(title, port, &out)) apg_raised(e); return out; }
/* The address of its page. */
static inline apg_object *apg_view_url(apg_i64 view) { apg_object *out; if (apg_object *e = apg_rt->view_url(view, &out)) apg_raised(e); return out; }
/* Shows a frame, JSON text. */
static inline void apg_view_show(apg_i64 view, apg_object *frame) { if (apg_object *e = apg_rt->view_show(view, frame)) apg_raised(e); }
/* Whether a page is open. */
static inline bool apg_view_is_watched(apg_i64 view) { bool out; if (apg_object *e = apg_rt->view_is_watched(view, &out)) apg_raised(e); return out; }
/* Whether an open page has the latest frame. */
static inline bool apg_view_is_delivered(apg_i64 view) { bool out; if (apg_object *e = apg_rt->view_is_delivered(view, &out)) apg_raised(e); return out; }
/* Ends it. */
static inline void apg_view_close(apg_i64 view) { apg_rt->view_close(view); }
/* Opens a file to read: its handle. */
static inline apg_i64 apg_file_open_read(apg_object *name) { apg_i64 out; if (apg_object *e = apg_rt->file_open_read(name, &out)) apg_raised(e); return out; }
/* Opens a file to write, anew or at its end: its handle. */
static inline apg_i64 apg_file_open_write(apg_object *name, bool append) { apg_i64 out; if (apg_object *e = apg_rt->file_open_write(name, append, &out)) apg_raised(e); return out; }
/* Starts a command of the shell: a handle to read its output. */
static inline apg_i64 apg_process_open_read(apg_object *command) { apg_i64 out; if (apg_object *e = apg_rt->process_open_read(command, &out)) apg_raised(e); return out; }
/* Starts a command of the shell: a handle to write its input. */
static inline apg_i64 apg_process_open_write(apg_object *command) { apg_i64 out; if (apg_object *e = apg_rt->process_open_write(command, &out)) apg_raised(e); return out; }
/* Closes it; of a command, waits for its end. */
static inline void apg_file_close(apg_i64 file) { if (apg_object *e = apg_rt->file_close(file)) apg_raised(e); }
/* A byte; -1 at the end. */
static inline apg_i32 apg_file_read_byte(apg_i64 file) { apg_i32 out; if (apg_object *e = apg_rt->file_read_byte(file, &out)) apg_raised(e); return out; }
/* A line without its end; null at the end. */
static inline apg_object *apg_file_read_line(apg_i64 file) { apg_object *out; if (apg_object *e = apg_rt->file_read_line(file, &out)) apg_raised(e); return out; }
/* Reads up to `count` bytes into a Rail[Byte] at `start`: how many, 0 at the end. */
static inline apg_i64 apg_file_read(apg_i64 file, apg_object *rail, apg_i64 start, apg_i64 count) { apg_i64 out; if (apg_object *e = apg_rt->file_read(file, rail, start, count, &out)) apg_raised(e); return out; }
/* Bytes that can be read without waiting. */
static inline apg_i64 apg_file_available(apg_i64 file) { apg_i64 out; if (apg_object *e = apg_rt->file_available(file, &out)) apg_raised(e); return out; }
/* Writes the lowest byte of a number. */
static inline void apg_file_write_byte(apg_i64 file, apg_i32 byte) { if (apg_object *e = apg_rt->file_write_byte(file, byte)) apg_raised(e); }
/* Writes a string. */
static inline void apg_file_write_string(apg_i64 file, apg_object *string) { if (apg_object *e = apg_rt->file_write_string(file, string)) apg_raised(e); }
/* Writes bytes of a Rail[Byte]. */
static inline void apg_file_write(apg_i64 file, apg_object *rail, apg_i64 start, apg_i64 count) { if (apg_object *e = apg_rt->file_write(file, rail, start, count)) apg_raised(e); }
/* Hands what is buffered to the system. */
static inline void apg_file_flush(apg_i64 file) { if (apg_object *e = apg_rt->file_flush(file)) apg_raised(e); }
/* Bytes of a file; -1 if there is none. */
static inline apg_i64 apg_file_size(apg_object *name) { apg_i64 out; if (apg_object *e = apg_rt->file_size(name, &out)) apg_raised(e); return out; }
/* Whether something of that name is there. */
static inline bool apg_file_exists(apg_object *name) { bool out; if (apg_object *e = apg_rt->file_exists(name, &out)) apg_raised(e); return out; }
/* Whether a directory of that name is there. */
static inline bool apg_file_is_directory(apg_object *name) { bool out; if (apg_object *e = apg_rt->file_is_directory(name, &out)) apg_raised(e); return out; }
/* Deletes a file or an empty directory: whether it did. */
static inline bool apg_file_delete(apg_object *name) { bool out; if (apg_object *e = apg_rt->file_delete(name, &out)) apg_raised(e); return out; }
/* Makes a directory: whether it did. */
static inline bool apg_file_mkdir(apg_object *name) { bool out; if (apg_object *e = apg_rt->file_mkdir(name, &out)) apg_raised(e); return out; }
/* Makes a directory and those that it is in: whether it is there. */
static inline bool apg_file_mkdirs(apg_object *name) { bool out; if (apg_object *e = apg_rt->file_mkdirs(name, &out)) apg_raised(e); return out; }
/* Gives a file another name: whether it did. */
static inline bool apg_file_rename(apg_object *from, apg_object *to) { bool out; if (apg_object *e = apg_rt->file_rename(from, to, &out)) apg_raised(e); return out; }
/* The names in a directory, a slash after each; null if it is none. */
static inline apg_object *apg_file_list(apg_object *name) { apg_object *out; if (apg_object *e = apg_rt->file_list(name, &out)) apg_raised(e); return out; }
/* When a file was changed, in milliseconds since 1970; 0 if there is none. */
static inline apg_i64 apg_file_modified(apg_object *name) { apg_i64 out; if (apg_object *e = apg_rt->file_modified(name, &out)) apg_raised(e); return out; }
/* Sets when a file was changed: whether it did. */
static inline bool apg_file_set_modified(apg_object *name, apg_i64 milliseconds) { bool out; if (apg_object *e = apg_rt->file_set_modified(name, milliseconds, &out)) apg_raised(e); return out; }
/* Whether the program may do this with a file: 4 read, 2 write. */
static inline bool apg_file_may(apg_object *name, apg_i32 what) { bool out; if (apg_object *e = apg_rt->file_may(name, what, &out)) apg_raised(e); return out; }
/* The path from the root on. */
static inline apg_object *apg_file_absolute(apg_object *name) { apg_object *out; if (apg_object *e = apg_rt->file_absolute(name, &out)) apg_raised(e); return out; }
/* The path from the root on, without links. */
static inline apg_object *apg_file_canonical(apg_object *name) { apg_object *out; if (apg_object *e = apg_rt->file_canonical(name, &out)) apg_raised(e); return out; }
/* Where in the file the next byte is read. */
static inline apg_i64 apg_file_position(apg_i64 file) { apg_i64 out; if (apg_object *e = apg_rt->file_position(file, &out)) apg_raised(e); return out; }
/* Reads on at this position. */
static inline void apg_file_seek(apg_i64 file, apg_i64 position) { if (apg_object *e = apg_rt->file_seek(file, position)) apg_raised(e); }
/* Number of host places. */
static inline apg_i64 apg_place_count() { return apg_rt->place_count(); }
/* Number of all places. */
static inline apg_i64 apg_place_total() { return apg_rt->place_total(); }
/* Whether it is an accelerator. */
static inline bool apg_place_is_accelerator(apg_i64 place) { return apg_rt->place_is_accelerator(place); }
/* The host of an accelerator; a host is its own. */
static inline apg_i64 apg_place_parent(apg_i64 place) { return apg_rt->place_parent(place); }
/* The host place in whose process the place lives. */
static inline apg_i64 apg_place_host(apg_i64 place) { return apg_rt->place_host(place); }
/* What the place is, for people. */
static inline apg_object *apg_place_name(apg_i64 place) { apg_object *out; if (apg_object *e = apg_rt->place_name(place, &out)) apg_raised(e); return out; }
/* Raises BadPlaceException: something lives at another place; always throws. */
static inline void apg_raise_elsewhere(apg_object *what, apg_i64 home) { if (apg_object *e = apg_rt->raise_elsewhere(what, home)) apg_raised(e); }
/* Number of accelerators of a host. */
static inline apg_i64 apg_place_child_count(apg_i64 place) { return apg_rt->place_child_count(place); }
/* An accelerator of a host. */
static inline apg_i64 apg_place_child(apg_i64 place, apg_i64 index) { apg_i64 out; if (apg_object *e = apg_rt->place_child(place, index, &out)) apg_raised(e); return out; }
/* Which of its host's accelerators it is. */
static inline apg_i64 apg_place_child_index(apg_i64 place) { apg_i64 out; if (apg_object *e = apg_rt->place_child_index(place, &out)) apg_raised(e); return out; }
/* A new number for an object of each place (PlaceLocalHandle), the same at all places. */
static inline apg_i64 apg_place_local_make() { return apg_rt->place_local_make(); }
/* This place's object with that number, or null. */
static inline apg_object *apg_place_local_get(apg_i64 number) { return apg_rt->place_local_get(number); }
/* Sets it; null ends it. */
static inline void apg_place_local_set(apg_i64 number, apg_object *object) { apg_rt->place_local_set(number, object); }
/* Starts a copy from a rail here to a global rail; the innermost finish waits for it. */
static inline void apg_async_put(apg_object *source, apg_i64 source_index, apg_i64 target_size, apg_i64 target_home, apg_i64 target_handle, apg_i64 target_index, apg_i64 count) { if (apg_object *e = apg_rt->async_put(source, source_index, target_size, target_home, target_handle, target_index, count)) apg_raised(e); }
/* Starts a copy from a global rail to a rail here; the innermost finish waits for it. */
static inline void apg_async_get(apg_i64 source_size, apg_i64 source_home, apg_i64 source_handle, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count) { if (apg_object *e = apg_rt->async_get(source_size, source_home, source_handle, source_index, target, target_index, count)) apg_raised(e); }
/* Starts a copy between global rails of accelerators of this host, whose elements are like those of `sample`; the innermost finish waits for it. */
static inline void apg_async_copy_devices(apg_object *sample, apg_i64 source_size, apg_i64 source_home, apg_i64 source_handle, apg_i64 source_index, apg_i64 target_size, apg_i64 target_home, apg_i64 target_handle, apg_i64 target_index, apg_i64 count) { if (apg_object *e = apg_rt->async_copy_devices(sample, source_size, source_home, source_handle, source_index, target_size, target_home, target_handle, target_index, count)) apg_raised(e); }
/* A number for a new team. */
static inline apg_i32 apg_team_number() { return apg_rt->team_number(); }
/* Nothing is done with the team any more. */
static inline void apg_team_forget(apg_i64 team) { apg_rt->team_forget(team); }
/* Waits for all members of a team; `members` is a Rail[Long] of their places, null for all. */
static inline void apg_team_barrier(apg_i64 team, apg_object *members) { if (apg_object *e = apg_rt->team_barrier(team, members)) apg_raised(e); }
/* Copies elements of the root's source to everyone's target. */
static inline void apg_team_broadcast(apg_i64 team, apg_object *members, apg_i64 root, apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count) { if (apg_object *e = apg_rt->team_broadcast(team, members, root, source, source_index, target, target_index, count)) apg_raised(e); }
/* Gives each member its part of the root's source: `count` elements, or as many as the Rail[Int] says. */
static inline void apg_team_scatter(apg_i64 team, apg_object *members, apg_i64 root, apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count, apg_object *counts) { if (apg_object *e = apg_rt->team_scatter(team, members, root, source, source_index, target, target_index, count, counts)) apg_raised(e); }
/* Puts each member's source into its part of the root's target. */
static inline void apg_team_gather(apg_i64 team, apg_object *members, apg_i64 root, apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count, apg_object *counts) { if (apg_object *e = apg_rt->team_gather(team, members, root, source, source_index, target, target_index, count, counts)) apg_raised(e); }
/* Gives each member its part of everyone's source. */
static inline void apg_team_exchange(apg_i64 team, apg_object *members, apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count) { if (apg_object *e = apg_rt->team_exchange(team, members, source, source_index, target, target_index, count)) apg_raised(e); }
/* Whether the elements of a rail are numbers or Booleans, which team_reduce combines. */
static inline bool apg_team_combines(apg_object *rail) { return apg_rt->team_combines(rail); }
/* Combines everyone's source into the root's target. */
static inline void apg_team_reduce(apg_i64 team, apg_object *members, apg_i64 root, apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count, apg_i32 operation) { if (apg_object *e = apg_rt->team_reduce(team, members, root, source, source_index, target, target_index, count, operation)) apg_raised(e); }
/* Combines everyone's source into everyone's target. */
static inline void apg_team_all_reduce(apg_i64 team, apg_object *members, apg_object *source, apg_i64 source_index, apg_object *target, apg_i64 target_index, apg_i64 count, apg_i32 operation) { if (apg_object *e = apg_rt->team_all_reduce(team, members, source, source_index, target, target_index, count, operation)) apg_raised(e); }
/* A number for a new group of slots. */
static inline apg_i64 apg_slot_group_number() { return apg_rt->slot_group_number(); }
/* Makes a group known at this place: a Rail[Long] of a place, 0 for activities or 1 for blocks, and a number of slots for each part. */
static inline void apg_slot_group_register(apg_i64 number, apg_object *table) { if (apg_object *e = apg_rt->slot_group_register(number, table)) apg_raised(e); }
/* First rank of the group's slots at a place, of activities (0) or blocks (1); raises if there are none. */
static inline apg_i64 apg_slot_group_first(apg_i64 number, apg_i64 place, apg_i64 side) { apg_i64 out; if (apg_object *e = apg_rt->slot_group_first(number, place, side, &out)) apg_raised(e); return out; }
/* Number of the group's slots at a place, of activities (0) or blocks (1). */
static inline apg_i64 apg_slot_group_count(apg_i64 number, apg_i64 place, apg_i64 side) { apg_i64 out; if (apg_object *e = apg_rt->slot_group_count(number, place, side, &out)) apg_raised(e); return out; }
/* Nothing is done with the group any more. */
static inline void apg_slot_group_forget(apg_i64 number) { apg_rt->slot_group_forget(number); }
/* The rail that a GlobalRail of this place names. */
static inline apg_object *apg_slot_rail(apg_i64 home, apg_i64 handle) { apg_object *out; if (apg_object *e = apg_rt->slot_rail(home, handle, &out)) apg_raised(e); return out; }
/* A call of an activity's slot: elements received, and the source in the lowest 24 bits. */
static inline apg_i64 apg_slot_call(apg_i32 call, apg_i64 group, apg_i64 rank, apg_i64 partner, apg_i64 from, apg_i64 tag, apg_i64 operation, apg_i64 first, apg_i64 members, apg_i64 stride, apg_object *source, apg_i64 source_index, apg_i64 source_count, apg_object *target, apg_i64 target_index, apg_i64 target_count) { apg_i64 out; if (apg_object *e = apg_rt->slot_call(call, group, rank, partner, from, tag, operation, first, members, stride, source, source_index, source_count, target, target_index, target_count, &out)) apg_raised(e); return out; }
/* A call of the slot of a kernel's block, an apg_slot_request. */
static inline apg_i64 apg_slot_kernel_call(const void *call) { apg_i64 out; if (apg_object *e = apg_rt->slot_kernel_call(call, &out)) apg_raised(e); return out; }
/* Zeroed memory of an accelerator for `count` elements like those of the rail `sample`: its address. */
static inline apg_i64 apg_device_allocate(apg_i64 place, apg_object *sample, apg_i64 count) { apg_i64 out; if (apg_object *e = apg_rt->device_allocate(place, sample, count, &out)) apg_raised(e); return out; }
/* Frees memory of an accelerator. */
static inline void apg_device_free(apg_i64 place, apg_i64 address) { if (apg_object *e = apg_rt->device_free(place, address)) apg_raised(e); }
/* Waits for all work of an accelerator. */
static inline void apg_device_synchronise(apg_i64 place) { if (apg_object *e = apg_rt->device_synchronise(place)) apg_raised(e); }
/* Runs a kernel at a place (this host or an accelerator of it) and waits for it. */
static inline void apg_kernel_launch(apg_i64 place, const apg_kernel *kernel, const void *environment, apg_i32 about) { if (apg_object *e = apg_rt->kernel_launch(place, kernel, environment, about)) apg_raised(e); }
/* Starts a kernel at an accelerator of this host as an activity of the innermost finish; at another place, or without a finish, starts the closure instead, which launches it and waits. `about`: 1 if captured rails stay as they are until it has ended, 2 if the program has C++ code of its own. */
static inline void apg_kernel_start(apg_i64 place, const apg_kernel *kernel, const void *environment, apg_object *closure, apg_i32 about) { if (apg_object *e = apg_rt->kernel_start(place, kernel, environment, closure, about)) apg_raised(e); }
/* A texture at a place, this host or an accelerator of it, with elements like those of the rail `sample`: its number. */
static inline apg_i64 apg_texture_make(apg_i64 place, apg_object *sample, apg_i64 rank, apg_i64 width, apg_i64 height, apg_i64 depth, apg_i32 mode) { apg_i64 out; if (apg_object *e = apg_rt->texture_make(place, sample, rank, width, height, depth, mode, &out)) apg_raised(e); return out; }
/* Sets the elements of a texture from a rail of this host. */
static inline void apg_texture_fill(apg_i64 place, apg_i64 number, apg_object *source) { if (apg_object *e = apg_rt->texture_fill(place, number, source)) apg_raised(e); }
/* Sets the elements of a texture from a global rail of its place. */
static inline void apg_texture_copy(apg_i64 place, apg_i64 number, apg_i64 handle, apg_i64 count) { if (apg_object *e = apg_rt->texture_copy(place, number, handle, count)) apg_raised(e); }
/* Ends a texture. */
static inline void apg_texture_free(apg_i64 place, apg_i64 number) { if (apg_object *e = apg_rt->texture_free(place, number)) apg_raised(e); }
/* Raises an exception unless code of this host may read the texture. */
static inline void apg_texture_check(apg_i64 place, apg_i64 number) { if (apg_object *e = apg_rt->texture_check(place, number)) apg_raised(e); }
/* Whether NCCL is there. */
static inline bool apg_collective_ready() { return apg_rt->collective_ready(); }
/* Fills a Rail[Byte] with what the members of a new communicator have in common; false if NCCL cannot. */
static inline bool apg_collective_mark(apg_object *rail) { return apg_rt->collective_mark(rail); }
/* Joins accelerators of this host, by a Rail[Long] of their places, as numbers `first` and following of `size` members: the communicator's number, 0 if NCCL refuses. */
static inline apg_i64 apg_collective_join(apg_object *places, apg_i64 first, apg_i64 size, apg_object *mark) { apg_i64 out; if (apg_object *e = apg_rt->collective_join(places, first, size, mark, &out)) apg_raised(e); return out; }
/* Ends this host's part of a communicator. */
static inline void apg_collective_leave(apg_i64 number) { if (apg_object *e = apg_rt->collective_leave(number)) apg_raised(e); }
/* Whether NCCL combines elements like those of `sample` by that operation of x10.util.Team. */
static inline bool apg_collective_combines(apg_object *sample, apg_i32 operation) { return apg_rt->collective_combines(sample, operation); }
/* Does an operation over memory of accelerators, together with all members of a communicator. `what`: 0 reduce, 1 broadcast, 2 scatter, 3 gather, 4 exchange. */
static inline void apg_collective_run(apg_i64 number, apg_i32 what, apg_object *sample, apg_object *sources, apg_i64 source_index, apg_object *targets, apg_i64 target_index, apg_i64 count, apg_i64 root, apg_i32 operation) { if (apg_object *e = apg_rt->collective_run(number, what, sample, sources, source_index, targets, target_index, count, root, operation)) apg_raised(e); }
/* `target = target op source`, element by element, of two rails of this place. */
static inline void apg_collective_combine(apg_object *target, apg_object *source, apg_i64 count, apg_i32 operation) { if (apg_object *e = apg_rt->collective_combine(target, source, count, operation)) apg_raised(e); }
#endif
#endif
