#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 300
#define M 40
#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); failures++; } } while (0)

static int failures;

/* `distribute` with a parallel loop inside of each iteration. */
static void nests(void) {
  static double a[N][M], rows[N];
  int i, j;
  #pragma omp target teams distribute map(from: a)
  for (i = 0; i < N; i++) {
    #pragma omp parallel for private(j)
    for (j = 0; j < M; j++) a[i][j] = i * M + j;
  }
  #pragma omp target teams distribute private(j) map(to: a) map(from: rows)
  for (i = 0; i < N; i++) {
    double sum = 0;
    #pragma omp parallel for reduction(+: sum)
    for (j = 0; j < M; j++) sum += a[i][j];
    rows[i] = sum;
    #pragma omp parallel for
    for (int k = i; k < N; k += N) rows[k] += 1;
  }
  for (i = 0; i < N; i++) CHECK(rows[i] == i * M * M + M * (M - 1) / 2 + 1);
}

/* A league whose teams do more than one loop. */
static void leagues(void) {
  int teams = 0, a[N], b[N], count = 0, last = 0, kept[2];
  #pragma omp target teams num_teams(7) map(tofrom: teams, count) map(from: a, b, kept)
  {
    int own = omp_get_num_teams();
    if (omp_get_team_num() == 0) teams = own;
    #pragma omp distribute
    for (int i = 0; i < N; i++) a[i] = own;
    #pragma omp distribute parallel for simd
    for (int i = 0; i < N; i++) b[i] = omp_get_num_threads() >= 1 && omp_get_thread_num() >= 0 ? i : -1;
    #pragma omp parallel num_threads(1)
    {
      #pragma omp atomic
      count++;
    }
    int k, z = 3;
    #pragma omp parallel for firstprivate(z) lastprivate(k, z) num_threads(1)
    for (k = 0; k < 4; k++) z += k;
    if (omp_get_team_num() == 0) { kept[0] = k; kept[1] = z; }
  }
  CHECK(kept[0] == 4 && kept[1] == 9);
  CHECK(teams >= 1 && teams <= 7 && count == teams);
  for (int i = 0; i < N; i++) CHECK(a[i] == teams && b[i] == i);
  #pragma omp target teams map(from: a)
  {
    #pragma omp loop
    for (int i = 0; i < N; i++) a[i] = 2 * i;
  }
  for (int i = 0; i < N; i++) CHECK(a[i] == 2 * i);
  int passes[7][8] = {0};
  #pragma omp target teams num_teams(7) map(tofrom: teams, passes)
  {
    int own = omp_get_team_num();
    if (own == 0) teams = omp_get_num_teams();
    #pragma omp loop bind(parallel)
    for (int i = 0; i < 8; i++) passes[own][i]++;
  }
  for (int i = 0; i < 7; i++) for (int j = 0; j < 8; j++) CHECK(passes[i][j] == (i < teams));
  #pragma omp target teams distribute parallel for lastprivate(last) map(from: a)
  for (int i = 0; i < N; i++) { last = 3 * i; if (last > 100) continue; a[i] = last; }
  CHECK(last == 3 * (N - 1));
}

/* Constructs of a team, of which a region of one thread is the only one. */
static void one_thread(void) {
  int a[8] = {0}, order = 0, x = 1;
  #pragma omp target map(tofrom: a, order)
  {
    #pragma omp single
    a[0] = 1;
    #pragma omp master
    a[1] = 1;
    #pragma omp critical (name)
    a[2]++;
    #pragma omp barrier
    #pragma omp sections
    {
      #pragma omp section
      a[3] = ++order;
      #pragma omp section
      a[4] = ++order;
    }
    int y = 5;
    #pragma omp task shared(a) firstprivate(y)
    { y++; a[5] = y; }
    #pragma omp taskwait
    a[6] = y;
    #pragma omp task shared(a, y)
    y = 9;
    #pragma omp taskwait
    a[7] = y + x;
    #pragma omp flush
  }
  CHECK(a[0] == 1 && a[1] == 1 && a[2] == 1 && a[3] + a[4] == 3);
  CHECK(a[5] == 6 && a[6] == 5 && a[7] == 10);
}

/* Each team or thread executes what no construct around divides. */
static void each_team(void) {
  int n = 0, teams = 0, a = 0, k = 3, low = 1, last = -1;
  #pragma omp target teams num_teams(4) map(tofrom: a) reduction(+: a)
  #pragma omp parallel for reduction(+: a)
  for (int i = 0; i < 8; i++) a += 1;
  CHECK(a % 8 == 0 && a >= 8 && a <= 32);
  #pragma omp target teams num_teams(4) map(tofrom: n, teams, last)
  #pragma omp parallel for num_threads(3) lastprivate(last)
  for (int i = 0; i < 10; i++) {
    last = i;
    #pragma omp atomic
    n++;
    if (i == 0) {
      #pragma omp atomic
      teams++;
    }
  }
  CHECK(n == 10 * teams && teams >= 1 && teams <= 4 && last == 9);
  n = teams = 0;
  #pragma omp target parallel num_threads(4) map(tofrom: n, teams)
  #pragma omp parallel for num_threads(2)
  for (int i = 0; i < 10; i++) {
    #pragma omp atomic
    n++;
    if (i == 0) {
      #pragma omp atomic
      teams++;
    }
  }
  CHECK(n == 10 * teams && teams >= 1);
  n = 0;
  #pragma omp target map(tofrom: n)
  #pragma omp parallel num_threads(4) if(k > 3)
  {
    #pragma omp atomic
    n++;
  }
  CHECK(n == 1);
  n = 0;
  #pragma omp target parallel for num_threads(4) if(parallel: k > 3) map(tofrom: n)
  for (int i = 0; i < 10; i++) n += omp_get_num_threads();
  CHECK(n == 10);
  int filtered[2] = {-1, -1}, sums[4] = {0}, threads = 0;
  #pragma omp target parallel num_threads(4) map(tofrom: filtered, threads)
  {
    #pragma omp masked filter(2)
    filtered[0] = omp_get_thread_num();
    #pragma omp masked
    { filtered[1] = omp_get_thread_num(); threads = omp_get_num_threads(); }
  }
  CHECK(filtered[0] == (threads > 2 ? 2 : -1) && filtered[1] == 0);
  #pragma omp target map(tofrom: filtered)
  {
    #pragma omp masked filter(1)
    filtered[0] = 7;
    #pragma omp masked filter(0)
    filtered[1] = 8;
  }
  CHECK(filtered[0] != 7 && filtered[1] == 8);
  #pragma omp target parallel for reduction(+: sums[low:2])
  for (int i = 0; i < 10; i++) sums[1 + i % 2] += i;
  CHECK(sums[0] == 0 && sums[1] == 20 && sums[2] == 25);
}

/* Objects of the directives around `parallel` are those of all its threads. */
static void objects_of_the_region(void) {
  int x = 1, r = 0, threads = 0;
  #pragma omp target firstprivate(x) map(tofrom: r, threads)
  #pragma omp parallel num_threads(4)
  {
    #pragma omp single
    { x = 42; threads = omp_get_num_threads(); }
    #pragma omp critical
    r += x;
  }
  CHECK(r == 42 * threads && x == 1);
  #pragma omp target firstprivate(x)
  #pragma omp parallel for lastprivate(x)
  for (int i = 0; i < 10; i++) x = i;
  CHECK(x == 1);
  #pragma omp target firstprivate(x)
  #pragma omp parallel for reduction(+: x)
  for (int i = 0; i < 10; i++) x += 1;
  CHECK(x == 1);
  int a[100], last = -1;
  for (int i = 0; i < 100; i++) a[i] = i == 40;
  #pragma omp target parallel for lastprivate(conditional: last) map(to: a)
  for (int i = 0; i < 100; i++) if (a[i]) last = i;
  CHECK(last == 40);
}

struct pair { int first; double second[3]; };

static void copies(void) {
  struct pair p = {4, {1, 2, 3}};
  int table[4] = {1, 2, 3, 4}, sums[N];
  #pragma omp target data map(to: table)
  {
    table[0] = 7;
    #pragma omp target teams distribute parallel for firstprivate(p, table) map(from: sums)
    for (int i = 0; i < N; i++) {
      p.first += i;
      table[i % 4] += 10;
      sums[i] = p.first > 0 ? table[0] : -1;
    }
  }
  CHECK(sums[0] == 17 && p.first == 4 && table[1] == 2);
  int x = 5;
  #pragma omp target map(to: table, x) map(from: sums)
  #pragma omp teams distribute parallel for firstprivate(table, x)
  for (int i = 0; i < N; i++) {
    x += i;
    table[1] += x;
    sums[i] = table[1] > 0 ? x : -1;
  }
  CHECK(sums[0] >= 5 && x == 5 && table[1] == 2);
  #pragma omp target map(tofrom: table, x)
  #pragma omp teams distribute parallel for firstprivate(table, x) num_teams(1) thread_limit(1)
  for (int i = 0; i < N; i++) table[x = i % 4] = i;
  CHECK(x == 5 && table[0] == 7 && table[1] == 2 && table[2] == 3 && table[3] == 4);
}

static void variable_rows(int n, int m, double a[n][m], double (*b)[m]) {
  #pragma omp target teams distribute parallel for collapse(2) map(to: a[0:n]) map(from: b[0:n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) b[i][j] = 2 * a[i][j];
  double c[n][m][2];
  #pragma omp target teams distribute parallel for map(from: c)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) { c[i][j][0] = i; c[i][j][1] = j; }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) CHECK(c[i][j][0] == i && c[i][j][1] == j);
}

#pragma omp declare target
enum kind { SQUARE, CUBE, OTHER };
static int power(enum kind kind, int x) {
  switch (kind) {
    case SQUARE: return x * x;
    case CUBE: {
      int square = x * x;
      x *= square;
      break;
    }
    default:
      for (int i = 0; i < 3; i++) {
        switch (i) { case 1: continue; case 0: x += 1; }
        if (i == 2) break;
      }
      __attribute__((fallthrough));
    case OTHER: x -= 1;
  }
  return x;
}
#pragma omp end declare target

static void statements(void) {
  int a[N];
  double r[4];
  #pragma omp target teams distribute parallel for map(from: a)
  for (int i = 0; i < N; i++) {
    struct pair p = (struct pair){i, {0, 1, 2}};
    a[i] = power(i % 4, p.first) + __extension__({ int t = 1; t + (int)p.second[1]; });
  }
  for (int i = 0; i < N; i++) CHECK(a[i] == power(i % 4, i) + 2);
  double x = 7.5;
  #pragma omp target map(from: r)
  { r[0] = fmod(x, 2); r[1] = round(-x) + trunc(x); r[2] = isnan(x) || isinf(x); r[3] = roundf(2.4f); }
  CHECK(r[0] == 1.5 && r[1] == -1 && r[2] == 0 && r[3] == 2);
}

int main(int count, char **words) {
  nests();
  leagues();
  one_thread();
  each_team();
  objects_of_the_region();
  copies();
  double (*a)[M] = malloc(N * sizeof *a), (*b)[M] = malloc(N * sizeof *b);
  for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) a[i][j] = i - j;
  variable_rows(N, M, a, b);
  for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) CHECK(b[i][j] == 2 * (i - j));
  statements();
  free(a);
  free(b);
  printf("%s: %d failures, devices: %s\n", count > 1 ? words[1] : "-", failures, omp_get_num_devices() ? "some" : "none");
  return failures != 0;
}
