#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 100
#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); failures++; } } while (0)

static int failures;

#pragma omp declare target
static int counter = 1;
static const int limits[3] = {1, 2, 3};
#pragma omp end declare target

/* Devices have no `long double`: the host runs these regions, on the data that the device has. */
static void values_of_the_device(void) {
  double a[N], b[N];
  for (int i = 0; i < N; i++) a[i] = i, b[i] = 0;
  #pragma omp target data map(tofrom: a) map(from: b)
  {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < N; i++) a[i] += 1;
    if (omp_get_num_devices() > 0) a[0] = 77;
    #pragma omp target
    for (int i = 0; i < N; i++) { long double x = a[i]; b[i] = 2 * x; }
    if (omp_get_num_devices() > 0) CHECK(a[0] == 77 && b[5] == 0);
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < N; i++) b[i] += 1;
  }
  for (int i = 0; i < N; i++) CHECK(a[i] == i + 1 && b[i] == 2 * (i + 1) + 1);
}

static void maps_of_the_region(void) {
  int *p = malloc(N * sizeof *p), x = 3, y = 5, z = 0;
  for (int i = 0; i < N; i++) p[i] = i;
  #pragma omp target map(tofrom: p[0:N], z) map(to: y)
  {
    long double sum = 0;
    for (int i = 0; i < N; i++) { sum += p[i]; p[i] = x + y; }
    x = 9;
    z = sum;
  }
  CHECK(x == 3 && y == 5 && z == N * (N - 1) / 2 && p[7] == 8);
  free(p);
}

struct list { int length; double *data; };

static void attached_pointers(void) {
  struct list l = {N, malloc(N * sizeof(double))};
  double *before = l.data;
  for (int i = 0; i < N; i++) l.data[i] = i;
  #pragma omp target enter data map(to: l, l.data[0:N])
  #pragma omp target
  { long double x = l.length; for (int i = 0; i < l.length; i++) l.data[i] += x; }
  #pragma omp target
  for (int i = 0; i < l.length; i++) l.data[i] += 1;
  #pragma omp target exit data map(from: l.data[0:N]) map(from: l)
  CHECK(l.data == before);
  for (int i = 0; i < N; i++) CHECK(l.data[i] == i + N + 1);
  free(l.data);
}

static void objects_of_all_devices(void) {
  #pragma omp target
  { long double x = limits[2]; counter += x; }
  int seen = 0;
  #pragma omp target map(from: seen)
  seen = counter;
  CHECK(seen == 4);
  #pragma omp target update from(counter)
  CHECK(counter == 4);
}

static void tasks(void) {
  int x = 1;
  #pragma omp parallel num_threads(2)
  #pragma omp single
  {
    #pragma omp task depend(out: x) shared(x)
    x = 2;
    #pragma omp target map(tofrom: x), \
      nowait depend(inout: x)
    { long double y = x; x = y + 3; }
    #pragma omp taskwait
  }
  CHECK(x == 5);
  #pragma omp target if(x < 0) map(tofrom: x)
  { long double y = x; x = 2 * y; }
  CHECK(x == 10);
}

/* The host may use what regions do not reach, and several of its threads may have regions. */
static void regions_of_threads(void) {
  double sums[4] = {0}, total = 0;
  int *used = calloc(N, sizeof *used);
  #pragma omp target enter data map(to: used[0:N], sums, total)
  #pragma omp parallel num_threads(4)
  for (int i = 0; i < 50; i++) {
    int own = omp_get_thread_num();
    #pragma omp target
    { long double x = 1; sums[own] += x; }
    #pragma omp atomic
    used[5]++;
  }
  #pragma omp target parallel for reduction(+: total)
  for (int i = 0; i < 4; i++) { long double x = sums[i]; total += x; }
  CHECK(used[5] == 200);
  #pragma omp target exit data map(from: sums, total) map(delete: used[0:N])
  CHECK(sums[0] == 50 && sums[3] == 50 && total == 200);
  free(used);
}

int main(int count, char **words) {
  values_of_the_device();
  maps_of_the_region();
  attached_pointers();
  objects_of_all_devices();
  tasks();
  regions_of_threads();
  printf("%s: %d failures, devices: %s\n", count > 1 ? words[1] : "-", failures, omp_get_num_devices() ? "some" : "none");
  return failures != 0;
}
