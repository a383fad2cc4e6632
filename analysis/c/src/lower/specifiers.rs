//! Declaration specifiers and declarators: the types of declarations (C17 6.7.2, 6.7.6).

use std::sync::Arc;

use apg_c_syntax::SyntaxKind;
use apg_c_syntax::ast::{self, AstNode, DeclSpecifier, Declarator};
use smol_str::SmolStr;

use super::Lowerer;
use crate::hir::{Entity, Field, Length, Record, RecordId, Type};

/// What specifiers say.
#[derive(Default)]
pub(super) struct Specified {
    pub(super) ty: Type,
    pub(super) is_typedef: bool,
    pub(super) is_extern: bool,
    pub(super) is_static: bool,
    pub(super) is_thread_local: bool,
    pub(super) is_const: bool,
    pub(super) is_volatile: bool,
    pub(super) is_atomic: bool,
}

/// A declared name with its type.
pub(super) struct Declared {
    pub(super) name: Option<ast::Name>,
    pub(super) ty: Type,
    /// The pointer next to the name is `const`, or is not; `None` if it is no pointer, or an array of some,
    /// by the declarator: the specifiers say it.
    pub(super) is_const: Option<bool>,
    /// The parameters of a function, of the declarator next to the name.
    pub(super) parameters: Option<ast::FunctionDeclarator>,
}

impl Lowerer {
    pub(super) fn specifiers(&mut self, specifiers: Option<ast::DeclSpecifiers>) -> Specified {
        let mut words: Vec<SyntaxKind> = Vec::new();
        let mut named = None;
        let mut specified = Specified::default();
        for specifier in specifiers.iter().flat_map(ast::DeclSpecifiers::decl_specifiers) {
            match specifier {
                DeclSpecifier::StorageClass(it) => {
                    specified.is_typedef |= it.typedef_token().is_some();
                    specified.is_extern |= it.extern_token().is_some();
                    specified.is_static |= it.static_token().is_some();
                    specified.is_thread_local |= it.thread_local_token().is_some();
                }
                DeclSpecifier::TypeQualifier(it) => {
                    specified.is_const |= it.const_token().is_some();
                    let token = it.syntax().first_token().map(|it| it.kind());
                    specified.is_volatile |=
                        matches!(token, Some(SyntaxKind::VOLATILE_KW | SyntaxKind::_ATOMIC_KW));
                    specified.is_atomic |= token == Some(SyntaxKind::_ATOMIC_KW);
                }
                DeclSpecifier::BuiltinType(it) => {
                    let token = it.syntax().children_with_tokens().find_map(|it| {
                        it.into_token().filter(|it| !it.kind().is_trivia()).map(|it| it.kind())
                    });
                    words.extend(token);
                }
                DeclSpecifier::TypedefName(it) => {
                    let name = it.name_ref().map(|it| it.text()).unwrap_or_default();
                    specified.is_atomic |= is_atomic_type(&name);
                    named = Some(match self.lookup(&name) {
                        Some(Entity::Typedef(ty)) => ty.clone(),
                        _ => Type::Unknown,
                    });
                }
                DeclSpecifier::StructSpecifier(it) => named = Some(self.record(&it)),
                DeclSpecifier::EnumSpecifier(it) => named = Some(self.enumeration(&it)),
                DeclSpecifier::TypeofSpecifier(it) => {
                    named = Some(match (it.type_name(), it.expr()) {
                        (Some(name), _) => self.type_name(&name),
                        (None, Some(expr)) => {
                            let expr = self.expr(Some(expr));
                            self.ty(expr)
                        }
                        (None, None) => Type::Unknown,
                    });
                }
                DeclSpecifier::AtomicSpecifier(it) => {
                    specified.is_atomic = true;
                    named = it.type_name().map(|it| self.type_name(&it));
                }
                DeclSpecifier::FunctionSpecifier(_)
                | DeclSpecifier::AlignasSpecifier(_)
                | DeclSpecifier::AttributeSpecifier(_)
                | DeclSpecifier::ExtensionMark(_) => {}
            }
        }
        specified.ty = named.unwrap_or_else(|| builtin(&words));
        specified
    }

    /// The type of a declarator around `ty`, with the name.
    pub(super) fn declarator(&mut self, declarator: Option<Declarator>, ty: Type) -> Declared {
        match declarator {
            None => Declared { name: None, ty, is_const: None, parameters: None },
            Some(Declarator::NameDeclarator(it)) => {
                Declared { name: it.name(), ty, is_const: None, parameters: None }
            }
            Some(Declarator::PointerDeclarator(it)) => {
                let mut declared = self.declarator(it.declarator(), ty.pointer());
                // The one next to the name is the object's.
                declared.is_const.get_or_insert(it.type_qualifiers().any(|it| it.const_token().is_some()));
                declared
            }
            Some(Declarator::ParenDeclarator(it)) => self.declarator(it.declarator(), ty),
            Some(Declarator::ArrayDeclarator(it)) => {
                let length = match it.size() {
                    None => Length::Unknown,
                    Some(size) => {
                        let size = self.expr(Some(size));
                        match self.program.constant(size) {
                            Some(value) => u64::try_from(value).map_or(Length::Unknown, Length::Constant),
                            None => {
                                self.layout.has_variable_lengths |= !self.is_header;
                                Length::Variable(size)
                            }
                        }
                    }
                };
                self.declarator(it.declarator(), Type::Array(Arc::new(ty), length))
            }
            Some(Declarator::FunctionDeclarator(it)) => {
                let inner = it.declarator();
                let is_direct = matches!(inner, Some(Declarator::NameDeclarator(_)))
                    || matches!(&inner, Some(Declarator::ParenDeclarator(paren))
                        if matches!(paren.declarator(), Some(Declarator::NameDeclarator(_))));
                let declared = self.declarator(inner, Type::Function(Arc::new(ty)));
                let parameters = if is_direct { Some(it) } else { declared.parameters };
                Declared { parameters, ..declared }
            }
        }
    }

    pub(super) fn type_name(&mut self, name: &ast::TypeName) -> Type {
        let ty = self.specifiers(name.decl_specifiers()).ty;
        self.declarator(name.declarator(), ty).ty
    }

    fn record(&mut self, specifier: &ast::StructSpecifier) -> Type {
        let tag = specifier.name().map(|it| SmolStr::new(it.text()));
        let body = specifier.member_list();
        let known = tag.as_ref().and_then(|tag| match body {
            Some(_) => self.innermost_tag(tag),
            None => self.lookup_tag(tag),
        });
        let is_known = known.is_some();
        let id = match known {
            Some(Type::Record(id)) => *id,
            _ => {
                self.touches_file = true;
                self.program.records.push(Record {
                    tag: tag.clone(),
                    is_union: specifier.union_token().is_some(),
                    fields: None,
                    is_packed: false,
                });
                let id = RecordId::new(self.program.records.len() - 1);
                if let Some(tag) = tag {
                    self.declare_tag(tag, Type::Record(id));
                }
                id
            }
        };
        if let Some(body) = body {
            let fields = self.fields(&body);
            let attributes = specifier.syntax().children().filter_map(ast::AttributeSpecifier::cast);
            let is_packed = attributes
                .flat_map(|it| it.attributes().collect::<Vec<_>>())
                .any(|it| it.word().is_some_and(|it| it.text().trim_matches('_') == "packed"));
            if is_known {
                self.note_completion();
            }
            let record = &mut self.program.records[id.index()];
            record.fields = Some(fields);
            record.is_packed = is_packed;
        }
        Type::Record(id)
    }

    fn fields(&mut self, body: &ast::MemberList) -> Vec<Field> {
        let mut fields = Vec::new();
        for member in body.members() {
            let ast::Member::MemberDecl(member) = member else { continue };
            let Specified { ty, is_atomic, .. } = self.specifiers(member.decl_specifiers());
            let declarators: Vec<_> = member.member_declarators().collect();
            if declarators.is_empty() {
                fields.push(Field { name: None, ty, bits: None, is_atomic: false });
                continue;
            }
            for declarator in declarators {
                let declared = self.declarator(declarator.declarator(), ty.clone());
                let bits = declarator.width().map(|width| {
                    let width = self.expr(Some(width));
                    self.program.constant(width).and_then(|it| u64::try_from(it).ok()).unwrap_or(1)
                });
                let name = declared.name.map(|it| SmolStr::new(it.text()));
                fields.push(Field { name, ty: declared.ty, bits, is_atomic });
            }
        }
        fields
    }

    /// The type of an enumeration: as in GNU C and Clang, `unsigned` if no value is negative.
    fn enumeration(&mut self, specifier: &ast::EnumSpecifier) -> Type {
        let tag = specifier.name().map(|it| SmolStr::new(it.text()));
        if specifier.enumerator_list().is_none() {
            let known = tag.and_then(|it| self.lookup_tag(&it)).filter(|it| it.is_integer());
            return known.cloned().unwrap_or(Type::INT);
        }
        let (mut next, mut least) = (0, 0);
        for enumerator in specifier.enumerator_list().iter().flat_map(ast::EnumeratorList::enumerators) {
            if let Some(value) = enumerator.value() {
                let value = self.expr(Some(value));
                next = self.program.constant(value).unwrap_or(next);
            }
            if let Some(name) = enumerator.name() {
                self.declare(SmolStr::new(name.text()), Entity::Constant(next));
            }
            least = least.min(next);
            next = next.wrapping_add(1);
        }
        let ty = Type::Integer { bytes: 4, is_signed: least < 0 };
        if let Some(tag) = tag {
            self.declare_tag(tag, ty.clone());
        }
        ty
    }
}

/// The type of the words of built-in types (C17 6.7.2, paragraph 2).
fn builtin(words: &[SyntaxKind]) -> Type {
    use SyntaxKind::*;
    let count = |kind| words.iter().filter(|it| **it == kind).count();
    let has = |kind| words.contains(&kind);
    let is_complex = has(_COMPLEX_KW);
    let float = |bytes| if is_complex { Type::Complex(bytes) } else { Type::Float(bytes) };
    let is_signed = !has(UNSIGNED_KW);
    let integer = |bytes| Type::Integer { bytes, is_signed };
    if words.is_empty() {
        // Implicit `int`.
        return Type::INT;
    }
    if has(VOID_KW) {
        Type::Void
    } else if has(_BOOL_KW) {
        Type::Bool
    } else if has(CHAR_KW) {
        integer(1)
    } else if has(SHORT_KW) {
        integer(2)
    } else if has(DOUBLE_KW) {
        float(if count(LONG_KW) > 0 { 16 } else { 8 })
    } else if has(FLOAT_KW) || has(_FLOAT32_KW) {
        float(4)
    } else if has(_FLOAT64_KW) || has(_FLOAT32X_KW) {
        float(8)
    } else if has(_FLOAT128_KW) || has(_FLOAT64X_KW) || has(__FLOAT80_KW) {
        float(16)
    } else if has(_FLOAT16_KW) {
        float(2)
    } else if has(__INT128_KW) {
        integer(16)
    } else if has(LONG_KW) {
        integer(8)
    } else if has(INT_KW) || has(SIGNED_KW) || has(UNSIGNED_KW) {
        integer(4)
    } else if is_complex {
        Type::Complex(8)
    } else {
        Type::Unknown
    }
}

/// Whether a name is one of the types of `stdatomic.h` (C17 7.17.6 and 7.17.8).
fn is_atomic_type(name: &str) -> bool {
    let Some(name) = name.strip_prefix("atomic_") else { return false };
    let is_sized = |it: &str| matches!(it, "8_t" | "16_t" | "32_t" | "64_t");
    let unsigned = name.strip_prefix('u').unwrap_or(name);
    let sized = unsigned.strip_prefix("int_least").or_else(|| unsigned.strip_prefix("int_fast"));
    sized.is_some_and(is_sized)
        || matches!(unsigned, "char" | "short" | "int" | "long" | "llong" | "intptr_t" | "intmax_t")
        || matches!(
            name,
            "bool" | "schar" | "char16_t" | "char32_t" | "wchar_t" | "size_t" | "ptrdiff_t" | "flag"
        )
}
