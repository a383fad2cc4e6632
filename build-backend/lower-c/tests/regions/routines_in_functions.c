// Functions get what they ask for of the threads around their calls by words behind their arguments.
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_team_num(void);
int omp_get_level(void);
int omp_get_ancestor_thread_num(int);
int omp_get_team_size(int);
double omp_get_wtime(void);
int place(void) { return omp_get_team_num() * 100 + omp_get_thread_num() * 10 + omp_get_num_threads(); }
int levels(void) {
  int inner = 0;
#pragma omp parallel
  inner = omp_get_level() * 10 + omp_get_thread_num() + omp_get_team_size(1);
  return inner * 100 + omp_get_level() * 10 + omp_get_ancestor_thread_num(omp_get_level());
}
double seconds(void) { return omp_get_wtime(); }
void ask(int *at) {
#pragma omp target teams distribute parallel for dist_schedule(static) schedule(static) num_teams(2) thread_limit(2) map(from : at[0:4])
  for (int i = 0; i < 4; i++) at[i] = place();
  int deep = 0, passes = 0;
#pragma omp target parallel num_threads(3) map(from : deep)
  {
#pragma omp masked
    deep = levels();
  }
#pragma omp target map(from : passes)
  passes = seconds() <= seconds();
}
// ---- main
external @printf(pointer i8, ...): i32;
main @main;
function @main(): i32 {
  memory [%at: array 4 of i32, %deep: i32, %passes: i32];
  launch @ask_18(address %at[0]) at 0;
  launch @ask_21(address %deep) at 0;
  launch @ask_26(address %passes) at 0;
  call external @printf(bytes "%d %d %d %d %d %d\n", load %at[0], load %at[1], load %at[2], load %at[3], load %deep, load %passes);
  return 0:i32;
}
// ---- output
// 2 12 102 112 2310 1
