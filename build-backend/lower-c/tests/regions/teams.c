// Each team or thread executes what no construct around divides; `if` and `filter` select threads.
void count(int k) {
  int n = 0, sum = 1, last = -1, each = 0, inner = 0, one = 0, number = 0;
#pragma omp target teams num_teams(4) map(tofrom : n, last) reduction(+ : sum)
#pragma omp parallel for num_threads(3) lastprivate(last) reduction(+ : sum)
  for (int i = 0; i < 8; i++) {
    sum += 1;
    last = i;
#pragma omp atomic
    n++;
  }
#pragma omp target parallel num_threads(4) map(tofrom : each)
#pragma omp simd
  for (int i = 0; i < 10; i++) {
#pragma omp atomic
    each++;
  }
#pragma omp target parallel num_threads(4) map(tofrom : inner)
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 10; i++) {
#pragma omp atomic
    inner++;
  }
#pragma omp target map(tofrom : one)
#pragma omp parallel num_threads(4) if (k > 3)
  {
#pragma omp atomic
    one++;
  }
#pragma omp target parallel num_threads(4) map(tofrom : number)
  {
#pragma omp masked filter(2)
    number += 10;
#pragma omp barrier
#pragma omp masked filter(7)
    number += 100;
  }
}
// ---- main
external @printf(pointer i8, ...): i32;
main @main;
function @main(): i32 {
  memory [%n: i32, %sum: i32, %last: i32, %each: i32, %inner: i32, %one: i32, %number: i32];
  store %n = 0:i32;
  store %sum = 1:i32;
  store %last = -1:i32;
  store %each = 0:i32;
  store %inner = 0:i32;
  store %one = 0:i32;
  store %number = 0:i32;
  launch @count_4(address %sum, address %last, address %n) at 0;
  launch @count_12(address %each) at 0;
  launch @count_18(address %inner) at 0;
  launch @count_24(3:i32, address %one) at 0;
  launch @count_30(address %number) at 0;
  call external @printf(bytes "%d %d %d\n", load %n, load %sum, load %last);
  call external @printf(bytes "%d %d %d %d\n", load %each, load %inner, load %one, load %number);
  return 0:i32;
}
// ---- output
// 32 33 7
// 40 40 1 10
