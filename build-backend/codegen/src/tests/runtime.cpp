// A runtime of a few entries for tests of generated code: one place, activities run at once, no collection.
#include "apg.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
extern "C" const apg_program apg_program_v1;
static apg_runtime table;
static const apg_program &program = apg_program_v1;

static apg_object *allocate(const apg_type *type, apg_object **out) {
  *out = (apg_object *)calloc(1, type->size);
  (*out)->type = type;
  return nullptr;
}
static apg_object *raise(apg_u32 kind, const char *) {
  apg_object *result = nullptr;
  if (apg_object *e = program.make_exception(kind, nullptr, &result)) return e;
  return result;
}
static apg_object *allocate_rail(const apg_type *type, apg_i64 length, apg_object **out) {
  if (length < 0) return raise(APG_NEGATIVE_ARRAY_SIZE_EXCEPTION, "");
  auto rail = (apg_rail *)calloc(1, type->size + length * type->element_size);
  rail->type = type;
  rail->length = length;
  *out = (apg_object *)rail;
  return nullptr;
}
static apg_object *string(const char *bytes, apg_i64 length) {
  auto text = (apg_string *)calloc(1, sizeof(apg_string) + length + 1);
  text->type = program.string_type;
  text->length = length;
  memcpy(text->bytes, bytes, length);
  return (apg_object *)text;
}
static apg_object *string_from_i64(apg_i64 value, apg_object **out) {
  char buffer[32];
  *out = string(buffer, snprintf(buffer, sizeof buffer, "%lld", value));
  return nullptr;
}
static apg_object *string_from_f64(double value, apg_object **out) {
  char buffer[64];
  *out = string(buffer, snprintf(buffer, sizeof buffer, "%.9g", value));
  return nullptr;
}
static apg_object *string_concat(apg_object *left, apg_object *right, apg_object **out) {
  auto a = (apg_string *)left, b = (apg_string *)right;
  auto text = (apg_string *)string(a->bytes, a->length + b->length);
  memcpy(text->bytes + a->length, b->bytes, b->length);
  *out = (apg_object *)text;
  return nullptr;
}
static apg_object *string_join(const void *at, apg_i64 count, apg_object **out) {
  *out = string("", 0);
  for (const apg_part *part = (const apg_part *)at; count-- > 0; ++part) {
    apg_object *text = (apg_object *)part->bits;
    double real;
    memcpy(&real, &part->bits, sizeof real);
    if (part->kind == APG_PART_I64) string_from_i64((apg_i64)part->bits, &text);
    if (part->kind == APG_PART_F64) string_from_f64(real, &text);
    string_concat(*out, text, out);
  }
  return nullptr;
}
static apg_object *console_print(apg_i32, apg_object *text) {
  fwrite(((apg_string *)text)->bytes, 1, ((apg_string *)text)->length, stdout);
  putchar('\n');
  return nullptr;
}
static apg_object *static_begin(apg_static *state, bool *out) { *out = state->state == 0; state->state = 1; return nullptr; }
static apg_object *static_end(apg_static *state, apg_object *failure) { state->state = failure ? 3 : 2; return failure; }
static apg_object *pending;
static apg_object *finish_begin(bool) { pending = nullptr; return nullptr; }
static apg_object *finish_end(apg_object *e) { return e ? e : pending; }
static apg_object *async_here(apg_object *closure) { if (auto e = program.call(closure)) pending = e; return nullptr; }
static int depth;
static apg_object *atomic_begin() { depth++; return nullptr; }
static void atomic_end() { depth--; }
static apg_object *when_wait() { puts("waiting"); exit(3); }
static apg_object *kernel_launch(apg_i64, const apg_kernel *kernel, const void *env, apg_i32) {
  apg_launch launch = {};
  // A copy, as the real one makes, with global rails' handles taken for addresses.
  void *copy = malloc(kernel->env_size + 1);
  memcpy(copy, env, kernel->env_size);
  if (auto e = kernel->configure(copy, 8, 1, &launch)) return e;
  apg_i64 blocks = (apg_i64)launch.blocks[0] * launch.blocks[1] * launch.blocks[2];
  // In two parts, as two workers would.
  if (auto e = kernel->cpu(copy, &launch, 0, blocks / 2)) return e;
  if (auto e = kernel->cpu(copy, &launch, blocks / 2, blocks)) return e;
  free(copy);
  return nullptr;
}

int main() {
  table.abi = APG_ABI_VERSION;
  table.hold_root = [](apg_object *) -> apg_u64 { return 0; };
  table.release_root = [](apg_u64) {};
  table.allocate = allocate;
  table.allocate_rail = allocate_rail;
  table.raise = raise;
  table.raise_null = [] { return raise(APG_NULL_POINTER_EXCEPTION, ""); };
  table.raise_bounds = [](apg_i64, apg_i64) { return raise(APG_ARRAY_INDEX_OUT_OF_BOUNDS_EXCEPTION, ""); };
  table.raise_division = [] { return raise(APG_ARITHMETIC_EXCEPTION, ""); };
  table.raise_cast = [](apg_object *, const char *) { return raise(APG_CLASS_CAST_EXCEPTION, ""); };
  table.string_from_i64 = string_from_i64;
  table.string_from_f64 = string_from_f64;
  table.string_concat = string_concat;
  table.string_join = string_join;
  table.console_print = console_print;
  table.static_begin = static_begin;
  table.static_end = static_end;
  table.finish_begin = finish_begin;
  table.finish_end = finish_end;
  table.async_here = async_here;
  table.atomic_begin = atomic_begin;
  table.atomic_end = atomic_end;
  table.when_begin = atomic_begin;
  table.when_wait = when_wait;
  table.kernel_launch = kernel_launch;
  program.bind(&table);
  apg_object *rail = nullptr;
  if (program.string_rail_type) allocate_rail(program.string_rail_type, 0, &rail);
  apg_object *e = program.main(rail);
  if (e) printf("uncaught %s\n", e->type->name);
  if (depth) printf("atomic depth %d\n", depth);
  fflush(stdout);
  return e ? 1 : 0;
}
