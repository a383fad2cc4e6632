/* Parallel regions, as a driver is asked for them: the kernels of the fake do nothing. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 100000

static double *at_file_scope;
static const char *text = "of the program";
static int counts[8];

static void loop(int n, double *x) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] += counts[i % 8];
}

static void team(double *x) {
#pragma omp parallel
  {
#pragma omp single
    x[0] = at_file_scope[0] + text[0];
  }
}

int main(int count, char **words) {
  int regions = count > 1 ? atoi(words[1]) : 1;
  double *x = malloc(N * sizeof *x);
  if (x == NULL) return 1;
  memset(x, 0, N * sizeof *x);
  at_file_scope = x;
  for (int i = 0; i < regions; i++) loop(N, x);
  for (int i = 0; i < regions; i++) team(x);
  free(x);
  printf("%d regions\n", 2 * regions);
  return 0;
}
