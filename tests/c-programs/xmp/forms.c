/* Forms of loops, reductions with locations, kept descriptors, parts of nodes and locks: each is checked
   against what a serial loop gives. Usage: forms */
#include <stdio.h>
#include <xmp.h>

#define N 37

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[N]
#pragma xmp distribute c[cyclic(3)] onto p

int a[N], b[N], values[N];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp align values[i] with c[i]
#pragma xmp shadow a[1]
#pragma xmp shadow b[1]

xmp_lock_t guard:[*];
int counter:[*];
int failures;

#define CHECK(condition) \
  do { if (!(condition)) { failures++; printf("node %d, line %d: %s\n", xmpc_node_num(), __LINE__, #condition); } } while (0)

static void locations(void) {
  static const int of[5] = {3, 9, 1, 9, 1};
#pragma xmp loop on c[i]
  for (int i = 0; i < N; i++) values[i] = of[i % 5];
  int best, at = -1;
  best = -100;
#pragma xmp loop on c[i] reduction(firstmax: best/at/)
  for (int i = 0; i < N; i++) if (values[i] > best) { best = values[i]; at = i; }
  CHECK(best == 9 && at == 1);
  best = 100, at = -1;
#pragma xmp loop on c[i] reduction(firstmin: best/at/)
  for (int i = 0; i < N; i++) if (values[i] < best) { best = values[i]; at = i; }
  CHECK(best == 1 && at == 2);
  best = -100, at = -1;
#pragma xmp loop on c[i] reduction(lastmax: best/at/)
  for (int i = 0; i < N; i++) if (values[i] >= best) { best = values[i]; at = i; }
  CHECK(best == 9 && at == 36);
  best = 100, at = -1;
#pragma xmp loop on c[i] reduction(lastmin: best/at/)
  for (int i = 0; i < N; i++) if (values[i] <= best) { best = values[i]; at = i; }
  CHECK(best == 1 && at == 34);
}

static void fill(void) {
#pragma xmp loop on t[i]
  for (int i = 0; i < N; i++) { a[i] = i * i; b[i] = -1; }
}

/* The interior first, then the elements beside other nodes. */
static void margins(void) {
  fill();
#pragma xmp reflect (a) async(1)
#pragma xmp loop on t[i] peel_and_wait(1, -1)
  for (int i = 1; i < N - 1; i++) b[i] = a[i - 1] + a[i + 1];
#pragma xmp loop on t[i]
  for (int i = 1; i < N - 1; i++) CHECK(b[i] == (i - 1) * (i - 1) + (i + 1) * (i + 1));
  fill();
#pragma xmp reflect (a)
#pragma xmp loop on t[i] margin(1)
  for (int i = 1; i < N - 1; i++) b[i] = a[i - 1] + a[i + 1];
#pragma xmp loop on t[i] expand(1)
  for (int i = 0; i < N; i++) b[i] = a[i] + 1;
#pragma xmp loop on t[i]
  for (int i = 1; i < N - 1; i++) CHECK(b[i - 1] == a[i - 1] + 1 && b[i + 1] == a[i + 1] + 1);
}

static int part(int round) {
#pragma xmp static_desc :: q, u, local
#pragma xmp nodes q[1] = p[0:1]
#pragma xmp template u[4]
#pragma xmp distribute u[block] onto q
  static int local[4];
#pragma xmp align local[i] with u[i]
  int sum = 0;
#pragma xmp task on q[0]
  {
#pragma xmp loop on u[i]
    for (int i = 0; i < 4; i++) local[i] += i + round;
#pragma xmp loop on u[i] reduction(+: sum)
    for (int i = 0; i < 4; i++) sum += local[i];
  }
#pragma xmp bcast (sum) from p[0]
  return sum;
}

int main(void) {
  locations();
  margins();
  CHECK(part(0) == 6);
  CHECK(part(1) == 6 + 10);
  counter = 0;
#pragma xmp array on t
  a[:] = 5;
#pragma xmp loop on t[i]
  for (int i = 0; i < N; i++) CHECK(a[i] == 5);
#pragma xmp sync_all
  for (int i = 0; i < 50; i++) {
#pragma xmp lock(guard:[0])
    int now;
    now = counter:[0];
    counter:[0] = now + 1;
#pragma xmp sync_memory
#pragma xmp unlock(guard:[0])
  }
#pragma xmp sync_all
  if (xmpc_this_image() == 0) CHECK(counter == 50 * xmp_num_nodes());
#pragma xmp reduction(+: failures)
#pragma xmp task on p[0]
  printf("%d failures\n", failures);
  return failures != 0;
}
