/* Directives that macros and `_Pragma` make. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "headers/offload_macros.h"

#define N 300
#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); failures++; } } while (0)
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define OFFLOAD _Pragma("omp target teams distribute parallel for map(tofrom: a)")
#define EACH(i, n) _Pragma("omp target teams distribute parallel for map(tofrom: a)") for (int i = 0; i < (n); i++)
#define PLAIN(i, n) for (int i = 0; i < (n); i++)
#define ON_DEVICE(body) PRAGMA(omp target map(tofrom: a, on_host)) { body; on_host = omp_is_initial_device(); }

static int failures;
static int a[N];
static int has_devices;

PRAGMA(omp declare target)
static int twice(int x) { return 2 * x; }
PRAGMA(omp end declare target)

static void lines_of_their_own(void) {
  int on_host = -1;
  PRAGMA(omp target map(from: on_host))
  on_host = omp_is_initial_device();
  CHECK(on_host == !has_devices);
  PRAGMA(omp target teams distribute parallel for
         map(tofrom: a))
  for (int i = 0; i < N; i++) a[i] = twice(i);
  OFFLOAD
  PLAIN(i, N) a[i] += 1;
  _Pragma("omp target teams distribute parallel for map(tofrom: a)")
  for (int i = 0; i < N; i++) a[i] += 1;
  CHECK(a[0] == 2 && a[N - 1] == 2 * N);
}

static void lines_with_more(void) {
  EACH(i, N) a[i] = i; CHECK(a[N - 1] == N - 1);
  { EACH(i, N) { a[i] += 1; } }
  OFFLOAD for (int i = 0; i < N; i++) a[i] += 1;
  int on_host = -1; ON_DEVICE(a[0] = 7) CHECK(a[0] == 7 && on_host == !has_devices);
  if (has_devices) { _Pragma("omp target map(tofrom: a)") a[1] = 8; } else { a[1] = 8; }
  CHECK(a[1] == 8 && a[2] == 4);
}

#define QUIET(s) \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-variable\"") \
  _Pragma("omp target map(tofrom: a)") { int unused; s; } _Pragma("GCC diagnostic pop")
#define ON_HOST_TOO(body) PRAGMA(omp target map(tofrom: a)) { body; }
#define BOTH(first, second, third, last) \
  { first; second; PRAGMA(omp target map(tofrom: a) map(to: p[0:1])) { third; } last; }
#define thrice(n) (thrice(n) + 1)
#define work(n) PRAGMA(omp target map(tofrom: a)) (work)(n); PRAGMA(omp target map(tofrom: a)) work(n)
#define malloc(n) (calls++, malloc(n))

PRAGMA(omp declare target)
static int (thrice)(int x) { return 3 * x; }
static void (work)(int x) { a[3] += x; }
PRAGMA(omp end declare target)
static int calls;
static int (counted)(int x) { return x; }

/* Names that came up in their own expansion are functions, also where the expansion is a line of its own. */
static void functions_of_their_names(void) {
  ON_HOST_TOO(a[0] = thrice(3));
  CHECK(a[0] == 10 && thrice(4) == 13);
  a[3] = 0;
  work(5);
  CHECK(a[3] == 10);
  BOTH(int *p = malloc(sizeof(int)), *p = counted(7), a[1] = *p, free(p));
  CHECK(calls == 2 && a[1] == 7);
}

static void other_spellings(void) {
  int i = 0, on_host = -1;
  %:pragma omp target map(tofrom: a, i)
  for (i = 0; i < 8; i++) a[i] = i;
  CHECK(i == 8 && a[7] == 7);
  QUIET(a[5] = 50)
  CHECK(a[5] == 50);
  TEST_OFFLOADING(on_host);
  CHECK(on_host == !has_devices);
}

#define TEAM num_threads(3)
#define WHERE if(target: has_devices) device(0)
#define SECTION a[2:4]
#define BOTH_OF(x, y) x, y

/* Macros that make clauses, items of clauses and sections. */
static void parts_of_directives(void) {
  int on_host = -1, members = 0, teams = 0;
#pragma omp parallel TEAM shared(members)
#pragma omp single
  members = omp_get_num_threads();
  CHECK(members >= 1 && members <= 3);
#pragma omp target WHERE map(from: on_host) map(tofrom: SECTION)
  { on_host = omp_is_initial_device(); a[2] = 20; a[5] = 50; }
  CHECK(on_host == !has_devices && a[2] == 20 && a[5] == 50);
#pragma omp target teams num_teams(2) \
    map(tofrom: BOTH_OF(teams, a[0:N]))
  if (omp_get_team_num() == 0) { teams = omp_get_num_teams(); a[6] = __LINE__; }
  CHECK(teams >= 1 && teams <= 2 && a[6] == __LINE__ - 1);
}

int main(int count, char **words) {
  has_devices = omp_get_num_devices() > 0;
  lines_of_their_own();
  lines_with_more();
  functions_of_their_names();
  other_spellings();
  parts_of_directives();
  printf("%s: %d failures, devices: %s\n", words[count - 1], failures, has_devices ? "some" : "none");
  return failures != 0;
}
