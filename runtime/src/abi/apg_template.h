/* The C ABI between a compiled X10 program and the apg runtime: one versioned table each way.
   No other header is included by generated code. Generated from the list of entries in the runtime's `abi` module. */
#ifndef APG_H
#define APG_H
/* The types of <stdint.h>, so that C and C++ code of the program and generated code share pointers. */
typedef __INT8_TYPE__ apg_i8; typedef __INT16_TYPE__ apg_i16; typedef __INT32_TYPE__ apg_i32; typedef __INT64_TYPE__ apg_i64;
typedef __UINT8_TYPE__ apg_u8; typedef __UINT16_TYPE__ apg_u16; typedef __UINT32_TYPE__ apg_u32; typedef __UINT64_TYPE__ apg_u64;
typedef unsigned apg_char;          /* a Unicode code point */

#define APG_ABI_VERSION @VERSION@
/* Bytes of an activity's stack, which begins at a multiple of that, and of what is kept for code that does not check. */
#define APG_STACK @STACK@
#define APG_STACK_RESERVE @RESERVE@
/* A PlaceLocalHandle has the number of the place that made it above this many bits; these are looked up without a call. */
#define APG_LOCAL_BITS @LOCAL_BITS@
#define APG_LOCALS_PLACES @LOCALS_PLACES@
#define APG_LOCALS_EACH @LOCALS_EACH@

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
@EXCEPTIONS@
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
@TABLE@
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
@WRAPPERS@
#endif
#endif
