#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "headers/device_objects.h"

#define N 1000
#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); failures++; } } while (0)

static int failures;

#pragma omp declare target
static double factor = 3;
static int table[4] = {1, 2, 3, 4};
int redeclared = 8;
static double scaled(double x) { return 2 * x; }
#pragma omp end declare target

#include "headers/later_objects.h"

struct vector { int length; double *data; double last; };
struct matrix { struct vector *rows; int count; };

static void sections(void) {
  double *a = malloc(N * sizeof *a), b[N];
  for (int i = 0; i < N; i++) a[i] = i, b[i] = -1;
  #pragma omp target teams distribute parallel for map(to: a[100:50]) map(from: b[100:50])
  for (int i = 100; i < 150; i++) b[i] = 2 * a[i];
  for (int i = 0; i < N; i++) CHECK(b[i] == (i >= 100 && i < 150 ? 2 * i : -1));
  free(a);
}

static void empty_sections(int n) {
  double *p = malloc(N * sizeof *p), b[4] = {1, 2, 3, 4};
  int count = -1;
  #pragma omp target map(tofrom: p[0:n], b[0:n]) map(from: count)
  { count = 0; for (int i = 0; i < n; i++) p[i] = b[i], count++; }
  CHECK(count == n && b[3] == 4);
  #pragma omp target enter data map(to: b[0:2])
  #pragma omp target exit data map(release: b[2:2])
  if (omp_get_num_devices() > 0) {
    int device = omp_get_default_device();
    CHECK(omp_target_is_present(b + 1, device) && !omp_target_is_present(b + 2, device));
  }
  #pragma omp target exit data map(release: b[0:2])
  free(p);
}

/* A section without elements holds what contains its address. */
static void holds_of_empty_sections(int n) {
  double a[8] = {0}, *p = a;
  CHECK(p[n] == 0);
  if (omp_get_num_devices() == 0) return;
  int device = omp_get_default_device();
  #pragma omp target enter data map(to: p[0:n])
  CHECK(!omp_target_is_present(a, device));
  #pragma omp target exit data map(from: p[0:n])
  #pragma omp target enter data map(to: a)
  #pragma omp target enter data map(alloc: p[0:n])
  #pragma omp target exit data map(release: a)
  CHECK(omp_target_is_present(a, device));
  #pragma omp target exit data map(release: p[0:n])
  CHECK(!omp_target_is_present(a, device));
  #pragma omp target enter data map(to: a)
  #pragma omp target enter data map(to: a)
  #pragma omp target exit data map(delete: p[2:n])
  CHECK(!omp_target_is_present(a, device));
  #pragma omp target enter data map(to: a)
  #pragma omp target data map(to: p[0:n])
  {
    #pragma omp target exit data map(release: a)
    CHECK(omp_target_is_present(a, device));
  }
  CHECK(!omp_target_is_present(a, device));
  /* What comes later is not held. */
  #pragma omp target data map(to: p[0:n])
  {
    #pragma omp target enter data map(to: a)
  }
  CHECK(omp_target_is_present(a, device));
  #pragma omp target map(tofrom: p[0:n])
  { n += 0; }
  CHECK(omp_target_is_present(a, device));
  #pragma omp target exit data map(release: a)
  CHECK(!omp_target_is_present(a, device));
}

static void arrays_of_variable_length(int n) {
  double a[n], b[2 * n];
  for (int i = 0; i < n; i++) a[i] = i;
  #pragma omp target teams distribute parallel for map(to: a) map(from: b[n:n])
  for (int i = 0; i < n; i++) b[n + i] = 3 * a[i];
  #pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) a[i] += 1;
  for (int i = 0; i < n; i++) CHECK(a[i] == i + 1 && b[n + i] == 3 * i);
}

static void scalars_and_reductions(void) {
  int n = N, changed = 1;
  double sum = 10, total = 1;
  long product = 1;
  #pragma omp target teams distribute parallel for reduction(+: sum)
  for (int i = 0; i < n; i++) sum += i;
  CHECK(sum == 10 + N * (N - 1) / 2);
  #pragma omp target teams distribute parallel for reduction(+: total) defaultmap(to: scalar)
  for (int i = 0; i < n; i++) total += i;
  CHECK(total == 1 + N * (N - 1) / 2);
  #pragma omp target map(tofrom: product)
  { changed = 5; product = n * 2L; }
  CHECK(product == 2 * N && changed == 1);
}

static void data_environments(void) {
  double a[N], *p = a;
  for (int i = 0; i < N; i++) a[i] = i;
  #pragma omp target data map(tofrom: a)
  {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < N; i++) a[i] += 1;
    a[0] = 77;
    #pragma omp target update to(a[0:1])
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < N; i++) p[i] *= 2;
    #pragma omp target update from(a[1:1])
    CHECK(a[1] == 4 && (a[2] == 2 || a[2] == 6));
  }
  CHECK(a[0] == 154 && a[999] == 2000);
}

static void unstructured(void) {
  double *a = malloc(N * sizeof *a);
  for (int i = 0; i < N; i++) a[i] = i;
  #pragma omp target enter data map(to: a[0:N])
  #pragma omp target teams loop
  for (int i = 0; i < N; i++) a[i] = scaled(a[i]);
  #pragma omp target exit data map(from: a[0:N])
  for (int i = 0; i < N; i++) CHECK(a[i] == 2 * i);
  free(a);
}

static void structs(void) {
  struct vector v = {N, malloc(N * sizeof(double)), 0}, *w = &v;
  for (int i = 0; i < N; i++) v.data[i] = i;
  #pragma omp target teams distribute parallel for map(tofrom: v.data[0:N])
  for (int i = 0; i < N; i++) v.data[i] += v.length;
  CHECK(v.data[5] == N + 5 && v.length == N);
  #pragma omp target teams distribute parallel for map(tofrom: v.data[100:50])
  for (int i = 100; i < 150; i++) v.data[i] *= 2;
  CHECK(v.data[99] == N + 99 && v.data[100] == 2 * (N + 100) && v.data[149] == 2 * (N + 149));
  double *before = v.data;
  #pragma omp target enter data map(to: w[0:1], w->data[0:w->length])
  #pragma omp target
  { w->last = w->data[7]; w->data[0] = 9; }
  #pragma omp target exit data map(from: w->data[0:w->length]) map(from: w[0:1])
  CHECK(v.last == N + 7 && v.data[0] == 9 && v.data == before);
  #pragma omp target enter data map(to: w[0:1], w->data[0:N])
  #pragma omp target
  { w->last = w->data[8]; w->data[0] = 8; }
  #pragma omp target exit data map(from: w->data[0:N])
  CHECK(v.data[0] == 8 && v.data == before);
  #pragma omp target exit data map(from: w[0:1])
  CHECK(v.last == N + 8 && v.data == before);
  #pragma omp target enter data map(to: w->data[0:N])
  #pragma omp target exit data map(from: w->data[0:N])
  CHECK(omp_get_num_devices() == 0 || !omp_target_is_present(w, omp_get_default_device()));
  struct matrix m = {malloc(2 * sizeof(struct vector)), 2};
  for (int r = 0; r < 2; r++) m.rows[r] = (struct vector){3, malloc(3 * sizeof(double)), 0};
  #pragma omp target enter data map(to: m) map(to: m.rows[0:2])
  for (int r = 0; r < 2; r++) {
    #pragma omp target enter data map(alloc: m.rows[r].data[0:3])
  }
  #pragma omp target
  for (int r = 0; r < m.count; r++) for (int i = 0; i < 3; i++) m.rows[r].data[i] = 10 * r + i;
  for (int r = 0; r < 2; r++) {
    #pragma omp target exit data map(from: m.rows[r].data[0:3])
  }
  #pragma omp target exit data map(release: m.rows[0:2]) map(release: m)
  CHECK(m.rows[1].data[2] == 12 && m.rows[0].data[1] == 1 && m.count == 2);
}

static void routines(void) {
  int device = omp_get_default_device(), host = omp_get_initial_device();
  CHECK(omp_is_initial_device());
  double a[4] = {1, 2, 3, 4}, b[4] = {0};
  double *d = omp_target_alloc(sizeof a, device);
  CHECK(d && omp_target_memcpy(d, a, sizeof a, 0, 0, device, host) == 0);
  #pragma omp target is_device_ptr(d)
  for (int i = 0; i < 4; i++) d[i] *= 10;
  omp_target_memcpy(b, d, 2 * sizeof *b, sizeof *b, 2 * sizeof *b, host, device);
  CHECK(b[1] == 30 && b[2] == 40 && b[0] == 0);
  if (omp_get_num_devices() > 0) {
    CHECK(!omp_target_is_present(a, device));
    CHECK(omp_target_associate_ptr(a, d, sizeof a, 0, device) == 0);
    CHECK(omp_target_associate_ptr(a, d, sizeof a, 0, device) == 0);
    CHECK(omp_target_is_present(a, device));
    CHECK(omp_target_disassociate_ptr(&factor, device) != 0);
    #pragma omp target map(always, from: a)
    a[0] += 1;
    CHECK(a[0] == 11 && omp_target_disassociate_ptr(a, device) == 0);
  }
  #pragma omp target data map(tofrom: a) use_device_ptr(d)
  {
    #pragma omp target data use_device_addr(a)
    {
      double *x = a;
      #pragma omp target is_device_ptr(x)
      x[1] = 5;
    }
  }
  CHECK(a[1] == 5);
  omp_target_free(d, device);
}

static void conditions(void) {
  int on_host = 0, a = 1;
  #pragma omp target map(from: on_host) if(a > 1)
  on_host = omp_is_initial_device();
  CHECK(on_host);
  #pragma omp target map(from: on_host) device(omp_get_initial_device())
  on_host = omp_is_initial_device();
  CHECK(on_host);
  #pragma omp target map(from: on_host)
  on_host = omp_is_initial_device();
  CHECK(on_host == (omp_get_num_devices() == 0));
  if (a)
    #pragma omp target map(tofrom: a)
    a = 4;
  else
    a = 5;
  CHECK(a == 4);
}

static void globals(void) {
  double x = 0;
  #pragma omp target map(from: x)
  { x = factor * table[2]; factor = 4; }
  CHECK(x == 9);
  #pragma omp target update from(factor)
  CHECK(factor == 4);
  #pragma omp target map(from: x)
  { x = header_factor * later_table[1]; header_factor = 6; later_table[1] = 7; }
  CHECK(x == 10);
  #pragma omp target update from(header_factor, later_table)
  CHECK(header_factor == 6 && later_table[1] == 7);
  #pragma omp target
  redeclared += 1;
  #pragma omp target update from(redeclared)
  CHECK(redeclared == 9);
  #pragma omp target if(x < 0)
  redeclared += 10;
  CHECK(redeclared == 19);
}

static void comments(void) {
  int x = 1;
  /* A comment in front
     of a directive */ #pragma omp target map(tofrom: x) // behind it
  x += 1;
  /* The same
     of others */ #pragma omp target enter data map(to: x) /* in
     several lines */ /* two */
  x += 10;
  #pragma omp target exit data map(from: x) // */
  CHECK(x == (omp_get_num_devices() ? 2 : 12));
}

static void tasks(void) {
  int x = 0, words[64] = {0};
  #pragma omp parallel num_threads(2)
  #pragma omp single
  {
    #pragma omp task depend(out: x) shared(x)
    x = 1;
    #pragma omp target map(tofrom: x) nowait depend(inout: x)
    x = x * 10 + 2;
    #pragma omp task depend(in: x) shared(x)
    CHECK(x == 12);
    #pragma omp target map(tofrom: words) depend(inout: words[words[1] ? 0 : "\"?"[0]])
    words[0] += 0;
    #pragma omp taskwait
  }
  CHECK(x == 12);
}

/* Objects of `link` are on the device while they are mapped. */
static int linked[N];
#pragma omp declare target link(linked)

static void count_up(void) { linked[0]++; }

static void links(void) {
  for (int i = 0; i < N; i++) linked[i] = i;
  /* Named by the clause and by the function alone: it is not copied back. */
  #pragma omp target map(to: linked)
  count_up();
  CHECK(linked[0] == (omp_get_num_devices() > 0 ? 0 : 1));
  linked[0] = 0;
  #pragma omp target map(tofrom: linked)
  for (int i = 0; i < N; i++) linked[i] *= 3;
  CHECK(linked[N - 1] == 3 * (N - 1));
}

int main(int count, char **words) {
  links();
  sections();
  empty_sections(0);
  holds_of_empty_sections(0);
  empty_sections(4);
  arrays_of_variable_length(N);
  scalars_and_reductions();
  data_environments();
  unstructured();
  structs();
  routines();
  conditions();
  globals();
  comments();
  tasks();
  printf("%s: %d failures, devices: %s\n", count > 1 ? words[1] : "-", failures, omp_get_num_devices() ? "some" : "none");
  return failures != 0;
}
