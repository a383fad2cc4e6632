/* XcalableMP 1.4 as calls: what an edited C program and the runtime exchange.

   Axes are in C's order: the last varies fastest. The compiler reverses lists in parentheses, where the first does.
   Indices are those of the program; those of nodes begin at `spelling`: 0 for brackets, 1 for parentheses. Images of
   coarrays are 0-based. Descriptors may end in any order. An error ends the program on all nodes, with one message
   that names the site. */
#ifndef APG_XMP_H
#define APG_XMP_H

enum { APG_XMP_MAX_RANK = 16 };

/* A directive of the program. */
struct apg_xmp_site { const char *file, *directive; unsigned line; };

/* Nodes, or a template. A pointer to one is an `xmp_desc_t`, as is a pointer to an array. */
typedef struct apg_xmp_grid apg_xmp_grid;

/* A subscript: `start`; `count` indices from `start` on (-1: up to the end of the axis), `step` apart; all; that of
   this node (`*`). */
enum { APG_XMP_INDEX, APG_XMP_SECTION, APG_XMP_ALL, APG_XMP_ANY };
struct apg_xmp_triplet { int kind; long start, count, step; };

/* The nodes at these points, or that own these points of a template; all without subscripts. Without a grid: the
   executing nodes, as for a null pointer to this struct. */
struct apg_xmp_on { apg_xmp_grid *grid; const struct apg_xmp_triplet *subscripts; };

/* Whole: an axis that is not distributed. Block with width 0: as even as it gets. Gblock: a size for each node of the
   axis, null for `gblock(*)`. */
enum { APG_XMP_DUPLICATED, APG_XMP_BLOCK, APG_XMP_CYCLIC, APG_XMP_GBLOCK };
struct apg_xmp_format { int kind; long width; const int *map; };

/* Axis `axis` of the template is at index + `offset`; -1 if the axis of the array is not distributed. The array is
   replicated along axes of the template that none names. */
struct apg_xmp_alignment { int axis; long offset; };

/* The layout of an array on this node. With A, the local block at `address`, its shadow included, the element at the
   indices E0, E1, ... is A[L0 * stride[0] + L1 * stride[1] + ... - origin], where Lk is apg_xmp_local(&axis[k], Ek);
   for axes that are not cyclic that is Ek. */
struct apg_xmp_axis { long offset, width, cycle; };
struct apg_xmp_array {
  unsigned long tag; /* the runtime's */
  void *address;
  long origin;
  long stride[APG_XMP_MAX_RANK];
  struct apg_xmp_axis axis[APG_XMP_MAX_RANK];
  void *state; /* the runtime's */
};
static inline long apg_xmp_local(const struct apg_xmp_axis *axis, long index) {
  long at = index + axis->offset;
  return at / axis->cycle * axis->width + at % axis->width;
}
/* The descriptor of an array whose variable may point elsewhere meanwhile. */
static inline struct apg_xmp_array *apg_xmp_at(struct apg_xmp_array *array, void *address) {
  array->address = address;
  return array;
}

/* Iterations of this node, as runs with a constant step, in the order of the program's loop:
     struct apg_xmp_run run = apg_xmp_first_run(&range);
     for (; run.index < range.runs; apg_xmp_next_run(&range, &run)) for (i = run.first; i <= run.last; i += range.step)
   A run may be empty: `first` and `last` are then 1 and 0, or 0 and 1 for a negative step. With WHOLE, EXPAND and
   INTERIOR there is at most one run, unless the axis is cyclic(width) with a width of more than 1. */
enum {
  APG_XMP_WHOLE,    /* the node's own */
  APG_XMP_EXPAND,   /* those, and `below` and `above` more of the loop's indices at the ends */
  APG_XMP_MARGIN,   /* what EXPAND has more than WHOLE */
  APG_XMP_INTERIOR, /* WHOLE without the first `below` and the last `above` indices */
  APG_XMP_PEEL      /* what WHOLE has more than INTERIOR */
};
struct apg_xmp_range {
  long runs, first, last, step; /* `first` and `last` of the first run */
  /* The loop, ascending: its lowest and highest iteration, and their distance. */
  long low, high, stride;
  /* The first block of indices, the distance of the next ones, the size of the first one, and of the others. */
  long block, period, width, other_width;
};
struct apg_xmp_run { long index, first, last; };
static inline struct apg_xmp_run apg_xmp_run(const struct apg_xmp_range *range, long index) {
  long k = range->step < 0 ? range->runs - 1 - index : index;
  long first = range->block + k * range->period;
  long last = first + (k ? range->other_width : range->width) - 1;
  if (first < range->low) first = range->low;
  if (last > range->high) last = range->high;
  long past = (first - range->low) % range->stride;
  if (past) first += range->stride - past;
  if (first > last) return (struct apg_xmp_run){ index, range->step > 0, range->step < 0 };
  if (range->step > 0) return (struct apg_xmp_run){ index, first, last };
  return (struct apg_xmp_run){ index, last - (last - first) % range->stride, first };
}
static inline struct apg_xmp_run apg_xmp_first_run(const struct apg_xmp_range *range) {
  struct apg_xmp_run run = { 0, range->first, range->last };
  return run;
}
static inline void apg_xmp_next_run(const struct apg_xmp_range *range, struct apg_xmp_run *run) {
  *run = apg_xmp_run(range, run->index + 1);
}
static inline int apg_xmp_has_iterations(struct apg_xmp_range range) {
  for (long index = 0; index < range.runs; ++index) {
    struct apg_xmp_run run = apg_xmp_run(&range, index);
    if (range.step > 0 ? run.first <= run.last : run.first >= run.last) return 1;
  }
  return 0;
}

/* DIFFERENCE is combined as SUM is. */
enum {
  APG_XMP_SUM, APG_XMP_PRODUCT, APG_XMP_BIT_AND, APG_XMP_BIT_OR, APG_XMP_BIT_XOR, APG_XMP_AND, APG_XMP_OR, APG_XMP_MAX,
  APG_XMP_MIN, APG_XMP_FIRST_MAX, APG_XMP_FIRST_MIN, APG_XMP_LAST_MAX, APG_XMP_LAST_MIN, APG_XMP_DIFFERENCE
};
enum {
  APG_XMP_BYTES, APG_XMP_BOOL, APG_XMP_CHAR, APG_XMP_UCHAR, APG_XMP_SHORT, APG_XMP_USHORT, APG_XMP_INT, APG_XMP_UINT,
  APG_XMP_LONG, APG_XMP_ULONG, APG_XMP_FLOAT, APG_XMP_DOUBLE, APG_XMP_LONG_DOUBLE, APG_XMP_FLOAT_COMPLEX,
  APG_XMP_DOUBLE_COMPLEX, APG_XMP_LONG_DOUBLE_COMPLEX
};
/* The code of an expression's type; APG_XMP_BYTES for those that are moved and not computed with. */
#define APG_XMP_TYPE(x) _Generic((x), _Bool: APG_XMP_BOOL, char: (char)-1 < 0 ? APG_XMP_CHAR : APG_XMP_UCHAR, \
  signed char: APG_XMP_CHAR, unsigned char: APG_XMP_UCHAR, short: APG_XMP_SHORT, unsigned short: APG_XMP_USHORT, \
  int: APG_XMP_INT, unsigned: APG_XMP_UINT, long: APG_XMP_LONG, unsigned long: APG_XMP_ULONG, \
  long long: APG_XMP_LONG, unsigned long long: APG_XMP_ULONG, float: APG_XMP_FLOAT, double: APG_XMP_DOUBLE, \
  long double: APG_XMP_LONG_DOUBLE, float _Complex: APG_XMP_FLOAT_COMPLEX, double _Complex: APG_XMP_DOUBLE_COMPLEX, \
  long double _Complex: APG_XMP_LONG_DOUBLE_COMPLEX, default: APG_XMP_BYTES)

/* Elements of the program. FIRST_MAX, FIRST_MIN, LAST_MAX and LAST_MIN copy the locations from where the value is
   found; MAX and MIN too, as FIRST_MAX and FIRST_MIN do. Of equal values the one with the least (greatest) locations
   counts, in the order of the list, where these are integers; then that of the lowest (highest) node. */
struct apg_xmp_item {
  void *address;
  long count;
  int type;
  unsigned long bytes; /* of an element */
  int locations;
  const struct apg_xmp_item *location;
};

/* Elements that reflect renews below and above; -1 for as many as the shadow has. */
struct apg_xmp_width { long below, above; int periodic; };

/* A side of a gmove or of an access to a coarray. Without an array: memory of the node, an array with these extents.
   Without subscripts: all of it. */
struct apg_xmp_part {
  struct apg_xmp_array *array;
  void *address;
  int rank;
  const long *extents;
  const struct apg_xmp_triplet *subscripts;
  unsigned long bytes; /* of an element */
};
/* To a mode are added sides that are in the copies of the device. */
enum { APG_XMP_COLLECTIVE, APG_XMP_IN, APG_XMP_OUT, APG_XMP_TO_ON_DEVICE = 4, APG_XMP_FROM_ON_DEVICE = 8 };

struct apg_xmp_coarray { void *state; };
enum { APG_XMP_DEFINE, APG_XMP_REF, APG_XMP_ADD, APG_XMP_SWAP, APG_XMP_COMPARE_SWAP };

typedef const struct apg_xmp_site *apg_xmp_where;

/* `async` is null, or points to the number of the operation, for which wait_async waits. */
struct apg_xmp_functions {
  /* Declarations (specification, chapter 4). */

  /* Nodes; a size of -1 for `*`. `part`: the nodes that they consist of; null: those of the program. */
  apg_xmp_grid *(*nodes)(apg_xmp_where, const char *name, int spelling, int rank, const long *sizes,
                         const struct apg_xmp_on *part);
  /* `sizes` null: fixed later. */
  apg_xmp_grid *(*new_template)(apg_xmp_where, const char *name, int spelling, int rank, const long *lower,
                                const long *sizes);
  /* Formats that are not DUPLICATED take the axes of the nodes in order. */
  void (*distribute)(apg_xmp_where, apg_xmp_grid *, apg_xmp_grid *nodes, const struct apg_xmp_format *formats);
  /* Null for what is known already. */
  void (*template_fix)(apg_xmp_where, apg_xmp_grid *, const struct apg_xmp_format *formats, const long *lower,
                       const long *sizes);
  void (*drop_grid)(apg_xmp_grid *);
  /* Lays an array out; `*variable` gets zeroed memory once the template is fixed, which ends with the descriptor.
     variable null: the program has the memory (parameters). An extent of 0: xmp_malloc says it; free() frees that. */
  void (*align)(apg_xmp_where, struct apg_xmp_array *, const char *name, void *variable, int type, unsigned long bytes,
                int rank, const long *extents, apg_xmp_grid *with, const struct apg_xmp_alignment *axes);
  /* In front of the first use: the memory may be another one afterwards. -1 on both sides: full. */
  void (*shadow)(apg_xmp_where, struct apg_xmp_array *, const long *below, const long *above);
  void (*drop_array)(struct apg_xmp_array *);

  /* Constructs (chapter 5). */

  /* Of `for (i = first; i <= last; i += step)` (>= if step < 0), whose iteration i the owner of i + offset executes.
     `unbound`: EXPAND and MARGIN may leave the bounds of the loop. */
  struct apg_xmp_range (*loop)(apg_xmp_where, apg_xmp_grid *, int axis, long offset, long first, long last, long step,
                               int mode, long below, long above, int unbound);
  /* Whether this node owns the index. */
  int (*owns)(apg_xmp_where, apg_xmp_grid *, int axis, long index);
  void (*reduction)(apg_xmp_where, int operation, const struct apg_xmp_item *, int count, const struct apg_xmp_on *on,
                    const long *async);
  /* In front of a loop: keeps the values, and sets the identity. Behind it: combines them, once, with those of the nodes
     that share the loop's iterations. Bit k of `axes`: the loop is over axis k of the grid; nodes that differ along
     other axes have results of their own. `saved` null, without begin_reduction: each node's value is that of the loop
     and of what was in front of it, for operations for which it counts once. */
  void *(*begin_reduction)(apg_xmp_where, int operation, const struct apg_xmp_item *, int count);
  void (*end_reduction)(apg_xmp_where, int operation, const struct apg_xmp_item *, int count, apg_xmp_grid *,
                        unsigned axes, void *saved);
  /* `from` null: the first node. */
  void (*bcast)(apg_xmp_where, const struct apg_xmp_item *, int count, const struct apg_xmp_on *from,
                const struct apg_xmp_on *on, const long *async);
  void (*barrier)(apg_xmp_where, const struct apg_xmp_on *on);
  /* 1 if this node executes the task. In any case end_task follows. Without `nocomm` the executing nodes meet first. */
  int (*begin_task)(apg_xmp_where, const struct apg_xmp_on *on, int nocomm);
  void (*end_task)(void);
  void (*wait_async)(apg_xmp_where, const long *numbers, int count, const struct apg_xmp_on *on);
  /* `widths` null: all of the shadow. */
  void (*reflect)(apg_xmp_where, struct apg_xmp_array *, const struct apg_xmp_width *widths, int orthogonal,
                  const long *async);
  void (*reflect_init)(apg_xmp_where, struct apg_xmp_array *, const struct apg_xmp_width *widths, int orthogonal);
  void (*reflect_do)(apg_xmp_where, struct apg_xmp_array *, const long *async);
  /* Adds shadows to the elements that they are copies of. */
  void (*reduce_shadow)(apg_xmp_where, struct apg_xmp_array *, const struct apg_xmp_width *widths, const long *async);
  void (*gmove)(apg_xmp_where, int mode, const struct apg_xmp_part *to, const struct apg_xmp_part *from,
                const long *async);

  /* Coarrays (chapter 6). Images are 0-based; a coextent of 0 for `*`. `variable` is the object, which all images have.
     A remote side of put, get, lock and atomic has a rank and subscripts; its address is the runtime's. */

  void (*coarray)(apg_xmp_where, struct apg_xmp_coarray *, const char *name, void *variable, unsigned long bytes, int rank,
                  const long *extents, int corank, const long *coextents);
  /* `on_device`: the elements of the coarray (1), and those of the other side (2), are in the copies of accelerators. */
  void (*put)(apg_xmp_where, struct apg_xmp_coarray *, const long *image, const struct apg_xmp_part *to,
              const struct apg_xmp_part *from, int on_device);
  void (*get)(apg_xmp_where, struct apg_xmp_coarray *, const long *image, const struct apg_xmp_part *to,
              const struct apg_xmp_part *from, int on_device);
  void (*post)(apg_xmp_where, const struct apg_xmp_on *node, long tag);
  /* Null: of any node; with any tag. */
  void (*wait)(apg_xmp_where, const struct apg_xmp_on *node, const long *tag);
  void (*lock)(apg_xmp_where, struct apg_xmp_coarray *, const long *image, const struct apg_xmp_part *at, int unlock);
  /* On an int; its former value. */
  int (*atomic)(apg_xmp_where, struct apg_xmp_coarray *, const long *image, const struct apg_xmp_part *at, int operation,
                int value, int compare);
  void (*sync_memory)(void);
  void (*sync_all)(void);
  /* A count of -1: all. */
  void (*sync_images)(const int *images, int count);

  /* What xmp.h calls. */

  int (*count_nodes)(int of_program);
  int (*node_number)(int of_program); /* 0-based */
  double (*time)(void);
  /* The answer to a question (APG_XMP_ASK_) about a descriptor: 0, or XMP_UNDEFINED. `axis` is as in xmp.h. */
  int (*inquire)(void *descriptor, int question, int axis, long index, long *answer);
  /* The template of an array, the nodes of a template, or the nodes that nodes are a part of; null if there are none. */
  void *(*related)(void *descriptor);
  void *(*allocate)(void *descriptor, const long *extents);
  /* One of those below, with the arrays that are its arguments; a mask may be null. */
  void (*intrinsic)(int which, void *const *arrays, int count);
  int (*leave)(int status);

  /* Accelerators. Without one, memory of the device is that of the host. */

  /* Elements of the local block, its shadow included. */
  long (*elements)(const struct apg_xmp_array *);
  /* An error unless the device has a copy of the object. */
  void (*present)(apg_xmp_where, const char *name, const void *address, unsigned long bytes);
  /* As reflect and reflect_do, of the block that the device has. They end before they return. */
  void (*device_reflect)(apg_xmp_where, struct apg_xmp_array *, const struct apg_xmp_width *widths, int orthogonal,
                         const long *async);
  void (*device_reflect_do)(apg_xmp_where, struct apg_xmp_array *, const long *async);
  void (*device_reduce_shadow)(apg_xmp_where, struct apg_xmp_array *, const struct apg_xmp_width *widths,
                               const long *async);
  /* As reduction and bcast, of the copies that the device has of objects at these addresses. */
  void (*device_reduction)(apg_xmp_where, int operation, const struct apg_xmp_item *, int count,
                           const struct apg_xmp_on *on, const long *async);
  void (*device_bcast)(apg_xmp_where, const struct apg_xmp_item *, int count, const struct apg_xmp_on *from,
                       const struct apg_xmp_on *on, const long *async);
};

enum {
  APG_XMP_TRANSPOSE, APG_XMP_MATMUL, APG_XMP_SORT_UP, APG_XMP_SORT_DOWN, APG_XMP_GATHER, APG_XMP_SCATTER, APG_XMP_PACK,
  APG_XMP_UNPACK
};
/* Questions about descriptors. */
enum {
  APG_XMP_ASK_KIND, APG_XMP_ASK_RANK, APG_XMP_ASK_LOWER, APG_XMP_ASK_UPPER, APG_XMP_ASK_SIZE, APG_XMP_ASK_LOCAL_SIZE,
  APG_XMP_ASK_ELEMENT_BYTES, APG_XMP_ASK_SHADOW_BELOW, APG_XMP_ASK_SHADOW_ABOVE, APG_XMP_ASK_LOCAL_INDEX,
  APG_XMP_ASK_OWNER, APG_XMP_ASK_FIRST_OWNED, APG_XMP_ASK_LAST_OWNED, APG_XMP_ASK_ALLOCATED, APG_XMP_ASK_ALIGN_AXIS,
  APG_XMP_ASK_ALIGN_OFFSET, APG_XMP_ASK_REPLICATED, APG_XMP_ASK_FIXED, APG_XMP_ASK_FORMAT, APG_XMP_ASK_BLOCK_SIZE,
  APG_XMP_ASK_NODE_AXIS, APG_XMP_ASK_GBLOCK_SIZE, APG_XMP_ASK_NODE_INDEX, APG_XMP_ASK_NODE_POSITION,
  APG_XMP_ASK_PART_LOWER, APG_XMP_ASK_PART_UPPER, APG_XMP_ASK_PART_STEP
};

extern const struct apg_xmp_functions *apg_xmp_runtime;

#define apg_xmp_nodes (apg_xmp_runtime->nodes)
#define apg_xmp_template (apg_xmp_runtime->new_template)
#define apg_xmp_distribute (apg_xmp_runtime->distribute)
#define apg_xmp_template_fix (apg_xmp_runtime->template_fix)
#define apg_xmp_align (apg_xmp_runtime->align)
#define apg_xmp_shadow (apg_xmp_runtime->shadow)
#define apg_xmp_loop (apg_xmp_runtime->loop)
#define apg_xmp_owns (apg_xmp_runtime->owns)
#define apg_xmp_reduction (apg_xmp_runtime->reduction)
#define apg_xmp_begin_reduction (apg_xmp_runtime->begin_reduction)
#define apg_xmp_end_reduction (apg_xmp_runtime->end_reduction)
#define apg_xmp_bcast (apg_xmp_runtime->bcast)
#define apg_xmp_barrier (apg_xmp_runtime->barrier)
#define apg_xmp_begin_task (apg_xmp_runtime->begin_task)
#define apg_xmp_wait_async (apg_xmp_runtime->wait_async)
#define apg_xmp_reflect (apg_xmp_runtime->reflect)
#define apg_xmp_reflect_init (apg_xmp_runtime->reflect_init)
#define apg_xmp_reflect_do (apg_xmp_runtime->reflect_do)
#define apg_xmp_reduce_shadow (apg_xmp_runtime->reduce_shadow)
#define apg_xmp_gmove (apg_xmp_runtime->gmove)
#define apg_xmp_coarray_declare (apg_xmp_runtime->coarray)
#define apg_xmp_put (apg_xmp_runtime->put)
#define apg_xmp_get (apg_xmp_runtime->get)
#define apg_xmp_post (apg_xmp_runtime->post)
#define apg_xmp_wait (apg_xmp_runtime->wait)
#define apg_xmp_lock (apg_xmp_runtime->lock)
#define apg_xmp_atomic (apg_xmp_runtime->atomic)
#define apg_xmp_sync_memory (apg_xmp_runtime->sync_memory)
#define apg_xmp_sync_all (apg_xmp_runtime->sync_all)
#define apg_xmp_sync_images (apg_xmp_runtime->sync_images)
#define apg_xmp_elements (apg_xmp_runtime->elements)
#define apg_xmp_present (apg_xmp_runtime->present)
#define apg_xmp_device_reflect (apg_xmp_runtime->device_reflect)
#define apg_xmp_device_reflect_do (apg_xmp_runtime->device_reflect_do)
#define apg_xmp_device_reduce_shadow (apg_xmp_runtime->device_reduce_shadow)
#define apg_xmp_device_reduction (apg_xmp_runtime->device_reduction)
#define apg_xmp_device_bcast (apg_xmp_runtime->device_bcast)
/* The declarations of a file, which run on all nodes in front of `main`. A constructor of the file adds it. */
struct apg_xmp_file { void (*declare)(void); struct apg_xmp_file *next; };
#pragma GCC visibility push(hidden)
void apg_xmp_add_file(struct apg_xmp_file *file);
/* For __attribute__((cleanup)). */
void apg_xmp_drop_grid(apg_xmp_grid **grid);
void apg_xmp_drop_array(struct apg_xmp_array *array);
void apg_xmp_end_task(int *is_member);
#pragma GCC visibility pop
#endif
