#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000
#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); failures++; } } while (0)

static int failures;
static long counts[256];

/* Arrays of which each thread has a copy. */
static void small_arrays(void) {
  int sums[4] = {1, 2, 3, 4}, low[3] = {900, 900, 900};
  double product[2] = {1, 2};
  unsigned bits[2] = {0, 0xff}, masks[2] = {7, 0xff};
  #pragma omp target teams distribute parallel for reduction(+: sums) reduction(min: low)
  for (int i = 0; i < N; i++) {
    int *own = &sums[i % 4];
    *own += i;
    if (i - 5 < low[i % 3]) low[i % 3] = i - 5;
  }
  int expected[4] = {1, 2, 3, 4};
  for (int i = 0; i < N; i++) expected[i % 4] += i;
  for (int i = 0; i < 4; i++) CHECK(sums[i] == expected[i]);
  CHECK(low[0] == -5 && low[1] == -4 && low[2] == -3);
  #pragma omp target parallel for reduction(*: product) reduction(|: bits[:1]) reduction(&: masks[1:])
  for (int i = 0; i < 20; i++) {
    product[i % 2] *= i < 8 ? 2 : 1;
    bits[0] |= 1u << (i % 6);
    masks[1] &= ~(1u << (i % 3));
  }
  CHECK(product[0] == 16 && product[1] == 32 && bits[0] == 63 && masks[1] == 0xf8 && masks[0] == 7);
}

/* Sections of what pointers lead to. */
static void sections(int n, int *values, double *sums) {
  #pragma omp target teams distribute parallel for map(to: values[0:N]) reduction(+: sums[0:n])
  for (int i = 0; i < N; i++) sums[values[i] % n] += values[i];
  #pragma omp target teams distribute parallel for map(to: values[0:N]) map(tofrom: sums[0:8]) reduction(+: sums[2:3])
  for (int i = 0; i < N; i++) {
    double *three = sums + 2;
    three[i % 3] += 1;
  }
  #pragma omp target teams distribute parallel for map(to: values[0:N]) reduction(+: counts)
  for (int i = 0; i < N; i++) counts[values[i] & 255]++;
}

static void nested_results(void) {
  int table[3][4] = {{0}};
  #pragma omp target teams distribute parallel for collapse(2) reduction(+: table)
  for (int i = 0; i < 60; i++)
    for (int j = 0; j < 4; j++) table[i % 3][j] += j;
  for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) CHECK(table[i][j] == 20 * j);
}

/* Last values, and values that follow the iterations. */
static void last_values(void) {
  int k, x = 3, y = 10, z = 7, squares[N];
  double step = 0.5, kept[N];
  #pragma omp target map(from: squares) map(tofrom: k, z)
  #pragma omp parallel for lastprivate(k) firstprivate(z) lastprivate(z)
  for (k = 2; k < N; k += 3) {
    squares[k] = k * k + z;
    if (k >= N - 3) z = k;
  }
  int last = 2;
  while (last < N) last += 3;
  CHECK(k == last && z == last - 3 && squares[2] == 11);
  #pragma omp target simd linear(y: 2) map(from: squares)
  for (int i = 0; i < 100; i++) {
    squares[i] = y;
    y += 2;
  }
  CHECK(y == 210 && squares[0] == 10 && squares[99] == 208);
  int i;
  #pragma omp target parallel for simd linear(i) map(from: kept)
  for (i = 0; i < N; i++) kept[i] = i * step + x;
  CHECK(i == N && kept[N - 1] == (N - 1) * 0.5 + 3);
}

/* One team of several threads. */
static void one_team(void) {
  int a[N], b[N], total = 0, turns = 0, done = 0, order[4] = {0}, threads = 0;
  #pragma omp target parallel num_threads(64) map(tofrom: a, b, total, turns, done, order, threads)
  {
    int own = omp_get_thread_num();
    #pragma omp single
    threads = omp_get_num_threads();
    #pragma omp for
    for (int i = 0; i < N; i++) a[i] = i;
    for (int round = 0; round < 3; round++) {
      #pragma omp for
      for (int i = 0; i < N; i++) b[i] = a[N - 1 - i] + round;
      #pragma omp for nowait
      for (int i = 0; i < N; i++) a[i] = b[i];
      #pragma omp barrier
    }
    #pragma omp for reduction(+: total)
    for (int i = 0; i < N; i++) total += a[i] - b[i] + 1;
    #pragma omp critical
    turns++;
    #pragma omp sections
    {
      #pragma omp section
      order[0] = 1;
      #pragma omp section
      order[1] = 2;
    }
    #pragma omp master
    order[2] = own + 3;
    #pragma omp atomic
    done++;
  }
  CHECK(threads >= 1 && threads <= 64 && turns == threads && done == threads);
  CHECK(total == N && order[0] == 1 && order[1] == 2 && order[2] == 3);
  for (int i = 0; i < N; i++) CHECK(a[i] == N - 1 - i + 0 + 2 - 1 + 2);
  int sum = 0;
  #pragma omp target parallel reduction(+: sum)
  sum += omp_get_thread_num() == 0 ? 5 : 0;
  CHECK(sum == 5);
}

int main(int count, char **words) {
  int values[N];
  double sums[8] = {0}, expected[8] = {0};
  for (int i = 0; i < N; i++) values[i] = 7 * i % 311;
  small_arrays();
  sections(8, values, sums);
  for (int i = 0; i < N; i++) {
    expected[values[i] % 8] += values[i];
    expected[2 + i % 3] += 1;
    counts[values[i] & 255]--;
  }
  for (int i = 0; i < 8; i++) CHECK(sums[i] == expected[i]);
  for (int i = 0; i < 256; i++) CHECK(counts[i] == 0);
  nested_results();
  last_values();
  one_team();
  printf("%s: %d failures, devices: %s\n", count > 1 ? words[1] : "-", failures, omp_get_num_devices() ? "some" : "none");
  return failures != 0;
}
