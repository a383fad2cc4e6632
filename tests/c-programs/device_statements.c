/* Initialisers without braces, those that replace others, and cases that go on, are tested. */
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#pragma GCC diagnostic ignored "-Wmissing-braces"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Woverride-init"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 200
#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); failures++; } } while (0)

static int failures;

struct point { int x, y; };
struct shape { char name[8]; struct point corners[3]; union { int whole; float part; }; double weight; };

#pragma omp declare target
/* `goto` out of loops, into blocks, and back. */
static int search(int wanted, const int *values, int rows, int columns) {
  int i, j, found = -1;
  for (i = 0; i < rows; i++)
    for (j = 0; j < columns; j++)
      if (values[i * columns + j] == wanted) goto done;
  goto missing;
done:
  found = i * columns + j;
missing:
  return found;
}

static int collatz(int n) {
  int steps = 0;
again:
  if (n == 1) return steps;
  steps++;
  if (n % 2) { n = 3 * n + 1; goto again; }
  n /= 2;
  goto again;
}

/* Labels inside of other statements (Duff), ranges, objects of several cases. */
static int copied(int count, const int *from) {
  int sum = 0, n = (count + 3) / 4;
  switch (count % 4) {
    case 0: do { sum += *from++;
    case 3:      sum += *from++;
    case 2:      sum += *from++;
    case 1:      sum += *from++;
            } while (--n > 0);
  }
  return sum;
}

static int kind(int c) {
  switch (c) {
    int shared;
    case 'a' ... 'z': shared = 1; break;
    case '0' ... '9':
    case '_': shared = 2; goto scaled;
    default:
      if (c > 100) {
        case 13: shared = 3;
      } else shared = 4;
      return shared;
    scaled:
      return shared * 10;
  }
  return 1;
}
#pragma omp end declare target

static void jumps(void) {
  int values[12], positions[N], steps[N], sums[N], kinds[N];
  for (int i = 0; i < 12; i++) values[i] = 5 * i % 12;
  #pragma omp target teams distribute parallel for map(to: values) map(from: positions, steps, sums, kinds)
  for (int i = 0; i < N; i++) {
    positions[i] = search(i, values, 3, 4);
    steps[i] = collatz(i + 1);
    sums[i] = copied(i % 11 + 1, values);
    kinds[i] = kind(i);
    int k = 0;
  next:
    if (k++ < i % 5) goto next;
    steps[i] += k;
  }
  for (int i = 0; i < N; i++) {
    CHECK(positions[i] == search(i, values, 3, 4));
    CHECK(steps[i] == collatz(i + 1) + i % 5 + 1);
    CHECK(sums[i] == copied(i % 11 + 1, values));
    CHECK(kinds[i] == kind(i));
  }
}

static void initialisers(void) {
  int out[N][12];
  double weights[N];
  char names[N][8];
  #pragma omp target teams distribute parallel for map(from: out, weights, names)
  for (int i = 0; i < N; i++) {
    struct shape s = {.weight = i * 0.5, .corners = {[2] = {.y = i}, [0].x = 3}, .name = "ab", .whole = 9};
    struct point line[] = {[1] = {1, 2}, {3, 4}, [0].y = i, 8, 9};
    struct point flat[3] = {1, 2, 3, 4, i};
    int table[6] = {[1 ... 3] = i, 7}, copy[] = {i, i + 1, i + 2};
    struct { struct point p; int z; } pair = {line[2], .z = 4}, again = pair;
    struct shape t = s;
    t.corners[1] = (struct point){.y = 6};
    const struct point *where = &(struct point){i, .y = i + 1};
    struct point chosen = i % 2 ? t.corners[1] : (struct point){i, i};
    memcpy(names[i], s.name, sizeof s.name);
    weights[i] = t.weight + s.whole;
    int *o = out[i];
    o[0] = s.corners[2].y + s.corners[2].x + s.corners[0].x + s.corners[1].x;
    o[1] = line[1].x * 10 + line[1].y;
    o[2] = line[0].y;
    o[3] = flat[1].x * 100 + flat[2].x + flat[2].y;
    o[4] = table[0] + table[1] + table[3] + table[4] * 1000 + table[5];
    o[5] = copy[2] + (int)(sizeof copy / sizeof copy[0]);
    o[6] = again.p.x + again.z;
    o[7] = t.corners[1].y + where->y - where->x;
    o[8] = chosen.x + chosen.y;
    o[9] = (int)(sizeof line / sizeof line[0]);
  }
  for (int i = 0; i < N; i++) {
    int *o = out[i];
    CHECK(o[0] == i + 3 && o[1] == 89 && o[2] == i && o[3] == 300 + i);
    CHECK(o[4] == 2 * i + 7000 && o[5] == i + 5 && o[6] == 7 && o[7] == 7);
    CHECK(o[8] == (i % 2 ? 6 : 2 * i) && o[9] == 3);
    CHECK(weights[i] == i * 0.5 + 9 && strcmp(names[i], "ab") == 0);
  }
}

int main(int count, char **words) {
  jumps();
  initialisers();
  printf("%s: %d failures, devices: %s\n", count > 1 ? words[1] : "-", failures, omp_get_num_devices() ? "some" : "none");
  return failures != 0;
}
