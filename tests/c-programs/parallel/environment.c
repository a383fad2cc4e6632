/* The data of regions: globals, the heap, the stack, threadprivate objects; numbers of threads; nested regions; calls. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <omp.h>

struct node { int value; struct node *next; };

static int failures;
static struct node *list;
static char names[4][400];
static int counter = 5;
static double table[3] = {1, 2, 3};
#pragma omp threadprivate(counter, table)
static void check(int is_right, const char *what) {
  if (!is_right) { printf("wrong: %s\n", what); failures++; }
}

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static int length(const struct node *at) {
  int count = 0;
  for (; at != NULL; at = at->next) count += at->value;
  return count;
}

static void threads(void) {
  int counts[3] = {0}, numbers = 0, inside = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp atomic
    numbers += omp_get_thread_num();
#pragma omp single
    { counts[0] = omp_get_num_threads(); inside = omp_in_parallel(); }
  }
  omp_set_num_threads(4);
#pragma omp parallel
  if (omp_get_thread_num() == 3) counts[1] = omp_get_num_threads();
#pragma omp parallel if (numbers < 0)
  counts[2] += omp_get_num_threads();
  check(counts[0] == 3 && counts[1] == 4 && counts[2] == 1 && numbers == 3, "numbers of threads");
  int operands = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  omp_set_dynamic(operands++);
  check(operands == 1, "operands of routines");
  check(inside && !omp_in_parallel() && omp_get_max_threads() == 4, "queries");
}

static void memory(void) {
  enum { COUNT = 40 };
  int *heap = malloc(COUNT * sizeof *heap), stack[COUNT];
  for (int i = 0; i < COUNT; i++) {
    struct node *added = malloc(sizeof *added);
    *added = (struct node){i, list};
    list = added;
  }
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < COUNT; i++) {
    heap[i] = fibonacci(i % 10);
    stack[i] = heap[i] + length(list);
    sum += stack[i];
  }
  check(sum == 4 * 88 + COUNT * 780, "memory that regions reach");
  char *texts[4];
#pragma omp parallel for
  for (int i = 0; i < 4; i++) {
    texts[i] = malloc(400);
    assert(texts[i] != NULL);
    snprintf(names[i], sizeof names[i], "%s %d %.1f", "name", i, i / 2.0);
    strcpy(texts[i], names[i]);
  }
  check(!strcmp(texts[3], "name 3 1.5") && !strcmp(names[0], "name 0 0.0"), "functions of the host");
  for (int i = 0; i < 4; i++) free(texts[i]);
  while (list != NULL) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  free(heap);
}

static void variable_length(int n) {
  double row[n], total = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) row[i] = i;
  for (int i = 0; i < n; i++) total += row[i];
  check(total == n * (n - 1) / 2, "an array of variable length");
}

static void threadprivate(void) {
  int sum = 0, wrong = 0;
#pragma omp parallel num_threads(4)
  {
    if (counter != 5 || table[1] != 2) {
#pragma omp atomic
      wrong++;
    }
    counter = omp_get_thread_num() * 10;
    table[1] = counter;
  }
#pragma omp parallel num_threads(4) reduction(+ : sum)
  sum += counter + (int)table[1];
  check(sum == 120 && wrong == 0 && counter == 0, "threadprivate");
  counter = 8;
  table[0] = 4;
  sum = 0;
#pragma omp parallel num_threads(4) copyin(counter, table) reduction(+ : sum)
  sum += counter + (int)table[0];
  check(sum == 48, "copyin");
}

static void nested(void) {
  int inner = 0, outer = 0, iterations = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp atomic
    outer += omp_get_num_threads();
#pragma omp parallel num_threads(1)
    {
      int own = 0;
#pragma omp for
      for (int i = 0; i < 5; i++) own++;
#pragma omp barrier
#pragma omp single
      own += 10 * omp_get_num_threads();
#pragma omp atomic
      inner += own;
    }
#pragma omp for
    for (int i = 0; i < 7; i++) {
#pragma omp atomic
      iterations++;
    }
  }
  check(outer == 9 && inner == 45 && iterations == 7, "nested regions");
}

static int level(void) { return omp_get_level(); }

static void levels(void) {
  int wrong = 0;
#pragma omp parallel num_threads(3)
  {
    const int number = omp_get_thread_num();
    int own = level() != 1 || omp_get_team_size(1) != 3 || omp_get_ancestor_thread_num(1) != number ||
              omp_get_team_size(0) != 1 || omp_get_ancestor_thread_num(2) != -1 || omp_in_final();
    own += omp_get_active_level() != 1 || omp_get_proc_bind() < 0 || omp_get_max_active_levels() < 1;
#pragma omp parallel num_threads(1)
    own += level() != 2 || omp_get_team_size(2) != 1 || omp_get_ancestor_thread_num(1) != number;
#pragma omp atomic
    wrong += own;
  }
  check(wrong == 0, "levels");
}

int main(int count, char **words) {
  threads();
  memory();
  variable_length(33);
  threadprivate();
  nested();
  levels();
  printf("%s: %d failures\n", words[count - 1], failures);
  return failures != 0;
}
