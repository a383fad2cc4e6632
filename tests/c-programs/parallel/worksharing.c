/* Worksharing constructs: each iteration and section runs once, whatever the schedule, and values are kept and combined. */
#include <stdio.h>
#include <omp.h>

#define N 500
static int failures;
static int done[N];
static void check(int is_right, const char *what) {
  if (!is_right) { printf("wrong: %s\n", what); failures++; }
}

/* Constructs of functions bind to the region that calls them. */
static void mark(int schedule) {
  int i;
  if (schedule == 0) {
#pragma omp for
    for (i = 0; i < N; i++) done[i]++;
  } else if (schedule == 1) {
#pragma omp for schedule(static)
    for (i = N - 1; i >= 0; i--) done[i]++;
  } else if (schedule == 2) {
#pragma omp for schedule(static, 3)
    for (i = 0; i < N; i++) done[i]++;
  } else if (schedule == 3) {
#pragma omp for schedule(dynamic)
    for (i = 1; i <= N; i += 1) done[i - 1]++;
  } else if (schedule == 4) {
#pragma omp for schedule(guided, 7) nowait
    for (i = 0; i < 2 * N; i += 2) done[i / 2]++;
  } else {
#pragma omp for schedule(runtime)
    for (i = 0; i < N; i++) done[i]++;
  }
}

static void schedules(void) {
  for (int schedule = 0; schedule < 6; schedule++) {
    for (int i = 0; i < N; i++) done[i] = 0;
#pragma omp parallel
    mark(schedule);
    int once = 0;
    for (int i = 0; i < N; i++) once += done[i] == 1;
    check(once == N, "each iteration once");
  }
}

/* More loops than a thread may be ahead of the others by. */
static void loops_without_barriers(void) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  for (int round = 0; round < 200; round++) {
#pragma omp for schedule(dynamic, 2) nowait
    for (int i = 0; i < 10; i++) sum += i;
  }
  check(sum == 200 * 45, "loops without barriers");
}

static void ordered(void) {
  int order[64], count = 0;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < 64; i++) {
    if (i % 3 == 0) continue;
#pragma omp ordered
    order[count++] = i;
  }
  int is_right = count == 42;
  for (int i = 0; i < count; i++) is_right &= order[i] == i + i / 2 + 1;
  check(is_right, "ordered");
}

static void first_and_last(void) {
  int wrong = 0;
  for (int round = 0; round < 50; round++) {
    int x = 100;
#pragma omp parallel for firstprivate(x) lastprivate(x) num_threads(4) schedule(static)
    for (int i = 0; i < 8; i++) {
      if (x != 100 && x >= 8) {
#pragma omp atomic
        wrong++;
      }
      if (x == 100 && i % 2) {
#pragma omp atomic
        wrong++;
      }
      x = i;
    }
    wrong += x != 7;
  }
  check(wrong == 0, "firstprivate and lastprivate");
}

static void sections(void) {
  int runs[3] = {0}, last = 0, sum = 0;
#pragma omp parallel sections lastprivate(last) reduction(+ : sum)
  {
    { runs[0]++; last = 1; sum += 1; }
#pragma omp section
    { runs[1]++; last = 2; sum += 10; }
#pragma omp section
    { runs[2]++; last = 3; sum += 100; }
  }
  check(runs[0] == 1 && runs[1] == 1 && runs[2] == 1, "sections");
  check(last == 3 && sum == 111, "values of sections");
}

static void single(void) {
  int executed = 0, wrong = 0;
  double row[4] = {0};
#pragma omp parallel
  for (int round = 0; round < 50; round++) {
    int value;
    double copy[4];
#pragma omp single copyprivate(value, copy)
    {
      executed++;
      value = round * 3;
      for (int i = 0; i < 4; i++) copy[i] = round + i;
    }
#pragma omp critical
    wrong += value != round * 3 || copy[3] != round + 3;
#pragma omp barrier
#pragma omp single nowait
    row[round % 4] += 1;
  }
  check(executed == 50 && wrong == 0, "single with copyprivate");
  check(row[0] + row[1] + row[2] + row[3] == 50, "single nowait");
}

static void reductions(void) {
  int sum = 3, difference = 100, bits = 0, mask = -1, parity = 0, all = 1, any = 0;
  long product = 1;
  short small = 0;
  double total = 0.5;
#pragma omp parallel for reduction(+ : sum, small, total) reduction(- : difference) reduction(* : product) \
    reduction(| : bits) reduction(& : mask) reduction(^ : parity) reduction(&& : all) reduction(|| : any)
  for (int i = 1; i <= 20; i++) {
    sum += i;
    small += i;
    total += i * 0.5;
    difference -= i;
    if (i <= 12) product *= i;
    bits |= 1 << i;
    mask &= ~(1 << i);
    parity ^= i;
    all = all && i > 0;
    any = any || i == 17;
  }
  check(sum == 213 && small == 210 && total == 105.5 && difference == -110, "sums");
  check(product == 479001600 && bits == 0x1ffffe && mask == ~0x1ffffe && parity == 20, "products and bits");
  check(all == 1 && any == 1, "conditions");
}

static void values(void) {
  int first = 7, last = -1, own = -1, wrong = 0, table[3] = {1, 2, 3};
#pragma omp parallel for firstprivate(first, table) lastprivate(last) private(own) reduction(+ : wrong) collapse(2)
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 11; j++) {
      own = i * 11 + j;
      wrong += first != 7 || table[2] != 3;
      last = own + first;
    }
  check(wrong == 0 && last == 98 + 7 && own == -1, "firstprivate, lastprivate and private");
}

int main(int count, char **words) {
  schedules();
  loops_without_barriers();
  ordered();
  first_and_last();
  sections();
  single();
  reductions();
  values();
  printf("%s: %d failures\n", words[count - 1], failures);
  return failures != 0;
}
