//! Directives and clauses.

use apg_c_syntax::TextRange;
use apg_c_syntax::ast::{self, AstNode};
use smol_str::SmolStr;

use super::context::{self, Part};
use super::{Lowerer, range};
use crate::contexts::{Choice, Context};
use crate::hir::{
    Clause, Construct, Directive, DirectiveId, FunctionId, FunctionVariant, Item, Mapper, Modifier, Selector,
};

/// What a directive says: its own words, or those of the variant that takes its place.
pub(super) struct Written {
    pub name: SmolStr,
    pub name_range: TextRange,
    pub argument: Option<ast::DirectiveArgument>,
    pub clauses: Vec<ast::Clause>,
}

impl Written {
    fn new(directive: &ast::Directive) -> Written {
        Written {
            name: name(directive),
            name_range: directive.directive_name().map_or_else(|| range(directive), |it| range(&it)),
            argument: directive.directive_argument(),
            clauses: directive.clauses().collect(),
        }
    }
}

/// The name of a directive, with single spaces.
pub(super) fn name(directive: &ast::Directive) -> SmolStr {
    SmolStr::new(directive.name().split_whitespace().collect::<Vec<_>>().join(" "))
}

impl Lowerer {
    /// A directive with the statement that it is about.
    pub(super) fn directive(&mut self, directive: &ast::Directive, body: Option<ast::Stmt>) -> DirectiveId {
        let chosen = self.chosen_variant(directive);
        let Written { name, name_range, argument, clauses } =
            chosen.unwrap_or_else(|| Written::new(directive));
        let id = DirectiveId::new(self.program.directives.len());
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
        let argument = argument.map_or_else(Vec::new, |it| {
            let items: Vec<_> = it.items().collect();
            items.into_iter().flat_map(|it| self.items_of_argument(it)).collect()
        });
        self.program.directives[id.index()].argument = argument;
        self.threadprivate(directive);
        self.declare_target(directive);
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

impl Lowerer {
    /// Notes the variant that a directive declares for the function behind it: how many there are.
    pub(super) fn declare_variant(&mut self, directive: &ast::Directive) -> usize {
        match name(directive).as_str() {
            "begin declare variant" => self.begun_variants += 1,
            "end declare variant" => self.begun_variants = self.begun_variants.saturating_sub(1),
            "declare variant" => {
                let argument = directive.directive_argument().and_then(|it| it.items().next());
                let Some(variant) = argument.and_then(|it| it.word()) else { return 0 };
                let selector = match directive.clauses_named("match").next() {
                    Some(clause) => self.selector(&clause),
                    None => Selector::unknown("match"),
                };
                self.variants.push((SmolStr::new(variant), selector));
                return 1;
            }
            _ => {}
        }
        0
    }

    /// Gives a function that is declared at file scope the variants of the directives in front of it.
    pub(super) fn attach_variants(&mut self, base: FunctionId) {
        if !self.scopes.is_empty() {
            return;
        }
        if self.begun_variants > 0 {
            // The functions between these directives have the name of their base.
            let name = self.program.function(base).name.clone();
            self.variants.push((name, Selector::unknown("begin declare variant")));
        }
        let variants = self.variants.drain(..);
        let variants = variants.map(|(name, selector)| FunctionVariant { base, name, selector });
        self.program.variants.extend(variants);
    }

    /// The directive that a `metadirective` inside of a `target` region stands for on a device (OpenMP 5.2,
    /// section 7.4); `None` for other directives, and where that is not known at compile time. Outside of
    /// regions it is the C compiler's.
    pub(super) fn chosen_variant(&mut self, directive: &ast::Directive) -> Option<Written> {
        let context = self.device_context().filter(|_| name(directive) == "metadirective")?;
        let clauses: Vec<_> = directive.clauses_named("when").collect();
        let selectors: Vec<Selector> = clauses.iter().map(|it| self.selector(it)).collect();
        let clause = match context.choose(&selectors.iter().collect::<Vec<_>>()) {
            Choice::Variant(index) => clauses.get(index).cloned(),
            Choice::Base => directive.clauses().find(|it| matches!(&*it.name(), "default" | "otherwise")),
            Choice::Unknown(_) => return None,
        };
        let all = range(directive);
        let Some(clause) = clause else { return Some(nothing(all)) };
        let mut children = clause.syntax().children();
        let Some(name) = children.find_map(ast::DirectiveName::cast) else {
            return context::is_empty(&clause).then(|| nothing(range(&clause)));
        };
        let text = SmolStr::new(name.text());
        let constructs = Construct::split(&text);
        if text != "nothing"
            && (constructs.is_empty() || !constructs.iter().all(|it| context::has_statement(*it)))
        {
            return None;
        }
        Some(Written {
            name: text,
            name_range: range(&name),
            argument: clause.syntax().children().find_map(ast::DirectiveArgument::cast),
            clauses: clause.syntax().children().filter_map(ast::Clause::cast).collect(),
        })
    }

    /// The context of code in a `target` region.
    fn device_context(&self) -> Option<Context> {
        let mut around = Vec::new();
        let mut next = self.directive;
        while let Some(id) = next {
            let of = self.program.directive(id);
            around.push(&of.constructs);
            if of.has(Construct::Target) {
                return Some(Context::new(around.into_iter().rev().flatten().copied(), true));
            }
            next = of.parent;
        }
        None
    }

    /// The selector of a clause.
    fn selector(&mut self, clause: &ast::Clause) -> Selector {
        let (mut parts, mut depth) = (Vec::new(), 0_u32);
        for child in clause.syntax().children_with_tokens() {
            if let Some(expr) = child.as_node().and_then(|it| ast::Expr::cast(it.clone())) {
                let value = self.expr(Some(expr));
                parts.push(Part::Value(self.program.constant(value)));
                continue;
            }
            let Some(token) = child.as_token().filter(|it| !it.kind().is_trivia()) else { continue };
            match token.text() {
                "(" | "{" => depth += 1,
                ")" | "}" => depth = depth.saturating_sub(1),
                ":" if depth == 1 => break,
                _ => {}
            }
            parts.push(Part::Text(token.text().into()));
        }
        context::selector(parts.get(1..).unwrap_or(&[]))
    }
}

/// The directive that leaves its statement as it is.
fn nothing(name_range: TextRange) -> Written {
    Written { name: "nothing".into(), name_range, argument: None, clauses: Vec::new() }
}
