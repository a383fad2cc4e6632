/* Histogram of pseudo-random numbers: each thread counts in bins of its own, which a critical section adds
   up; a second one counts in shared bins with atomic updates. */
#include <stdio.h>
#include <stdlib.h>

#define NUMBERS 1000000
#define BINS 64

static unsigned char values[NUMBERS];
static long by_threads[BINS], by_atomics[BINS];

int main(void) {
  unsigned state = 1;
  for (int i = 0; i < NUMBERS; i++) {
    state = state * 1664525u + 1013904223u; /* Numerical Recipes' generator */
    values[i] = (unsigned char)(state >> 26);
  }
#pragma omp parallel
  {
    long own[BINS] = {0};
#pragma omp for nowait
    for (int i = 0; i < NUMBERS; i++) own[values[i]]++;
#pragma omp critical(add_up)
    for (int bin = 0; bin < BINS; bin++) by_threads[bin] += own[bin];
  }
#pragma omp parallel for schedule(static, 4096)
  for (int i = 0; i < NUMBERS; i++) {
#pragma omp atomic
    by_atomics[values[i]]++;
  }
  long total = 0, largest = 0;
  for (int bin = 0; bin < BINS; bin++) {
    if (by_threads[bin] != by_atomics[bin]) {
      fprintf(stderr, "bin %d has %ld and %ld\n", bin, by_threads[bin], by_atomics[bin]);
      return EXIT_FAILURE;
    }
    total += by_threads[bin];
    if (by_threads[bin] > largest) largest = by_threads[bin];
  }
  if (total != NUMBERS) {
    fprintf(stderr, "%ld of %d numbers were counted\n", total, NUMBERS);
    return EXIT_FAILURE;
  }
  printf("histogram: %d numbers, the largest bin has %ld\n", NUMBERS, largest);
  return EXIT_SUCCESS;
}
