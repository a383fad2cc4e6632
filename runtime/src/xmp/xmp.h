/* The library of XcalableMP 1.4 (chapter 7) for programs in C.

   Nodes are counted from 1 on by `xmp_` functions and from 0 on by `xmpc_` functions. Axes are counted from 1 on:
   those of arrays in the order of C, those of nodes and templates beginning with the fastest. Functions that
   return int and store their answer return 0, or XMP_UNDEFINED. */
#ifndef XMP_H
#define XMP_H
#include <stddef.h>

#define XMP_FAILURE (-2000)
#define XMP_UNDEFINED (-2001)
#define XMP_ENTIRE_NODES 2000
#define XMP_EXECUTING_NODES 2001
#define XMP_PRIMARY_NODES 2002
#define XMP_EQUIVALENCE_NODES 2003
#define XMP_NOT_DISTRIBUTED 2100
#define XMP_BLOCK 2101
#define XMP_CYCLIC 2102
#define XMP_GBLOCK 2103
#define XMP_DESC_NODES 2200
#define XMP_DESC_TEMPLATE 2201
#define XMP_DESC_ARRAY 2202

typedef void *xmp_desc_t;
typedef int xmp_lock_t; /* a coarray of these is what `lock` and `unlock` name */

#ifdef __cplusplus
extern "C" {
#endif
extern int xmp_num_nodes(void);
extern int xmp_num_images(void);
extern int xmp_node_num(void);
extern int xmpc_node_num(void);
extern int xmpc_this_image(void);
extern int xmp_all_num_nodes(void);
extern int xmp_all_node_num(void);
extern int xmpc_all_node_num(void);
extern void xmp_barrier(void);
extern double xmp_wtime(void);
extern double xmp_wtick(void);
extern void xmp_exit(int status);

extern void *xmp_malloc(xmp_desc_t array, ...); /* an int for each axis */
extern void xmp_free(xmp_desc_t array);
extern int xmp_desc_kind(xmp_desc_t desc, int *kind);

extern int xmp_array_ndims(xmp_desc_t array, int *count);
extern int xmp_array_lbound(xmp_desc_t array, int axis, int *index);
extern int xmp_array_ubound(xmp_desc_t array, int axis, int *index);
extern size_t xmp_array_type_size(xmp_desc_t array);
extern int xmp_array_gsize(xmp_desc_t array, int axis);
extern int xmp_array_lsize(xmp_desc_t array, int axis, int *size); /* with the shadow */
extern int xmp_array_laddr(xmp_desc_t array, void **address);
extern int xmp_array_lshadow(xmp_desc_t array, int axis, int *width);
extern int xmp_array_ushadow(xmp_desc_t array, int axis, int *width);
extern int xmp_array_lead_dim(xmp_desc_t array, int sizes[]);
extern int xmp_array_gtol(xmp_desc_t array, int axis, int index, int *local_index);
extern void xmp_array_lbound_global(xmp_desc_t array, int axis, int *index);
extern void xmp_array_ubound_global(xmp_desc_t array, int axis, int *index);

extern int xmp_align_axis(xmp_desc_t array, int axis, int *template_axis);
extern int xmp_align_offset(xmp_desc_t array, int axis, int *offset);
extern int xmp_align_replicated(xmp_desc_t array, int template_axis, int *replicated);
extern int xmp_align_template(xmp_desc_t array, xmp_desc_t *of);

extern int xmp_template_fixed(xmp_desc_t of, int *fixed);
extern int xmp_template_ndims(xmp_desc_t of, int *count);
extern int xmp_template_lbound(xmp_desc_t of, int axis, int *index);
extern int xmp_template_ubound(xmp_desc_t of, int axis, int *index);
extern int xmp_template_gsize(xmp_desc_t of, int axis);
extern int xmp_template_lsize(xmp_desc_t of, int axis);

extern int xmp_dist_format(xmp_desc_t of, int axis, int *format);
extern int xmp_dist_blocksize(xmp_desc_t of, int axis, int *size);
extern int xmp_dist_nodes(xmp_desc_t of, xmp_desc_t *nodes);
extern int xmp_dist_axis(xmp_desc_t of, int axis, int *node_axis);
extern int xmp_dist_gblockmap(xmp_desc_t of, int axis, int *sizes);

extern int xmp_nodes_ndims(xmp_desc_t nodes, int *count);
extern int xmp_nodes_index(xmp_desc_t nodes, int axis, int *index);
extern int xmp_nodes_size(xmp_desc_t nodes, int axis, int *size);
extern int xmp_nodes_rank(xmp_desc_t nodes, int *rank);
extern int xmp_nodes_equiv(xmp_desc_t nodes, xmp_desc_t *whole, int lower[], int upper[], int step[]);

/* b[i][j] = a[j][i]; `option` says whether `a` may be overwritten, and has no effect. */
extern void xmp_transpose(xmp_desc_t b, xmp_desc_t a, int option);
extern void xmp_matmul(xmp_desc_t x, xmp_desc_t a, xmp_desc_t b); /* x = a * b */
extern void xmp_sort_up(xmp_desc_t from, xmp_desc_t to);
extern void xmp_sort_down(xmp_desc_t from, xmp_desc_t to);
extern void xmp_gather(xmp_desc_t x, xmp_desc_t a, ...);  /* an index array for each axis of a: x[i] = a[index[i]] */
extern void xmp_scatter(xmp_desc_t x, xmp_desc_t a, ...); /* an index array for each axis of x: x[index[i]] = a[i] */
extern void xmp_pack(xmp_desc_t v, xmp_desc_t a, xmp_desc_t mask);
extern void xmp_unpack(xmp_desc_t a, xmp_desc_t v, xmp_desc_t mask);

extern void xmp_sync_memory(const int *status);
extern void xmp_sync_all(const int *status);
extern void xmp_sync_image(int image, int *status);
extern void xmp_sync_images(int count, int *images, int *status);
extern void xmp_sync_images_all(int *status);
#ifdef __cplusplus
}
#endif
#endif
