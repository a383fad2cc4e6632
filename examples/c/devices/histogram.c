/* Histogram of pseudo-random numbers on a device: all threads count in shared bins with atomic updates; then each
   bin is counted again by a team of its own. */
#include <stdio.h>
#include <stdlib.h>

#define NUMBERS 1000000
#define BINS 64

static unsigned char values[NUMBERS];
static int by_atomics[BINS], by_teams[BINS];

int main(void) {
  unsigned state = 1;
  for (int i = 0; i < NUMBERS; i++) {
    state = state * 1664525u + 1013904223u; /* Numerical Recipes' generator */
    values[i] = (unsigned char)(state >> 26);
  }
#pragma omp target data map(to : values) map(tofrom : by_atomics) map(from : by_teams)
  {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < NUMBERS; i++) {
#pragma omp atomic
      by_atomics[values[i]]++;
    }
#pragma omp target teams distribute
    for (int bin = 0; bin < BINS; bin++) {
      int count = 0;
#pragma omp parallel for reduction(+ : count)
      for (int i = 0; i < NUMBERS; i++) count += values[i] == bin;
      by_teams[bin] = count;
    }
  }
  long total = 0, largest = 0;
  for (int bin = 0; bin < BINS; bin++) {
    if (by_teams[bin] != by_atomics[bin]) {
      fprintf(stderr, "bin %d has %d and %d\n", bin, by_teams[bin], by_atomics[bin]);
      return EXIT_FAILURE;
    }
    total += by_teams[bin];
    if (by_teams[bin] > largest) largest = by_teams[bin];
  }
  if (total != NUMBERS) {
    fprintf(stderr, "%ld of %d numbers were counted\n", total, NUMBERS);
    return EXIT_FAILURE;
  }
  printf("histogram: %d numbers, the largest bin has %ld\n", NUMBERS, largest);
  return EXIT_SUCCESS;
}
