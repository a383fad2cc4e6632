#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;
#define CHECK(c) ((c) ? 0 : (failures++, printf("line %d: %s\n", __LINE__, #c)))

/* What no clause names is mapped as `defaultmap` says of its category. */
static void default_maps(void) {
  struct pair { int a, b[2]; } s = {1, {2, 3}};
  int x = 1, y = 2, list[3] = {1, 2, 3}, sum = 0, *p = list, is_device = omp_get_num_devices() > 0;
  #pragma omp target defaultmap(tofrom: scalar) defaultmap(firstprivate: aggregate) map(from: sum)
  {
    x += 10;
    list[0] += 10;
    s.b[1] += 10;
    sum = list[0] + s.b[1];
  }
  CHECK(x == 11 && list[0] == 1 && s.b[1] == 3 && sum == 24);
  #pragma omp target defaultmap(to: all) map(from: sum)
  {
    x += 5;
    y += 5;
    list[1] += 5;
    s.a += 5;
    sum = x + y + list[1] + s.a;
  }
  CHECK(sum == 16 + 7 + 7 + 6);
  CHECK(!is_device || (x == 11 && y == 2 && list[1] == 2 && s.a == 1));
  #pragma omp target defaultmap(tofrom)
  {
    list[2] += 1;
    s.b[0] = y++;
    p = 0;
  }
  CHECK(list[2] == 4 && y == s.b[0] + 1 && p == 0);
  #pragma omp target data map(to: y)
  {
    #pragma omp target defaultmap(present: scalar)
    y = 40;
    #pragma omp target update from(y)
  }
  CHECK(y == 40);
}

/* A pointer that is `firstprivate` is no address on the device. */
static void firstprivate_pointers(void) {
  int list[4] = {1, 2, 3, 4}, *p = list;
  long value = 0;
  #pragma omp target data map(list)
  {
    #pragma omp target defaultmap(firstprivate: pointer) map(from: value)
    value = (long)p;
    CHECK(value == (long)p);
    #pragma omp target defaultmap(firstprivate: pointer) map(p[0:4]) map(from: value)
    value = p[2];
    CHECK(value == 3);
  }
}

static int table[4] = {1, 2, 3, 4};

static int doubled(int value) { return 2 * value; }

/* Names an object and a function of the file, which the region itself does not. */
static int from_table(int index) {
  int (*of)(int) = doubled;
  if (index > 3) abort();
  return of(table[index]);
}

/* Regions where each variable is to be named. */
static void named_variables(void) {
  int a[4] = {0}, b[4] = {0};
  #pragma omp parallel num_threads(2) default(none) shared(a, b)
  #pragma omp single
  {
    #pragma omp target nowait map(tofrom: a)
    a[1] += 5;
    #pragma omp target map(tofrom: b)
    b[1] += 6;
    #pragma omp target map(tofrom: b)
    b[2] = from_table(2);
    #pragma omp task default(none) shared(b)
    {
      #pragma omp target map(tofrom: b)
      b[3] = from_table(3);
    }
  }
  CHECK(a[1] == 5 && b[1] == 6 && b[2] == 6 && b[3] == 8);
}

int main(int count, char **words) {
  default_maps();
  firstprivate_pointers();
  named_variables();
  printf("%s: %d failures, devices: %s\n", count > 1 ? words[1] : "-", failures, omp_get_num_devices() ? "some" : "none");
  return failures != 0;
}
