/* Mandelbrot set on a device: the threads of all teams share the points. The host computes every tenth row again. */
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 160
#define HEIGHT 120
#define LIMIT 500

static int rows[HEIGHT][WIDTH];

/* Iterations until z -> z^2 + c leaves the circle of radius 2. */
#pragma omp declare target
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

static int point(int x, int y) { return escape(-2.2 + 3.2 * x / WIDTH, -1.2 + 2.4 * y / HEIGHT); }
#pragma omp end declare target

int main(void) {
  long inside = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : inside) map(from : rows)
  for (int y = 0; y < HEIGHT; y++) {
    for (int x = 0; x < WIDTH; x++) {
      rows[y][x] = point(x, y);
      inside += rows[y][x] == LIMIT;
    }
  }
  int failures = 0;
  /* Devices may round differently: a point near the border may leave the circle one step sooner or later. */
  for (int y = 0; y < HEIGHT; y += 10) {
    for (int x = 0; x < WIDTH; x++) failures += abs(rows[y][x] - point(x, y)) > 1 && rows[y][x] < 50;
  }
  /* The line in the middle is real, and all of [-2, 0.25] is in the set. */
  if (failures != 0 || rows[HEIGHT / 2][WIDTH / 2] != LIMIT || inside == 0) {
    fprintf(stderr, "%d points are wrong\n", failures);
    return EXIT_FAILURE;
  }
  printf("Mandelbrot: %ld of %d points are in the set\n", inside, WIDTH * HEIGHT);
  return EXIT_SUCCESS;
}
