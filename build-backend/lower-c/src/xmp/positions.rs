//! Where declarations of nodes, templates and alignments take effect.

use apg_c_analysis::hir::{Directive, Expr, ExprId, ExprKind, FunctionId, Storage, VariableId};
use apg_c_analysis::xmp;
use apg_c_syntax::TextRange;

use super::Unit;
use crate::unsupported::{Lowered, unsupported};

impl Unit<'_> {
    /// Puts a declaration in place of a directive, and what sets it behind it: at file scope in front of
    /// `main`, in a function that needs it earlier at the beginning of that.
    ///
    /// # Errors
    /// It cannot stand at the beginning: it names what has another value there, or none.
    pub(super) fn declare(&mut self, of: &Directive, declaration: &str, statement: &str) -> Lowered<()> {
        match of.function {
            Some(function) if self.is_used_early(function) => {
                if let Some(name) = self.operand_set_before(of, function) {
                    let message = format!(
                        "the array is named in front of its `align`, and this directive needs `{name}`, which is \
                         set in the function"
                    );
                    return unsupported(of.range, message, "write the directives in front of the first use");
                }
                let body = self.hir.function(function).body;
                let start = body.map_or(0, |it| Self::range(self.hir.stmt(it).range).start + 1);
                self.edits.insert(start, format!(" {declaration} {statement}"));
                self.remove(of);
            }
            Some(_) => self.edits.replace(of.range.into(), format!("{declaration} {statement}")),
            None => {
                self.edits.replace(of.range.into(), declaration);
                self.setup.push_str(statement);
                self.setup.push('\n');
            }
        }
        Ok(())
    }

    /// Whether a function aligns a variable of the file and names it in front of that, as for `xmp_malloc`.
    /// Assignments of the pointer do not need the array.
    fn is_used_early(&self, function: FunctionId) -> bool {
        let Some(body) = self.hir.function(function).body else { return false };
        let body = self.hir.stmt(body).range;
        let aligned = xmp::directives(self.hir)
            .filter(|it| it.name == "align" && it.function == Some(function))
            .flat_map(|it| {
                xmp::subjects(it).into_iter().map(|(subject, ..)| (subject.variable, it.range.start()))
            });
        let exprs = &self.hir.exprs;
        let assigned = exprs.iter().filter_map(|it| match it.kind {
            ExprKind::Assign(None, target, _) => Some(target),
            _ => None,
        });
        let assigned: Vec<ExprId> = assigned.collect();
        aligned.filter_map(|(variable, start)| Some((variable?, start))).any(|(variable, start)| {
            let is_early = |(index, it): (usize, &Expr)| {
                it.kind == ExprKind::Variable(variable)
                    && body.contains_range(it.range)
                    && it.range.end() <= start
                    && !assigned.contains(&ExprId::new(index))
            };
            self.hir.variable(variable).function.is_none() && exprs.iter().enumerate().any(is_early)
        })
    }

    /// What a directive needs that has another value at the beginning of its function: a local, or what is
    /// assigned in front of the directive.
    fn operand_set_before(&self, of: &Directive, function: FunctionId) -> Option<String> {
        let body = self.hir.stmt(self.hir.function(function).body?).range;
        let before = TextRange::new(body.start(), of.range.start());
        let is_set = |variable: VariableId| {
            let it = self.hir.variable(variable);
            let is_inner = it.function == Some(function) && it.storage != Storage::Parameter;
            let is_own = is_inner && it.range.is_some_and(|it| body.contains_range(it));
            is_own || self.is_assigned_in(variable, before)
        };
        let is_operand = |name: &&str| self.variable(name, of).is_some_and(is_set);
        operands(of).into_iter().find(is_operand).map(str::to_owned)
    }

    fn is_assigned_in(&self, variable: VariableId, range: TextRange) -> bool {
        let names = |it: ExprId| self.hir.base_variable(it) == Some(variable);
        let mut within = self.hir.exprs.iter().filter(|it| range.contains_range(it.range));
        within.any(|it| match it.kind {
            ExprKind::Assign(_, target, _)
            | ExprKind::Increment { target, .. }
            | ExprKind::AddressOf(target) => names(target),
            _ => false,
        })
    }
}

/// The names in the sizes, formats and offsets of a declaration.
fn operands(of: &Directive) -> Vec<&str> {
    let all = || xmp::mappings(of).flat_map(|it| &it.subscripts).map(|it| it.text.as_str());
    match of.name.as_str() {
        "align" => {
            let subjects = xmp::subjects(of).into_iter();
            let indices: Vec<&str> = subjects.flat_map(|it| it.1).flat_map(|it| words(&it.text)).collect();
            let target = xmp::target(of, "with").into_iter().flat_map(|it| &it.subscripts);
            target.flat_map(|it| words(&it.text)).filter(|it| !indices.contains(it)).collect()
        }
        // The format's own name is none.
        "distribute" => all().filter_map(|it| it.split_once('(')).flat_map(|it| words(it.1)).collect(),
        _ => all().flat_map(words).collect(),
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|it| !it.is_empty())
}
