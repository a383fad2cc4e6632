//! `CUDAAtomic.add(out(i), x)`, as CUDA writes `atomicAdd(&out[i], x)`: the rail and the index are two arguments.

use apg_syntax::TextRange;

use crate::body::ExprKind;
use crate::diagnostics::{Diagnostic, Fix, TextEdit};
use crate::infer::context::Infer;
use crate::item_tree::items::qualified_name;
use crate::members::Failure;

impl Infer<'_> {
    /// What to write for an element among the arguments of an operation on one.
    pub(crate) fn element_in_two(
        &self,
        diagnostic: Diagnostic,
        failure: &Failure,
        call: &crate::infer::call::overload::Call,
    ) -> Diagnostic {
        let Failure::NoneFits(all) = failure else { return diagnostic };
        let of_atomics =
            all.iter().all(|it| qualified_name(self.db, it.method.class(self.db)) == "x10.util.CUDAAtomic");
        let Some(&element) = call.args.first().filter(|_| of_atomics) else { return diagnostic };
        let ExprKind::Call { method, receiver: Some(rail), args, .. } = &self.body.expr(element).kind else {
            return diagnostic;
        };
        let [index] = args[..] else { return diagnostic };
        if method.name(self.db) != "operator()" {
            return diagnostic;
        }
        let (all, rail, index) = (self.range(element), self.range(*rail), self.range(index));
        let edit = |range, text: &str| TextEdit { file: None, range, text: text.to_owned() };
        let edits = vec![
            edit(TextRange::new(rail.end(), index.start()), ", "),
            edit(TextRange::new(index.end(), all.end()), ""),
        ];
        let mut diagnostic = diagnostic
            .note("the rail and the index are two arguments: it changes the element, not its value");
        diagnostic.fixes.push(Fix { title: "Pass the rail and the index".to_owned(), edits });
        diagnostic
    }
}
