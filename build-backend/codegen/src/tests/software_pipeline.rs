//! Software pipelining of loads in device loops.

use super::builders::*;
use super::kernels::*;
use apg_mir::*;
use apg_passes::kernel_ir::KernelIr;
use apg_passes::pipeline::schedule_kernel;

const FROM: u32 = 2;
const THREAD: u32 = 4;
const I: u32 = 5;

fn i() -> Expr {
    var(I, Ty::I64)
}
fn from(index: Expr) -> Expr {
    element(Ty::I32, var(FROM, global_array()), index)
}
fn n() -> Expr {
    var(N, Ty::I64)
}
fn below() -> Expr {
    lt(i(), n())
}
fn to(value: Expr) -> Stmt {
    store(var(OUT, global_array()), Ty::I32, i(), value)
}

/// The kernel IR of `for (i = thread; condition; i += step) body`, with arrays `out` and `from`.
fn kernel_ir(condition: Expr, step: i64, body: Vec<Stmt>) -> KernelIr {
    let step = vec![set(I, add(i(), long(step)))];
    let body = vec![set(I, convert(Ty::I64, var(THREAD, Ty::I32))), repeat(0, condition, body, step)];
    let mut kernel = kernel(4, 64, &[], body);
    kernel.captures.push(KernelCapture {
        name: "from".into(),
        kind: KernelCaptureKind::GlobalBuffer { element: Ty::I32 },
        static_field: None,
        global: None,
        derived_from: None,
    });
    kernel.locals = locals(&[global_array(), Ty::I64, global_array(), Ty::I32, Ty::I32, Ty::I64, Ty::I32]);
    (kernel.block_locals, kernel.thread_locals) = (vec![LocalId(3)], vec![LocalId(THREAD)]);
    let mut program = launch(kernel, 4096, 4096);
    let launched = program.functions.iter_mut().flat_map(|it| &mut it.body);
    for stmt in launched {
        if let StmtKind::Launch { captures, .. } = &mut stmt.kind {
            captures.push(captures[0].clone());
        }
    }
    super::compile_cuda(&program);
    program.assign_ids();
    schedule_kernel(&program, &program.kernels[0])
}

#[test]
fn elements_a_grid_apart_are_loaded_once_an_iteration() {
    let ir = kernel_ir(below(), 256, vec![to(mul(from(i()), from(i())))]);
    let loads = ir.device.pipelined_loops.values().map(|it| it.elements.len());
    assert_eq!(loads.collect::<Vec<_>>(), [1]);
}

#[test]
fn loads_that_may_change_or_be_out_of_bounds_are_not_pipelined() {
    let value = || var(6, Ty::I32);
    let ends = when_true(lt(from(i()), int(0)), vec![stmt(StmtKind::Break(LabelId(0)))]);
    let guarded = |then: Expr| {
        let parts = ExprKind::Select {
            condition: Box::new(lt(i(), long(9))),
            then: Box::new(then),
            otherwise: Box::new(int(0)),
        };
        expr(Ty::I32, parts)
    };
    let own = element(Ty::I32, var(OUT, global_array()), i());
    let cases: [(&str, Expr, i64, Vec<Stmt>); 7] = [
        ("neighbours", below(), 1, vec![to(from(i()))]),
        ("stored to", below(), 256, vec![set(6, own), to(value())]),
        ("in a branch", below(), 256, vec![to(guarded(from(i())))]),
        ("after a way out", below(), 256, vec![ends, to(from(i()))]),
        ("the condition reads", lt(convert(Ty::I64, from(i())), n()), 256, vec![to(from(i()))]),
        ("the counter changes inside", below(), 256, vec![set(I, add(i(), long(1))), to(from(i()))]),
        ("no counter", below(), 256, vec![to(from(long(7)))]),
    ];
    for (what, condition, step, body) in cases {
        assert!(kernel_ir(condition, step, body).device.pipelined_loops.is_empty(), "{what}");
    }
}
