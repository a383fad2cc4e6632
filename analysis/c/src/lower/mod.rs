//! Lowering of syntax trees to [`crate::hir`]: scopes and name resolution (C17 6.2), types of declarations
//! (6.7) and of expressions (6.5).

pub(crate) mod constant;
mod declaration;
mod directive;
mod expression;
mod mapping;
mod specifiers;
mod statement;

use apg_c_syntax::ast::{self, AstNode};
use apg_c_syntax::{ParsedPreamble, ParsedUnit, TextRange};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::hir::{
    DirectiveId, Entity, Expr, ExprId, ExprKind, FunctionId, Program, Stmt, StmtId, StmtKind, Type, Variable,
    VariableId,
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
    /// A `declare target` is not ended yet.
    is_in_declare_target: bool,
    /// How many expressions and statements are around.
    depth: u32,
}

/// Maximum nesting of expressions and statements: what is deeper is unknown.
const MAX_DEPTH: u32 = 300;

/// The declarations of a preamble.
pub(crate) fn lower_preamble(preamble: &ParsedPreamble) -> Program {
    let mut lowerer = Lowerer::new(Program::default(), true);
    lowerer.unit(&preamble.parse().tree());
    lowerer.program
}

/// The program of a unit, given that of its preamble.
pub(crate) fn lower_unit(unit: &ParsedUnit, preamble: &Program) -> Program {
    let mut lowerer = Lowerer::new(preamble.clone(), false);
    lowerer.unit(&unit.main.tree());
    lowerer.program
}

impl Lowerer {
    fn new(program: Program, is_header: bool) -> Lowerer {
        Lowerer {
            program,
            scopes: Vec::new(),
            function: None,
            directive: None,
            is_header,
            is_in_declare_target: false,
            depth: 0,
        }
    }

    fn unit(&mut self, unit: &ast::TranslationUnit) {
        for declaration in unit.external_decls() {
            self.external(declaration);
        }
    }

    fn external(&mut self, declaration: ast::ExternalDecl) {
        match declaration {
            ast::ExternalDecl::FunctionDef(it) => self.function_definition(&it),
            ast::ExternalDecl::Declaration(it) => {
                self.declaration(&it);
            }
            ast::ExternalDecl::DirectiveDecl(it) => {
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
        local.or_else(|| self.program.names.get(name))
    }

    fn declare(&mut self, name: SmolStr, entity: Entity) {
        match self.scopes.last_mut() {
            Some(scope) => scope.names.insert(name, entity),
            None => self.program.names.insert(name, entity),
        };
    }

    fn lookup_tag(&self, name: &str) -> Option<&Type> {
        let local = self.scopes.iter().rev().find_map(|it| it.tags.get(name));
        local.or_else(|| self.program.tags.get(name))
    }

    fn innermost_tag(&self, name: &str) -> Option<&Type> {
        self.scopes.last().map_or(&self.program.tags, |it| &it.tags).get(name)
    }

    fn declare_tag(&mut self, name: SmolStr, ty: Type) {
        match self.scopes.last_mut() {
            Some(scope) => scope.tags.insert(name, ty),
            None => self.program.tags.insert(name, ty),
        };
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
