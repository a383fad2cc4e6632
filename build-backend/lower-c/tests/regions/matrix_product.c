// Two loops in one iteration space, a mapped array of arrays, and a sum in a loop of each thread.
#define N 6
static double a[N][N], b[N][N], c[N][N];
void product(void) {
#pragma omp target
#pragma omp teams distribute parallel for collapse(2) num_teams(2) thread_limit(8)
  for (int i = 0; i < N; i++)
    for (int j = N - 1; j >= 0; j -= 1) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}
// ---- main
external @printf(pointer i8, ...): i32;
main @main;
function @main(): i32 {
  memory [%a: array 6 of array 6 of f64, %b: array 6 of array 6 of f64, %c: array 6 of array 6 of f64];
  var [%i: i32];
  %i = 0:i32;
  L0: while %i < 36:i32 {
    store %a[%i / 6:i32][%i % 6:i32] = convert(%i):f64;
    store %b[%i / 6:i32][%i % 6:i32] = convert(%i % 7:i32):f64;
  } update {
    %i = %i + 1:i32;
  }
  launch @product_5(address %a, address %b, address %c) at 0;
  call external @printf(bytes "%g %g %g\n", load %c[0][0], load %c[2][3], load %c[5][5]);
  return 0:i32;
}
// ---- output
// 50 257 470
