//! Whether whoever waits for kernels leaves the rails that they have captured alone until they have ended. A kernel sees them as they
//! are when it is started; where nobody writes to them meanwhile it needs no copy of its own.
//!
//! What is not known to be harmless is not: a copy too many costs time, one too few gives wrong results.

use apg_analysis::program::body::Node;
use apg_analysis::program::body::{Clocked, ExprId, ExprKind, Iteration, StmtId, StmtKind};
use apg_analysis::program::items::MethodId;
use apg_analysis::program::items::qualified_name;
use apg_analysis::program::kernel::{CaptureKind, CaptureSource, Kernel, PreludeKind};
use apg_analysis::program::ty::Ty;

use crate::builder::function::Builder;

/// The classes of the library whose methods only compute, from what they are given. `String`'s do where that is no object, which could
/// say in code of its own what its text is.
const COMPUTING: [&str; 20] = [
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

/// What is found in the body of a `finish`.
#[derive(Default)]
struct Launches {
    kernels: Vec<Kernel>,
    repeated: bool,
}

impl Builder<'_, '_> {
    /// Whether a statement starts kernels and does nothing else that could set elements of rails.
    pub(crate) fn only_launches(&mut self, stmt: StmtId) -> bool {
        let mut launches = Launches::default();
        self.harmless(Node::Stmt(stmt), &mut launches) && self.apart(&launches)
    }

    fn harmless(&self, node: Node, launches: &mut Launches) -> bool {
        let source = self.source.body.clone();
        let mut harmless = true;
        source.walk(node, &mut |node| {
            if harmless {
                match node {
                    Node::Stmt(id) if matches!(source.stmt(id).kind, StmtKind::Async { .. }) => {
                        harmless = self.launches(id, launches);
                        return false;
                    }
                    Node::Stmt(id) => harmless = self.harmless_stmt(id, launches),
                    Node::Expr(id) => harmless = self.sets_no_elements(id),
                }
            }
            harmless
        });
        harmless
    }

    /// Whether an `async` starts a kernel, and finding its place is harmless.
    fn launches(&self, stmt: StmtId, launches: &mut Launches) -> bool {
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
        self.harmless(Node::Expr(place), launches)
    }

    /// Of a statement by itself, whatever its parts do.
    fn harmless_stmt(&self, stmt: StmtId, launches: &mut Launches) -> bool {
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

    /// Of an expression by itself, whatever its operands do.
    fn sets_no_elements(&self, id: ExprId) -> bool {
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
            // The first use of another would run its initialiser.
            ExprKind::StaticField(field) => self.lowerer.constant(*field).is_some(),
            ExprKind::Concat { parts } => parts.iter().all(|it| self.is_value(*it)),
            ExprKind::Call { method, receiver, args, .. } => {
                let name = method.name(self.lowerer.db);
                let reads_rail = matches!(name.as_str(), "operator()" | "range" | "size");
                COMPUTING.contains(&self.library_class(*method))
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

    /// Whether what an expression gives has no code of the program: a number, a place, a range or a text.
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

    /// Whether no kernel writes to a rail that one started before it has captured: a global rail of the host may be another name of an
    /// ordinary one.
    fn apart(&mut self, launches: &Launches) -> bool {
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
                    CaptureKind::GlobalRail { element } if !self.is_made_for_kernels(capture.source) => {
                        written.push(self.concrete(element).base(db));
                    }
                    _ => {}
                }
            }
        }
        !read.iter().any(|it| written.contains(it))
    }

    /// Whether a variable holds what `CUDAUtilities.makeGlobalRail` has made, and its rail has no other name: it is indexed, copied and
    /// deleted, and nothing else.
    fn is_made_for_kernels(&self, from: CaptureSource) -> bool {
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
