/* Large arrays at file scope: those that can be moved to memory of the device, and those that stay where they are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 20000
#define READ(i) in_macro[i]

static int failures;
static int plain[N], first[N] = {3, 4}; /* plain */
static double table[N / 100][100];
static int kept[N];
static int *to = kept;
static int in_macro[N];
int visible[N];

static void check(const char *what, long found, long expected) {
  if (found == expected) return;
  printf("%s: %ld, expected %ld\n", what, found, expected);
  failures++;
}

static long sum(const int *of, int n) {
  long all = 0;
  for (int i = 0; i < n; i++) all += of[i];
  return all;
}

static void fill(double (*rows)[100], double value) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < N / 100; i++)
    for (int j = 0; j < 100; j++) rows[i][j] = value + first[(i + j) % 2];
}

int main(int count, char **words) {
  check("elements", sizeof plain / sizeof(plain[0]), N);
  check("bytes", sizeof(first), N * sizeof(int));
#pragma omp parallel for
  for (int i = 0; i < N; i++) plain[i] = i % 3, kept[i] = 1, in_macro[i] = READ(i) + 2, visible[i] = 1;
  memcpy(first + 2, &plain[2], sizeof first - 2 * sizeof *first);
  fill(table, 0.5);
  double total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < N / 100; i++)
    for (int j = 0; j < 100; j++) total += table[i][j];
  check("table", (long)total, 80000);
  check("plain", sum(plain, N), 19999);
  check("first", sum(&first[0], N), 19999 + 7 - 1);
  check("kept", to[5] + sum(to, N), 1 + N);
  check("in a macro", sum(in_macro, N), 2 * N);
  check("visible", sum(visible, N), N);
  check("the same address", plain == (int *)&plain && &plain[1] - plain == 1, 1);
  printf("%s: %d failures\n", count > 1 ? words[1] : "none", failures);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
