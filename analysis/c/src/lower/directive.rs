//! Directives and clauses.

use apg_c_syntax::TextRange;
use apg_c_syntax::ast::{self, AstNode};
use smol_str::SmolStr;

use super::context::{self, Part};
use super::{Lowerer, range};
use crate::contexts::{Choice, Context};
use crate::hir::{
    Clause, Construct, Directive, DirectiveId, FunctionId, FunctionVariant, HostDirective, Item, Mapper,
    Metadirective, Modifier, Selector,
};

/// What a directive says: its own words, or those of the variant that takes its place.
pub(super) struct Written {
    /// All of it.
    pub range: TextRange,
    pub name: SmolStr,
    pub name_range: TextRange,
    pub argument: Option<ast::DirectiveArgument>,
    pub clauses: Vec<ast::Clause>,
}

impl Written {
    fn new(directive: &ast::Directive) -> Written {
        Written {
            range: range(directive),
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
        let chosen = self.chosen_variants(directive);
        let (chosen, metadirective, on_device) = match chosen {
            None => (None, None, None),
            Some(Chosen { here, on_host, on_device }) => {
                let of = Metadirective { on_host, on_device: None };
                (here, Some(Box::new(of)), on_device)
            }
        };
        let Written { range: _, name, name_range, argument, clauses } =
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
            metadirective,
        });
        let argument = self.arguments(argument);
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
        if let Some(on_device) = on_device {
            let on_device = self.on_device(on_device, id);
            let of = &mut self.program.directives[id.index()].metadirective;
            of.iter_mut().for_each(|it| it.on_device = Some(on_device.clone()));
        }
        id
    }

    /// The items in parentheses behind the name of a directive.
    fn arguments(&mut self, argument: Option<ast::DirectiveArgument>) -> Vec<Item> {
        let items: Vec<_> = argument.iter().flat_map(|it| it.items()).collect();
        items.into_iter().flat_map(|it| self.items_of_argument(it)).collect()
    }

    /// The directive that a device has in place of one of the host.
    fn on_device(&mut self, written: Written, id: DirectiveId) -> Directive {
        let Written { range: _, name, name_range, argument, clauses } = written;
        let argument = self.arguments(argument);
        let clauses = clauses.iter().map(|it| self.clause(it)).collect();
        Directive {
            constructs: Construct::split(&name),
            name,
            name_range,
            argument,
            clauses,
            metadirective: None,
            ..self.program.directive(id).clone()
        }
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

    /// What a `metadirective` stands for (OpenMP 5.2, section 7.4); `None` for other directives.
    fn chosen_variants(&mut self, directive: &ast::Directive) -> Option<Chosen> {
        if name(directive) != "metadirective" {
            return None;
        }
        let clauses: Vec<_> = directive.clauses_named("when").collect();
        let selectors: Vec<Selector> = clauses.iter().map(|it| self.selector(it)).collect();
        let choose = |context: &Context| {
            let clause = match context.choose(&selectors.iter().collect::<Vec<_>>()) {
                Choice::Variant(index) => clauses.get(index).cloned(),
                Choice::Base => directive.clauses().find(|it| matches!(&*it.name(), "default" | "otherwise")),
                Choice::Unknown(_) => return None,
            };
            written(directive, clause)
        };
        let (constructs, is_in_region) = self.constructs_around();
        let on_host = choose(&Context::new(constructs.iter().copied(), false));
        let of_device = constructs.iter().rposition(|it| *it == Construct::Target).unwrap_or(0);
        let target = (!is_in_region).then_some(Construct::Target);
        let of_device = target.into_iter().chain(constructs[of_device..].iter().copied());
        let on_device = choose(&Context::new(of_device, true));
        let host_words = match &on_host {
            None => HostDirective::Unknown,
            Some(it) if it.name == "nothing" => HostDirective::Nothing,
            Some(it) => HostDirective::Words(it.range),
        };
        if is_in_region {
            return Some(Chosen { here: on_device, on_host: host_words, on_device: None });
        }
        let is_same = on_device.as_ref().map(|it| it.range) == on_host.as_ref().map(|it| it.range);
        let of_functions = (!is_same).then(|| on_device.unwrap_or_else(|| Written::new(directive)));
        Some(Chosen { here: on_host, on_host: host_words, on_device: of_functions })
    }

    /// The constructs around, the outermost first, and whether one of them is a `target` region.
    fn constructs_around(&self) -> (Vec<Construct>, bool) {
        let mut around = Vec::new();
        let mut next = self.directive;
        while let Some(id) = next {
            let of = self.program.directive(id);
            around.push(&of.constructs);
            next = of.parent;
        }
        let constructs: Vec<Construct> = around.into_iter().rev().flatten().copied().collect();
        let is_in_region = constructs.contains(&Construct::Target);
        (constructs, is_in_region)
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
fn nothing(range: TextRange) -> Written {
    Written { range, name: "nothing".into(), name_range: range, argument: None, clauses: Vec::new() }
}

/// What a clause of a `metadirective` has in its place; `None` for what is not about the statement behind it.
fn written(directive: &ast::Directive, clause: Option<ast::Clause>) -> Option<Written> {
    let Some(clause) = clause else { return Some(nothing(range(directive))) };
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
    let argument = clause.syntax().children().find_map(ast::DirectiveArgument::cast);
    let clauses: Vec<_> = clause.syntax().children().filter_map(ast::Clause::cast).collect();
    let last = clauses.last().map(range).or_else(|| argument.as_ref().map(range));
    let name_range = range(&name);
    let range = last.map_or(name_range, |it| name_range.cover(it));
    Some(Written { range, name: text, name_range, argument, clauses })
}

/// What a `metadirective` stands for.
struct Chosen {
    /// In its place; `None` if it is not known.
    here: Option<Written>,
    on_host: HostDirective,
    /// In functions that a region calls, where it is something else.
    on_device: Option<Written>,
}
