//! Stability of kernel captures: whether captured rails are unmodified until the `finish` around the kernels
//! ends.
//!
//! A kernel sees captured rails as they are at its launch. If the launching activity does not write to them
//! before the kernel ends, no copy is needed. The analysis is conservative.

use apg_analysis::program::body::Node;
use apg_analysis::program::body::{Clocked, ExprId, ExprKind, Iteration, StmtId, StmtKind};
use apg_analysis::program::items::MethodId;
use apg_analysis::program::items::qualified_name;
use apg_analysis::program::kernel::{CaptureKind, CaptureSource, Kernel, PreludeKind};
use apg_analysis::program::ty::Ty;

use crate::builder::function::Builder;

/// Library classes whose methods are pure. Methods of `String` are pure for arguments that are no objects,
/// whose `toString` could run code of the program.
const PURE_LIBRARY_CLASSES: [&str; 20] = [
    "Boolean",
    "Byte",
    "Char",
    "Double",
    "Float",
    "Int",
    "IntRange",
    "Long",
    "LongRange",
    "Math",
    "Place",
    "PlaceTopology",
    "Rail",
    "Runtime",
    "Short",
    "String",
    "System",
    "UByte",
    "UInt",
    "ULong",
];

/// The kernels launched in the body of a `finish`.
#[derive(Default)]
struct KernelLaunches {
    kernels: Vec<Kernel>,
    repeated: bool,
}

impl Builder<'_, '_> {
    /// Whether a statement only launches kernels, apart from code that writes to no rail.
    pub(crate) fn only_launches_kernels(&mut self, stmt: StmtId) -> bool {
        let mut launches = KernelLaunches::default();
        self.is_read_only(Node::Stmt(stmt), &mut launches) && self.captures_are_disjoint(&launches)
    }

    fn is_read_only(&self, node: Node, launches: &mut KernelLaunches) -> bool {
        let source = self.source.body.clone();
        let mut is_read_only = true;
        source.walk(node, &mut |node| {
            if is_read_only {
                match node {
                    Node::Stmt(id) if matches!(source.stmt(id).kind, StmtKind::Async { .. }) => {
                        is_read_only = self.launches(id, launches);
                        return false;
                    }
                    Node::Stmt(id) => is_read_only = self.is_read_only_stmt(id, launches),
                    Node::Expr(id) => is_read_only = self.is_read_only_expr(id),
                }
            }
            is_read_only
        });
        is_read_only
    }

    /// Whether an `async` launches a kernel, and the expression of its place writes to no rail.
    fn launches(&self, stmt: StmtId, launches: &mut KernelLaunches) -> bool {
        let source = self.source.body.clone();
        let StmtKind::Async { body, clocked: Clocked::No | Clocked::Implicit, .. } = &source.stmt(stmt).kind
        else {
            return false;
        };
        let Some(at) = self.only_at(*body) else { return false };
        let found = self.source.kernels.iter().find(|it| it.at == at).and_then(|it| it.kernel.clone());
        let Some(kernel) = found else { return false };
        let place = kernel.place;
        launches.kernels.push(kernel);
        self.is_read_only(Node::Expr(place), launches)
    }

    /// Whether a statement itself, without its operands, writes to no rail.
    fn is_read_only_stmt(&self, stmt: StmtId, launches: &mut KernelLaunches) -> bool {
        match &self.source.body.stmt(stmt).kind {
            StmtKind::ForIn { iteration, .. } => {
                launches.repeated = true;
                match iteration {
                    Iteration::Iterable { iterator, .. } => self.library_class(*iterator) == "PlaceGroup",
                    _ => true,
                }
            }
            StmtKind::While { .. } | StmtKind::For { .. } => {
                launches.repeated = true;
                true
            }
            StmtKind::Empty
            | StmtKind::Block(_)
            | StmtKind::Let { .. }
            | StmtKind::Expr(_)
            | StmtKind::If { .. } => true,
            _ => false,
        }
    }

    /// Whether an expression itself, without its operands, writes to no rail.
    fn is_read_only_expr(&self, id: ExprId) -> bool {
        let source = &self.source.body;
        match &source.expr(id).kind {
            ExprKind::Literal(_)
            | ExprKind::Local(_)
            | ExprKind::This
            | ExprKind::Outer(_)
            | ExprKind::Here
            | ExprKind::Field { .. }
            | ExprKind::Assign { .. }
            | ExprKind::Cast { checked: false, .. }
            | ExprKind::Coerce { .. }
            | ExprKind::Box { .. }
            | ExprKind::Unbox { .. }
            | ExprKind::Conditional { .. }
            | ExprKind::ShortCircuit { .. }
            | ExprKind::Equal { .. }
            | ExprKind::Let { .. } => true,
            // The first use of a static that is no constant runs its initialiser.
            ExprKind::StaticField(field) => self.lowerer.constant(*field).is_some(),
            ExprKind::Concat { parts } => parts.iter().all(|it| self.is_value(*it)),
            ExprKind::Call { method, receiver, args, .. } => {
                let name = method.name(self.lowerer.db);
                let reads_rail = matches!(name.as_str(), "operator()" | "range" | "size");
                PURE_LIBRARY_CLASSES.contains(&self.library_class(*method))
                    && receiver.is_none_or(|it| self.is_value(it) || reads_rail && self.is_rail(it))
                    && args.iter().all(|it| self.is_value(*it))
            }
            _ => false,
        }
    }

    /// The class of a method, if it is one of `x10.lang`.
    fn library_class(&self, method: MethodId) -> &str {
        let class = method.class(self.lowerer.db);
        let name = class.name(self.lowerer.db);
        if qualified_name(self.lowerer.db, class) == format!("x10.lang.{name}") { name } else { "" }
    }

    /// Whether an expression is a number, place, range or string, none of which has code of the program.
    fn is_value(&self, id: ExprId) -> bool {
        let db = self.lowerer.db;
        let ty = self.source.body.expr(id).ty;
        let named = |(class, _): (apg_analysis::program::items::ClassId, &[Ty])| qualified_name(db, class);
        ty.primitive(db).is_some()
            || ty.as_class(db).map(named).is_some_and(|it| {
                matches!(
                    &*it,
                    "x10.lang.String" | "x10.lang.Place" | "x10.lang.IntRange" | "x10.lang.LongRange"
                )
            })
    }

    fn is_rail(&self, id: ExprId) -> bool {
        self.source.body.expr(id).ty.rail_element(self.lowerer.db).is_some()
    }

    /// Whether no kernel writes to a rail that an earlier kernel has captured. A `GlobalRail` of the host may
    /// alias a rail.
    fn captures_are_disjoint(&mut self, launches: &KernelLaunches) -> bool {
        if !launches.repeated && launches.kernels.len() < 2 {
            return true;
        }
        let db = self.lowerer.db;
        let (mut read, mut written) = (Vec::new(), Vec::new());
        for kernel in &launches.kernels {
            for prelude in &kernel.prelude {
                if let PreludeKind::ConstantRail { element, .. } = prelude.kind {
                    read.push(self.concrete(element).base(db));
                }
            }
            for capture in &kernel.captures {
                match capture.kind {
                    CaptureKind::Rail { element } => read.push(self.concrete(element).base(db)),
                    CaptureKind::GlobalRail { element } if !self.is_unaliased_global_rail(capture.source) => {
                        written.push(self.concrete(element).base(db));
                    }
                    _ => {}
                }
            }
        }
        !read.iter().any(|it| written.contains(it))
    }

    /// Whether a variable holds a result of `CUDAUtilities.makeGlobalRail` without aliases: it is only
    /// indexed, copied and deleted.
    fn is_unaliased_global_rail(&self, from: CaptureSource) -> bool {
        let (db, body) = (self.lowerer.db, &self.source.body);
        let CaptureSource::Local(local) = from else { return false };
        let init = body.stmts.iter().find_map(|it| match it.kind {
            StmtKind::Let { local: declared, init } if declared == local => init,
            _ => None,
        });
        let made = init.map(|it| &body.expr(self.unconverted(it)).kind).is_some_and(|it| {
            matches!(it, ExprKind::Call { method, .. } if method.name(db) == "makeGlobalRail"
                && qualified_name(db, method.class(db)) == "x10.util.CUDAUtilities")
        });
        let is_named = |it: ExprId| body.expr(self.unconverted(it)).kind == ExprKind::Local(local);
        let (mut named, mut known) = (0, 0);
        for expr in &body.exprs {
            match &expr.kind {
                ExprKind::Local(it) if *it == local => named += 1,
                ExprKind::Call { method, receiver, args, .. }
                    if qualified_name(db, method.class(db)).starts_with("x10.") =>
                {
                    match method.name(db).as_str() {
                        "operator()" | "operator()=" if !args.is_empty() => {
                            known += usize::from(receiver.is_some_and(is_named));
                        }
                        "asyncCopy" | "deleteGlobalRail" => {
                            known += args.iter().filter(|it| is_named(**it)).count();
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        made && named == known
    }

    fn unconverted(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Coerce { value } | ExprKind::Cast { value, .. } = self.source.body.expr(id).kind {
            id = value;
        }
        id
    }
}
