//! Directives and clauses.

use apg_c_syntax::ast::{self, AstNode};
use smol_str::SmolStr;

use super::{Lowerer, range};
use crate::hir::{Clause, Construct, Directive, DirectiveId, Item, Mapper, Modifier};

/// The name of a directive, with single spaces.
fn name(directive: &ast::Directive) -> SmolStr {
    SmolStr::new(directive.name().split_whitespace().collect::<Vec<_>>().join(" "))
}

impl Lowerer {
    /// A directive with the statement that it is about.
    pub(super) fn directive(&mut self, directive: &ast::Directive, body: Option<ast::Stmt>) -> DirectiveId {
        let id = DirectiveId::new(self.program.directives.len());
        let name = name(directive);
        let name_range = directive.directive_name().map_or_else(|| range(directive), |it| range(&it));
        self.program.directives.push(Directive {
            family: directive.family(),
            constructs: Construct::split(&name),
            name,
            name_range,
            range: range(directive),
            argument: Vec::new(),
            clauses: Vec::new(),
            body: None,
            parent: self.directive,
            function: self.function,
        });
        let argument = directive.directive_argument().map_or_else(Vec::new, |it| {
            let items: Vec<_> = it.items().collect();
            items.into_iter().flat_map(|it| self.items_of_argument(it)).collect()
        });
        self.program.directives[id.index()].argument = argument;
        self.threadprivate(directive);
        self.declare_target(directive);
        let clauses: Vec<_> = directive.clauses().collect();
        self.in_mapper_scope(directive, id, |this| {
            for clause in &clauses {
                let clause = this.clause(clause);
                this.program.directives[id.index()].clauses.push(clause);
            }
        });
        if let Some(body) = body {
            let around = self.directive.replace(id);
            let body = self.stmt(Some(body), range(directive));
            self.directive = around;
            self.program.directives[id.index()].body = Some(body);
        }
        id
    }

    /// Lowers the clauses of a directive, which for `declare mapper` name the object that it declares.
    fn in_mapper_scope(
        &mut self,
        directive: &ast::Directive,
        id: DirectiveId,
        lower: impl FnOnce(&mut Self),
    ) {
        let argument = directive.directive_argument().filter(|_| name(directive) == "declare mapper");
        let declared = argument.as_ref().and_then(ast::DirectiveArgument::param_decl);
        let (Some(argument), Some(declared)) = (argument, declared) else { return lower(self) };
        self.in_scope(|this| {
            let specified = this.specifiers(declared.decl_specifiers());
            let object = this.declarator(declared.declarator(), specified.ty.clone());
            if let Some(object_name) = object.name {
                let variable = this.parameter(&object_name, object.ty.clone(), &specified);
                let name = argument.word().map_or_else(|| "default".into(), |it| SmolStr::new(it.text()));
                this.touches_file |= this.function.is_some();
                this.program.mappers.push(Mapper { name, ty: object.ty, variable, directive: id });
            }
            lower(this);
        });
    }

    /// Notes the variables of a `threadprivate` directive.
    pub(super) fn threadprivate(&mut self, directive: &ast::Directive) {
        if directive.name() != "threadprivate" {
            return;
        }
        let items: Vec<_> = directive.directive_argument().iter().flat_map(|it| it.items()).collect();
        for item in items {
            if let Some(variable) = self.item(item).variable(&self.program) {
                self.touches_file |= self.function.is_some();
                self.program.threadprivate.insert(variable);
            }
        }
    }

    /// Notes the variables that a `declare target` directive names, or the start or the end of enclosed
    /// declarations (OpenMP 5.2, section 7.8). Those of `link` are on a device while they are mapped, as all
    /// others.
    pub(super) fn declare_target(&mut self, directive: &ast::Directive) {
        let before = self.declare_targets;
        self.declare_target_items(directive);
        self.touches_file |= self.function.is_some() && before != self.declare_targets;
    }

    fn declare_target_items(&mut self, directive: &ast::Directive) {
        match Construct::split(&name(directive)).first() {
            Some(Construct::DeclareTarget) => {}
            Some(Construct::BeginDeclareTarget) => {
                self.declare_targets += 1;
                return;
            }
            Some(Construct::EndDeclareTarget) => {
                self.declare_targets = self.declare_targets.saturating_sub(1);
                return;
            }
            _ => return,
        }
        let argument: Vec<_> = directive.directive_argument().iter().flat_map(|it| it.items()).collect();
        let clauses: Vec<_> = directive.clauses().collect();
        if argument.is_empty() && clauses.is_empty() {
            self.declare_targets += 1;
        }
        let names_objects = |it: &&ast::Clause| matches!(it.name().as_str(), "to" | "enter");
        let items = clauses.iter().filter(names_objects).flat_map(|it| it.items());
        for item in argument.into_iter().chain(items) {
            if let Some(variable) = self.item(item).variable(&self.program) {
                self.touches_file |= self.function.is_some();
                self.program.declare_target.insert(variable);
            }
        }
    }

    fn clause(&mut self, clause: &ast::Clause) -> Clause {
        let modifiers = clause.clause_modifiers().collect::<Vec<_>>();
        let modifiers = modifiers
            .iter()
            .map(|it| Modifier {
                text: it.text().map(SmolStr::new).unwrap_or_default(),
                arguments: it.arguments().map(|it| self.item(it)).collect(),
                range: range(it),
            })
            .collect();
        let items: Vec<_> = clause.items().collect();
        Clause {
            name: SmolStr::new(clause.name()),
            range: range(clause),
            modifiers,
            items: items.into_iter().map(|it| self.item(it)).collect(),
        }
    }

    /// An item of a directive's argument, and the variables of `reduction (+:x)`, which are in one reference.
    fn items_of_argument(&mut self, item: ast::ClauseItem) -> Vec<Item> {
        let reduced: Vec<_> = match &item {
            ast::ClauseItem::MappingRef(it) => it.syntax().children().filter_map(ast::Expr::cast).collect(),
            _ => Vec::new(),
        };
        let reduced = reduced.into_iter().map(ast::ClauseItem::Expr);
        std::iter::once(item).chain(reduced).map(|it| self.item(it)).collect()
    }

    fn item(&mut self, item: ast::ClauseItem) -> Item {
        let word = item.word().map(SmolStr::new);
        let range = range(&item);
        match item {
            ast::ClauseItem::Expr(it) => Item { expr: Some(self.expr(Some(it))), word, mapping: None, range },
            ast::ClauseItem::KeywordItem(_) => Item { expr: None, word, mapping: None, range },
            ast::ClauseItem::MappingRef(it) => {
                Item { expr: None, word, mapping: Some(self.mapping(&it)), range }
            }
        }
    }
}
