//! Lowering of syntax trees to [`crate::hir`]: scopes and name resolution (C17 6.2), types of declarations
//! (6.7) and of expressions (6.5).

pub(crate) mod constant;
mod context;
mod declaration;
mod directive;
mod expression;
mod layout;
mod mapping;
mod specifiers;
mod splice;
mod statement;

use std::cell::Cell;

use apg_c_syntax::ast::{self, AstNode};
use apg_c_syntax::{ParsedPreamble, ParsedUnit, TextRange};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

pub(crate) use self::layout::{Anchor, Layout};
use self::layout::{Counts, Part};
pub(crate) use self::splice::{Lowered, relower};
use crate::hir::{
    DirectiveId, Entity, Expr, ExprId, ExprKind, FunctionId, Program, Selector, Stmt, StmtId, StmtKind, Type,
    Variable, VariableId,
};

/// A block scope.
#[derive(Default)]
struct Scope {
    names: FxHashMap<SmolStr, Entity>,
    tags: FxHashMap<SmolStr, Type>,
}

/// The state of lowering.
struct Lowerer {
    program: Program,
    /// Scopes inside of the file's, the innermost last.
    scopes: Vec<Scope>,
    function: Option<FunctionId>,
    /// The directive whose statement is being lowered.
    directive: Option<DirectiveId>,
    /// Nothing has a range: headers.
    is_header: bool,
    /// How many `declare target` are not ended yet.
    declare_targets: u32,
    /// The variants of the function that is declared next: their names and selectors.
    variants: Vec<(SmolStr, Selector)>,
    /// How many `begin declare variant` are not ended yet.
    begun_variants: u32,
    /// How many expressions and statements are around.
    depth: u32,
    /// The external declarations so far.
    layout: Layout,
    /// The number of the external declaration that is being lowered.
    number: usize,
    /// The function that is being lowered declares something of file scope.
    touches_file: bool,
    /// A name was looked up that has its meaning since a later declaration.
    sees_later: Cell<bool>,
}

/// Maximum nesting of expressions and statements: what is deeper is unknown.
const MAX_DEPTH: u32 = 300;

/// The declarations of a preamble.
pub(crate) fn lower_preamble(preamble: &ParsedPreamble) -> Program {
    let mut lowerer = Lowerer::new(Program::default(), true);
    lowerer.unit(&preamble.parse().tree());
    lowerer.program.open_declare_targets = lowerer.declare_targets;
    lowerer.program
}

/// The program of a unit, given that of its preamble.
pub(crate) fn lower_unit(unit: &ParsedUnit, preamble: &Program) -> (Program, Layout) {
    let mut lowerer = Lowerer::new(preamble.clone(), false);
    lowerer.unit(&unit.main.tree());
    (lowerer.program, lowerer.layout)
}

impl Lowerer {
    fn new(program: Program, is_header: bool) -> Lowerer {
        Lowerer {
            declare_targets: program.open_declare_targets,
            program,
            scopes: Vec::new(),
            function: None,
            directive: None,
            is_header,
            variants: Vec::new(),
            begun_variants: 0,
            depth: 0,
            layout: Layout::default(),
            number: 0,
            touches_file: false,
            sees_later: Cell::new(false),
        }
    }

    fn unit(&mut self, unit: &ast::TranslationUnit) {
        for declaration in unit.external_decls() {
            let (range, start) = (range(&declaration), Counts::of(&self.program));
            let is_function = matches!(declaration, ast::ExternalDecl::FunctionDef(_));
            self.touches_file = false;
            self.external(declaration);
            let (end, is_isolated) = (Counts::of(&self.program), is_function && !self.touches_file);
            self.layout.parts.push(Part { range, start, end, is_isolated });
            self.number += 1;
        }
    }

    fn external(&mut self, declaration: ast::ExternalDecl) {
        match declaration {
            ast::ExternalDecl::FunctionDef(it) => {
                self.function_definition(&it);
            }
            ast::ExternalDecl::Declaration(it) => {
                self.declaration(&it);
            }
            ast::ExternalDecl::DirectiveDecl(it) => {
                let variants = it.directive().map_or(0, |it| self.declare_variant(&it));
                // Of headers only what their directives declare is of interest.
                match it.directive() {
                    Some(directive) if self.is_header => {
                        self.threadprivate(&directive);
                        self.header_mappings(&directive);
                        self.declare_target(&directive);
                    }
                    Some(directive) => {
                        self.directive(&directive, None);
                    }
                    None => {}
                }
                it.external_decl().into_iter().for_each(|it| self.external(it));
                self.variants.truncate(self.variants.len().saturating_sub(variants));
            }
            ast::ExternalDecl::StaticAssert(_)
            | ast::ExternalDecl::AsmDecl(_)
            | ast::ExternalDecl::EmptyDecl(_) => {}
        }
    }

    fn range(&self, range: TextRange) -> Option<TextRange> {
        (!self.is_header).then_some(range)
    }

    fn in_scope<R>(&mut self, lower: impl FnOnce(&mut Lowerer) -> R) -> R {
        self.scopes.push(Scope::default());
        let result = lower(self);
        self.scopes.pop();
        result
    }

    fn lookup(&self, name: &str) -> Option<&Entity> {
        let local = self.scopes.iter().rev().find_map(|it| it.names.get(name));
        local.or_else(|| self.program.names.get(name).filter(|_| self.is_declared(&self.layout.names, name)))
    }

    fn declare(&mut self, name: SmolStr, entity: Entity) {
        match self.scopes.last_mut() {
            Some(scope) => {
                scope.names.insert(name, entity);
            }
            None => {
                if !self.is_header && self.program.names.get(&name) != Some(&entity) {
                    self.layout.names.insert(name.clone(), self.number);
                }
                self.program.names.insert(name, entity);
            }
        }
    }

    /// Whether a name of file scope has its meaning already.
    fn is_declared(&self, since: &FxHashMap<SmolStr, usize>, name: &str) -> bool {
        let is_later = since.get(name).is_some_and(|it| *it > self.number);
        if is_later {
            self.sees_later.set(true);
        }
        !is_later
    }

    /// Notes that the type of something that was declared before is completed.
    fn note_completion(&mut self) {
        self.layout.last_completion = self.number;
        self.touches_file |= self.function.is_some();
    }

    fn lookup_tag(&self, name: &str) -> Option<&Type> {
        let local = self.scopes.iter().rev().find_map(|it| it.tags.get(name));
        local.or_else(|| self.program.tags.get(name).filter(|_| self.is_declared(&self.layout.tags, name)))
    }

    fn innermost_tag(&self, name: &str) -> Option<&Type> {
        self.scopes.last().map_or(&self.program.tags, |it| &it.tags).get(name)
    }

    fn declare_tag(&mut self, name: SmolStr, ty: Type) {
        match self.scopes.last_mut() {
            Some(scope) => {
                scope.tags.insert(name, ty);
            }
            None => {
                if !self.is_header {
                    self.layout.tags.insert(name.clone(), self.number);
                }
                self.program.tags.insert(name, ty);
            }
        }
    }

    fn add_variable(&mut self, variable: Variable) -> VariableId {
        self.program.variables.push(variable);
        VariableId::new(self.program.variables.len() - 1)
    }

    fn add_expr(&mut self, kind: ExprKind, ty: Type, range: TextRange) -> ExprId {
        self.program.exprs.push(Expr { kind, ty, range });
        ExprId::new(self.program.exprs.len() - 1)
    }

    fn add_stmt(&mut self, kind: StmtKind, range: TextRange) -> StmtId {
        self.program.stmts.push(Stmt { kind, range });
        StmtId::new(self.program.stmts.len() - 1)
    }

    fn ty(&self, expr: ExprId) -> Type {
        self.program.expr(expr).ty.clone()
    }
}

/// The range of a node. White space stands outside of nodes.
fn range(node: &impl AstNode) -> TextRange {
    node.range()
}
