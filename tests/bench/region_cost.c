/* What a region on a GPU costs by itself: the least and the median of 60 runs, in microseconds. The first run of each compiles it
   and moves the data. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#define RUNS 60
static int order(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b; return (x > y) - (x < y); }
static void report(const char *name, double *times) {
  qsort(times, RUNS, sizeof *times, order);
  printf("%-26s least %7.1f us, median %7.1f us\n", name, 1e6 * times[0], 1e6 * times[RUNS / 2]);
}
int main(void) {
  double times[RUNS];
  int n = 1 << 24, sum = 0;
  float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  if (!x || !y) return 1;
  for (int i = 0; i < n; i++) x[i] = y[i] = 1;
  for (int run = 0; run < RUNS; run++) {
    times[run] = omp_get_wtime();
#pragma omp parallel num_threads(32)
    { if (omp_get_thread_num() < 0) x[0] = 2; }
    times[run] = omp_get_wtime() - times[run];
  }
  report("32 threads", times);
  for (int run = 0; run < RUNS; run++) {
    times[run] = omp_get_wtime();
#pragma omp parallel num_threads(33792)
    { if (omp_get_thread_num() < 0) x[0] = 2; }
    times[run] = omp_get_wtime() - times[run];
  }
  report("33792 threads", times);
  for (int run = 0; run < RUNS; run++) {
    times[run] = omp_get_wtime();
#pragma omp parallel
    { if (omp_get_thread_num() < 0) x[0] = 2; }
    times[run] = omp_get_wtime() - times[run];
  }
  report("all threads", times);
  for (int run = 0; run < RUNS; run++) {
    times[run] = omp_get_wtime();
#pragma omp parallel
    {
      if (omp_get_thread_num() < 0) x[0] = 2;
#pragma omp barrier
      if (omp_get_thread_num() < 0) x[0] = 2;
#pragma omp barrier
    }
    times[run] = omp_get_wtime() - times[run];
  }
  report("two barriers, all threads", times);
  for (int run = 0; run < RUNS; run++) {
    times[run] = omp_get_wtime();
#pragma omp parallel for
    for (int i = 0; i < 1000; i++) { if (i < 0) x[0] = 2; }
    times[run] = omp_get_wtime() - times[run];
  }
  report("no array, 1000", times);
  for (int run = 0; run < RUNS; run++) {
    times[run] = omp_get_wtime();
#pragma omp parallel for
    for (int i = 0; i < 1000; i++) y[i] += x[i];
    times[run] = omp_get_wtime() - times[run];
  }
  report("two arrays, 1000", times);
  for (int run = 0; run < RUNS; run++) {
    times[run] = omp_get_wtime();
#pragma omp parallel for
    for (int i = 0; i < n; i++) y[i] += 2 * x[i];
    times[run] = omp_get_wtime() - times[run];
  }
  report("two arrays, 2^24", times);
  for (int run = 0; run < RUNS; run++) {
    times[run] = omp_get_wtime();
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) y[i] += 2 * x[i];
    times[run] = omp_get_wtime() - times[run];
  }
  report("static, 2^24", times);
  for (int run = 0; run < RUNS; run++) {
    times[run] = omp_get_wtime();
#pragma omp parallel
#pragma omp for
    for (int i = 0; i < n; i++) y[i] += 2 * x[i];
    times[run] = omp_get_wtime() - times[run];
  }
  report("two arrays, 2^24, team", times);
  for (int run = 0; run < RUNS; run++) {
    times[run] = omp_get_wtime();
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 1000; i++) sum += (int)x[i];
    times[run] = omp_get_wtime() - times[run];
  }
  report("reduction, 1000", times);
  for (int run = 0; run < RUNS; run++) {
    times[run] = omp_get_wtime();
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += (int)x[i];
    times[run] = omp_get_wtime() - times[run];
  }
  report("reduction, 2^24", times);
  return sum > 0 ? 0 : 1;
}
