//! Hover: for the head of a kernel its launch configuration, for a name its declaration and documentation.

use std::fmt::Write;

use apg_source::LineIndex;
use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, TextRange, TextSize};

use super::definition::defined_at;
use super::hover_literal::{hover_closure, hover_literal};
use super::navigation_target::{Symbol, documentation, name_token, symbol_at};
use super::{keywords, owners, shown};
use crate::body::{Captured, ExprKind, StmtKind};
use crate::db::Db;
use crate::ids::{ClassId, MethodId, SourceFile};
use crate::infer::{declares_result, owner_body};
use crate::inputs::parse;
use crate::item_tree::items::{
    class_head, class_kind, field_is_mutable, field_item, method_item, qualified_name,
};
use crate::item_tree::source::{Item, item_node, item_offset};
use crate::item_tree::{ClassKind, Modifiers};
use crate::kernel::{AxisSummary, LaunchSummary, TransferKind, launch_summaries};
use crate::members::describe_method;
use crate::signature::field_type;
use crate::signature::inferred::result_type;
use crate::signature::supertypes::direct_supertypes;
use crate::ty::Ty;

/// The hover text of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The range of the hovered code.
    pub range: TextRange,
    /// Markdown.
    pub markdown: String,
}

/// The hover text at an offset.
pub fn hover(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<Hover> {
    let mut summaries = owners(db, file).flat_map(|owner| launch_summaries(db, owner));
    if let Some(kernel) = summaries.find(|kernel| kernel.head.contains_inclusive(offset)) {
        return Some(Hover { range: kernel.head, markdown: launch(&kernel) });
    }
    let found = symbol_at(db, file, offset).or_else(|| defined_at(db, file, offset));
    let Some((symbol, range)) = found else {
        let root = parse(db, file).syntax();
        let Some(token) = name_token(&root, offset) else {
            let at = apg_syntax::token_at_offset(&root, offset);
            let mut both = at.clone().right_biased().into_iter().chain(at.left_biased());
            return both.find_map(|token| {
                hover_literal(db, file, &token).or_else(|| hover_closure(db, file, &token))
            });
        };
        let markdown = keywords::meaning(token.text())
            .filter(|_| token.kind().is_keyword() || token.text() == "haszero")?;
        return Some(Hover { range: token.text_range(), markdown: markdown.to_owned() });
    };
    let mut markdown = about(db, &symbol)?;
    if let Some(place) = place_of(db, file, &symbol, range) {
        let _ = write!(markdown, "\n\n{place}");
    }
    Some(Hover { range, markdown })
}

/// The place of a local's value inside an `at`: a copy at that place, or, for a global reference, the home of
/// the referenced object.
fn place_of(db: &dyn Db, file: SourceFile, symbol: &Symbol, range: TextRange) -> Option<String> {
    let Symbol::Local { owner, local } = symbol else { return None };
    let body = &owner_body(db, *owner).body;
    let offset = item_offset(db, (*owner).into());
    let range = range.checked_sub(offset)?;
    let statements = body.stmts.iter().filter_map(|s| match &s.kind {
        StmtKind::At { place, captures, .. } => Some((s.range, *place, captures)),
        _ => None,
    });
    let expressions = body.exprs.iter().filter_map(|e| match &e.kind {
        ExprKind::At { place, captures, .. } => Some((e.range, *place, captures)),
        _ => None,
    });
    let around = statements.chain(expressions).filter(|(at, place, captures)| {
        let is_captured = captures.iter().any(|c| c.what == Captured::Local(*local));
        at.contains_range(range) && !body.expr(*place).range.contains_range(range) && is_captured
    });
    let (at, place, _) = around.min_by_key(|(at, ..)| at.len())?;
    let written = body.expr(place).range + offset;
    let place = file.text(db).get(usize::from(written.start())..usize::from(written.end()))?;
    let line = LineIndex::new(file.text(db)).line((at + offset).start()) + 1;
    let ty = body.local(*local).ty.base(db);
    let class = ty.as_class(db).map(|(class, _)| qualified_name(db, class));
    Some(match class.as_deref() {
        Some("x10.lang.GlobalRef" | "x10.lang.GlobalRail") => {
            format!(
                "Place: a reference, valid at `{place}` too (`at` of line {line}); what it refers to stays at its home."
            )
        }
        Some("x10.lang.PlaceLocalHandle") => {
            format!(
                "Place: stands for the object of `{place}` (`at` of line {line}); each place has its own."
            )
        }
        _ => format!("Place: a copy at `{place}`, made by the `at` of line {line}."),
    })
}

/// A symbol's declaration and documentation.
fn about(db: &dyn Db, symbol: &Symbol) -> Option<String> {
    let (code, item) = match symbol {
        Symbol::Local { owner, local } => {
            let body = &owner_body(db, *owner).body;
            let local = body.local(*local);
            let keyword = if local.mutable { "var" } else { "val" };
            (format!("{keyword} {}:{}", local.name, shown(db, local.ty)), None)
        }
        Symbol::TypeParam(ty) => (format!("type parameter {}", ty.display(db)), None),
        Symbol::Item(item @ Item::Field(field)) => {
            let keyword = if field_is_mutable(db, *field) { "var" } else { "val" };
            let modifiers = field_item(db, *field).map_or(String::new(), |f| modifiers(f.modifiers));
            let owner = field.class(db).name(db);
            let ty = shown(db, field_type(db, *field));
            (format!("{modifiers}{keyword} {}:{ty} // of {owner}", field.name(db)), Some(*item))
        }
        Symbol::Item(item @ Item::Method(method)) => {
            let class = method.class(db).name(db);
            let text = describe_method(db, *method);
            let text = match text.strip_prefix("this") {
                Some(rest) => format!("new {class}{rest}"),
                None => {
                    let modifiers =
                        method_item(db, *method).map_or(String::new(), |m| modifiers(m.modifiers));
                    format!("{modifiers}def {text}{} // of {class}", inferred(db, *method))
                }
            };
            (text, Some(*item))
        }
        Symbol::Item(item @ Item::Class(class)) => {
            let keyword = class_kind(db, *class)?.keyword();
            let name = qualified_name(db, *class);
            let own = Ty::this_type(db, *class).display(db).to_string();
            let params = own.find('[').map_or("", |at| &own[at..]);
            let modifiers = class_head(db, *class).as_ref().map_or(String::new(), |c| modifiers(c.modifiers));
            let above = above(db, *class);
            (format!("{modifiers}{keyword} {name}{params}{above}"), Some(*item))
        }
        // A type definition is shown as written.
        Symbol::Item(item @ Item::Typedef(typedef)) => {
            let written = item_node(db, *item).and_then(ast::TypeDef::cast).map(|node| {
                let tokens = node
                    .syntax()
                    .children_with_tokens()
                    .filter(|e| !matches!(e.kind(), SyntaxKind::DOC_COMMENT));
                tokens.map(|e| e.to_string()).collect::<String>().trim().to_owned()
            });
            (written.unwrap_or_else(|| format!("type {}", typedef.name(db))), Some(*item))
        }
    };
    let mut text = format!("```x10\n{code}\n```");
    if let Some(comment) = item.and_then(|item| documentation(db, item)) {
        let _ = write!(text, "\n\n{comment}");
    }
    Some(text)
}

/// `:T`, the inferred result type of a method that declares none.
fn inferred(db: &dyn Db, method: MethodId) -> String {
    let result = result_type(db, method);
    match declares_result(db, method) || result.is_error(db) {
        true => String::new(),
        false => format!(":{}", shown(db, result)),
    }
}

/// The modifiers that matter to users of a declaration, each followed by a space.
fn modifiers(all: Modifiers) -> String {
    const SHOWN: &[(Modifiers, &str)] = &[
        (Modifiers::PRIVATE, "private "),
        (Modifiers::PROTECTED, "protected "),
        (Modifiers::ABSTRACT, "abstract "),
        (Modifiers::STATIC, "static "),
        (Modifiers::TRANSIENT, "transient "),
        (Modifiers::PROPERTY, "property "),
    ];
    SHOWN.iter().filter(|(modifier, _)| all.has(*modifier)).map(|(_, word)| *word).collect()
}

/// ` extends A implements B, C`, without `Any` and `Object`.
fn above(db: &dyn Db, class: ClassId) -> String {
    let supers = direct_supertypes(db, class).iter().filter(|ty| {
        ty.base(db)
            .as_class(db)
            .is_some_and(|(above, _)| !matches!(above.name(db).as_str(), "Object" | "Any"))
    });
    let is_interface = class_kind(db, class) == Some(ClassKind::Interface);
    let of_class = |ty: &&&Ty| {
        ty.base(db).as_class(db).and_then(|(above, _)| class_kind(db, above)) == Some(ClassKind::Class)
    };
    let (extended, implemented): (Vec<&Ty>, Vec<&Ty>) = supers.partition(|ty| is_interface || of_class(&ty));
    let list = |word: &str, all: Vec<&Ty>| {
        let names: Vec<String> = all.into_iter().map(|ty| shown(db, *ty)).collect();
        if names.is_empty() { String::new() } else { format!(" {word} {}", names.join(", ")) }
    };
    format!("{}{}", list("extends", extended), list("implements", implemented))
}

fn launch(kernel: &LaunchSummary) -> String {
    let mut text = format!("**Kernel** at `{}`\n\n", kernel.place);
    let _ = writeln!(text, "- grid: {}", axes(&kernel.blocks, kernel.block_count, "block"));
    let _ = writeln!(text, "- block: {}", axes(&kernel.threads, kernel.thread_count, "thread"));
    if kernel.shared.is_empty() {
        text.push_str("- shared memory: none\n");
    } else {
        let total = kernel.shared_bytes.map_or("known at the launch".to_owned(), bytes);
        let rails: Vec<String> = kernel
            .shared
            .iter()
            .map(|rail| format!("`{}: Rail[{}]`{}", rail.name, rail.element, of(rail.bytes)))
            .collect();
        let _ = writeln!(text, "- shared memory a block: {total} ({})", rails.join(", "));
    }
    if kernel.has_barrier {
        text.push_str("- threads of a block wait for each other (`Clock.advanceAll()`)\n");
    }
    if !kernel.functions.is_empty() {
        let _ = writeln!(
            text,
            "- calls {}",
            kernel.functions.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        );
    }
    if kernel.captures.is_empty() {
        text.push_str("\nNothing is transferred.\n");
        return text;
    }
    text.push_str("\n| captured | type | transferred at each launch |\n|---|---|---|\n");
    for capture in &kernel.captures {
        let how = match capture.transfer {
            TransferKind::Value => format!("by value{}", of(capture.bytes)),
            TransferKind::Copied => format!("elements, host to device{}", of(capture.bytes)),
            TransferKind::Constant => format!("elements, to constant memory{}", of(capture.bytes)),
            TransferKind::Address => format!("address only{}", of(capture.bytes)),
        };
        let _ = writeln!(text, "| `{}` | `{}` | {how} |", capture.name, capture.ty.replace('|', "\\|"));
    }
    text
}

fn axes(axes: &[AxisSummary], count: Option<i64>, unit: &str) -> String {
    let ranges: Vec<String> = axes
        .iter()
        .map(|axis| match (&axis.index, axis.extent) {
            (Some(index), Some(extent)) => format!("`{index}` {extent}"),
            (Some(index), None) => format!("`{index}` in `0n..{}`", axis.last),
            (None, Some(extent)) => extent.to_string(),
            (None, None) => format!("`0n..{}`", axis.last),
        })
        .collect();
    let total = match count {
        Some(1) => format!("1 {unit}"),
        Some(count) => format!("{count} {unit}s"),
        None => format!("{unit}s known at the launch"),
    };
    format!("{total} ({})", ranges.join(" × "))
}

fn of(size: Option<u64>) -> String {
    size.map_or(String::new(), |size| format!(", {}", bytes(size)))
}

fn bytes(size: u64) -> String {
    match size {
        1 => "1 byte".to_owned(),
        0..10_240 => format!("{size} bytes"),
        _ => format!("{} KiB", size.div_ceil(1024)),
    }
}
