/* Parallel regions that run on a device: what an edited C program and the runtime exchange. */
#ifndef APG_PARALLEL_H
#define APG_PARALLEL_H
/* What kernels name by an index; the kind is 1 for the address of an apg_private, 2 for a lock of regions
   alone, 3 for the address of the pointer to an array that is moved. words: the first words of an object with pointers. */
struct apg_object { const void *address; unsigned kind, words; };
/* A threadprivate object: that of the initial thread, those of the others, their distance and size, its first value. */
struct apg_private { void *master, *copies; long stride; unsigned long bytes; void *initial; };
/* An array that the program uses by a pointer, which the runtime changes in front of `main`. */
struct apg_moved { void **at; unsigned long bytes; struct apg_moved *next; };
/* An operand or the result of a function that a region calls on the host. */
union apg_word { unsigned long bits; double number; };
#pragma GCC visibility push(hidden)
/* The regions of the program run on a device: routines answer accordingly. */
void apg_use_parallel(void);
/* A thread of a region cannot go on: ends the program with an error. */
void apg_parallel_failed(const char *message) __attribute__((noreturn));
void apg_add_private(struct apg_private *object, void *address);
void apg_add_moved(struct apg_moved *array);
/* Runs a region; 0 if the host is to run it. `threads`: the value of the clause, or 0. waits: 1 if its threads wait for each other
   inside of it, and 2 if they may exclude those of other regions (critical, atomic, locks). iterations: of a loop whose threads cannot tell how many they are, about how many; 0: not known; -1: no such loop. */
int apg_parallel_region(const struct apg_site *site, int condition, long threads, int waits, unsigned long iterations,
                        const void *kernel, const struct apg_object *objects, unsigned object_count, void *const *values, unsigned count);
#pragma GCC visibility pop
/* About how many iterations a loop has; not 0. */
static inline unsigned long apg_iterations(long first, long last, long step) {
  unsigned long distance = last > first ? (unsigned long)last - (unsigned long)first : (unsigned long)first - (unsigned long)last;
  unsigned long by = step < 0 ? 0ul - (unsigned long)step : (unsigned long)step;
  return by > 1 ? distance / by + 1 : distance > 0 ? distance : 1;
}
/* The number of threads is that of the device. */
#define omp_set_num_threads apg_omp_set_num_threads
#define omp_get_max_threads apg_omp_get_max_threads
#endif
