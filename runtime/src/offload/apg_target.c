/* Support of edited C programs: the functions of apg_target.h. The runtime sets its table in front of `main`. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "apg_target.h"

/* The system's routine; the header of the OpenMP library need not be there. */
extern int omp_get_default_device(void);

struct apg_target_functions {
  int (*region)(const struct apg_site *, long, const void *, const struct apg_map *, unsigned,
                const struct apg_captured *, unsigned);
  int (*enter)(const struct apg_site *, long, struct apg_map *, unsigned);
  int (*exit)(const struct apg_site *, long, const struct apg_map *, unsigned);
  int (*update)(const struct apg_site *, long, const struct apg_map *, unsigned);
  void *(*device_pointer)(long, void *);
  int (*device_count)(void);
  void *(*allocate)(unsigned long, long);
  void (*free)(void *, long);
  int (*copy)(void *, const void *, unsigned long, long, long);
  int (*associate)(const void *, const void *, unsigned long, long);
  int (*disassociate)(const void *, long);
  void *(*lend)(const struct apg_site *, long, const struct apg_map *, unsigned, const struct apg_captured *, unsigned);
  void (*take_back)(const struct apg_site *, void *);
  void (*written)(long);
  void (*failed)(const char *);
};

#define EXPORTED __attribute__((visibility("default")))
EXPORTED const struct apg_target_functions *apg_target_runtime = NULL;
EXPORTED const struct apg_global *apg_target_globals = NULL;

extern int main(int, char **, char **);
EXPORTED int apg_target_main(int count, char **values, char **environment) { return main(count, values, environment); }

void apg_add_global(struct apg_global *global) {
  global->next = apg_target_globals;
  apg_target_globals = global;
}

/* Constructors run before there is a runtime: on the host. */
#define CALL(name, otherwise, ...) (apg_target_runtime ? apg_target_runtime->name(__VA_ARGS__) : (otherwise))

int omp_get_num_devices(void) { return apg_target_runtime ? apg_target_runtime->device_count() : 0; }
int omp_get_initial_device(void) { return omp_get_num_devices(); }
int omp_get_device_num(void) { return omp_get_initial_device(); }
long apg_default_device(void) { return omp_get_default_device(); }
long apg_device_if(int condition, long device) { return condition ? device : -1; }
int apg_is_device(long device) { return device >= 0 && device < omp_get_num_devices(); }

int apg_target_region(const struct apg_site *site, long device, const void *kernel, const struct apg_map *maps,
                      unsigned map_count, const struct apg_captured *captures, unsigned capture_count) {
  return CALL(region, 0, site, device, kernel, maps, map_count, captures, capture_count);
}
int apg_target_enter(const struct apg_site *site, long device, struct apg_map *maps, unsigned count) {
  return CALL(enter, 0, site, device, maps, count);
}
int apg_target_exit(const struct apg_site *site, long device, const struct apg_map *maps, unsigned count) {
  return CALL(exit, 0, site, device, maps, count);
}
int apg_target_update(const struct apg_site *site, long device, const struct apg_map *maps, unsigned count) {
  return CALL(update, 0, site, device, maps, count);
}
void *apg_target_lend(const struct apg_site *site, long device, const struct apg_map *maps, unsigned map_count,
                      const struct apg_captured *pointers, unsigned pointer_count) {
  return CALL(lend, NULL, site, device, maps, map_count, pointers, pointer_count);
}
void apg_target_take_back(const struct apg_site *site, void *lent) {
  if (lent) apg_target_runtime->take_back(site, lent);
}
void *apg_device_pointer(long device, const void *pointer) {
  return CALL(device_pointer, (void *)pointer, device, (void *)pointer);
}

void apg_target_written(long device) {
  if (apg_target_runtime) apg_target_runtime->written(device);
}
/* The C library's: what messages of assertions begin with. */
extern char *program_invocation_short_name;
void apg_check_failed(const char *what, long index, long least, long greatest) {
  char text[4096];
  snprintf(text, sizeof(text), "%s: index %ld is outside of its elements %ld to %ld", what, index, least, greatest);
  apg_target_runtime->failed(text);
}
void apg_target_ended(const int *ended, const char *const *messages) {
  switch (ended[0]) {
    case 1: exit(ended[1]);
    case 2: abort();
    case 3:
      fprintf(stderr, "%s: %s\n", program_invocation_short_name, messages[ended[1]]);
      abort();
    case 4: _Exit(ended[1]);
    case 5:
      fprintf(stderr, "error: %s\n", messages[ended[1]]);
      exit(1);
    case 6: {
      long details[3];
      memcpy(details, ended + 2, sizeof(details));
      apg_check_failed(messages[ended[1]], details[0], details[1], details[2]);
    }
  }
}

static int is_host(int device) { return device == -1 || device == omp_get_num_devices(); }

void *omp_target_alloc(size_t bytes, int device) {
  if (bytes == 0) return NULL;
  return is_host(device) ? malloc(bytes) : CALL(allocate, NULL, bytes, device);
}
void omp_target_free(void *pointer, int device) {
  if (is_host(device)) free(pointer);
  else if (pointer) apg_target_runtime->free(pointer, device);
}
void *omp_get_mapped_ptr(const void *pointer, int device) {
  if (!pointer || is_host(device)) return (void *)pointer;
  void *copy = apg_device_pointer(device, pointer);
  return copy == pointer ? NULL : copy;
}
int omp_target_is_present(const void *pointer, int device) { return omp_get_mapped_ptr(pointer, device) != NULL; }
int omp_target_memcpy(void *target, const void *source, size_t bytes, size_t target_offset, size_t source_offset,
                      int target_device, int source_device) {
  char *to = (char *)target + target_offset;
  const char *from = (const char *)source + source_offset;
  if (!apg_target_runtime) { memmove(to, from, bytes); return 0; }
  return apg_target_runtime->copy(to, from, bytes, target_device, source_device);
}
/* Copies a rectangle row by row. */
int omp_target_memcpy_rect(void *target, const void *source, size_t element, int dimensions, const size_t *volume,
                           const size_t *target_offsets, const size_t *source_offsets,
                           const size_t *target_extents, const size_t *source_extents, int target_device,
                           int source_device) {
  /* Without memory: how many dimensions there may be. */
  if (!target && !source) return 32767;
  if (dimensions < 1) return 1;
  size_t target_row = element, source_row = element;
  for (int axis = 1; axis < dimensions; ++axis) {
    target_row *= target_extents[axis];
    source_row *= source_extents[axis];
  }
  char *to = (char *)target + target_offsets[0] * target_row;
  const char *from = (const char *)source + source_offsets[0] * source_row;
  if (dimensions == 1) return omp_target_memcpy(to, from, volume[0] * element, 0, 0, target_device, source_device);
  for (size_t row = 0; row < volume[0]; ++row) {
    int status = omp_target_memcpy_rect(to + row * target_row, from + row * source_row, element, dimensions - 1,
                                        volume + 1, target_offsets + 1, source_offsets + 1, target_extents + 1,
                                        source_extents + 1, target_device, source_device);
    if (status) return status;
  }
  return 0;
}
int omp_target_associate_ptr(const void *host, const void *copy, size_t bytes, size_t offset, int device) {
  return is_host(device) ? 1 : CALL(associate, 1, host, (const char *)copy + offset, bytes, device);
}
int omp_target_disassociate_ptr(const void *host, int device) {
  return is_host(device) ? 1 : CALL(disassociate, 1, host, device);
}
