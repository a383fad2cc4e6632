// Atomic updates with and without native operations, `atomic` with `capture` and `read`.
void histogram(int n, const unsigned char *values, long *bins, float *scaled, int *next, int *order) {
#pragma omp target teams distribute parallel for map(to : values[:n]) map(bins[:4], scaled[:2], next[:1], order[:n])
  for (int i = 0; i < n; i++) {
    int slot;
#pragma omp atomic
    bins[values[i] & 3]++;
#pragma omp atomic
    scaled[i & 1] *= 2.0;
#pragma omp atomic capture
    slot = (*next)++;
    order[slot] = i;
#pragma omp atomic update
    bins[3] = bins[3] - 1;
  }
}
// ---- main
external @printf(pointer i8, ...): i32;
main @main;
function @main(): i32 {
  memory [%values: array 12 of u8, %bins: array 4 of i64, %scaled: array 2 of f32, %next: i32, %order: array 12 of i32];
  var [%i: i32, %sum: i32];
  %i = 0:i32;
  L0: while %i < 12:i32 {
    store %values[%i] = convert(%i * %i):u8;
    store %order[%i] = 0:i32;
  } update {
    %i = %i + 1:i32;
  }
  store %bins[0] = 0;
  store %bins[1] = 0;
  store %bins[2] = 0;
  store %bins[3] = 0;
  store %scaled[0] = 1.0:f32;
  store %scaled[1] = 3.0:f32;
  store %next = 0:i32;
  launch @histogram_3(12:i32, address %bins[0], address %values[0], address %scaled[0], address %next, address %order[0]) at 0;
  %sum = 0:i32;
  %i = 0:i32;
  L1: while %i < 12:i32 {
    %sum = %sum + load %order[%i];
  } update {
    %i = %i + 1:i32;
  }
  call external @printf(bytes "%ld %ld %ld %ld\n", load %bins[0], load %bins[1], load %bins[2], load %bins[3]);
  call external @printf(bytes "%g %g %d %d\n", convert(load %scaled[0]):f64, convert(load %scaled[1]):f64, load %next, %sum);
  return 0:i32;
}
// ---- output
// 6 6 0 -12
// 64 192 12 66
