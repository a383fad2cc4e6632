//! Symbolic expressions against a direct evaluation, and the ranges over them.

use apg_symbolic::{Affine, BinaryOp, Comparison, ExprPool, SymExpr, SymRange};
use proptest::prelude::*;

/// An expression before simplification.
#[derive(Clone, Debug)]
enum Tree {
    Const(i64),
    Symbol(usize),
    Binary(BinaryOp, Box<Tree>, Box<Tree>),
    AllOnes(Box<Tree>),
}

/// A truth value before simplification.
#[derive(Clone, Debug)]
enum Truth {
    Compare(Comparison, Tree, Tree),
    Not(Box<Truth>),
    All(Vec<Truth>),
    Any(Vec<Truth>),
}

const OPERATORS: [BinaryOp; 14] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::FloorDiv,
    BinaryOp::FloorMod,
    BinaryOp::TruncDiv,
    BinaryOp::TruncRem,
    BinaryOp::Min,
    BinaryOp::Max,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Shl,
    BinaryOp::Shr,
];

const COMPARISONS: [Comparison; 6] = [
    Comparison::Less,
    Comparison::LessEqual,
    Comparison::Greater,
    Comparison::GreaterEqual,
    Comparison::Equal,
    Comparison::NotEqual,
];

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![(-4_i64..=4).prop_map(Tree::Const), (0_usize..2).prop_map(Tree::Symbol)];
    leaf.prop_recursive(4, 24, 2, |inner| {
        let binary = (prop::sample::select(&OPERATORS[..]), inner.clone(), inner.clone())
            .prop_map(|(op, a, b)| Tree::Binary(op, Box::new(a), Box::new(b)));
        prop_oneof![4 => binary, 1 => inner.prop_map(|it| Tree::AllOnes(Box::new(it)))]
    })
}

fn truth() -> impl Strategy<Value = Truth> {
    let leaf = (prop::sample::select(&COMPARISONS[..]), tree(), tree())
        .prop_map(|(op, a, b)| Truth::Compare(op, a, b));
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|it| Truth::Not(Box::new(it))),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Truth::All),
            prop::collection::vec(inner, 0..4).prop_map(Truth::Any),
        ]
    })
}

impl Tree {
    fn value(&self, at: [i64; 2]) -> Option<i64> {
        match self {
            Tree::Const(value) => Some(*value),
            Tree::Symbol(symbol) => at.get(*symbol).copied(),
            Tree::Binary(op, a, b) => op.apply(a.value(at)?, b.value(at)?),
            Tree::AllOnes(a) => {
                let a = a.value(at).filter(|it| *it >= 0)?;
                (0..62).map(|bits| (1 << bits) - 1).find(|it| *it >= a)
            }
        }
    }

    fn build(&self, pool: &mut ExprPool<usize>) -> SymExpr {
        match self {
            Tree::Const(value) => SymExpr::Const(*value),
            Tree::Symbol(symbol) => pool.symbol(*symbol),
            Tree::Binary(op, a, b) => {
                let (a, b) = (a.build(pool), b.build(pool));
                pool.binary(*op, a, b)
            }
            Tree::AllOnes(a) => {
                let a = a.build(pool);
                pool.all_ones(a)
            }
        }
    }
}

impl Truth {
    /// Kleene's three-valued logic: a part without a value is unknown.
    fn value(&self, at: [i64; 2]) -> Option<bool> {
        match self {
            Truth::Compare(op, a, b) => Some(op.holds(a.value(at)?, b.value(at)?)),
            Truth::Not(a) => a.value(at).map(|it| !it),
            Truth::All(all) => {
                let parts: Vec<Option<bool>> = all.iter().map(|it| it.value(at)).collect();
                if parts.contains(&Some(false)) {
                    Some(false)
                } else {
                    (!parts.contains(&None)).then_some(true)
                }
            }
            Truth::Any(all) => {
                let parts: Vec<Option<bool>> = all.iter().map(|it| it.value(at)).collect();
                if parts.contains(&Some(true)) {
                    Some(true)
                } else {
                    (!parts.contains(&None)).then_some(false)
                }
            }
        }
    }

    fn build(&self, pool: &mut ExprPool<usize>) -> SymExpr {
        match self {
            Truth::Compare(op, a, b) => {
                let (a, b) = (a.build(pool), b.build(pool));
                pool.compare(*op, a, b)
            }
            Truth::Not(a) => {
                let a = a.build(pool);
                pool.not(a)
            }
            Truth::All(all) => {
                let all: Vec<SymExpr> = all.iter().map(|it| it.build(pool)).collect();
                pool.all(all)
            }
            Truth::Any(all) => {
                let all: Vec<SymExpr> = all.iter().map(|it| it.build(pool)).collect();
                pool.any(all)
            }
        }
    }
}

proptest! {
    #[test]
    fn simplification_keeps_values(tree in tree(), at in prop::array::uniform2(-9_i64..=9)) {
        let mut pool = ExprPool::default();
        let built = tree.build(&mut pool);
        // An identity may drop a part that has no value, so a value may appear, but not change.
        if let Some(expected) = tree.value(at) {
            prop_assert_eq!(pool.evaluate(built, &|it| Some(at[*it])), Some(expected), "{}", pool.display(built));
        }
    }

    #[test]
    fn simplification_keeps_truth(truth in truth(), at in prop::array::uniform2(-9_i64..=9)) {
        let mut pool = ExprPool::default();
        let built = truth.build(&mut pool);
        if let Some(expected) = truth.value(at) {
            let found = pool.evaluate(built, &|it| Some(at[*it]));
            prop_assert_eq!(found, Some(i64::from(expected)), "{}", pool.display(built));
        }
    }

    #[test]
    fn equal_expressions_are_the_same_node(tree in tree()) {
        let mut pool = ExprPool::default();
        let first = tree.build(&mut pool);
        prop_assert_eq!(tree.build(&mut pool), first);
    }

    #[test]
    fn operands_come_before_their_users(tree in tree()) {
        let mut pool = ExprPool::default();
        let root = tree.build(&mut pool);
        let order = pool.reachable([root]);
        for (position, id) in order.iter().enumerate() {
            for operand in pool.node(*id).operands() {
                if let SymExpr::Node(operand) = operand {
                    prop_assert!(order[..position].contains(operand));
                }
            }
        }
    }

    #[test]
    fn symbolic_range_of_a_form_contains_its_values(
        constant in -9_i64..=9, known in -4_i64..=4, ends in prop::array::uniform2(-6_i64..=6), factor in -4_i64..=4,
    ) {
        // `constant + known * i + factor * j` with `i` and `j` between two symbols; `factor` is a symbol too.
        let mut pool = ExprPool::default();
        let (low, high, by) = (pool.symbol(0), pool.symbol(1), pool.symbol(2));
        let range = SymRange::new(low, high);
        let i = Affine::symbol_in("i", &mut pool);
        let j = Affine::symbol_in("j", &mut pool);
        let form = Affine::from_constant(SymExpr::Const(constant))
            .add_scaled_in(&SymExpr::Const(known), &i, &mut pool)
            .and_then(|it| it.add_scaled_in(&by, &j, &mut pool));
        let form = form.ok_or_else(|| TestCaseError::fail("a pool does not overflow"))?;
        let found = SymRange::of_affine(&form, |_| range, &mut pool);
        let values = [ends[0].min(ends[1]), ends[0].max(ends[1]), factor];
        let bound = |it: Option<SymExpr>| it.and_then(|it| pool.evaluate(it, &|symbol| Some(values[*symbol])));
        for i in values[0]..=values[1] {
            for j in values[0]..=values[1] {
                let value = constant + known * i + factor * j;
                prop_assert!(bound(found.low).is_some_and(|it| it <= value));
                prop_assert!(bound(found.high).is_some_and(|it| it >= value));
            }
        }
    }
}

#[test]
fn conjunctions_are_flat_sets() {
    let mut pool = ExprPool::default();
    let (a, b) = (pool.symbol(0), pool.symbol(1));
    let test = pool.compare(Comparison::Less, a, b);
    let other = pool.compare(Comparison::Equal, a, SymExpr::Const(3));
    let inner = pool.all([test, other]);
    assert_eq!(pool.all([SymExpr::TRUE, test, inner, test]), inner);
    assert_eq!(pool.all([test, SymExpr::FALSE]), SymExpr::FALSE);
    assert_eq!(pool.any([test, SymExpr::TRUE]), SymExpr::TRUE);
    assert_eq!(pool.all([test]), test);
    assert_eq!(pool.display(inner), "((0 < 1) && (0 == 3))");
    let implied = pool.implies(test, other);
    assert_eq!(pool.display(implied), "((0 >= 1) || (0 == 3))");
}

#[test]
fn shared_parts_are_evaluated_once() {
    // A chain of squares has as many paths as its value has bits.
    let mut pool = ExprPool::default();
    let mut square = pool.symbol(0);
    for _ in 0..60 {
        square = pool.mul(square, square);
    }
    assert_eq!(pool.evaluate(square, &|_| Some(-1)), Some(1));
    assert_eq!(pool.evaluate(square, &|_| Some(2)), None);
    assert_eq!(pool.reachable([square]).len(), 61);
}
