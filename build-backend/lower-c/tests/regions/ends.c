// Threads that end the program: the first says how, and the number of the text of its assertion; each ends itself.
void exit(int);
void __assert_fail(const char *, const char *, unsigned, const char *);
static void check(int x) {
  if (x > 40) __assert_fail("x <= 40", "ends.c", 5, __func__);
}
void ends(int n, int *x) {
#pragma omp target map(tofrom : x[0 : 2])
  {
    x[0] = 1;
    if (n < 0) exit(n);
    check(n);
    x[1] = 2;
  }
}
// ---- main
external @printf(pointer i8, ...): i32;
main @main;
function @main(): i32 {
  memory [%x: array 2 of i32, %ending: array 2 of i32];
  store %ending[0:i32] = 0:i32;
  store %x[1:i32] = 0:i32;
  launch @ends_8(address %x[0], 41:i32, address %ending[0]) at 0;
  call external @printf(bytes "%d %d, %d %d\n", load %x[0:i32], load %x[1:i32], load %ending[0:i32], load %ending[1:i32]);
  store %ending[0:i32] = 0:i32;
  launch @ends_8(address %x[0], -7:i32, address %ending[0]) at 0;
  call external @printf(bytes "%d %d, %d %d\n", load %x[0:i32], load %x[1:i32], load %ending[0:i32], load %ending[1:i32]);
  return 0:i32;
}
// ---- output
// 1 0, 3 0
// 1 0, 1 -7
