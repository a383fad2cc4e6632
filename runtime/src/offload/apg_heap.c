/* The heap of a program whose parallel regions run on a device: `malloc` and the like of its objects give memory that the
   device reaches. The linker names them (--wrap of ld); memory of the C library itself is released by the C library. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

struct apg_heap_functions {
  void *(*allocate)(size_t alignment, size_t bytes);
  int (*release)(void *);
  size_t (*size)(void *);
};
/* The runtime sets it in front of `main` where there is a GPU. */
__attribute__((visibility("default"))) const struct apg_heap_functions *apg_heap_runtime = NULL;

extern void *__real_malloc(size_t), *__real_calloc(size_t, size_t), *__real_realloc(void *, size_t);
extern void *__real_memalign(size_t, size_t);
extern void __real_free(void *);
extern size_t __real_malloc_usable_size(void *);
extern ssize_t __real_getdelim(char **, size_t *, int, FILE *);

static void *shared(size_t alignment, size_t bytes) { return apg_heap_runtime ? apg_heap_runtime->allocate(alignment, bytes) : NULL; }
static size_t shared_size(void *it) { return apg_heap_runtime && it ? apg_heap_runtime->size(it) : 0; }

void *__wrap_malloc(size_t bytes) {
  void *made = shared(0, bytes);
  return made ? made : __real_malloc(bytes);
}
void __wrap_free(void *it) {
  if (it && !(apg_heap_runtime && apg_heap_runtime->release(it))) __real_free(it);
}
void *__wrap_calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) { errno = ENOMEM; return NULL; }
  void *made = shared(0, bytes);
  return made ? memset(made, 0, bytes) : __real_calloc(count, size);
}
void *__wrap_realloc(void *it, size_t bytes) {
  if (!it) return __wrap_malloc(bytes);
  const size_t size = shared_size(it);
  if (!size) return __real_realloc(it, bytes);
  if (!bytes) { __wrap_free(it); return NULL; }
  void *made = __wrap_malloc(bytes);
  if (!made) return NULL;
  memcpy(made, it, size < bytes ? size : bytes);
  __wrap_free(it);
  return made;
}
void *__wrap_reallocarray(void *it, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) { errno = ENOMEM; return NULL; }
  return __wrap_realloc(it, bytes);
}
static int is_power_of_two(size_t alignment) { return alignment && !(alignment & (alignment - 1)); }
void *__wrap_memalign(size_t alignment, size_t bytes) {
  void *made = is_power_of_two(alignment) ? shared(alignment, bytes) : NULL;
  return made ? made : __real_memalign(alignment, bytes);
}
void *__wrap_aligned_alloc(size_t alignment, size_t bytes) { return __wrap_memalign(alignment, bytes); }
int __wrap_posix_memalign(void **to, size_t alignment, size_t bytes) {
  if (!is_power_of_two(alignment) || alignment % sizeof(void *)) return EINVAL;
  void *made = __wrap_memalign(alignment, bytes);
  if (!made) return ENOMEM;
  *to = made;
  return 0;
}
size_t __wrap_malloc_usable_size(void *it) {
  const size_t size = shared_size(it);
  return size ? size : __real_malloc_usable_size(it);
}
char *__wrap_strndup(const char *text, size_t most) {
  const size_t bytes = strnlen(text, most);
  char *made = __wrap_malloc(bytes + 1);
  if (!made) return NULL;
  made[bytes] = 0;
  return memcpy(made, text, bytes);
}
char *__wrap_strdup(const char *text) { return __wrap_strndup(text, SIZE_MAX); }
/* The C library enlarges the line: it is given one of its own. */
ssize_t __wrap_getdelim(char **line, size_t *room, int end, FILE *file) {
  if (!line || !room || !shared_size(*line)) return __real_getdelim(line, room, end, file);
  char *own = NULL;
  size_t own_room = 0;
  const ssize_t bytes = __real_getdelim(&own, &own_room, end, file);
  if (own && own_room > *room) {
    char *larger = __wrap_realloc(*line, own_room);
    if (!larger) { __real_free(own); return -1; }
    *line = larger;
    *room = own_room;
  }
  if (bytes >= 0) memcpy(*line, own, bytes + 1);
  __real_free(own);
  return bytes;
}
ssize_t __wrap_getline(char **line, size_t *room, FILE *file) { return __wrap_getdelim(line, room, '\n', file); }
