/* The C ABI between a compiled X10 program and the apg runtime: one versioned table each way.
   No other header is included by generated code. Generated from the list of entries in the runtime's `abi` module. */
#ifndef APG_H
#define APG_H
typedef signed char apg_i8; typedef short apg_i16; typedef int apg_i32; typedef long long apg_i64;
typedef unsigned char apg_u8; typedef unsigned short apg_u16; typedef unsigned apg_u32; typedef unsigned long long apg_u64;
typedef unsigned apg_char;          /* a Unicode code point */

#define APG_ABI_VERSION @VERSION@

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
@EXCEPTIONS@
} apg_exception_kind;

/* ---- the runtime's table ---- */
typedef struct apg_runtime {
  apg_u32 abi;
  apg_u32 entry_count;
  apg_i64 here;                     /* the id of this place */
@TABLE@
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
@WRAPPERS@
#endif
#endif
