use super::builders::*;
use super::run;
use apg_mir::*;
use apg_passes::kernel_ir::{Node, UnrollFactor};
use apg_passes::pipeline::schedule_kernel;

/// A global array of Ints is struct 0; the kernel's first capture is one, `out`, its second a Long, `n`.
pub(super) fn global_array() -> Ty {
    Ty::Struct(StructId(0))
}

pub(super) const OUT: u32 = 0;
pub(super) const N: u32 = 1;

/// A kernel over `out` and `n` with one block and one thread axis (locals 2 and 3, both Int); `own` locals
/// follow from 4.
pub(super) fn kernel(blocks: i64, threads: i64, own: &[Ty], body: Vec<Stmt>) -> Kernel {
    let mut types = vec![global_array(), Ty::I64, Ty::I32, Ty::I32];
    types.extend(own);
    let capture = |name: &str, kind| KernelCapture {
        name: name.into(),
        kind,
        static_field: None,
        global: None,
        derived_from: None,
    };
    Kernel {
        name: "Main_main_1".into(),
        span: at(1),
        captures: vec![
            capture("out", KernelCaptureKind::GlobalBuffer { element: Ty::I32 }),
            capture("n", KernelCaptureKind::Scalar(Ty::I64)),
        ],
        host: LaunchConfiguration {
            blocks: vec![int(blocks)],
            threads: vec![int(threads)],
            shared_lengths: vec![],
        },
        shared: vec![],
        locals: locals(&types),
        variables: Vec::new(),
        block_locals: vec![LocalId(2)],
        thread_locals: vec![LocalId(3)],
        auto_blocks: None,
        auto_threads: None,
        block_choices: Vec::new(),
        thread_choices: Vec::new(),
        has_barrier: body.iter().any(|it| matches!(it.kind, StmtKind::Barrier)),
        body,
        direct_params: false,
        fast_math: false,
    }
}

/// A kernel over `%out` and `%n` with one block and the axes `%block` and `%thread`, from MIR text: `locals`
/// are declarations behind these four, `shared` declarations of shared arrays.
pub(super) fn kernel_from_text(threads: i64, locals: &str, shared: &str, body: &str) -> Kernel {
    let has_barrier = if body.contains("barrier;") { "has_barrier" } else { "" };
    // Structs and classes as in `launch`.
    let text = format!(
        "struct @GlobalRail {{ field size: i64; field home: i64; field handle: i64; }}
        class @x10.lang.Any {{ }}
        class @String extends @x10.lang.Any string {{ }}
        class @Strings extends @x10.lang.Any rail of ref @String {{ }}
        class @Exception extends @x10.lang.Any {{ }}
        class @Ints extends @x10.lang.Any rail of i32 {{ }}
        kernel @Main_main_1 {has_barrier} {{
            var [%out: struct @GlobalRail, %n: i64, %block: i32, %thread: i32, {locals}];
            capture out: global buffer of i32;
            capture n: i64;
            block %block < 1:i32;
            thread %thread < {threads}:i32;
            {shared}
            body {{ {body} }}
        }}"
    );
    let program = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    program.kernels.into_iter().next().expect("the text has a kernel")
}

/// A shared array of Ints named by a local of the kernel.
pub(super) fn share(kernel: &mut Kernel, local: u32, length: i64, init: SharedInit) {
    kernel.shared.push(SharedArray { local: LocalId(local), element: Ty::I32, init });
    kernel.host.shared_lengths.push(long(length));
}

/// A host program that launches the kernel on an array of `length` Ints and prints them.
pub(super) fn launch(kernel: Kernel, length: i64, n: i64) -> Program {
    let rail = || var(1, Ty::Ref(INTS));
    let address = expr(Ty::I64, ExprKind::Operation { operation: Operation::Bitcast, args: vec![rail()] });
    let global =
        expr(global_array(), ExprKind::MakeStruct(vec![long(length), long(0), add(address, long(16))]));
    let i = || var(2, Ty::I64);
    let show = print_long(convert(Ty::I64, element(Ty::I32, rail(), i())));
    let body = vec![
        set(
            1,
            expr(
                Ty::Ref(INTS),
                ExprKind::AllocateRail { class: INTS, length: Box::new(long(length)), zeroed: true },
            ),
        ),
        stmt(StmtKind::Launch {
            place: long(0),
            kernel: KernelId(0),
            captures: vec![global, long(n)],
            fallback_activity: None,
            captures_stable: true,
        }),
        set(2, long(0)),
        repeat(900, lt(i(), long(length)), vec![show], vec![set(2, add(i(), long(1)))]),
    ];
    let mut program = statements(&[Ty::Ref(INTS), Ty::I64], body);
    let field = |name: &str| Field { name: name.into(), ty: Ty::I64 };
    program.structs.push(Struct {
        layout: None,
        name: "x10.lang.GlobalRail[x10.lang.Int]".into(),
        fields: vec![field("size"), field("home"), field("handle")],
    });
    program.kernels.push(kernel);
    program
}

fn check(kernel: Kernel, length: i64, n: i64, expected: impl Fn(i64) -> i64) {
    let program = launch(kernel, length, n);
    super::compile_cuda(&program);
    let expected: String = (0..length).map(|it| format!("{}\n", expected(it))).collect();
    assert_eq!(run(&program), expected);
}

pub(super) fn block() -> Expr {
    var(2, Ty::I32)
}
pub(super) fn thread() -> Expr {
    var(3, Ty::I32)
}
pub(super) fn i32_(id: u32) -> Expr {
    var(id, Ty::I32)
}
pub(super) fn ints(id: u32) -> Expr {
    var(id, Ty::Ref(INTS))
}
pub(super) fn out(index: Expr, value: Expr) -> Stmt {
    store(var(OUT, global_array()), Ty::I32, convert(Ty::I64, index), value)
}
pub(super) fn barrier() -> Stmt {
    stmt(StmtKind::Barrier)
}
/// `block * 64 + thread`
pub(super) fn global_thread() -> Expr {
    add(mul(block(), int(64)), thread())
}

#[test]
fn without_barriers() {
    // tid = block * 64 + thread; out(tid) = tid * 3
    let body = vec![set(4, global_thread()), out(i32_(4), mul(i32_(4), int(3)))];
    check(kernel(3, 64, &[Ty::I32], body), 192, 0, |it| it * 3);
}

#[test]
fn values_live_across_a_barrier() {
    // v = thread * 2; shared(thread) = v; barrier; out(tid) = shared(63 - thread) + v
    let reversed = op(Operation::Sub, vec![int(63), thread()]);
    let body = vec![
        set(4, mul(thread(), int(2))),
        store(ints(5), Ty::I32, convert(Ty::I64, thread()), i32_(4)),
        barrier(),
        out(global_thread(), add(element(Ty::I32, ints(5), convert(Ty::I64, reversed)), i32_(4))),
    ];
    let mut kernel = kernel(4, 64, &[Ty::I32, Ty::Ref(INTS)], body);
    share(&mut kernel, 5, 64, SharedInit::Zero);
    check(kernel, 256, 0, |_| 126);
}

#[test]
fn a_barrier_in_a_loop_with_a_uniform_counter() {
    // Tree reduction: shared(thread) = thread; for (s = 32; s > 0; s = s / 2) { barrier; if (thread < s)
    // shared(thread) += shared(thread + s) } barrier; if (thread == 0) out(block) = shared(0)
    let at = |index: Expr| element(Ty::I32, ints(5), convert(Ty::I64, index));
    let add_half =
        store(ints(5), Ty::I32, convert(Ty::I64, thread()), add(at(thread()), at(add(thread(), i32_(4)))));
    let body = vec![
        store(ints(5), Ty::I32, convert(Ty::I64, thread()), thread()),
        set(4, int(32)),
        repeat(
            0,
            op(Operation::Gt, vec![i32_(4), int(0)]),
            vec![barrier(), when_true(lt(thread(), i32_(4)), vec![add_half])],
            vec![set(4, op(Operation::Div, vec![i32_(4), int(2)]))],
        ),
        barrier(),
        when_true(eq(thread(), int(0)), vec![out(block(), at(int(0)))]),
    ];
    let mut kernel = kernel(5, 64, &[Ty::I32, Ty::Ref(INTS)], body);
    share(&mut kernel, 5, 64, SharedInit::Zero);
    check(kernel, 5, 0, |_| 2016);
}

#[test]
fn an_accumulator_and_a_counter_of_each_thread_cross_a_barrier_in_a_loop() {
    // sum = 0; i = thread - thread; while (i < 4) { shared(thread) = thread + i; barrier; sum += shared(63 -
    // thread); barrier; i++ } `i` depends on the thread index, so it is not recognised as uniform.
    let i = || i32_(5);
    let reversed = convert(Ty::I64, op(Operation::Sub, vec![int(63), thread()]));
    let body = vec![
        set(4, int(0)),
        set(5, op(Operation::Sub, vec![thread(), thread()])),
        repeat(
            0,
            lt(i(), int(4)),
            vec![
                store(ints(6), Ty::I32, convert(Ty::I64, thread()), add(thread(), i())),
                barrier(),
                set(4, add(i32_(4), element(Ty::I32, ints(6), reversed))),
                barrier(),
            ],
            vec![set(5, add(i(), int(1)))],
        ),
        out(global_thread(), i32_(4)),
    ];
    let mut kernel = kernel(2, 64, &[Ty::I32, Ty::I32, Ty::Ref(INTS)], body);
    share(&mut kernel, 6, 64, SharedInit::Value(int(-1)));
    check(kernel, 128, 0, |it| 4 * (63 - it % 64) + 6);
}

#[test]
fn a_barrier_in_a_uniform_branch_and_a_break_out_of_the_loop_around_it() {
    // k = 0; while (true) { shared(thread) = k; barrier; if (n < 0) { barrier } else { x = shared(63 -
    // thread) + 10 } if (k == n) break; k = k + 1; barrier } out(tid) = x * 100 + k
    let k = || i32_(4);
    let n = || var(N, Ty::I64);
    let other = element(Ty::I32, ints(6), convert(Ty::I64, op(Operation::Sub, vec![int(63), thread()])));
    let choice = stmt(StmtKind::If {
        condition: lt(n(), long(0)),
        then: vec![barrier(), set(5, int(7))],
        otherwise: vec![set(5, add(other, int(10)))],
    });
    let body = vec![
        set(4, int(0)),
        repeat(
            0,
            expr(Ty::Bool, ExprKind::Int(1)),
            vec![
                store(ints(6), Ty::I32, convert(Ty::I64, thread()), k()),
                barrier(),
                choice,
                when_true(eq(convert(Ty::I64, k()), n()), vec![stmt(StmtKind::Break(LabelId(0)))]),
                set(4, add(k(), int(1))),
                barrier(),
            ],
            vec![],
        ),
        out(global_thread(), add(mul(i32_(5), int(100)), k())),
    ];
    let mut kernel = kernel(2, 64, &[Ty::I32, Ty::I32, Ty::Ref(INTS)], body);
    share(&mut kernel, 6, 64, SharedInit::Zero);
    check(kernel, 128, 3, |_| 1303);
}

#[test]
fn loops_of_a_thread_with_continue_and_break() {
    // s = 0; for (i = 0; i < 100; i++) { if (i % 2 == 0) continue; if (i > thread) break; s += i } out(tid) =
    // s
    let i = || i32_(5);
    let body = vec![
        set(4, int(0)),
        set(5, int(0)),
        repeat(
            0,
            lt(i(), int(100)),
            vec![
                when_true(
                    eq(op(Operation::Rem, vec![i(), int(2)]), int(0)),
                    vec![stmt(StmtKind::Continue(LabelId(0)))],
                ),
                when_true(lt(thread(), i()), vec![stmt(StmtKind::Break(LabelId(0)))]),
                set(4, add(i32_(4), i())),
            ],
            vec![set(5, add(i(), int(1)))],
        ),
        out(global_thread(), i32_(4)),
    ];
    check(kernel(1, 64, &[Ty::I32, Ty::I32], body), 64, 0, |it| ((it + 1) / 2).pow(2));
}

/// Activities have no `return`; in a work-item loop it would end all later threads.
#[test]
fn a_thread_that_returns_is_an_error() {
    let body = vec![when_true(lt(thread(), int(2)), vec![ret(None)]), out(global_thread(), int(1))];
    let errors = super::emit(&launch(kernel(2, 64, &[], body), 128, 0)).unwrap_err();
    assert!(errors[0].to_string().ends_with(": a `return` in a thread of a kernel"), "{}", errors[0]);
}

#[test]
fn shared_rails_are_initialised_for_each_block() {
    // Initialisers by function and by value; the examples have copies of captured arrays.
    let index = || var(6, Ty::I64);
    let mut kernel = kernel(
        2,
        64,
        &[Ty::Ref(INTS), Ty::Ref(INTS), Ty::I64],
        vec![
            out(
                global_thread(),
                add(
                    element(Ty::I32, ints(4), convert(Ty::I64, thread())),
                    element(Ty::I32, ints(5), convert(Ty::I64, thread())),
                ),
            ),
            barrier(),
            store(ints(5), Ty::I32, convert(Ty::I64, thread()), int(1000)),
        ],
    );
    let by_index = SharedInit::Function {
        index: LocalId(6),
        setup: vec![],
        value: convert(Ty::I32, mul(index(), long(2))),
    };
    share(&mut kernel, 4, 64, by_index);
    share(&mut kernel, 5, 64, SharedInit::Value(int(5)));
    check(kernel, 128, 0, |it| it % 64 * 2 + 5);
}

#[test]
fn three_axes_number_threads_with_the_last_one_fastest() {
    // blocks (2, 3), threads (2, 2, 4): out(((b0 * 3 + b1) * 16) + (t0 * 2 + t1) * 4 + t2) += its own number,
    // after a barrier
    let mut kernel = kernel(0, 0, &[Ty::I32, Ty::I32, Ty::I32, Ty::I32], vec![]);
    kernel.block_locals = vec![LocalId(2), LocalId(4)];
    kernel.thread_locals = vec![LocalId(3), LocalId(5), LocalId(6)];
    kernel.host.blocks = vec![int(2), int(3)];
    kernel.host.threads = vec![int(2), int(2), int(4)];
    let block = add(mul(i32_(2), int(3)), i32_(4));
    let thread = add(mul(add(mul(i32_(3), int(2)), i32_(5)), int(4)), i32_(6));
    kernel.body = vec![set(7, add(mul(block, int(16)), thread)), barrier(), out(i32_(7), i32_(7))];
    check(kernel, 96, 0, |it| it);
}

#[test]
fn functions_with_rails_are_called() {
    // out(tid) = function(shared, thread) with function(rail, i) = rail(i) * rail(i) - 22 in a switch by the
    // compiler's own choice
    let argument = || element(Ty::I32, var(0, Ty::Ref(INTS)), convert(Ty::I64, var(1, Ty::I32)));
    let mut square = function(
        "Main.square",
        2,
        &[Ty::Ref(INTS), Ty::I32],
        Ty::I32,
        vec![ret(Some(op(Operation::Sub, vec![mul(argument(), argument()), int(22)])))],
    );
    square.device = true;
    let body = vec![
        store(ints(4), Ty::I32, convert(Ty::I64, thread()), thread()),
        out(global_thread(), call(Ty::I32, 2, vec![ints(4), thread()])),
    ];
    let mut kernel = kernel(2, 64, &[Ty::Ref(INTS)], body);
    share(&mut kernel, 4, 64, SharedInit::Zero);
    let mut program = launch(kernel, 128, 0);
    program.functions.push(square);
    super::compile_cuda(&program);
    let expected: String = (0..128_i64).map(|it| format!("{}\n", (it % 64).pow(2) - 22)).collect();
    assert_eq!(run(&program), expected);
}

#[test]
fn grid_stride_loops_run_all_threads_of_an_iteration_together() {
    // tid = block * 64 + thread; s = thread; for (i = tid; i < n; i += 128) { if (i % 3 == 0) continue; s = s
    // + 1; out(i) = s * 1000 + thread } if (tid < 7) out(n + tid) = s
    let i = || var(5, Ty::I64);
    let n = || var(N, Ty::I64);
    let body = vec![
        set(4, global_thread()),
        set(6, thread()),
        stmt(StmtKind::Block(vec![
            set(5, convert(Ty::I64, i32_(4))),
            repeat(
                0,
                lt(i(), n()),
                vec![
                    when_true(
                        eq(op(Operation::Rem, vec![i(), long(3)]), long(0)),
                        vec![stmt(StmtKind::Continue(LabelId(0)))],
                    ),
                    set(6, add(i32_(6), int(1))),
                    out(i(), add(mul(i32_(6), int(1000)), thread())),
                ],
                vec![set(5, add(i(), convert(Ty::I64, int(128))))],
            ),
        ])),
        when_true(lt(i32_(4), int(7)), vec![out(add(n(), convert(Ty::I64, i32_(4))), i32_(6))]),
    ];
    let kernel = kernel(2, 64, &[Ty::I32, Ty::I64, Ty::I32], body);
    let is_grid_stride = |it: &Node| matches!(it, Node::GridStride(_));
    let program = launch(kernel.clone(), 1007, 1000);
    assert!(schedule_kernel(&program, &kernel).nodes.iter().any(is_grid_stride));
    check(kernel, 1007, 1000, |it| {
        let iterations = |tid: i64, end: i64| {
            (0..).map(|k| tid + 128 * k).take_while(|i| *i < end).filter(|i| i % 3 != 0).count() as i64
        };
        if it >= 1000 {
            return (it - 1000) + iterations(it - 1000, 1000);
        }
        let tid = it % 128;
        if it % 3 == 0 { 0 } else { (tid % 64 + iterations(tid, it + 1)) * 1000 + tid % 64 }
    });
}

#[test]
fn a_rail_of_a_thread_is_an_array_that_survives_a_barrier() {
    // own = new Rail[Int](4); own(thread % 4) = thread; barrier; out(tid) = own(0) + own(1) + own(2) + own(3)
    // + own.size
    let own = || ints(4);
    let at = |index: i64| element(Ty::I32, own(), long(index));
    let sum = add(add(at(0), at(1)), add(at(2), at(3)));
    let length = expr(Ty::I64, ExprKind::Length { rail: Box::new(own()), checked: false });
    let make = |barriers: bool| {
        let mut body = vec![
            set(
                4,
                expr(
                    Ty::Ref(INTS),
                    ExprKind::AllocateRail { class: INTS, length: Box::new(long(4)), zeroed: true },
                ),
            ),
            store(own(), Ty::I32, convert(Ty::I64, op(Operation::Rem, vec![thread(), int(4)])), thread()),
            out(global_thread(), add(sum.clone(), convert(Ty::I32, length.clone()))),
        ];
        if barriers {
            body.insert(2, barrier());
        }
        kernel(2, 64, &[Ty::Ref(INTS)], body)
    };
    check(make(true), 128, 0, |it| it % 64 + 4);
    check(make(false), 128, 0, |it| it % 64 + 4);
}

#[test]
fn triangular_loops_over_private_rails_keep_them_in_registers() {
    // for (k = 0; k < 5; k++) for (i = k + 1; i < 6; i++) own(i) = own(i) - n * own(k);
    let rail = || var(6, Ty::Ref(INTS));
    let own = |index| element(Ty::I32, rail(), index);
    let (k, i) = (|| var(4, Ty::I64), || var(5, Ty::I64));
    let own_rail =
        expr(Ty::Ref(INTS), ExprKind::AllocateRail { class: INTS, length: Box::new(long(6)), zeroed: true });
    let product = op(Operation::Mul, vec![i32_(3), own(k())]);
    let value = op(Operation::Sub, vec![own(i()), product]);
    let store =
        stmt(StmtKind::SetElement { rail: rail(), element: Ty::I32, index: i(), value, checked: true });
    let inner = repeat(1, lt(i(), long(6)), vec![store], vec![set(5, add(i(), long(1)))]);
    let outer =
        repeat(0, lt(k(), long(5)), vec![set(5, add(k(), long(1))), inner], vec![set(4, add(k(), long(1)))]);
    let start = |at: i64| {
        stmt(StmtKind::SetElement {
            rail: rail(),
            element: Ty::I32,
            index: long(at),
            value: add(i32_(3), int(at)),
            checked: true,
        })
    };
    let mut body = vec![set(6, own_rail)];
    body.extend((0..6).map(start));
    body.extend([set(4, long(0)), outer, out(global_thread(), own(long(5)))]);
    let program = launch(kernel(2, 64, &[Ty::I64, Ty::I64, Ty::Ref(INTS)], body), 128, 64);
    let ir = schedule_kernel(&program, &program.kernels[0]);
    assert!(ir.device.unroll_factors.values().eq([&UnrollFactor::Full; 2]));
    let text = super::emit(&program).unwrap().cuda.concat();
    if let Err(missing) = apg_runtime::device::compiler_version() {
        assert!(std::env::var("APG_REQUIRE").is_err(), "APG_REQUIRE is set, but {missing}");
        return eprintln!("skipped: {missing}");
    }
    let ptx = apg_runtime::device::ptx(&text).unwrap();
    assert!(!ptx.contains(".local"), "{ptx}");
}
