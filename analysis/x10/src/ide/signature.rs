//! Method signatures as seen from a receiver, and signature help for the call around the cursor.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, T, TextRange, TextSize};
use smol_str::SmolStr;

use super::members::all_methods;
use super::navigation_target::{Symbol, documentation, dotted, scope_at, segments};
use super::receiver::{Receiver, context_at, receiver, value_type};
use super::spans::enclosing_class;
use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId, SourceFile};
use crate::inputs::parse;
use crate::item_tree::items::{method_item, properties};
use crate::item_tree::source::Item;
use crate::members::Candidate;
use crate::relate::Context;
use crate::signature::inferred::result_type;
use crate::signature::{field_type, method_signature};
use crate::ty::Ty;
use crate::ty::subst::Substitution;
use crate::ty::type_test::mentions_param;

/// A method's signature, instantiated for a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Described {
    pub(super) type_params: Vec<SmolStr>,
    /// Name and type of each formal.
    pub(super) params: Vec<(SmolStr, String)>,
    pub(super) result: Option<Ty>,
    /// `:Long`, or nothing.
    pub(super) result_text: String,
}

impl Described {
    /// `[T](x:Int):Long`
    pub(super) fn tail(&self) -> String {
        format!("{}({}){}", self.types(), self.formals().join(", "), self.result_text)
    }

    /// `[T]`, or nothing.
    pub(super) fn types(&self) -> String {
        match self.type_params.is_empty() {
            true => String::new(),
            false => format!("[{}]", self.type_params.join(",")),
        }
    }

    /// `x:Int` for each formal.
    pub(super) fn formals(&self) -> Vec<String> {
        self.params.iter().map(|(name, ty)| format!("{name}:{ty}")).collect()
    }
}

/// Describes a method for a receiver of type `owner`.
pub(super) fn describe(db: &dyn Db, method: MethodId, owner: Option<Ty>) -> Described {
    let signature = method_signature(db, method);
    let item = method_item(db, method);
    let substitution =
        owner.and_then(|o| o.as_class(db)).map(|(class, args)| Substitution::class(db, class, args));
    let seen = |ty: Ty| substitution.as_ref().map_or(ty, |s| s.apply(db, ty));
    let name = |n: usize| {
        let written = item.and_then(|m| m.params.get(n)).and_then(|p| p.name.clone());
        written.filter(|n| !n.is_empty()).unwrap_or_else(|| SmolStr::new(format!("arg{}", n + 1)))
    };
    let params = signature.params.iter().enumerate();
    let result = item.is_some_and(|m| !m.kind.is_constructor()).then(|| seen(result_type(db, method)));
    Described {
        type_params: item.map_or(Vec::new(), |m| m.type_params.iter().map(|p| p.name.clone()).collect()),
        params: params.map(|(n, p)| (name(n), seen(p.ty).display(db).to_string())).collect(),
        result,
        result_text: result.map_or(String::new(), |ty| format!(":{}", ty.display(db))),
    }
}

/// A call snippet with a placeholder for each argument.
pub(super) fn call_snippet(name: &str, described: &Described) -> String {
    let holes = described.params.iter().enumerate();
    let holes: Vec<String> = holes.map(|(n, (name, _))| format!("${{{}:{name}}}", n + 1)).collect();
    format!("{name}({})$0", holes.join(", "))
}

/// Signature help: the signatures that the call around the cursor may refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureHelp {
    /// All of them.
    pub signatures: Vec<Signature>,
    /// The index of the overload that fits the arguments so far.
    pub active: usize,
    /// The index of the argument at the cursor.
    pub argument: usize,
}

/// A signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The whole text.
    pub label: String,
    /// The byte range of each formal in the label.
    pub params: Vec<std::ops::Range<usize>>,
    /// Its documentation comment.
    pub documentation: Option<String>,
}

/// Signature help for the call whose argument list contains the cursor.
pub fn signature_help(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<SignatureHelp> {
    let root = parse(db, file).syntax();
    let token = (offset <= root.text_range().end())
        .then(|| apg_syntax::token_at_offset(&root, offset).left_biased())??;
    // An argument that is not typed yet is not in the list.
    let token = std::iter::successors(Some(token), |it| it.prev_token()).find(|it| !it.kind().is_trivia())?;
    let inside = |list: &SyntaxNode| {
        let open = list.first_token().is_some_and(|t| t.kind() == T!['('] && t.text_range().end() <= offset);
        // The closing bracket of the list itself: in an unclosed list the last token may be the closing
        // bracket of an argument.
        let close = list.last_child_or_token().and_then(|it| it.into_token());
        let closed = close.is_some_and(|t| t.kind() == T![')'] && t.text_range().end() <= offset);
        list.kind() == SyntaxKind::ARG_LIST && open && !closed
    };
    let list = token.parent_ancestors().take_while(|n| n.kind() != SyntaxKind::BLOCK).find(inside)?;
    let commas = list.children_with_tokens().filter_map(|e| e.into_token());
    let argument = commas.filter(|t| t.kind() == T![,] && t.text_range().end() <= offset).count();
    let written = list.children().filter(|n| ast::Expr::can_cast(n.kind())).count();
    let (name, candidates) = called(db, file, &list)?;
    let signatures: Vec<Signature> = candidates.iter().map(|c| signature(db, &name, c)).collect();
    let takes = |n: usize| signatures[n].params.len();
    let wanted = written.max(argument + 1);
    // The overload to which most arguments fit; among several, the one with the fewest further parameters.
    let complete =
        list.children().filter_map(ast::Expr::cast).filter(|e| e.syntax().text_range().end() < offset);
    let values: Vec<Option<Ty>> = complete.map(|e| value_type(db, file, &e)).collect();
    let global = context_at(db, file, offset);
    let misfits = |n: usize| {
        values
            .iter()
            .enumerate()
            .filter(|(nth, ty)| {
                let formal = candidates[n].formal(db, *nth);
                ty.zip(formal).is_some_and(|(ty, formal)| !takes_value(&global, ty, formal))
            })
            .count()
    };
    let fitting =
        (0..signatures.len()).filter(|n| takes(*n) >= wanted).min_by_key(|n| (misfits(*n), takes(*n)));
    let active = fitting.unwrap_or(0);
    (!signatures.is_empty()).then_some(SignatureHelp { signatures, active, argument })
}

/// The declarations whose parameters an argument list may fill.
enum Called {
    Method(Candidate),
    Function(Ty),
    /// The properties of this class, for `property(...)`.
    Properties(ClassId),
}

impl Called {
    /// The type of a formal, with the known type arguments substituted.
    fn formal(&self, db: &dyn Db, nth: usize) -> Option<Ty> {
        match self {
            Called::Method(candidate) => {
                let formal = method_signature(db, candidate.method).params.get(nth)?.ty;
                let (class, args) = candidate.owner.as_class(db)?;
                Some(Substitution::class(db, class, args).apply(db, formal))
            }
            Called::Function(ty) => ty.as_function(db)?.0.get(nth).copied(),
            Called::Properties(class) => Some(field_type(db, *properties(db, *class).get(nth)?)),
        }
    }
}

/// Whether a formal accepts a value, as far as that is known before type parameters are inferred.
fn takes_value(context: &Context<'_>, ty: Ty, formal: Ty) -> bool {
    let db = context.db;
    ty.mentions_error(db) || mentions_param(db, formal) || context.is_subtype(ty.base(db), formal.base(db))
}

fn signature(db: &dyn Db, name: &str, called: &Called) -> Signature {
    let (label_start, formals, tail, doc) = match called {
        Called::Method(candidate) => {
            let described = describe(db, candidate.method, Some(candidate.owner));
            let doc = documentation(db, Item::Method(candidate.method));
            (format!("{name}{}(", described.types()), described.formals(), described.result_text.clone(), doc)
        }
        Called::Function(ty) => {
            let (params, result) = ty.as_function(db).unwrap_or((&[], Ty::error(db)));
            let formals = params.iter().map(|p| p.display(db).to_string()).collect();
            (format!("{name}("), formals, format!(":{}", result.display(db)), None)
        }
        Called::Properties(class) => {
            let formal =
                |field: &FieldId| format!("{}:{}", field.name(db), field_type(db, *field).display(db));
            let formals = properties(db, *class).iter().map(formal).collect();
            (format!("{name}("), formals, String::new(), None)
        }
    };
    let mut label = label_start;
    let mut params = Vec::new();
    for (n, formal) in formals.iter().enumerate() {
        if n > 0 {
            label.push_str(", ");
        }
        params.push(label.len()..label.len() + formal.len());
        label.push_str(formal);
    }
    label.push(')');
    label.push_str(&tail);
    Signature { label, params, documentation: doc }
}

fn called(db: &dyn Db, file: SourceFile, list: &SyntaxNode) -> Option<(SmolStr, Vec<Called>)> {
    let around = list.parent()?;
    let context = context_at(db, file, list.text_range().start());
    let methods = |all: Vec<Candidate>| all.into_iter().map(Called::Method).collect::<Vec<_>>();
    match around.kind() {
        SyntaxKind::CALL_EXPR | SyntaxKind::TRAILING_CLOSURE_STMT => {
            let callee = around.children().find_map(ast::Expr::cast)?;
            let name = match &callee {
                ast::Expr::NameExpr(name) => name.name_ref()?.text(),
                ast::Expr::FieldExpr(field) => field.name_ref()?.text(),
                _ => SmolStr::default(),
            };
            let found = callee_methods(db, file, &context, &callee, &name);
            if !found.is_empty() {
                return Some((name, methods(found)));
            }
            // Construction of a struct, or application of a value.
            if let Some(names) = dotted(&callee)
                && let Some(class) = scope_at(db, file, callee.syntax().text_range()).find_class(&names)
            {
                return Some((name, methods(constructors(&context, class))));
            }
            let ty = value_type(db, file, &callee)?;
            if ty.base(db).as_function(db).is_some() {
                return Some((name, vec![Called::Function(ty.base(db))]));
            }
            Some((name, methods(context.methods_named(ty, "operator()").into_owned())))
        }
        SyntaxKind::NEW_EXPR | SyntaxKind::NAMED_TYPE => {
            let named = around.descendants().find_map(ast::NamedType::cast)?;
            let names = segments(&named)?;
            let class = scope_at(db, file, around.text_range()).find_class(&names)?;
            Some((class.name(db).clone(), methods(constructors(&context, class))))
        }
        SyntaxKind::CONSTRUCTOR_CALL_STMT => {
            let class = context.class?;
            let is_super = around.children_with_tokens().any(|t| t.kind() == T![super]);
            let class = match is_super {
                true => crate::signature::supertypes::superclass(db, class)?.as_class(db)?.0,
                false => class,
            };
            Some((class.name(db).clone(), methods(constructors(&context, class))))
        }
        SyntaxKind::PROPERTY_CALL_STMT => {
            Some((SmolStr::new_static("property"), vec![Called::Properties(context.class?)]))
        }
        _ => None,
    }
}

fn constructors(context: &Context<'_>, class: ClassId) -> Vec<Candidate> {
    let owner = Ty::this_type(context.db, class);
    context.constructors(class).iter().map(|method| Candidate { method: *method, owner }).collect()
}

fn callee_methods(
    db: &dyn Db,
    file: SourceFile,
    context: &Context<'_>,
    callee: &ast::Expr,
    name: &str,
) -> Vec<Candidate> {
    let of = |ty: Ty, is_static: bool| {
        let all = all_methods(context, ty, is_static).into_iter().filter(|m| m.member.name(db) == name);
        all.map(|m| Candidate { method: m.member, owner: m.owner }).collect::<Vec<_>>()
    };
    match callee {
        ast::Expr::FieldExpr(field) => match field.receiver().and_then(|e| receiver(db, file, &e)) {
            Some(Receiver::Value(ty)) => of(ty, false),
            Some(Receiver::Type(ty)) => of(ty, true),
            _ => Vec::new(),
        },
        ast::Expr::NameExpr(name) => {
            let range: TextRange = name.syntax().text_range();
            let classes = std::iter::successors(enclosing_class(db, file, range), |c| c.outer(db));
            let own = classes.map(|class| {
                let this = Ty::this_type(db, class);
                let mut all = of(this, false);
                all.extend(of(this, true));
                all
            });
            own.into_iter().find(|all| !all.is_empty()).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// The symbols that the call with this argument list may refer to.
pub(super) fn candidates_of(db: &dyn Db, file: SourceFile, list: &SyntaxNode) -> Vec<(Symbol, Ty)> {
    let Some((_, all)) = called(db, file, list) else { return Vec::new() };
    let method = |c: Called| match c {
        Called::Method(c) => Some((Symbol::Item(Item::Method(c.method)), c.owner)),
        Called::Function(_) | Called::Properties(_) => None,
    };
    all.into_iter().filter_map(method).collect()
}
