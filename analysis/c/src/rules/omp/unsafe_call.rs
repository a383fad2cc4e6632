//! `omp/unsafe-call`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Construct, Directive, StmtId};
use crate::rules::Context;

/// A function of the C library that threads may not call at the same time.
pub static RULE: Rule = Rule {
    code: "omp/unsafe-call",
    severity: Severity::Warning,
    summary: "A function of the C library that is not thread-safe, in a parallel region.",
    explanation: r##"
Some functions keep their state or their result in an object that all threads share: `strtok` the rest of the string, `localtime` the time that it returns,
`drand48` the last number. POSIX does not require that they are thread-safe (POSIX.1-2017, section 2.9.1): two threads that call one at the same time
get each other's results, or half of them.

Call the variant that takes the object as an argument (`strtok_r`, `localtime_r`, `erand48`), or put the call and the use of its result into a `critical`
region.
"##,
    failing: r##"
#include <string.h>
void use(const char *);
void words(char **lines, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) use(strtok(lines[i], " "));
}
"##,
    fixed: r##"
#define _POSIX_C_SOURCE 200809L
#include <string.h>
void use(const char *);
void words(char **lines, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        char *rest;
        use(strtok_r(lines[i], " ", &rest));
    }
}
"##,
};

/// Functions that POSIX does not require to be thread-safe, that glibc documents as unsafe for threads too,
/// and what to call instead.
const UNSAFE: [(&str, &str); 22] = [
    ("asctime", "`asctime_r`"),
    ("crypt", "`crypt_r`"),
    ("ctime", "`ctime_r`"),
    ("drand48", "`erand48` with a state of the thread's own"),
    ("ecvt", "`snprintf`"),
    ("fcvt", "`snprintf`"),
    ("getgrgid", "`getgrgid_r`"),
    ("getgrnam", "`getgrnam_r`"),
    ("gethostbyaddr", "`getnameinfo`"),
    ("gethostbyname", "`getaddrinfo`"),
    ("getpwnam", "`getpwnam_r`"),
    ("getpwuid", "`getpwuid_r`"),
    ("gmtime", "`gmtime_r`"),
    ("hsearch", "a table of the thread's own"),
    ("lcong48", "`erand48` with a state of the thread's own"),
    ("localtime", "`localtime_r`"),
    ("lrand48", "`nrand48` with a state of the thread's own"),
    ("mrand48", "`jrand48` with a state of the thread's own"),
    ("setlocale", "`uselocale`"),
    ("srand48", "`erand48` with a state of the thread's own"),
    ("strtok", "`strtok_r`"),
    ("ttyname", "`ttyname_r`"),
];

/// Whether one thread at a time, or one alone, executes the statement of a directive.
fn is_exclusive(directive: &Directive) -> bool {
    use Construct::*;
    let excludes = |it: &Construct| {
        matches!(it, Critical | Single | Master | Masked | Ordered | Sections | Section | Atomic)
    };
    directive.constructs.iter().any(excludes)
}

/// Whether a function locks.
fn is_lock(name: &str) -> bool {
    matches!(name, "omp_set_lock" | "omp_test_lock" | "omp_set_nest_lock" | "omp_test_nest_lock")
        || name.contains("mutex_lock")
}

pub(super) fn check(cx: &mut Context<'_>) {
    let regions: Vec<_> = cx.directives().filter(|it| it.1.has(Construct::Parallel)).collect();
    for (region, directive) in regions {
        let Some(body) = directive.body.filter(|_| !is_exclusive(directive)) else { continue };
        let calls = cx.calls_in(body);
        if calls.iter().any(|it| is_lock(it.1)) {
            continue;
        }
        for (call, name, _) in calls {
            let instead = UNSAFE.iter().find(|it| it.0 == name && !cx.is_defined_here(call));
            let Some((_, instead)) = instead else { continue };
            let range = cx.program.expr(call).range;
            let holds = |outer: StmtId, inner| cx.program.stmt(outer).range.contains_range(inner);
            let mut inside = cx.directives().filter(|(id, it)| {
                *id != region && holds(body, it.range) && it.body.is_some_and(|it| holds(it, range))
            });
            // Inner parallel regions are judged by themselves.
            if inside.any(|it| is_exclusive(it.1) || it.1.has(Construct::Parallel)) {
                continue;
            }
            let message = format!("`{name}` is not thread-safe, and all threads call it at the same time");
            let note =
                format!("call {instead}, or put the call and the use of its result into a `critical` region");
            let mut diagnostic = cx.at(&RULE, range, message).note(note);
            diagnostic.related.extend(cx.related(directive.name_range, "the parallel region"));
            cx.report(diagnostic);
        }
    }
}
