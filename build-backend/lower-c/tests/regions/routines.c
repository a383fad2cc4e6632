// Routines of OpenMP whose answer a region knows: the device is a word of two halves.
int omp_get_device_num(void);
int omp_get_num_devices(void);
int omp_get_initial_device(void);
int omp_get_level(void);
int omp_in_parallel(void);
int omp_get_thread_limit(void);
int omp_get_supported_active_levels(void);
int number(void) { return omp_get_device_num(); }
void ask(int *at) {
  int here = 0, called = 0, devices = 0, host = 0, level = 0, active = 0, limit = 0, levels = 0;
#pragma omp target map(from : here, called, devices, host, level)
  {
    here = omp_get_device_num();
    called = number();
    devices = omp_get_num_devices();
    host = omp_get_initial_device();
    level = omp_get_level();
  }
#pragma omp target parallel num_threads(4) thread_limit(2) map(from : level, active, limit, levels)
  {
#pragma omp masked
    {
      level = omp_get_level() * 10;
      active = omp_in_parallel();
      limit = omp_get_thread_limit();
      levels = omp_get_supported_active_levels();
    }
  }
}
// ---- main
external @printf(pointer i8, ...): i32;
main @main;
function @main(): i32 {
  memory [%here: i32, %called: i32, %devices: i32, %host: i32, %level: i32, %active: i32, %limit: i32, %levels: i32];
  launch @ask_12(address %here, address %called, address %devices, address %host, address %level, 34359934978:i64) at 0;
  call external @printf(bytes "%d %d %d %d %d\n", load %here, load %called, load %devices, load %host, load %level);
  launch @ask_20(address %level, address %active, address %limit, address %levels) at 0;
  call external @printf(bytes "%d %d %d %d\n", load %level, load %active, load %limit, load %levels);
  return 0:i32;
}
// ---- output
// 2 2 3 3 0
// 10 1 2 1
