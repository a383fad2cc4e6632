// A loop over mapped arrays, with scalars by value; the grid is smaller than the number of iterations.
void saxpy(int n, float a, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}
// ---- main
external @printf(pointer i8, ...): i32;
main @main;
function @main(): i32 {
  memory [%x: array 2000 of f32, %y: array 2000 of f32];
  var [%i: i32];
  %i = 0:i32;
  L0: while %i < 2000:i32 {
    store %x[%i] = convert(%i):f32;
    store %y[%i] = 1.0:f32;
  } update {
    %i = %i + 1:i32;
  }
  launch @saxpy_3(1999:i32, address %y[0], 2.0:f32, address %x[0]) at 0;
  call external @printf(bytes "%g %g %g %g\n", convert(load %y[0]):f64, convert(load %y[7]):f64, convert(load %y[1998]):f64, convert(load %y[1999]):f64);
  return 0:i32;
}
// ---- output
// 1 15 3997 1
