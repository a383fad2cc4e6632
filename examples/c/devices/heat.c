/* Heat equation on a device: Jacobi iteration on a square plate, which stays there for all steps; each step
   gives the host its largest change. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 128
#define STEPS 100

static double old_plate[N][N], new_plate[N][N];

/* One step; the largest change of a cell. */
static double step(double from[N][N], double to[N][N]) {
  double change = 0.0;
#pragma omp target teams distribute parallel for collapse(2) reduction(max : change) map(to : from[0 : N]) \
    map(tofrom : to[0 : N])
  for (int i = 1; i < N - 1; i++) {
    for (int j = 1; j < N - 1; j++) {
      to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
      double difference = fabs(to[i][j] - from[i][j]);
      if (difference > change) change = difference;
    }
  }
  return change;
}

/* The same without directives, as the reference. */
static double step_serially(double from[N][N], double to[N][N]) {
  double change = 0.0;
  for (int i = 1; i < N - 1; i++) {
    for (int j = 1; j < N - 1; j++) {
      to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
      double difference = fabs(to[i][j] - from[i][j]);
      if (difference > change) change = difference;
    }
  }
  return change;
}

static void heat_edge(double plate[N][N]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) plate[i][j] = i == 0 ? 100.0 : 0.0;
  }
}

/* The sum of all cells and the last change after all steps. */
static void run(double (*one)(double[N][N], double[N][N]), int is_on_device, double *sum, double *change) {
  heat_edge(old_plate);
  heat_edge(new_plate);
#pragma omp target data map(tofrom : old_plate) map(to : new_plate) if (is_on_device)
  for (int n = 0; n < STEPS; n += 2) {
    one(old_plate, new_plate);
    *change = one(new_plate, old_plate);
  }
  *sum = 0.0;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) *sum += old_plate[i][j];
  }
}

int main(void) {
  double sum, change, expected_sum, expected_change;
  run(step, 1, &sum, &change);
  run(step_serially, 0, &expected_sum, &expected_change);
  if (sum != expected_sum || change != expected_change) {
    fprintf(stderr, "sum %.17g and change %.17g, expected %.17g and %.17g\n", sum, change, expected_sum,
            expected_change);
    return EXIT_FAILURE;
  }
  printf("heat: the sum is %.6f after %d steps, the last change %.6f\n", sum, STEPS, change);
  return EXIT_SUCCESS;
}
