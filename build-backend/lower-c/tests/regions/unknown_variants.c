// What a call calls must be known.
int n;
int absent(void);
int there(void) { return 1; }
#pragma omp declare variant(there) match(device = {isa("sm_80")})
int isa(void) { return 0; }
#pragma omp declare variant(there) match(user = {condition(n > 1)})
int condition(void) { return 0; }
#pragma omp declare variant(absent) match(construct = {target})
int construct(void) { return 0; }
void call(int *at) {
  int x = 0;
#pragma omp target map(from : x)
  {
    x = isa();
    x += condition();
    x += construct();
  }
}
// ---- errors
// 15: isa(): the variant of `isa` that a region calls depends on `isa(sm_80)`, which the compiler does not know: select variants by `construct`, `kind`, `arch` or constant conditions
// 16: condition(): the variant of `condition` that a region calls depends on `condition`, which the compiler does not know: select variants by `construct`, `kind`, `arch` or constant conditions
// 17: construct(): a region calls `absent` for `construct`, and no file of the program defines it: name its file, too, or call it outside of the region
