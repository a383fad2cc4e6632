//! Prints launch conditions as host code, which evaluates them at each launch.

use rustc_hash::{FxHashMap, FxHashSet};

use super::environment::spell_captures;
use crate::code::{Code, Target};
use apg_mir::*;
use apg_passes::analysis::ranges::{LaunchConditions, LaunchValue};
use apg_symbolic::expression::{Node, NodeId};
use apg_symbolic::{BinaryOp, SymExpr};

/// Prints the function that evaluates the launch conditions. Its result has bit 0 if all checks can be
/// skipped, bit 1 if indices can be computed with 64 bits, bit 2 if with 32, and from bit 32 on one bit for
/// each condition of a check.
pub(super) fn print_launch_conditions(
    code: &mut Code<'_>,
    id: KernelId,
    launch: &LaunchConditions,
) -> String {
    if !launch.depends_on_launch(code.program.unchecked) {
        return String::new();
    }
    let symbol = code.names.kernels[id.index()].clone();
    code.target = Target::Host;
    spell_captures(code, &code.program.kernels[id.index()]);
    code.out.open(format!("apg_u64 proven_{symbol}(const void *env_, const apg_launch *launch) {{"));
    code.out.line(format!("const E{symbol} *env = (const E{symbol} *)env_; (void)env; (void)launch;"));
    code.out.line("bool bad_ = false;");
    let checks: &[SymExpr] = if code.program.unchecked { &[] } else { &launch.checks };
    let (wide, narrow) = (launch.wide.unwrap_or(SymExpr::TRUE), launch.narrow.unwrap_or(SymExpr::TRUE));
    let roots: Vec<SymExpr> = checks.iter().copied().chain([wide, narrow]).collect();
    let printer = ConditionPrinter::declare(code, launch, &roots);
    code.out.line("apg_u64 held_ = 0;");
    for (bit, condition) in checks.iter().enumerate() {
        code.out.line(format!("held_ |= (apg_u64)({}) << {bit};", printer.spell(*condition)));
    }
    let all = (1_u64 << checks.len()) - 1;
    let (wide, narrow) = (printer.spell(wide), printer.spell(narrow));
    code.out.line(format!(
        "return bad_ ? 0 : held_ << 32 | (held_ == {all}ULL ? 1 : 0) | (({wide}) ? 2 : 0) | (({narrow}) ? 4 : 0);"
    ));
    code.out.close("}");
    code.out.take()
}

/// Spellings of nodes: names of variables, or the code of tests that are used once.
struct ConditionPrinter {
    spellings: FxHashMap<NodeId, String>,
}

impl ConditionPrinter {
    /// Declares a variable for each number, and for each condition that is used several times, operands
    /// first.
    fn declare(code: &mut Code<'_>, launch: &LaunchConditions, roots: &[SymExpr]) -> ConditionPrinter {
        let nodes = launch.pool.reachable(roots.iter().copied());
        let shared = used_several_times(launch, &nodes, roots);
        let mut printer = ConditionPrinter { spellings: FxHashMap::default() };
        for id in nodes {
            let text = printer.node(code, launch, launch.pool.node(id));
            let spelling = match launch.pool.node(id) {
                Node::Symbol(_) | Node::Binary(..) | Node::AllOnes(_) => {
                    let name = format!("n{}", printer.spellings.len());
                    code.out.line(format!("const apg_i64 {name} = {text};"));
                    name
                }
                _ if shared.contains(&id) => {
                    let name = format!("q{}", printer.spellings.len());
                    code.out.line(format!("const bool {name} = {text};"));
                    name
                }
                _ => format!("({text})"),
            };
            printer.spellings.insert(id, spelling);
        }
        printer
    }

    /// An expression as host code.
    fn spell(&self, expr: SymExpr) -> String {
        match expr {
            SymExpr::Const(i64::MIN) => "(-9223372036854775807LL - 1)".into(),
            SymExpr::Const(value) if value < 0 => format!("({value}LL)"),
            SymExpr::Const(value) => format!("{value}LL"),
            SymExpr::Node(id) => self.spellings.get(&id).cloned().unwrap_or_default(),
        }
    }

    fn node(&self, code: &mut Code<'_>, launch: &LaunchConditions, node: &Node<LaunchValue>) -> String {
        let join = |all: &[SymExpr], operator: &str| {
            let parts: Vec<String> = all.iter().map(|it| self.spell(*it)).collect();
            parts.join(operator)
        };
        match node {
            Node::Symbol(value) => format!("(apg_i64)({})", launch_value(code, launch, *value)),
            Node::Binary(op, [a, b]) => match checked_function(*op) {
                Some(name) => format!("{name}({}, {}, bad_)", self.spell(*a), self.spell(*b)),
                // Without host code the launch counts as not proven.
                None => "(bad_ = true, 0LL)".into(),
            },
            Node::AllOnes(a) => format!("apg_ones({}, bad_)", self.spell(*a)),
            Node::Compare(op, [a, b]) => format!("{} {} {}", self.spell(*a), op.symbol(), self.spell(*b)),
            Node::Not(a) => format!("!{}", self.spell(*a)),
            Node::All(all) => join(all, " && "),
            Node::Any(all) => join(all, " || "),
        }
    }
}

/// Conditions, other than comparisons, with more than one use.
fn used_several_times(launch: &LaunchConditions, nodes: &[NodeId], roots: &[SymExpr]) -> FxHashSet<NodeId> {
    let mut uses: FxHashMap<NodeId, u32> = FxHashMap::default();
    let operands = nodes.iter().flat_map(|it| launch.pool.node(*it).operands());
    for used in operands.chain(roots) {
        if let SymExpr::Node(id) = used {
            *uses.entry(*id).or_default() += 1;
        }
    }
    uses.retain(|id, count| *count > 1 && !matches!(launch.pool.node(*id), Node::Compare(..)));
    uses.into_keys().collect()
}

/// The helper of the host that reports overflow in its last argument.
fn checked_function(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Add => "apg_sum",
        BinaryOp::Sub => "apg_difference",
        BinaryOp::Mul => "apg_product",
        BinaryOp::FloorDiv => "apg_floor",
        BinaryOp::Min => "apg_least",
        BinaryOp::Max => "apg_most",
        _ => return None,
    })
}

/// A value that the host knows.
fn launch_value(code: &mut Code<'_>, launch: &LaunchConditions, value: LaunchValue) -> String {
    let product = |what: &str| format!("(apg_i64)launch->{what}[0] * launch->{what}[1] * launch->{what}[2]");
    match value {
        LaunchValue::Captured(number) => match launch.captured.get(number as usize) {
            Some(expr) => code.expr(expr),
            None => code.fail(format!("launch condition on the unknown value {number}")),
        },
        LaunchValue::RailLength(local) => code.local(local).rail.map(|it| it.length).unwrap_or_default(),
        LaunchValue::SharedLength(number) => format!("launch->shared_lengths[{number}]"),
        LaunchValue::Blocks(axis) => format!("launch->blocks[{axis}]"),
        LaunchValue::Threads(axis) => format!("launch->threads[{axis}]"),
        LaunchValue::BlockCount => product("blocks"),
        LaunchValue::ThreadCount => product("threads"),
    }
}
