/* Mandelbrot set: rows take very different times, so that threads take them one by one as they get free
   (dynamic schedule). The picture must not depend on it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 160
#define HEIGHT 120
#define LIMIT 500

static int dynamic_rows[HEIGHT][WIDTH], static_rows[HEIGHT][WIDTH];

/* Iterations until z -> z^2 + c leaves the circle of radius 2. */
static int escape(double re, double im) {
  double x = 0.0, y = 0.0;
  int n = 0;
  while (n < LIMIT && x * x + y * y <= 4.0) {
    double next = x * x - y * y + re;
    y = 2.0 * x * y + im;
    x = next;
    n++;
  }
  return n;
}

static void row(int y, int to[WIDTH]) {
  for (int x = 0; x < WIDTH; x++) to[x] = escape(-2.2 + 3.2 * x / WIDTH, -1.2 + 2.4 * y / HEIGHT);
}

int main(void) {
#pragma omp parallel for schedule(dynamic, 1)
  for (int y = 0; y < HEIGHT; y++) row(y, dynamic_rows[y]);
#pragma omp parallel for schedule(static)
  for (int y = 0; y < HEIGHT; y++) row(y, static_rows[y]);
  long inside = 0;
#pragma omp parallel for schedule(guided) reduction(+ : inside)
  for (int y = 0; y < HEIGHT; y++) {
    for (int x = 0; x < WIDTH; x++) inside += dynamic_rows[y][x] == LIMIT;
  }
  /* The line in the middle is real, and all of [-2, 0.25] is in the set. */
  int middle = dynamic_rows[HEIGHT / 2][WIDTH / 2];
  if (memcmp(dynamic_rows, static_rows, sizeof static_rows) != 0 || middle != LIMIT || inside == 0) {
    fprintf(stderr, "the schedules give different pictures\n");
    return EXIT_FAILURE;
  }
  printf("Mandelbrot: %ld of %d points are in the set\n", inside, WIDTH * HEIGHT);
  return EXIT_SUCCESS;
}
