/* Parallel regions on a device: the functions of apg_parallel.h. */
struct apg_parallel_functions {
  int (*region)(const struct apg_site *, long, int, unsigned long, int, long, const void *, const struct apg_object *, unsigned,
                void *const *, unsigned);
  int (*threads)(void);
};
EXPORTED const struct apg_parallel_functions *apg_parallel_runtime = NULL;

EXPORTED struct apg_moved *apg_moved_arrays = NULL;

/* The routines of the system's library, which the header of the program does not name. */
extern void library_set_num_threads(int) __asm__("omp_set_num_threads");
extern int library_get_max_threads(void) __asm__("omp_get_max_threads");
extern void omp_get_schedule(int *, int *);
extern int omp_in_parallel(void);

static int is_parallel, requested_threads;

void apg_use_parallel(void) { is_parallel = 1; }

void apg_parallel_failed(const char *message) {
  /* Other threads, which may fail as well, wait for the end. */
  static int has_failed;
  if (__atomic_exchange_n(&has_failed, 1, __ATOMIC_SEQ_CST)) for (;;) pause();
  fprintf(stderr, "error: %s\n", message);
  exit(1);
}

void apg_add_private(struct apg_private *object, void *address) {
  object->master = address;
  object->stride = (object->bytes + 63) & ~63l;
  object->initial = malloc(object->bytes);
  if (!object->initial) abort();
  memcpy(object->initial, address, object->bytes);
}

void apg_add_moved(struct apg_moved *array) {
  array->next = apg_moved_arrays;
  apg_moved_arrays = array;
}

void omp_set_num_threads(int threads) {
  if (threads > 0) requested_threads = threads;
  library_set_num_threads(threads);
}

/* What the program or its environment asks for; 0: as many as the device has. */
static int threads_asked_for(void) {
  if (requested_threads) return requested_threads;
  return getenv("OMP_NUM_THREADS") ? library_get_max_threads() : 0;
}
int omp_get_max_threads(void) {
  int threads = is_parallel && apg_parallel_runtime ? threads_asked_for() : 0;
  if (threads) return threads;
  /* The host runs some regions. */
  int of_host = library_get_max_threads();
  threads = is_parallel && apg_parallel_runtime ? apg_parallel_runtime->threads() : 0;
  return threads > of_host ? threads : of_host;
}

int apg_parallel_region(const struct apg_site *site, int condition, long threads, int waits, unsigned long iterations,
                        const void *kernel, const struct apg_object *objects, unsigned object_count, void *const *values, unsigned count) {
  /* One thread alone is the host's, and so is a region inside of one of the host. */
  if (!condition || !apg_parallel_runtime || omp_in_parallel()) return 0;
  int schedule = 0, chunk = 0;
  omp_get_schedule(&schedule, &chunk);
  if (threads <= 0) threads = threads_asked_for();
  return apg_parallel_runtime->region(site, threads, waits, iterations, schedule, chunk, kernel, objects, object_count, values,
                                      count);
}
