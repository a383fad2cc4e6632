// Reductions with all operators: blocks combine by trees, then the first thread of each adds to the total,
// which keeps the value from before.
void reduce(int n) {
  long sum = 5, product = 1;
  int all = 7, any = 0, least = 1000000, greatest = -5;
  unsigned bits_and = ~0u, bits_or = 0, bits_xor = 0;
  double average = 0.5;
#pragma omp target teams distribute parallel for reduction(+ : sum, average) reduction(* : product) \
    reduction(&& : all) reduction(|| : any) reduction(min : least) reduction(max : greatest)         \
    reduction(& : bits_and) reduction(| : bits_or) reduction(^ : bits_xor)
  for (int i = 1; i <= n; i++) {
    int value = (i * 37) % 1009;
    sum += i;
    average += 0.25;
    product *= i % 100 == 0 ? 2 : 1;
    all = all && value != 0;
    any = any || value == 1008;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
    bits_and &= 0xf0u | (unsigned)i;
    bits_or |= (unsigned)i & 0xffu;
    bits_xor ^= (unsigned)i;
  }
}
// ---- main
external @printf(pointer i8, ...): i32;
main @main;
function @main(): i32 {
  memory [%sum: i64, %average: f64, %product: i64, %all: i32, %any: i32, %least: i32, %greatest: i32, %and: u32, %or: u32, %xor: u32];
  store %sum = 5;
  store %average = 0.5;
  store %product = 1;
  store %all = 7:i32;
  store %any = 0:i32;
  store %least = 1000000:i32;
  store %greatest = -5:i32;
  store %and = 4294967295:u32;
  store %or = 0:u32;
  store %xor = 0:u32;
  launch @reduce_8(1000:i32, address %sum, address %average, address %product, address %all, address %any, address %least, address %greatest, address %and, address %or, address %xor) at 0;
  call external @printf(bytes "%ld %g %ld\n", load %sum, load %average, load %product);
  call external @printf(bytes "%d %d %d %d\n", load %all, load %any, load %least, load %greatest);
  call external @printf(bytes "%x %x %d\n", load %and, load %or, load %xor);
  return 0:i32;
}
// ---- output
// 500505 250.5 1024
// 1 1 1 1008
// f0 ff 1000
