/* The C ABI between a compiled X10 program and the apg runtime: one versioned table each way.
   No other header is included by generated code. */
#ifndef APG_H
#define APG_H
typedef signed char apg_i8; typedef short apg_i16; typedef int apg_i32; typedef long long apg_i64;
typedef unsigned char apg_u8; typedef unsigned short apg_u16; typedef unsigned apg_u32; typedef unsigned long long apg_u64;

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
  apg_u64 size;                     /* bytes of an instance with header; of a rail or string: of the header */
  apg_u32 field_count; const apg_field *fields;      /* all, inherited first; not of rails and strings */
  apg_u8 element_slot; apg_u32 element_size; const apg_type *element;   /* rails */
  apg_u32 interface_count; const apg_itable *interfaces;   /* sorted by id */
  const void *const *vtable; apg_u32 vtable_length;
};

/* x10.lang.GlobalRail by value: on a host the handle names a registered rail, on an accelerator it is the device address. */
typedef struct apg_global_rail { apg_i64 size; apg_i64 home; apg_i64 handle; } apg_global_rail;

/* ---- kernels ---- */
typedef enum { APG_SCALAR, APG_HOST_RAIL, APG_CONSTANT_RAIL, APG_GLOBAL_RAIL } apg_capture_kind;
/* A captured value in the environment struct. Generated code fills the struct in *host form*; the runtime copies it and
   rewrites the rails of the copy into *kernel form*, which the CPU form and the device code both read:
     APG_SCALAR                      the value                           the same
     APG_HOST_RAIL, _CONSTANT_RAIL   apg_rail_view { object, length }    data = address of the first element (host or device)
     APG_GLOBAL_RAIL                 apg_global_rail                     handle = address of the first element (host or device) */
typedef struct apg_capture { const char *name; apg_u32 kind; apg_u32 offset; apg_u32 size; /* in env */ apg_u32 element_size; } apg_capture;
typedef struct apg_rail_view { void *data; apg_i64 length; } apg_rail_view;

#define APG_MAX_SHARED_RAILS 16
/* One launch. Axis 0 is the fastest (CUDA's x); unused axes are 1. The second parameter of device code. */
typedef struct apg_launch {
  apg_i64 blocks[3]; apg_i64 threads[3];
  apg_i64 auto_blocks; apg_i64 auto_threads;        /* set by the runtime before `configure` */
  apg_i64 shared_lengths[APG_MAX_SHARED_RAILS];     /* in elements */
  apg_i64 shared_bytes;                             /* dynamic shared memory of a block, every rail aligned to 16 */
} apg_launch;

enum { APG_KERNEL_AUTO_BLOCKS = 1, APG_KERNEL_AUTO_THREADS = 2, APG_KERNEL_BARRIER = 4 };
/* Device code is the function `name`: (env by value if env_size <= APG_ENV_BY_VALUE, else const env *, apg_launch by value).
   Constant rails: if the text is compiled with -DAPG_CONSTANT_BYTES=n, the module has a variable `apg_constant` of n bytes and
   `data` of a constant rail is its byte offset there; without it, `data` is an address like any other. */
#define APG_ENV_BY_VALUE 3584
typedef struct apg_kernel {
  const char *name; const char *file; apg_u32 line; apg_u32 flags;
  const char *cuda;                 /* CUDA C++ of this kernel, compiled by NVRTC for the device at hand */
  apg_u32 env_size; apg_u32 capture_count; const apg_capture *captures;
  apg_u32 shared_count;             /* shared rails */
  /* Fills blocks, threads and shared lengths from the environment in host form; gives the exception or null. */
  apg_object *(*configure)(const void *env, apg_launch *launch);
  /* CPU form: runs blocks [first, last) of the flattened grid (axis 0 fastest); gives the exception or null. */
  apg_object *(*cpu)(const void *env, const apg_launch *launch, apg_i64 first, apg_i64 last);
} apg_kernel;

/* ---- the program's table (exported as `apg_program_v1`) ---- */
typedef struct apg_root { void *address; apg_u32 slot; const apg_type *type; /* APG_VALUE: the struct */ } apg_root;
/* Entries never let a C++ exception out: they return the X10 exception object, or null. */
typedef struct apg_program {
  apg_u32 abi; apg_u32 type_count; const apg_type *const *types;
  apg_u32 kernel_count; const apg_kernel *const *kernels;
  apg_u32 file_count; const char *const *files;
  apg_u32 root_count; const apg_root *roots;         /* static fields: roots of collection */
  const apg_type *string_type; const apg_type *string_rail_type;   /* may be null if the program uses none */
  void (*bind)(const void *runtime);                 /* called first: the runtime's table, of the same abi */
  apg_object *(*main)(apg_object *arguments);
  apg_object *(*make_exception)(apg_u32 kind, apg_object *message, apg_object **result);
  apg_object *(*call)(apg_object *closure);          /* a closure without parameters and result */
  apg_object *(*to_string)(apg_object *object, apg_object **result);
  apg_object *(*equals)(apg_object *object, apg_object *other, apg_u8 *result);
  apg_object *(*hash_code)(apg_object *object, apg_i32 *result);
} apg_program;
#endif
