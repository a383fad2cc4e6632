/* What regions take of the functions around them: values where nobody can tell the difference, else addresses. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(const char *what, long found, long expected) {
  if (found == expected) return;
  printf("%s: %ld, expected %ld\n", what, found, expected);
  failures++;
}

static void add(int *to, int value) {
#pragma omp atomic
  *to += value;
}

/* Numbers and pointers that the region only reads. */
static void values(register int count, const int *of, float scale, unsigned char step) {
  register long first = 3;
  double sum = 0;
  _Bool is_on = count > 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < count; i += step)
    if (is_on) sum += scale * of[i] + first;
  check("values", (long)sum, 2 * (0 + 2 + 4 + 6 + 8) + 5 * 3);
}

/* An object that the region changes through its address, which it reads by its name as well. */
static void addresses(void) {
  int total = 0, *to = &total, seen = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp for
    for (int i = 0; i < 10; i++) add(to, i);
#pragma omp single
    seen = total;
  }
  check("addresses", seen, 45);
}

/* Clauses change the object that they name. */
static void clauses(void) {
  int last = -1, sum = 5, fresh = 7, handed = 1;
#pragma omp parallel num_threads(3) firstprivate(fresh) private(handed)
  {
#pragma omp for lastprivate(last) reduction(+ : sum)
    for (int i = 0; i < 8; i++) last = i, sum += fresh;
#pragma omp single copyprivate(handed)
    handed = 4;
    if (handed != 4) {
#pragma omp atomic
      failures++;
    }
  }
  check("lastprivate", last, 7);
  check("reduction", sum, 5 + 8 * 7);
  check("firstprivate", fresh, 7);
}

/* What `malloc` and the like give is there for the host and for regions alike. */
static void heap(void) {
  int *list = calloc(100, sizeof *list);
  char *name = strdup("region");
  void *aligned = NULL;
  if (!list || !name || posix_memalign(&aligned, 256, 64) != 0) exit(EXIT_FAILURE);
#pragma omp parallel for
  for (int i = 0; i < 100; i++) list[i] += i + (name[i % 6] == 'r');
  list = realloc(list, 1000 * sizeof *list);
  if (!list) exit(EXIT_FAILURE);
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; i++) sum += list[i];
  check("heap", sum, 4950 + 17);
  check("alignment", (long)((size_t)aligned % 256), 0);
  free(list), free(name), free(aligned), free(NULL);
}

/* Types and operators of reductions. */
static void reductions(void) {
  unsigned char small = 1;
  unsigned bits = 0;
  long most = -1;
  float product = 1;
  int all = 1, any = 0;
#pragma omp parallel for num_threads(5) reduction(+ : small) reduction(| : bits) reduction(max : most) reduction(* : product) \
    reduction(&& : all) reduction(|| : any)
  for (int i = 1; i <= 10; i++) {
    small += i;
    bits |= 1u << i;
    if (3 * i > most) most = 3 * i;
    product *= i % 3 ? 1 : 2;
    all = all && i < 10;
    any = any || i == 7;
  }
  check("small", small, 56);
  check("bits", bits, 2046);
  check("most", most, 30);
  check("product", (long)product, 8);
  check("all", all, 0);
  check("any", any, 1);
  int ahead = 0;
  /* Threads may be ahead of others by many reductions. */
#pragma omp parallel num_threads(4)
  for (int round = 0; round < 200; round++) {
#pragma omp for nowait reduction(+ : ahead)
    for (int i = 0; i < 4; i++) ahead++;
#pragma omp barrier
  }
  check("rounds", ahead, 800);
}

/* A region of a function that devices have as well, and one around which `default(none)` names all variables. */
#pragma omp declare target
static int threads_of(int wanted) {
  int threads = 0;
#pragma omp parallel num_threads(wanted) default(none) shared(threads)
  {
#pragma omp parallel default(none) num_threads(2)
    {
#pragma omp barrier
    }
#pragma omp master
    threads = omp_get_num_threads();
  }
  return threads;
}
#pragma omp end declare target

static void declared(void) {
  int on_device = 0;
  check("threads", threads_of(3), 3);
#pragma omp target map(from : on_device)
  on_device = threads_of(3) >= 1;
  check("threads on the device", on_device, 1);
}

int main(int count, char **words) {
  int of[10];
  for (int i = 0; i < 10; i++) of[i] = i;
  values(10, of, 2, 2);
  addresses();
  clauses();
  heap();
  reductions();
  declared();
  printf("%s: %d failures\n", count > 1 ? words[1] : "none", failures);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
