/* Parallel regions on a GPU, beside the kernels of cuda/target_regions.cu: the shortest of several runs of each in
   milliseconds, and a sum that both must give. The first run of each moves the data. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 10

static double best, start;

static void begin(void) { start = omp_get_wtime(); }
static void end(void) {
  double time = omp_get_wtime() - start;
  if (time < best) best = time;
}
static void report(const char *name, double sum) {
  printf("%-16s %9.3f ms  %.6g\n", name, 1e3 * best, sum);
  best = 1e9;
}

static void *allocate(size_t bytes) {
  void *made = malloc(bytes);
  if (made == NULL) exit(EXIT_FAILURE);
  return made;
}

static void saxpy(int n) {
  float *x = allocate(n * sizeof *x), *y = allocate(n * sizeof *y);
  for (int i = 0; i < n; i++) x[i] = i % 7, y[i] = 1;
  for (int run = 0; run < RUNS; run++) {
    begin();
#pragma omp parallel for
    for (int i = 0; i < n; i++) y[i] += 2 * x[i];
    end();
  }
  report("saxpy", y[n - 1]);
  free(x), free(y);
}

static void reduction(int n) {
  double *x = allocate(n * sizeof *x), sum = 0;
  for (int i = 0; i < n; i++) x[i] = i % 5;
  for (int run = 0; run < RUNS; run++) {
    sum = 0;
    begin();
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += x[i];
    end();
  }
  report("reduction", sum);
  free(x);
}

static void heat(int n) {
  double *a = allocate(sizeof *a * n * n), *b = allocate(sizeof *b * n * n);
  for (int i = 0; i < n * n; i++) a[i] = b[i] = i < n ? 100 : 0;
  for (int run = 0; run < RUNS; run++) {
    double *from = run % 2 ? b : a, *to = run % 2 ? a : b;
    begin();
#pragma omp parallel for collapse(2)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        to[i * n + j] = 0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] + from[i * n + j + 1]);
    end();
  }
  report("heat", a[3 * n + n / 2]);
  free(a), free(b);
}

static double normal(double x) { return 0.5 * erfc(-x / sqrt(2.0)); }

static void black_scholes(int n) {
  double *spot = allocate(n * sizeof *spot), *call = allocate(n * sizeof *call);
  for (int i = 0; i < n; i++) spot[i] = 5.0 + i % 26;
  for (int run = 0; run < RUNS; run++) {
    begin();
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      double strike = 1.0 + i % 100, years = 0.25 + (i % 40) * 0.25, root = 0.3 * sqrt(years);
      double d1 = (log(spot[i] / strike) + (0.02 + 0.5 * 0.3 * 0.3) * years) / root;
      call[i] = spot[i] * normal(d1) - strike * exp(-0.02 * years) * normal(d1 - root);
    }
    end();
  }
  report("black_scholes", call[0]);
  free(spot), free(call);
}

static void matrix_product(int n) {
  float *a = allocate(sizeof *a * n * n), *b = allocate(sizeof *b * n * n), *c = allocate(sizeof *c * n * n);
  for (int i = 0; i < n * n; i++) a[i] = i % 3, b[i] = i % 5;
  for (int run = 0; run < RUNS; run++) {
    begin();
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        float sum = 0;
        for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
      }
    end();
  }
  report("matrix_product", c[n + 1]);
  free(a), free(b), free(c);
}

static void histogram(int n) {
  enum { BINS = 1024 };
  unsigned *values = allocate(n * sizeof *values);
  int *bins = allocate(BINS * sizeof *bins);
  memset(bins, 0, BINS * sizeof *bins);
  for (int i = 0; i < n; i++) values[i] = (unsigned)i * 2654435761u >> 22;
  for (int run = 0; run < RUNS; run++) {
    begin();
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp atomic
      bins[values[i]]++;
    }
    end();
  }
  report("histogram", bins[7]);
  free(values), free(bins);
}

static void mandelbrot(int n) {
  int *points = allocate(sizeof *points * n * n);
  for (int run = 0; run < RUNS; run++) {
    begin();
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        float re = -2.2f + 3.2f * j / n, im = -1.2f + 2.4f * i / n, x = 0, y = 0;
        int steps = 0;
        while (steps < 500 && x * x + y * y <= 4) {
          float next = x * x - y * y + re;
          y = 2 * x * y + im;
          x = next;
          steps++;
        }
        points[i * n + j] = steps;
      }
    end();
  }
  report("mandelbrot", points[n / 2 * n + n / 2]);
  free(points);
}

/* What a barrier, an entry of `critical` and an empty region take, in microseconds. */
static void synchronization(void) {
  enum { BARRIERS = 1000, ENTRIES = 4 };
  int *total = allocate(sizeof *total), threads = 0;
  *total = 0;
  double times[3];
  for (int warm = 0; warm < 2; warm++) {
    times[0] = omp_get_wtime();
#pragma omp parallel
    {
#pragma omp single
      threads = omp_get_num_threads();
    }
    times[0] = omp_get_wtime() - times[0];
    times[1] = omp_get_wtime();
#pragma omp parallel
    for (int i = 0; i < BARRIERS; i++) {
#pragma omp barrier
    }
    times[1] = omp_get_wtime() - times[1];
    times[2] = omp_get_wtime();
#pragma omp parallel
    for (int i = 0; i < ENTRIES; i++) {
#pragma omp critical
      ++*total;
    }
    times[2] = omp_get_wtime() - times[2];
  }
  printf("%d threads: region %.1f us, barrier %.2f us, critical %.3f us, %s\n", threads, 1e6 * times[0], 1e6 * times[1] / BARRIERS,
         1e6 * times[2] / ENTRIES / threads, *total == 2 * ENTRIES * threads ? "right" : "WRONG");
  free(total);
}

int main(int count, char **words) {
  int scale = count > 1 ? atoi(words[1]) : 1;
  if (scale < 1) return EXIT_FAILURE;
  best = 1e9;
  synchronization();
  saxpy((1 << 26) / scale);
  reduction((1 << 26) / scale);
  heat(8192 / scale);
  black_scholes((1 << 24) / scale);
  matrix_product(2048 / scale);
  histogram((1 << 26) / scale);
  mandelbrot(4096 / scale);
  return EXIT_SUCCESS;
}
