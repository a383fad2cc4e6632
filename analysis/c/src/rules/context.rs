//! What a check of a rule sees, and where it reports.

use apg_c_syntax::TextRange;
use apg_diagnostics::{Fix, Related, Rule};

use crate::hir::visit::Node;
use crate::hir::{
    Construct, Directive, DirectiveId, ExprId, ExprKind, FunctionId, Program, StmtId, StmtKind, VariableId,
};
use crate::race::Races;
use crate::{Diagnostic, Parsed};

/// What a check of a rule sees, and where it reports.
pub struct Context<'p> {
    /// The file.
    pub parsed: &'p Parsed,
    /// The program of the file.
    pub program: &'p Program,
    /// The data races of the file; none for checks of one function.
    pub races: Races,
    /// The function whose directives are judged, or file scope; `None` for all.
    function: Option<Option<FunctionId>>,
    found: Vec<Diagnostic>,
}

impl<'p> Context<'p> {
    pub(crate) fn of_function(parsed: &'p Parsed, function: Option<FunctionId>) -> Context<'p> {
        let races = Races::default();
        Context { parsed, program: &parsed.program, races, function: Some(function), found: Vec::new() }
    }

    /// A context for checks of the whole file, in which something was found already.
    pub(crate) fn of_file(parsed: &'p Parsed, found: Vec<Diagnostic>, races: Races) -> Context<'p> {
        Context { parsed, program: &parsed.program, races, function: None, found }
    }

    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.found
    }

    /// A diagnostic at a range of the tree.
    pub fn at(&self, rule: &Rule, range: TextRange, message: impl Into<String>) -> Diagnostic {
        rule.at(self.parsed.spelled(range).unwrap_or_default(), message)
    }

    /// Another place of the main file that explains a diagnostic.
    pub fn related(
        &self,
        range: TextRange,
        message: impl Into<String>,
    ) -> Option<Related<std::path::PathBuf>> {
        let file = self.parsed.unit.file(apg_c_syntax::FileId::MAIN).path.clone();
        Some(Related { file, range: self.parsed.spelled(range)?, message: message.into() })
    }

    /// Reports a diagnostic.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Whether an error was reported in the region of a directive.
    pub fn has_error_in(&self, directive: &Directive) -> bool {
        let body = directive.body.map(|it| self.program.stmt(it).range);
        let region = body.map_or(directive.range, |it| directive.range.cover(it));
        let Some(region) = self.parsed.spelled(region) else { return false };
        let is_error = |it: &Diagnostic| it.severity == apg_diagnostics::Severity::Error;
        self.found.iter().any(|it| is_error(it) && region.contains_range(it.range))
    }

    /// The directives of OpenMP that are judged, with their numbers.
    pub fn directives(&self) -> impl Iterator<Item = (DirectiveId, &'p Directive)> + use<'p> {
        let (program, function) = (self.program, self.function);
        let is_judged = move |it: &Directive| {
            it.family == apg_c_syntax::Family::OpenMp
                && function.is_none_or(|function| it.function == function)
        };
        program.directive_ids().map(|it| (it, program.directive(it))).filter(move |it| is_judged(it.1))
    }

    /// Reports a diagnostic with the earlier place that it contradicts.
    pub fn report_pair(
        &mut self,
        rule: &Rule,
        (range, message): (TextRange, String),
        (first, explanation): (TextRange, &str),
    ) {
        let mut diagnostic = self.at(rule, range, message);
        diagnostic.related.extend(self.related(first, explanation));
        self.report(diagnostic);
    }

    /// The text of a range of the tree as it is spelled.
    pub fn source(&self, range: TextRange) -> Option<&'p str> {
        let range = self.parsed.spelled(range)?;
        self.parsed.text().get(std::ops::Range::<usize>::from(range))
    }

    /// Whether an expression of the file names a function.
    pub fn names_function(&self, name: &str) -> bool {
        let Some(crate::hir::Entity::Function(id)) = self.program.names.get(name) else { return false };
        self.program.exprs.iter().any(|it| it.kind == ExprKind::Function(*id))
    }

    /// Whether all headers were found and all of the file was understood.
    pub fn is_understood(&self) -> bool {
        self.parsed.unit.errors().is_empty() && self.parsed.syntax.main.errors().is_empty()
    }

    /// A fix that appends a clause to a directive, where the directive is spelled in the file.
    pub fn append_clause(&self, directive: &Directive, clause: &str) -> Option<Fix<std::path::PathBuf>> {
        let last = directive.clauses.last().map(|it| it.range).unwrap_or(directive.name_range);
        let offset = self.parsed.is_spelled(last).then(|| self.parsed.spelled(last))??.end();
        Some(Fix::insert(format!("Add `{clause}`"), offset, format!(" {clause}")))
    }

    /// A fix that removes a clause.
    pub fn remove_clause(&self, range: TextRange, name: &str) -> Option<Fix<std::path::PathBuf>> {
        let spelled = self.parsed.is_spelled(range).then(|| self.parsed.spelled(range))??;
        let before = &self.parsed.text()[..usize::from(spelled.start())];
        let blanks = before.len() - before.trim_end_matches([' ', '\t', ',']).len();
        let start = spelled.start() - apg_c_syntax::TextSize::from(blanks as u32);
        Some(Fix::replace(format!("Remove `{name}`"), TextRange::new(start, spelled.end()), ""))
    }

    /// A fix that writes a directive, `omp barrier`, on a line of its own before a statement.
    pub fn insert_directive(&self, before: TextRange, directive: &str) -> Option<Fix<std::path::PathBuf>> {
        let spelled = self.parsed.is_spelled(before).then(|| self.parsed.spelled(before))??;
        let text = self.parsed.text();
        let line = text[..usize::from(spelled.start())].rfind('\n').map_or(0, |it| it + 1);
        let indent = &text[line..usize::from(spelled.start())];
        // Other code on the line would come to stand in the directive.
        indent.chars().all(char::is_whitespace).then_some(())?;
        let text = format!("{indent}#pragma {directive}\n");
        let offset = apg_c_syntax::TextSize::from(line as u32);
        Some(Fix::insert(format!("Write `#pragma {directive}` before it"), offset, text))
    }

    /// The directives around a directive, the innermost first.
    pub fn around(
        &self,
        directive: &Directive,
    ) -> impl Iterator<Item = (DirectiveId, &'p Directive)> + use<'p> {
        let program = self.program;
        let mut next = directive.parent;
        std::iter::from_fn(move || {
            let id = next?;
            let found = program.directive(id);
            next = found.parent;
            Some((id, found))
        })
    }

    /// The calls in a statement: the call, the name of the function, the arguments.
    pub fn calls_in(&self, stmt: StmtId) -> Vec<(ExprId, &'p str, &'p [ExprId])> {
        let mut calls = Vec::new();
        let program = self.program;
        program.walk_stmt(stmt, &mut |node| {
            if let Node::Expr(id) = node
                && let ExprKind::Call(callee, arguments) = &program.expr(id).kind
                && let Some(name) = program.callee_name(*callee)
            {
                calls.push((id, name, &arguments[..]));
            }
            true
        });
        calls
    }

    /// Whether a call is one of a function that the file defines, whatever its name.
    pub fn is_defined_here(&self, call: ExprId) -> bool {
        let ExprKind::Call(callee, _) = &self.program.expr(call).kind else { return false };
        matches!(self.program.expr(*callee).kind,
            ExprKind::Function(it) if self.program.function(it).body.is_some())
    }

    /// The name of a variable.
    pub fn name(&self, variable: VariableId) -> &'p str {
        &self.program.variable(variable).name
    }

    /// The only statement of nested blocks.
    pub fn without_blocks(&self, mut stmt: StmtId) -> StmtId {
        while let StmtKind::Block(stmts) = &self.program.stmt(stmt).kind {
            let [only] = stmts[..] else { break };
            stmt = only;
        }
        stmt
    }

    /// The expression that is the only part of a statement.
    pub fn as_expr(&self, stmt: StmtId) -> Option<ExprId> {
        match self.program.stmt(self.without_blocks(stmt)).kind {
            StmtKind::Expr(it) => Some(it),
            _ => None,
        }
    }

    /// Whether a directive is in a parallel region of its function, itself included.
    pub fn is_in_parallel(&self, directive: &Directive) -> bool {
        let is_team = |it: &Directive| it.has(Construct::Parallel) || it.has(Construct::Teams);
        is_team(directive) || self.around(directive).any(|it| is_team(it.1))
    }
}
