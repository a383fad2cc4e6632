// Output, memory and copies of bytes by the C library, also in functions, and objects of file scope in these.
int printf(const char *, ...);
void *malloc(unsigned long);
void *calloc(unsigned long, unsigned long);
void free(void *);
void *memcpy(void *, const void *, unsigned long);
double scale;
static double scaled(double x) { return x * scale; }
static void show(const char *name, float x, unsigned char c) { printf("%s %.2f %c %zu%%\n", name, x, c, sizeof x); }
void library(int n, double *x) {
#pragma omp target map(tofrom : x[0 : n])
  {
    char word[6] = "abc";
    double *copy = malloc(n * sizeof *copy), *zeros = calloc(n, sizeof *zeros);
    memcpy(copy, x, n * sizeof *copy);
    for (int i = 0; i < n; i++) x[i] = scaled(copy[i]) + zeros[i];
    word[1] = 'B';
    show(word, x[n - 1], '\x21');
    show(__func__, 1, word[3] + '?');
    free(copy);
    free(zeros);
  }
}
// ---- main
main @main;
function @main(): i32 {
  memory [%x: array 3 of f64, %scale: f64];
  store %scale = 2.0:f64;
  store %x[0:i32] = 1.0:f64;
  store %x[1:i32] = 2.0:f64;
  store %x[2:i32] = 4.5:f64;
  launch @library_11(3:i32, address %x[0], address %scale) at 0;
  call external @printf(bytes "%g %g %g\n", load %x[0:i32], load %x[1:i32], load %x[2:i32]);
  return 0:i32;
}
// ---- output
// aBc 9.00 ! 4%
// library 1.00 ? 4%
// 2 4 9
