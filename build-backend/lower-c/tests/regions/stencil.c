// Stencils, whose iterations are tiled: planes, a box whose sizes no tile divides, loops that run across the
// rows, sums, loops that end early or are empty, and few threads.
#define P 5
#define R 37
#define C 71
static int from[P][R][C], to[P][R][C];
static int seen[C][R];
void stencils(int low, int high, int empty) {
  int wrong = 0, sum = 0, none = 0, few = 0;
#pragma omp target teams distribute parallel for collapse(2)
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++)
      for (int p = 0; p < P; p++) from[p][i][j] = p * 7919 + i * 104729 + j * j * 31, to[p][i][j] = 0;
#pragma omp target teams distribute parallel for collapse(3)
  for (int p = 1; p < P - 1; p++)
    for (int i = low; i <= high; i += 2)
      for (int j = C - 2; j > 0; j--) {
        if (j == 9) continue;
        to[p][i][j] += from[p][i - 1][j] + 2 * from[p][i + 1][j] + 3 * from[p][i][j - 1] + 4 * from[p][i][j + 1]
            + 5 * from[p - 1][i][j] + 6 * from[p + 1][i][j];
      }
#pragma omp target map(tofrom : wrong)
  for (int p = 0; p < P; p++)
    for (int i = 0; i < R; i++)
      for (int j = 0; j < C; j++) {
        int value = 0;
        if (p > 0 && p < P - 1 && i >= low && i <= high && (i - low) % 2 == 0 && j > 0 && j < C - 1 && j != 9)
          value = from[p][i - 1][j] + 2 * from[p][i + 1][j] + 3 * from[p][i][j - 1] + 4 * from[p][i][j + 1]
              + 5 * from[p - 1][i][j] + 6 * from[p + 1][i][j];
        wrong += value != to[p][i][j];
      }
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : sum)
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) sum += ++seen[j][i];
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : none)
  for (int i = 1; i < empty; i++)
    for (int j = 0; j < C; j++) none += from[0][i - 1][j] - from[0][i + 1][j];
#pragma omp target teams distribute parallel for collapse(2) thread_limit(64) reduction(+ : few)
  for (long i = low; i <= high; i++)
    for (long j = 0; j < C; j++) few += (from[0][i + 1][j] - from[0][i - 1][j]) / 104729;
}
// ---- main
external @printf(pointer i8, ...): i32;
main @main;
function @main(): i32 {
  memory [%from: array 5 of array 37 of array 71 of i32, %to: array 5 of array 37 of array 71 of i32,
    %seen: array 71 of array 37 of i32, %wrong: i32, %sum: i32, %none: i32, %few: i32];
  var [%i: i32];
  %i = 0:i32;
  L0: while %i < 2627:i32 {
    store %seen[%i / 37:i32][%i % 37:i32] = 0:i32;
  } update {
    %i = %i + 1:i32;
  }
  store %wrong = 0:i32;
  store %sum = 0:i32;
  store %none = 0:i32;
  store %few = 0:i32;
  launch @stencils_10(address %from, address %to) at 0;
  launch @stencils_14(2:i32, 35:i32, address %to, address %from) at 0;
  launch @stencils_22(2:i32, 35:i32, address %from, address %wrong, address %to) at 0;
  launch @stencils_32(address %sum, address %seen) at 0;
  launch @stencils_35(1:i32, address %none, address %from) at 0;
  launch @stencils_38(2:i32, 35:i32, address %few, address %from) at 0;
  call external @printf(bytes "%d %d %d %d\n", load %wrong, load %sum, load %none, load %few);
  return 0:i32;
}
// ---- output
// 0 2627 0 4828
