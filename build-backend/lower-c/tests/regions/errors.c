// What regions cannot do is reported where it is, with what to write.
int printf(const char *, ...);
extern int outside(int);
int counter;
static int next(void) { static int calls; return calls++ + counter; }
void f(int n, double *x, long double big, int (*apply)(int)) {
#pragma omp target teams distribute parallel for map(x[:n])
  for (int i = 0; i < n; i++) {
    n = printf("%d\n", i);
    x[i] = outside(i);
    x[i] += next();
    if (i == 7) break;
    switch (i) { case 1 ... 3: x[i] = 2; }
#pragma omp critical
    x[0] += 1;
  }
#pragma omp target teams distribute parallel for lastprivate(n)
  for (n = 0; n < 4; n++) x[n] = 0;
#pragma omp target parallel
  x[0] = 1;
#pragma omp target parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) x[j] = i;
#pragma omp target
  x[0] = big;
#pragma omp target teams distribute parallel for map(x[:n])
  for (int i = 0; i != n; i += n) x[i] = 0;
#pragma omp target teams distribute parallel for default(firstprivate)
  for (int i = 0; i < 4; i++) x[i] = 0;
  int table[4];
#pragma omp target map(to: table[1:2])
#pragma omp teams distribute parallel for firstprivate(table)
  for (int i = 0; i < 4; i++) table[1] = i;
#pragma omp target teams distribute parallel for map(x[:n])
  for (int i = 0; i < 4; i++) {
#pragma omp parallel
    {
#pragma omp critical
      x[0] += 1;
    }
  }
#pragma omp target parallel map(x[:n])
  {
    if (n > 3)
#pragma omp critical
      x[0] += 1;
    goto out;
  }
out:;
  double many[1000];
#pragma omp target teams distribute parallel for reduction(+: many)
  for (int i = 0; i < 4; i++) many[i] = many[i + 1];
#pragma omp target parallel
  n++;
#pragma omp target private(n)
#pragma omp parallel
  n++;
#pragma omp target firstprivate(n)
#pragma omp parallel for lastprivate(n)
  for (int i = 0; i < 4; i++) n = i;
#pragma omp target parallel for lastprivate(conditional: n)
  for (int i = 0; i < 4; i++) n = i;
#pragma omp target parallel for if(parallel: counter > 4) reduction(+: n)
  for (int i = 0; i < *x; i++) n += i;
#pragma omp target parallel map(x[:n])
  {
#pragma omp barrier
#pragma omp for linear(n: 2)
    for (int i = 0; i < 4; i++) x[i] = n;
  }
  double fabs(double value) { return value + 1; }
#pragma omp target map(x[:n])
  x[0] = fabs(x[1]);
}
// ---- errors
// 5: static int calls;: `calls` is static, and has no device form: map an object that is declared outside of the region
// 9: printf("%d\n", i): a device does not know how many characters it has written: do not use the result of `printf` in the region
// 10: outside(i): a region calls `outside`, which no file of the program defines: name its file, too, or call it outside of the region
// 12: break;: `break` leaves a loop that threads share: write a condition around the rest of the body
// 14: #pragma omp critical: `critical` inside of a region has no device form yet: write `atomic`, or a reduction
// 23: i: this bound depends on an outer loop of the same directive: `collapse` fewer loops
// 25: big: devices have no `long double`: write `double`
// 27: n: the direction of this loop is not known: compare with `<` or `>`
// 28: default(firstprivate): `default(firstprivate)` has no device form: name the objects in a `firstprivate` clause
// 31: table[1:2]: a part of `table` is mapped, and threads have copies of all of it: write `map(to: table)`
// 38: #pragma omp critical: `critical` inside of a region has no device form yet: write `atomic`, or a reduction
// 45: #pragma omp critical: `critical` under a condition, which may hold for some threads only, has no device form: write `atomic`, or a reduction
// 47: goto out;: `goto out` leaves the region: write a condition around the rest of the region
// 51: many: `many` is reduced, has many elements, and is used in other ways than updates by the operator: write only updates such as `many[i] += value`, or at most 4 KiB
// 54: n: threads of the region share `n`, and change it: write `map(tofrom: n)`, or `firstprivate(n)` of `parallel`
// 57: n: threads of the region share `n`, and change it: write `map(tofrom: n)`, or `firstprivate(n)` of `parallel`
// 58: n: the result in `n` is that of an object of this directive: write `map(tofrom: n)`, or copy `n` in front of the region
// 61: lastprivate(conditional: n): `lastprivate(conditional: ...)` has no device form: reduce the number of the iteration by `max`
// 63: if(parallel: counter > 4): `if` of this `parallel` has no device form: the launch chooses the number of threads: write `num_threads`, or two regions in an `if` statement
// 68: linear(n: 2): `linear` inside of a region has no device form yet: compute the value in the loop
// 73: fabs(x[1]): a region calls `fabs`, which is defined in another function: move `fabs` out of that function
