#include <omp.h>
#include <stdio.h>

#define N 64
#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); failures++; } } while (0)

static int failures;
static int calls;
static int limit_here(void) { return omp_get_thread_limit(); }
static int counted(int x) { calls++; return x; }

/* The host evaluates numbers of teams and threads in its own variables. */
static void launches(void) {
  struct { int teams; } s = {3};
  int teams = 2, limits[2] = {4, 8}, found = 0, limit = 0, *p = &limits[1];
  #pragma omp target teams map(tofrom: teams) map(from: found, limit) num_teams(teams) thread_limit(limits[0])
  {
    if (omp_get_team_num() == 0) { found = omp_get_num_teams(); limit = limit_here(); teams = 9; }
  }
  CHECK(found >= 1 && found <= 2 && limit >= 1 && limit <= 4 && teams == 9);
  #pragma omp target teams map(from: found, limit) num_teams(s.teams + 1) thread_limit(*p)
  {
    if (omp_get_team_num() == 0) { found = omp_get_num_teams(); limit = limit_here(); }
  }
  CHECK(found >= 1 && found <= 4 && limit >= 1 && limit <= 8);
  #pragma omp target teams map(from: found) num_teams(counted(2))
  if (omp_get_team_num() == 0) found = omp_get_num_teams();
  CHECK(found >= 1 && found <= 2 && calls == 1);
  found = 0;
  #pragma omp parallel num_threads(1)
  #pragma omp single
  {
    #pragma omp target teams map(from: found) num_teams(s.teams) nowait
    if (omp_get_team_num() == 0) found = omp_get_num_teams();
    s.teams = 50;
    #pragma omp taskwait
  }
  CHECK(found >= 1 && found <= 3);
}

/* Inner constructs have copies of what the threads of the region share. */
static void copies(void) {
  int a[N], x = 4, k = 2, shared = -1;
  #pragma omp target parallel map(from: a, shared) num_threads(4)
  {
    #pragma omp for firstprivate(x)
    for (int i = 0; i < N; i++) { x = x < 4 ? 0 : 4 + i; a[i] = x; }
    #pragma omp for private(k)
    for (int i = 0; i < N; i++) { k = i; a[i] -= k; }
    #pragma omp single
    shared = x + k;
  }
  CHECK(shared == 6);
  for (int i = 0; i < N; i++) CHECK(a[i] == 4);
}

/* Chunks are numbers of the region. */
static void chunks(int chunk) {
  int a[N], wrong = 0;
  #pragma omp target parallel map(from: a) num_threads(4)
  {
    #pragma omp for schedule(static, chunk)
    for (int i = 0; i < N; i++) a[i] = omp_get_thread_num();
  }
  for (int i = 0; i < N; i++) wrong += a[i] != a[i / chunk * chunk];
  CHECK(wrong == 0);
}

int main(int count, char **words) {
  launches();
  copies();
  chunks(3);
  printf("%s: %d failures, devices: %s\n", words[count - 1], failures, omp_get_num_devices() ? "some" : "none");
  return failures != 0;
}
