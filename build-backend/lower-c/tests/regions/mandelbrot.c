// Functions of the file with structs by value, recursion, `while` with effects in its condition, `do`,
// `break` and `continue` in inner loops, and conditional expressions.
typedef struct { double re, im; } point;
static point square(point z) {
  point r = {z.re * z.re - z.im * z.im, 2 * z.re * z.im};
  return r;
}
static int depth(int n) { return n <= 1 ? 1 : depth(n - 1) + depth(n - 2); }
static int escape(point c, int limit) {
  point z = {0};
  int left = limit;
  while (left-- > 0) {
    z = square(z);
    z.re += c.re;
    z.im += c.im;
    if (z.re * z.re + z.im * z.im > 4) break;
  }
  return limit - left - 1;
}
void rows(int width, int height, int *counts) {
#pragma omp target teams distribute parallel for map(from : counts[0 : width * height]) schedule(dynamic)
  for (int row = 0; row < height; ++row) {
    int column = 0;
    do {
      point c = {-2.0 + 3.0 * column / width, -1.0 + 2.0 * row / height};
      int found = escape(c, 50);
      if (found == 50) {
        counts[row * width + column++] = -depth(row % 5);
        continue;
      }
      counts[row * width + column++] = found;
    } while (column < width);
  }
}
// ---- main
external @printf(pointer i8, ...): i32;
main @main;
function @main(): i32 {
  memory [%counts: array 64 of i32, %ending: array 2 of i32];
  var [%i: i32];
  store %ending[0:i32] = 0:i32;
  launch @rows_21(8:i32, 8:i32, address %counts[0], address %ending[0]) at 0;
  %i = 0:i32;
  L0: while %i < 64:i32 {
    call external @printf(bytes "%d ", load %counts[%i]);
  } update {
    %i = %i + 1:i32;
  }
  call external @printf(bytes "\n");
  return 0:i32;
}
// ---- output
// 0 1 2 2 3 12 3 1 0 2 2 3 5 -1 4 2 0 2 3 4 -2 -2 -2 2 0 3 8 23 -3 -3 -3 3 -5 -5 -5 -5 -5 -5 -5 3 0 3 8 23 -1 -1 -1 3 0 2 3 4 -1 -1 -1 2 0 2 2 3 5 -2 4 2 
