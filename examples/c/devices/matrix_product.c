/* Product of two matrices on a device: the two outer loops form one iteration space (collapse). */
#include <stdio.h>
#include <stdlib.h>

#define N 192

static double a[N][N], b[N][N], c[N][N];

int main(void) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      a[i][j] = (i * 7 + j * 3) % 11 - 5;
      b[i][j] = (i * 5 + j * 2) % 13 - 6;
    }
  }
#pragma omp target teams distribute parallel for collapse(2) map(to : a, b) map(from : c)
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      double sum = 0.0;
      for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
  }
  /* Freivalds' check (1979) with several vectors: (AB)x = A(Bx). All numbers are small integers, so that
     the products are exact. */
  for (int round = 1; round <= 4; round++) {
    double x[N], bx[N];
    for (int i = 0; i < N; i++) x[i] = (i * round) % 17 - 8;
    for (int i = 0; i < N; i++) {
      bx[i] = 0.0;
      for (int j = 0; j < N; j++) bx[i] += b[i][j] * x[j];
    }
    for (int i = 0; i < N; i++) {
      double left = 0.0, right = 0.0;
      for (int j = 0; j < N; j++) {
        left += c[i][j] * x[j];
        right += a[i][j] * bx[j];
      }
      if (left != right) {
        fprintf(stderr, "row %d is wrong: %g, expected %g\n", i, left, right);
        return EXIT_FAILURE;
      }
    }
  }
  printf("matrix product: %d by %d, the corner is %g\n", N, N, c[N - 1][N - 1]);
  return EXIT_SUCCESS;
}
