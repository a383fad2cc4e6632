// Exceptions that C++ code keeps while they are in flight.
#include <exception>
#include <string.h>
#include <vector>

static std::vector<std::exception_ptr> kept;
static std::exception_ptr kept_until_exit;

static __attribute__((noinline)) void clear_stack_below() {
    volatile char below[32768];
    memset((void *)below, 0, sizeof below);
}

static __attribute__((noinline)) void keep_current() { kept.push_back(std::current_exception()); }

static void call(apg_object *closure) { ((void (*)(apg_object *))apg_function(closure, 0))(closure); }

/// Runs between a throw and its handler: collects while nothing but the exception in flight holds its object.
struct AtUnwinding {
    apg_object *action;
    ~AtUnwinding() { clear_stack_below(); call(action); }
};
