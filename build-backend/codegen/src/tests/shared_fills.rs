//! Initial values of shared arrays that are overwritten.

use super::kernels::*;

/// Every thread writes its element of the upper half.
const UPPER: &str = "%shared?[convert(64:i32 + %thread):i64] = 100:i32;";

/// Runs `first; barrier; out(thread) = shared(63 - thread) + shared(64 + thread)` on 64 threads;
/// 128 Ints are shared, initially 7.
fn reversed(first: &str, expected: impl Fn(i64) -> i64) {
    let body = format!(
        "{first}
        barrier;
        %out?[convert(%thread):i64] =
            %shared?[convert(63:i32 - %thread):i64] + %shared?[convert(64:i32 + %thread):i64];"
    );
    let locals = "%shared: ref @Ints, %read: i32, %i: i32";
    let kernel = kernel_from_text(64, locals, "shared %shared: i32 length 128 = 7:i32;", &body);
    let program = launch(kernel, 64, 20);
    let expected: String = (0..64).map(|it| format!("{}\n", expected(it))).collect();
    assert_eq!(super::run(&program), expected);
}

#[test]
fn rails_that_all_threads_overwrite_have_their_values() {
    let plain = format!("%shared?[convert(%thread):i64] = %thread; {UPPER}");
    let either = format!(
        "{UPPER}
        if convert(%thread):i64 < %n {{ %shared?[convert(%thread):i64] = 1:i32; }}
        else {{ %shared?[convert(%thread):i64] = 2:i32; }}"
    );
    reversed(&plain, |it| 63 - it + 100);
    reversed(&either, |it| if 63 - it < 20 { 101 } else { 102 });
}

#[test]
fn rails_that_some_threads_overwrite_keep_other_initial_values() {
    let some = format!("if convert(%thread):i64 < %n {{ %shared?[convert(%thread):i64] = 1:i32; }} {UPPER}");
    let read = format!("{UPPER} %shared?[convert(%thread):i64] = %shared?[convert(%thread):i64] + 1:i32;");
    reversed(UPPER, |_| 107);
    reversed(&some, |it| if 63 - it < 20 { 101 } else { 107 });
    reversed(&read, |_| 108);
}

#[test]
fn rails_read_after_a_barrier_in_a_branch_or_loop_have_initial_values() {
    let meets = "barrier; %read = %shared?[convert(63:i32 - %thread):i64]; barrier;";
    for first in [
        format!("if 40:i32 < convert(%n):i32 {{ }} else {{ {meets} }}"),
        format!("%i = 0:i32; L7: while %i < 2:i32 {{ {meets} }} update {{ %i = %i + 1:i32; }}"),
        format!("L8: {{ {meets} }}"),
    ] {
        reversed(&format!("{first} %shared?[convert(%thread):i64] = %read; {UPPER}"), |_| 107);
    }
}
