/* Device constructs of OpenMP as calls: what an edited C program and the runtime exchange. Each function
   returns 1 if the device has done it, and 0 on the host. */
#ifndef APG_TARGET_H
#define APG_TARGET_H
struct apg_site { const char *file, *directive; unsigned line; };
/* A mapped range: bits of its kind are those below; `pointer` is the pointer whose copy is to point to it. */
struct apg_map { const char *name; void *address; unsigned long bytes; void *pointer; unsigned kind; };
enum {
  APG_TO = 1, APG_FROM = 2, APG_ALWAYS = 4, APG_DELETE = 8, APG_MEMBER = 16, APG_PRESENT = 32, APG_CONTAINER = 64
};
/* What a region refers to outside of it; `map` is the index of the map that names it, or -1. */
struct apg_captured { const char *name; const void *address; unsigned kind; int map; };
enum { APG_VALUE, APG_OBJECT, APG_POINTER, APG_USED_POINTER, APG_RANGES, APG_DEVICE };
/* An object with a copy on every device. */
struct apg_global { void *address; unsigned long bytes; const struct apg_global *next; };
/* An object of file scope that functions name which regions call. */
struct apg_object_of_file { void *address; unsigned long bytes; };
#pragma GCC visibility push(hidden)
long apg_default_device(void);
/* The host, if a condition is false. */
long apg_device_if(int condition, long device);
/* Whether it is the number of a device that exists, not of the host. */
int apg_is_device(long device);
void apg_add_global(struct apg_global *global);
int apg_target_region(const struct apg_site *site, long device, const void *kernel, const struct apg_map *maps,
                      unsigned map_count, const struct apg_captured *captures, unsigned capture_count);
/* It notes in the maps of sections without elements whether there is anything for `apg_target_exit` to end. */
int apg_target_enter(const struct apg_site *site, long device, struct apg_map *maps, unsigned count);
int apg_target_exit(const struct apg_site *site, long device, const struct apg_map *maps, unsigned count);
int apg_target_update(const struct apg_site *site, long device, const struct apg_map *maps, unsigned count);
/* Gives the host the values that the device has, for a region that the device cannot run, until they are
   taken back. */
void *apg_target_lend(const struct apg_site *site, long device, const struct apg_map *maps, unsigned map_count,
                      const struct apg_captured *pointers, unsigned pointer_count);
void apg_target_take_back(const struct apg_site *site, void *lent);
void *apg_device_pointer(long device, const void *pointer);
/* Writes what code on a device has printed. */
void apg_target_written(long device);
/* Ends the program if code on a device has requested it: how, and the status or the number of a message; behind them, of an
   index outside of its bounds, that and the least and the greatest one, 64 bits each. */
void apg_target_ended(const int *ended, const char *const *messages);
/* Ends the program for an index outside of its bounds: the place and the expression. */
void apg_check_failed(const char *what, long index, long least, long greatest);
#pragma GCC visibility pop
/* The routines of devices are the runtime's, not the OpenMP library's (OpenMP 5.2, section 18.8). */
#define omp_get_num_devices apg_omp_get_num_devices
#define omp_get_initial_device apg_omp_get_initial_device
#define omp_get_device_num apg_omp_get_device_num
#define omp_target_alloc apg_omp_target_alloc
#define omp_target_free apg_omp_target_free
#define omp_target_is_present apg_omp_target_is_present
#define omp_target_memcpy apg_omp_target_memcpy
#define omp_target_memcpy_rect apg_omp_target_memcpy_rect
#define omp_target_associate_ptr apg_omp_target_associate_ptr
#define omp_target_disassociate_ptr apg_omp_target_disassociate_ptr
#define omp_get_mapped_ptr apg_omp_get_mapped_ptr
#endif
