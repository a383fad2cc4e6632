/* Throwing X10 exceptions: part of the metadata unit. The collector does not scan the memory of C++
   exceptions: an exception holds a root of its object until C++ destroys it, after its last handler or with
   the last `std::exception_ptr` to it. Handlers catch `apg_object *`. */
#include <cxxabi.h>
#include <typeinfo>
struct apg_in_flight { apg_object *object; apg_u64 root; };
static void apg_landed(void *exception) { apg_rt->release_root(((apg_in_flight *)exception)->root); }
void apg_raised(apg_object *e) {
  apg_in_flight *exception = (apg_in_flight *)abi::__cxa_allocate_exception(sizeof *exception);
  *exception = {e, apg_rt->hold_root(e)};
  abi::__cxa_throw(exception, const_cast<std::type_info *>(&typeid(apg_object *)), apg_landed);
}
