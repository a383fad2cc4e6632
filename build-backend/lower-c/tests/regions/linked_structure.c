// A region of one thread that follows pointers, with a mapped scalar, a private array and pointer arithmetic.
struct node { int value; struct node *next; };
void total(struct node *first) {
  int sum = 0, count = 0;
#pragma omp target map(tofrom : sum, count)
  {
    int last[4] = {1, 2};
    int *end = last + 4;
    for (struct node *at = first; at; at = at->next) {
      sum += at->value;
      last[count++ & 3] += at->value;
    }
    int *position = last;
    while (position != end) sum += *position++ * 100;
    sum += (int)(end - last) * 10000;
  }
}
// ---- main
external @printf(pointer i8, ...): i32;
main @main;
function @main(): i32 {
  memory [%a: struct @node, %b: struct @node, %sum: i32, %count: i32];
  store %a.value = 3:i32;
  store %a.next = address %b;
  store %b.value = 4:i32;
  store %b.next = zero:pointer struct @node;
  store %sum = 0:i32;
  store %count = 0:i32;
  launch @total_5(address %a, address %sum, address %count) at 0;
  call external @printf(bytes "%d %d\n", load %sum, load %count);
  return 0:i32;
}
// ---- output
// 41007 2
