/* Support of edited XcalableMP programs: the functions of xmp.h, and the start and the end of the program. The runtime
   sets its table in front of `apg_xmp_main`. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "apg_xmp.h"
#include "xmp.h"

#define EXPORTED __attribute__((visibility("default")))
EXPORTED const struct apg_xmp_functions *apg_xmp_runtime = NULL;

/* ---- Start and end ---- */

static struct apg_xmp_file *first_file = NULL, **next_file = &first_file;

void apg_xmp_add_file(struct apg_xmp_file *file) {
  file->next = NULL;
  *next_file = file;
  next_file = &file->next;
}

void apg_xmp_drop_grid(apg_xmp_grid **grid) { apg_xmp_runtime->drop_grid(*grid); }
void apg_xmp_drop_array(struct apg_xmp_array *array) { apg_xmp_runtime->drop_array(array); }
void apg_xmp_end_task(int *is_member) {
  (void)is_member;
  apg_xmp_runtime->end_task();
}

/* Also for exit() in the program: the handlers of the program have run. */
extern int on_exit(void (*handler)(int, void *), void *argument);
static void leave(int status, void *argument) {
  (void)argument;
  fflush(NULL);
  int of_program = apg_xmp_runtime->leave(status);
  if (of_program != status) _exit(of_program);
}

extern int main(int, char **, char **);
EXPORTED int apg_xmp_main(int count, char **values, char **environment) {
  on_exit(leave, NULL);
  for (struct apg_xmp_file *file = first_file; file; file = file->next) file->declare();
  return main(count, values, environment);
}

/* ---- Nodes and time ---- */

int xmp_num_nodes(void) { return apg_xmp_runtime->count_nodes(0); }
int xmp_num_images(void) { return apg_xmp_runtime->count_nodes(0); }
int xmp_node_num(void) { return apg_xmp_runtime->node_number(0) + 1; }
int xmpc_node_num(void) { return apg_xmp_runtime->node_number(0); }
int xmpc_this_image(void) { return apg_xmp_runtime->node_number(0); }
int xmp_all_num_nodes(void) { return apg_xmp_runtime->count_nodes(1); }
int xmp_all_node_num(void) { return apg_xmp_runtime->node_number(1) + 1; }
int xmpc_all_node_num(void) { return apg_xmp_runtime->node_number(1); }
void xmp_barrier(void) { apg_xmp_runtime->barrier(NULL, NULL); }
double xmp_wtime(void) { return apg_xmp_runtime->time(); }
double xmp_wtick(void) { return 1e-9; }
void xmp_exit(int status) { exit(status); }

/* ---- Inquiries ---- */

static int ask_at(xmp_desc_t desc, int question, int axis, long index, int *answer) {
  long found = 0;
  int status = apg_xmp_runtime->inquire(desc, question, axis, index, &found);
  if (status == 0 && answer) *answer = (int)found;
  return status;
}
static int ask(xmp_desc_t desc, int question, int axis, int *answer) { return ask_at(desc, question, axis, 0, answer); }
static int value_of(xmp_desc_t desc, int question, int axis) {
  int answer = XMP_UNDEFINED;
  ask(desc, question, axis, &answer);
  return answer;
}
static int related(xmp_desc_t desc, xmp_desc_t *answer) {
  *answer = apg_xmp_runtime->related(desc);
  return *answer ? 0 : XMP_UNDEFINED;
}

int xmp_desc_kind(xmp_desc_t desc, int *kind) { return ask(desc, APG_XMP_ASK_KIND, 1, kind); }

int xmp_array_ndims(xmp_desc_t array, int *count) { return ask(array, APG_XMP_ASK_RANK, 1, count); }
int xmp_array_lbound(xmp_desc_t array, int axis, int *index) { return ask(array, APG_XMP_ASK_LOWER, axis, index); }
int xmp_array_ubound(xmp_desc_t array, int axis, int *index) { return ask(array, APG_XMP_ASK_UPPER, axis, index); }
size_t xmp_array_type_size(xmp_desc_t array) { return (size_t)value_of(array, APG_XMP_ASK_ELEMENT_BYTES, 1); }
int xmp_array_gsize(xmp_desc_t array, int axis) { return value_of(array, APG_XMP_ASK_SIZE, axis); }
int xmp_array_lsize(xmp_desc_t array, int axis, int *size) { return ask(array, APG_XMP_ASK_ALLOCATED, axis, size); }
int xmp_array_laddr(xmp_desc_t array, void **address) {
  *address = ((struct apg_xmp_array *)array)->address;
  return *address ? 0 : XMP_UNDEFINED;
}
int xmp_array_lshadow(xmp_desc_t array, int axis, int *width) { return ask(array, APG_XMP_ASK_SHADOW_BELOW, axis, width); }
int xmp_array_ushadow(xmp_desc_t array, int axis, int *width) { return ask(array, APG_XMP_ASK_SHADOW_ABOVE, axis, width); }
int xmp_array_lead_dim(xmp_desc_t array, int sizes[]) {
  int rank = value_of(array, APG_XMP_ASK_RANK, 1);
  for (int axis = 1; axis <= rank; ++axis)
    if (ask(array, APG_XMP_ASK_ALLOCATED, axis, &sizes[axis - 1])) return XMP_UNDEFINED;
  return 0;
}
int xmp_array_gtol(xmp_desc_t array, int axis, int index, int *local_index) {
  return ask_at(array, APG_XMP_ASK_LOCAL_INDEX, axis, index, local_index);
}
void xmp_array_lbound_global(xmp_desc_t array, int axis, int *index) { ask(array, APG_XMP_ASK_FIRST_OWNED, axis, index); }
void xmp_array_ubound_global(xmp_desc_t array, int axis, int *index) { ask(array, APG_XMP_ASK_LAST_OWNED, axis, index); }

int xmp_align_axis(xmp_desc_t array, int axis, int *template_axis) {
  return ask(array, APG_XMP_ASK_ALIGN_AXIS, axis, template_axis);
}
int xmp_align_offset(xmp_desc_t array, int axis, int *offset) { return ask(array, APG_XMP_ASK_ALIGN_OFFSET, axis, offset); }
int xmp_align_replicated(xmp_desc_t array, int template_axis, int *replicated) {
  return ask(array, APG_XMP_ASK_REPLICATED, template_axis, replicated);
}
int xmp_align_template(xmp_desc_t array, xmp_desc_t *of) { return related(array, of); }

int xmp_template_fixed(xmp_desc_t of, int *fixed) { return ask(of, APG_XMP_ASK_FIXED, 1, fixed); }
int xmp_template_ndims(xmp_desc_t of, int *count) { return ask(of, APG_XMP_ASK_RANK, 1, count); }
int xmp_template_lbound(xmp_desc_t of, int axis, int *index) { return ask(of, APG_XMP_ASK_LOWER, axis, index); }
int xmp_template_ubound(xmp_desc_t of, int axis, int *index) { return ask(of, APG_XMP_ASK_UPPER, axis, index); }
int xmp_template_gsize(xmp_desc_t of, int axis) { return value_of(of, APG_XMP_ASK_SIZE, axis); }
int xmp_template_lsize(xmp_desc_t of, int axis) { return value_of(of, APG_XMP_ASK_LOCAL_SIZE, axis); }

int xmp_dist_format(xmp_desc_t of, int axis, int *format) { return ask(of, APG_XMP_ASK_FORMAT, axis, format); }
int xmp_dist_blocksize(xmp_desc_t of, int axis, int *size) { return ask(of, APG_XMP_ASK_BLOCK_SIZE, axis, size); }
int xmp_dist_nodes(xmp_desc_t of, xmp_desc_t *nodes) { return related(of, nodes); }
int xmp_dist_axis(xmp_desc_t of, int axis, int *node_axis) { return ask(of, APG_XMP_ASK_NODE_AXIS, axis, node_axis); }
int xmp_dist_gblockmap(xmp_desc_t of, int axis, int *sizes) {
  int count = 0;
  while (ask_at(of, APG_XMP_ASK_GBLOCK_SIZE, axis, count, &sizes[count]) == 0) ++count;
  return count ? 0 : XMP_UNDEFINED;
}

int xmp_nodes_ndims(xmp_desc_t nodes, int *count) { return ask(nodes, APG_XMP_ASK_RANK, 1, count); }
int xmp_nodes_index(xmp_desc_t nodes, int axis, int *index) { return ask(nodes, APG_XMP_ASK_NODE_INDEX, axis, index); }
int xmp_nodes_size(xmp_desc_t nodes, int axis, int *size) { return ask(nodes, APG_XMP_ASK_SIZE, axis, size); }
int xmp_nodes_rank(xmp_desc_t nodes, int *rank) {
  int status = ask(nodes, APG_XMP_ASK_NODE_POSITION, 1, rank);
  if (status == 0) ++*rank;
  return status;
}
int xmp_nodes_equiv(xmp_desc_t nodes, xmp_desc_t *whole, int lower[], int upper[], int step[]) {
  if (related(nodes, whole)) return XMP_UNDEFINED;
  int rank = value_of(*whole, APG_XMP_ASK_RANK, 1);
  for (int axis = 1; axis <= rank; ++axis) {
    ask(nodes, APG_XMP_ASK_PART_LOWER, axis, &lower[axis - 1]);
    ask(nodes, APG_XMP_ASK_PART_UPPER, axis, &upper[axis - 1]);
    ask(nodes, APG_XMP_ASK_PART_STEP, axis, &step[axis - 1]);
  }
  return 0;
}

/* ---- Memory and synchronisation ---- */

void *xmp_malloc(xmp_desc_t array, ...) {
  long extents[APG_XMP_MAX_RANK] = {0};
  int rank = value_of(array, APG_XMP_ASK_RANK, 1);
  va_list list;
  va_start(list, array);
  for (int axis = 0; axis < rank && axis < APG_XMP_MAX_RANK; ++axis) extents[axis] = va_arg(list, int);
  va_end(list);
  return apg_xmp_runtime->allocate(array, extents);
}
void xmp_free(xmp_desc_t array) {
  struct apg_xmp_array *own = array;
  free(own->address);
  own->address = NULL;
}

void xmp_sync_memory(const int *status) { (void)status; apg_xmp_runtime->sync_memory(); }
void xmp_sync_all(const int *status) { (void)status; apg_xmp_runtime->sync_all(); }
void xmp_sync_image(int image, int *status) { (void)status; apg_xmp_runtime->sync_images(&image, 1); }
void xmp_sync_images(int count, int *images, int *status) { (void)status; apg_xmp_runtime->sync_images(images, count); }
void xmp_sync_images_all(int *status) { (void)status; apg_xmp_runtime->sync_images(NULL, -1); }

/* ---- Intrinsic functions ---- */

static void call(int which, xmp_desc_t a, xmp_desc_t b, xmp_desc_t c, int count) {
  xmp_desc_t arrays[] = {a, b, c};
  apg_xmp_runtime->intrinsic(which, arrays, count);
}
void xmp_transpose(xmp_desc_t b, xmp_desc_t a, int option) { (void)option; call(APG_XMP_TRANSPOSE, b, a, NULL, 2); }
void xmp_matmul(xmp_desc_t x, xmp_desc_t a, xmp_desc_t b) { call(APG_XMP_MATMUL, x, a, b, 3); }
void xmp_sort_up(xmp_desc_t from, xmp_desc_t to) { call(APG_XMP_SORT_UP, from, to, NULL, 2); }
void xmp_sort_down(xmp_desc_t from, xmp_desc_t to) { call(APG_XMP_SORT_DOWN, from, to, NULL, 2); }
void xmp_pack(xmp_desc_t v, xmp_desc_t a, xmp_desc_t mask) { call(APG_XMP_PACK, v, a, mask, 3); }
void xmp_unpack(xmp_desc_t a, xmp_desc_t v, xmp_desc_t mask) { call(APG_XMP_UNPACK, a, v, mask, 3); }

/* An index array for each axis of `indexed`. */
static void call_indexed(int which, xmp_desc_t x, xmp_desc_t a, xmp_desc_t indexed, va_list list) {
  xmp_desc_t arrays[2 + APG_XMP_MAX_RANK] = {x, a};
  int rank = value_of(indexed, APG_XMP_ASK_RANK, 1);
  for (int axis = 0; axis < rank && axis < APG_XMP_MAX_RANK; ++axis) arrays[2 + axis] = va_arg(list, xmp_desc_t);
  apg_xmp_runtime->intrinsic(which, arrays, 2 + rank);
}
void xmp_gather(xmp_desc_t x, xmp_desc_t a, ...) {
  va_list list;
  va_start(list, a);
  call_indexed(APG_XMP_GATHER, x, a, a, list);
  va_end(list);
}
void xmp_scatter(xmp_desc_t x, xmp_desc_t a, ...) {
  va_list list;
  va_start(list, a);
  call_indexed(APG_XMP_SCATTER, x, a, x, list);
  va_end(list);
}
