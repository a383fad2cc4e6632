//! Members of structs that are global arrays: `align tag.member[i] with t[i]`, an extension of the Omni
//! compiler. All objects of the struct have one layout; each object with a name has a block of its own.

use std::borrow::Cow;

use apg_c_analysis::hir::{
    Entity, ExprId, ExprKind, Program, RecordId, StmtKind, Storage, Type, Variable, VariableId,
};
use apg_c_analysis::xmp;
use apg_c_syntax::ast::{self, AstNode};
use apg_c_syntax::{SyntaxKind, SyntaxNode};
use smol_str::SmolStr;

use super::Unit;
use super::arrays::array_name;
use crate::unsupported::unsupported;

/// The struct that a name refers to: a tag or a type.
fn record_of(program: &Program, name: &str) -> Option<RecordId> {
    match (program.tags.get(name), program.names.get(name)) {
        (Some(Type::Record(id)), _) | (_, Some(Entity::Typedef(Type::Record(id)))) => Some(*id),
        _ => None,
    }
}

/// The program with a variable for each member that a directive aligns, named as there, which replaces
/// the member of any object in expressions.
pub(super) fn with_member_variables(program: &Program) -> Cow<'_, Program> {
    let mut members: Vec<(SmolStr, RecordId, SmolStr, Type)> = Vec::new();
    for directive in xmp::directives(program).filter(|it| it.name == "align") {
        for (subject, ..) in xmp::subjects(directive) {
            let Some((tag, member)) = subject.name.split_once('.') else { continue };
            let Some(record) = record_of(program, tag) else { continue };
            let fields = program.record(record).fields.as_deref().unwrap_or_default();
            let Some(field) = fields.iter().find(|it| it.name.as_deref() == Some(member)) else { continue };
            if members.iter().all(|it| it.0 != subject.name) {
                members.push((subject.name.clone(), record, member.into(), field.ty.clone()));
            }
        }
    }
    if members.is_empty() {
        return Cow::Borrowed(program);
    }
    let mut extended = program.clone();
    for (name, record, member, ty) in members {
        let id = VariableId::new(extended.variables.len());
        extended.variables.push(Variable {
            name: name.clone(),
            ty,
            storage: Storage::Global,
            is_const: false,
            is_volatile: false,
            is_atomic: false,
            range: None,
            function: None,
            initializer: None,
        });
        for index in 0..extended.exprs.len() {
            let ExprKind::Member { base, field, .. } = &extended.exprs[index].kind else { continue };
            if *field == member && is_object_of(&extended, *base, record) {
                extended.exprs[index].kind = ExprKind::Variable(id);
            }
        }
        for directive in &mut extended.directives {
            let items = directive.argument.iter_mut();
            let items = items.chain(directive.clauses.iter_mut().flat_map(|it| &mut it.items));
            for mapping in items.filter_map(|it| it.mapping.as_mut()).filter(|it| it.name == name) {
                mapping.variable = Some(id);
            }
        }
    }
    Cow::Owned(extended)
}

/// Whether an expression is a struct, or points to it.
fn is_object_of(program: &Program, expr: ExprId, record: RecordId) -> bool {
    match &program.expr(expr).ty {
        Type::Pointer(it) => **it == Type::Record(record),
        ty => *ty == Type::Record(record),
    }
}

/// What an array of arrays has.
fn element_of(mut ty: &Type) -> &Type {
    while let Type::Array(element, _) = ty {
        ty = element;
    }
    ty
}

impl Unit<'_> {
    /// Struct and member of a variable that stands for one.
    fn member(&self, variable: VariableId) -> Option<(&str, &str)> {
        self.hir.variable(variable).name.split_once('.')
    }

    /// The array that a variable is, as an operand of `sizeof` and `__typeof__`.
    pub(super) fn operand(&self, variable: VariableId) -> String {
        let name = &self.hir.variable(variable).name;
        let Some((tag, member)) = self.member(variable) else { return name.to_string() };
        let keyword = match self.hir.tags.get(tag) {
            Some(Type::Record(it)) if self.hir.record(*it).is_union => "union ",
            Some(_) => "struct ",
            None => "",
        };
        format!("(({keyword}{tag} *)0)->{member}")
    }

    /// Whether a variable stands for a member.
    pub(super) fn is_member(&self, variable: VariableId) -> bool {
        self.member(variable).is_some()
    }

    /// The name in the declaration of a member.
    pub(super) fn member_names(&self, variable: VariableId) -> Vec<SyntaxNode> {
        let Some((tag, member)) = self.member(variable) else { return Vec::new() };
        let root = self.parsed.syntax.main.syntax();
        let is_it = |it: &ast::StructSpecifier| {
            let is_tagged = it.name().is_some_and(|name| name.syntax().text() == tag);
            // `typedef struct { ... } tag;`
            let declaration = it.syntax().ancestors().find(|it| it.kind() == SyntaxKind::DECLARATION);
            let names = declaration.iter().flat_map(SyntaxNode::descendants);
            let mut outside =
                names.filter(|name| !it.syntax().text_range().contains_range(name.text_range()));
            is_tagged || outside.any(|name| name.kind() == SyntaxKind::NAME && name.text() == tag)
        };
        let all = root.descendants().filter_map(ast::StructSpecifier::cast).filter(is_it);
        let lists = all.filter_map(|it| it.member_list());
        let names = lists.flat_map(|it| it.syntax().descendants().collect::<Vec<_>>());
        names.filter(|it| it.kind() == SyntaxKind::NAME && it.text() == member).collect()
    }

    /// The variable and the text of `object.member` in a directive.
    pub(super) fn member_of_object(
        &self,
        text: &str,
        find: impl Fn(&str) -> Option<VariableId>,
    ) -> Option<(VariableId, String)> {
        let (object, member) = text.split_once(['.', '-'])?;
        let (object, member) = (object.trim(), member.trim_start_matches('>').trim());
        let record = match &self.hir.variable(find(object)?).ty {
            Type::Record(it) => *it,
            Type::Pointer(it) => match **it {
                Type::Record(it) => it,
                _ => return None,
            },
            _ => return None,
        };
        let is_it = |array: &&xmp::GlobalArray| {
            self.member(array.variable)
                .is_some_and(|it| it.1 == member && record_of(self.hir, it.0) == Some(record))
        };
        let array = self.model.arrays.iter().find(is_it)?;
        Some((array.variable, text.to_owned()))
    }

    /// Gives each object with a name the blocks of its members.
    pub(super) fn allocate_members(&mut self) {
        let layouts = std::mem::take(&mut self.member_layouts);
        let mut variables: Vec<VariableId> = layouts.iter().map(|it| it.0).collect();
        variables.sort_unstable();
        variables.dedup();
        for variable in variables {
            let call = |descriptor: &str, address: &str| -> String {
                let of_it = layouts.iter().filter(|it| it.0 == variable);
                of_it.map(|it| it.1(descriptor, address)).collect()
            };
            let Some((tag, member)) = self.member(variable).map(|(a, b)| (a.to_owned(), b.to_owned())) else {
                continue;
            };
            let Some(record) = record_of(self.hir, &tag) else { continue };
            self.check_nested(record, &tag, &member);
            for index in 0..self.hir.variables.len() {
                let object = &self.hir.variables[index];
                if let (Type::Array(..), Some(range)) = (&object.ty, object.range)
                    && element_of(&object.ty) == &Type::Record(record)
                {
                    let message = format!("elements of `{}` have no blocks of `{tag}.{member}`", object.name);
                    let advice = "write a variable for each, or align an array of its own";
                    self.errors.extend(unsupported::<()>(range, message, advice).err());
                }
                if object.ty != Type::Record(record) || object.storage == Storage::Parameter {
                    continue;
                }
                let (name, is_static) = (object.name.to_string(), object.storage != Storage::Automatic);
                let descriptor = format!("apg_o_{}", array_name(&format!("{name}.{member}")));
                let call = call(&descriptor, &format!("&{name}.{member}"));
                if object.function.is_none() {
                    if !self.is_extern(VariableId::new(index)) {
                        self.setup
                            .push_str(&format!("{{ static struct apg_xmp_array {descriptor}; {call}}}\n"));
                    }
                    continue;
                }
                let Some(end) = self.declaration_end(VariableId::new(index)) else { continue };
                self.edits.insert(
                    end,
                    match is_static {
                        true => format!(
                            " static struct apg_xmp_array {descriptor}; if (!{descriptor}.state) {{ {call}}}"
                        ),
                        false => format!(
                            " struct apg_xmp_array {descriptor} __attribute__((unused, cleanup(apg_xmp_drop_array))) = {{0}}; {call}"
                        ),
                    },
                );
            }
        }
    }

    /// Reports accesses to a member of structs that are members of others: these have no blocks.
    fn check_nested(&mut self, record: RecordId, tag: &str, member: &str) {
        let program = &self.parsed.program;
        for of in &program.exprs {
            let ExprKind::Member { base, field, .. } = &of.kind else { continue };
            let base = program.expr(*base);
            if *field == member
                && base.ty == Type::Record(record)
                && matches!(base.kind, ExprKind::Member { .. })
            {
                let message = format!("a struct in another one has no block of `{tag}.{member}`");
                let advice = "write a variable for it, or align an array of its own";
                self.errors.extend(unsupported::<()>(of.range, message, advice).err());
            }
        }
    }

    /// Where the statement ends that declares a local variable.
    fn declaration_end(&self, variable: VariableId) -> Option<usize> {
        let declares = |it: &&apg_c_analysis::hir::Stmt| matches!(&it.kind, StmtKind::Declaration(all) if all.contains(&variable));
        self.hir.stmts.iter().find(declares).map(|it| Self::range(it.range).end)
    }
}
