/* Which thread executes which iterations: chunks of `schedule` and `dist_schedule`, and `loop` in teams, in
   parallel regions and in each thread, and where counters end. Usage: device_schedules [WORD], which is printed. */
#include <omp.h>
#include <stdio.h>

#define N 1024
static int failures;

#define CHECK(condition) do { if (!(condition)) { failures++; printf("line %d: %s\n", __LINE__, #condition); } } while (0)

static int of[N], kept[N], teams;

static void chunks_of_teams(void) {
  teams = 0;
  #pragma omp target teams distribute num_teams(5) dist_schedule(static, 64) map(from: of) map(tofrom: teams)
  for (int i = 0; i < N; i++) {
    if (i == 0) teams = omp_get_num_teams();
    of[i] = omp_get_team_num();
  }
  for (int i = 0; i < N; i++) CHECK(of[i] == i / 64 % teams);
  #pragma omp target teams distribute num_teams(5) dist_schedule(static) map(from: of)
  for (int i = 0; i < N; i++) of[i] = omp_get_team_num();
  for (int i = 1; i < N; i++) CHECK(of[i] == of[i - 1] || of[i] == of[i - 1] + 1);
  #pragma omp target teams num_teams(3) map(from: of) map(tofrom: teams)
  {
    #pragma omp distribute dist_schedule(static, 10)
    for (int i = 0; i < N; i++) {
      if (i == 0) teams = omp_get_num_teams();
      of[i] = omp_get_team_num();
    }
  }
  for (int i = 0; i < N; i++) CHECK(of[i] == i / 10 % teams);
  #pragma omp target teams distribute parallel for num_teams(4) thread_limit(8) dist_schedule(static, 100) map(from: of)
  for (int i = 0; i < N; i++) of[i] = omp_get_team_num();
  for (int i = 0; i < N; i++) CHECK(of[i] == of[i / 100 * 100]);
}

/* A chunk has one thread, which counts its iterations. */
static void chunks_of_threads(void) {
  int count = 0;
  #pragma omp target teams distribute parallel for firstprivate(count) num_teams(4) num_threads(8) schedule(static, 8) map(from: kept)
  for (int i = 0; i < N; i++) {
    if (i % 8 == 0) count = 0;
    kept[i] = count++;
  }
  for (int i = 0; i < N; i++) CHECK(kept[i] == i % 8);
  #pragma omp target parallel for firstprivate(count) num_threads(8) schedule(dynamic, 5) map(from: kept)
  for (int i = 0; i < N; i++) {
    if (i % 5 == 0) count = 0;
    kept[i] = count++;
  }
  for (int i = 0; i < N; i++) CHECK(kept[i] == i % 5);
  #pragma omp target parallel num_threads(8) map(from: kept, of)
  {
    #pragma omp for schedule(static)
    for (int i = 0; i < N; i++) of[i] = omp_get_thread_num();
    #pragma omp for schedule(static, 3)
    for (int i = 0; i < N; i++) kept[i] = omp_get_thread_num();
  }
  for (int i = 0; i < N; i++) CHECK(kept[i] == kept[i / 3 * 3] && (i < 3 || kept[i] != kept[i - 3] || kept[i] == 0));
  for (int i = 1; i < N; i++) CHECK(of[i] == of[i - 1] || of[i] == of[i - 1] + 1);
}

static void loops(void) {
  int sums[8] = {0}, each[8] = {0};
  #pragma omp target map(tofrom: kept)
  {
    #pragma omp parallel
    {
      #pragma omp loop
      for (int i = 0; i < N; i++) kept[i] = i;
      #pragma omp loop
      for (int i = 0; i < N; i++) kept[i] += 2;
    }
  }
  for (int i = 0; i < N; i++) CHECK(kept[i] == i + 2);
  #pragma omp target parallel num_threads(8) map(tofrom: sums, each)
  {
    int sum = 0;
    #pragma omp loop bind(thread)
    for (int i = 0; i < 10; i++) sum += i;
    sums[omp_get_thread_num()] = sum;
    each[omp_get_thread_num()] = 1;
  }
  for (int i = 0; i < 8; i++) CHECK(!each[i] || sums[i] == 45);
  CHECK(each[0]);
}

/* The iteration variables of `simd` have their last values. */
static void counters(void) {
  int i, j;
  #pragma omp target map(from: i)
  #pragma omp teams distribute parallel for simd
  for (i = 0; i < N; i++) kept[i] = i;
  CHECK(i == N);
  #pragma omp target map(from: i, j)
  #pragma omp teams distribute parallel for simd collapse(2)
  for (i = 0; i < 32; i++) for (j = 1; j < 32; j += 2) kept[i * 32 + j] = 1;
  CHECK(i == 32 && j == 33);
}

int main(int count, char **words) {
  counters();
  chunks_of_teams();
  chunks_of_threads();
  loops();
  printf("%s: %d failures, devices: %s\n", count > 1 ? words[1] : "-", failures, omp_get_num_devices() ? "some" : "none");
  return failures != 0;
}
