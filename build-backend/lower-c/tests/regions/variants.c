// Calls in code of devices call the variants of functions whose selectors match.
int by_kind(void) { return 1; }
int by_target(void) { return 2; }
int by_both(void) { return 3; }
int by_arch(void) { return 4; }
int of_host(void) { return 5; }
#pragma omp declare variant(by_kind) match(device = {kind(gpu, nohost)})
#pragma omp declare variant(of_host) match(device = {kind(host)})
int kind(void) { return 0; }
#pragma omp declare variant(by_kind) match(device = {kind(gpu)})
#pragma omp declare variant(by_arch) match(device = {arch("nvptx64")})
int arch(void) { return 0; }
#pragma omp declare variant(by_target) match(construct = {target})
#pragma omp declare variant(by_both) match(construct = {target, parallel})
int construct(void) { return 0; }
#pragma omp declare variant(by_kind) match(implementation = {vendor(score(100) : nvidia)})
#pragma omp declare variant(by_target) match(construct = {target})
int scored(void) { return 0; }
#pragma omp declare variant(by_target) match(user = {condition(2 > 1)})
#pragma omp declare variant(by_both) match(user = {condition(2 > 1)}, implementation = {vendor(nvidia)})
int wider(void) { return 0; }
#pragma omp declare variant(of_host) match(construct = {dispatch})
#pragma omp declare variant(of_host) match(device = {isa("avx2")})
#pragma omp declare variant(of_host) match(user = {condition(0)})
int base(void) { return 7; }
int through(void) { return kind(); }
void count(int *at) {
  int out[8];
#pragma omp target map(from : out)
  {
    out[0] = kind();
    out[1] = arch();
    out[2] = construct();
    out[4] = scored();
    out[5] = wider();
    out[6] = base();
    out[7] = through();
  }
#pragma omp target parallel num_threads(1) map(out)
  out[3] = construct();
}
// ---- main
external @printf(pointer i8, ...): i32;
main @main;
function @main(): i32 {
  memory [%out: array 8 of i32];
  launch @count_29(address %out) at 0;
  launch @count_39(address %out) at 0;
  call external @printf(bytes "%d %d %d %d\n", load %out[0:i64], load %out[1:i64], load %out[2:i64], load %out[3:i64]);
  call external @printf(bytes "%d %d %d %d\n", load %out[4:i64], load %out[5:i64], load %out[6:i64], load %out[7:i64]);
  return 0:i32;
}
// ---- output
// 1 4 2 3
// 1 3 7 1
