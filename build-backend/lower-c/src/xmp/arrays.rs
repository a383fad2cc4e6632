//! Global arrays (specification 1.4, sections 4.6 and 4.7): pointers to local blocks, whose elements are
//! reached by global indices.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Directive, ExprId, ExprKind, Storage, Subscript, SubscriptKind, Type, VariableId};
use apg_c_analysis::xmp::{self, GlobalArray};
use apg_c_syntax::ast::{self, AstNode};
use apg_c_syntax::{SyntaxKind, SyntaxNode};
use rustc_hash::FxHashSet;

use super::accelerators::{block_name, cyclic_place, origin_name, stride_name};
use super::references::{axis_number, grid_name};
use super::{Unit, constants};
use crate::literal::quoted;
use crate::unsupported::{Lowered, unsupported};

/// The name of an array's descriptor in the edited text.
pub(super) fn array_name(name: &str) -> String {
    format!("apg_a_{}", name.replace('.', "_"))
}

impl Unit<'_> {
    /// Edits the declarations of global arrays, and all accesses.
    pub(super) fn edit_arrays(&mut self) {
        let variables: Vec<VariableId> = self.model.arrays.iter().map(|it| it.variable).collect();
        for variable in &variables {
            self.edit_declarations(*variable);
        }
        let bases: FxHashSet<ExprId> = self.hir.exprs.iter().filter_map(|it| base_of(&it.kind)).collect();
        let mut seen = FxHashSet::default();
        for index in 0..self.hir.exprs.len() {
            let id = ExprId::new(index);
            if matches!(self.hir.expr(id).kind, ExprKind::Index(..)) && !bases.contains(&id) {
                let is_new = seen.insert(self.hir.expr(id).range.end());
                self.edit_access(id, is_new);
            }
            self.edit_descriptor(id);
        }
    }

    /// Puts a descriptor in place of `xmp_desc_of(name)` (specification 1.4, section 7.1).
    fn edit_descriptor(&mut self, call: ExprId) {
        let ExprKind::Call(callee, arguments) = &self.hir.expr(call).kind else { return };
        let ([argument], Some("xmp_desc_of")) = (&arguments[..], self.hir.callee_name(*callee)) else {
            return;
        };
        let descriptor = match &self.hir.expr(*argument).kind {
            ExprKind::Variable(it) if self.model.array(*it).is_some() => {
                self.descriptor(*it, &self.edited(self.hir.expr(*argument).range))
            }
            ExprKind::Variable(it) => grid_name(&self.hir.variable(*it).name),
            ExprKind::Unresolved(name) => grid_name(name),
            _ => return,
        };
        self.edits.replace(self.hir.expr(call).range.into(), format!("((void *){descriptor})"));
    }

    /// The base of an access and its indices, the first axis first.
    pub(super) fn chain(&self, mut id: ExprId) -> (ExprId, Vec<ExprId>) {
        let mut all = Vec::new();
        while let ExprKind::Index(base, _) | ExprKind::Section(base, ..) = self.hir.expr(id).kind {
            all.push(id);
            id = base;
        }
        all.reverse();
        (id, all)
    }

    /// The global array that an expression names.
    pub(super) fn global_array(&self, expr: ExprId) -> Option<&GlobalArray> {
        match self.hir.expr(expr).kind {
            ExprKind::Variable(variable) => self.model.array(variable),
            _ => None,
        }
    }

    fn edit_access(&mut self, id: ExprId, is_new: bool) {
        let (base, chain) = self.chain(id);
        let Some(array) = self.global_array(base).cloned() else { return };
        if !is_new || chain.iter().any(|it| matches!(self.hir.expr(*it).kind, ExprKind::Section(..))) {
            return;
        }
        let descriptor = array_name(&self.hir.variable(array.variable).name);
        let base_range = Self::range(self.hir.expr(base).range);
        let name = self.edited_range(base_range.clone());
        let (count, rank) = (chain.len().min(array.axes.len()), array.axes.len());
        let is_on_device = self.region_at(base_range.start).is_some();
        if let Err(error) = self.check_access(base, &array, &chain) {
            self.errors.push(error);
            return;
        }
        let block = match (is_on_device, self.needs_cast(&array)) {
            (true, _) => block_name(&self.hir.variable(array.variable).name),
            (false, true) => format!("((__typeof__(&{name}{})){name})", "[0]".repeat(rank)),
            (false, false) => name.clone(),
        };
        let prefix = if count < rank { format!("(&{block}[") } else { format!("{block}[") };
        let mut open = base_range.start;
        for (axis, access) in chain.iter().take(count).enumerate() {
            let ExprKind::Index(inner, index) = self.hir.expr(*access).kind else { return };
            let (inner, index) =
                (Self::range(self.hir.expr(inner).range), Self::range(self.hir.expr(index).range));
            // `i[a]` is `a[i]`.
            if inner.end > index.start {
                return;
            }
            let mut start = match axis {
                0 => prefix.clone(),
                _ => " + ".to_owned(),
            };
            let is_linear = self.is_linear(&array, axis);
            let Some(close) = self.text[index.end..].find(']') else { return };
            let end = index.end + close + 1;
            match (is_linear, is_on_device) {
                (true, _) => start.push('('),
                (false, false) => start.push_str(&format!("apg_xmp_local(&{descriptor}.axis[{axis}], ")),
                (false, true) => {
                    let place = cyclic_place(&name, axis, &self.edited_range(index.clone()));
                    self.edits.replace(index.clone(), place);
                    start.push('(');
                }
            }
            self.edits.replace(open..index.start, start);
            let after = behind_index((&name, &descriptor), (axis, count, rank), is_on_device);
            self.edits.replace(index.end..end, after);
            open = end;
        }
    }

    /// Checks that an access has a form: in regions of accelerators what it is about is a variable, and an
    /// index of a cyclic axis is written more than once.
    fn check_access(&self, base: ExprId, array: &GlobalArray, chain: &[ExprId]) -> Lowered<()> {
        let range = self.hir.expr(base).range;
        let is_on_device = self.region_at(Self::range(range).start).is_some();
        if self.is_member(array.variable) && is_on_device {
            let message = "a member of a struct is a global array in a region of an accelerator";
            return unsupported(range, message, "align an array of its own, or write the loop without `acc`");
        }
        for (axis, access) in chain.iter().enumerate().take(array.axes.len()) {
            let ExprKind::Index(_, index) = self.hir.expr(*access).kind else { continue };
            if is_on_device && !self.is_linear(array, axis) && self.changes_something(index) {
                let message = "this index of a cyclic axis changes a variable in a region of an accelerator";
                let advice =
                    "change the variable in a statement of its own, in front of this one or behind it";
                return unsupported(self.hir.expr(index).range, message, advice);
            }
        }
        Ok(())
    }

    /// Whether an expression assigns to something.
    fn changes_something(&self, expr: ExprId) -> bool {
        let mut found = false;
        self.hir.walk_expr(expr, &mut |node| {
            if let Node::Expr(id) = node {
                let kind = &self.hir.expr(id).kind;
                found |= matches!(kind, ExprKind::Assign(..) | ExprKind::Increment { .. });
            }
            true
        });
        found
    }

    /// Whether the local index of an axis is the global one less a constant, whatever node it is on.
    pub(super) fn is_linear(&self, array: &GlobalArray, axis: usize) -> bool {
        let Some(subscript) = array.axes.get(axis).filter(|it| it.kind != SubscriptKind::Star) else {
            return true;
        };
        let function = self.hir.variable(array.variable).function;
        let format = || {
            let template = self.model.grid(&array.template, function)?;
            let position = target_axis(array, subscript, axis)?.0;
            template.distribution.as_ref()?.formats.get(position).cloned()
        };
        format().is_some_and(|it| it == "*" || it.starts_with("block") || it.starts_with("gblock"))
    }

    /// Whether a name is no pointer to elements: a pointer to rows, or a parameter.
    pub(super) fn needs_cast(&self, array: &GlobalArray) -> bool {
        matches!(&self.hir.variable(array.variable).ty, Type::Pointer(it) if array.axes.len() > 1 || matches!(**it, Type::Array(..)))
    }

    /// Whether the declaration of an array becomes that of a pointer.
    fn is_redeclared(&self, array: &GlobalArray) -> bool {
        matches!(self.hir.variable(array.variable).ty, Type::Array(..))
    }

    /// The names that declare a variable, in all its declarations.
    fn declaring_names(&self, id: VariableId) -> Vec<SyntaxNode> {
        let variable = self.hir.variable(id);
        let is_it = |node: &SyntaxNode| match variable.function {
            Some(_) => Some(node.text_range()) == variable.range,
            None => !node
                .ancestors()
                .any(|it| matches!(it.kind(), SyntaxKind::FUNCTION_DEF | SyntaxKind::PARAM_DECL)),
        };
        let root = self.parsed.syntax.main.syntax();
        let names = root.descendants().filter(|it| it.kind() == SyntaxKind::NAME);
        if self.is_member(id) {
            return self.member_names(id);
        }
        let names = names.filter(|it| it.text() == variable.name.as_str() && is_it(it));
        names.filter(|it| it.parent().is_some_and(|it| it.kind() == SyntaxKind::NAME_DECLARATOR)).collect()
    }

    fn edit_declarations(&mut self, id: VariableId) {
        if !self.model.array(id).is_some_and(|it| self.is_redeclared(it)) {
            return;
        }
        for name in self.declaring_names(id) {
            let range = Self::range(name.text_range());
            self.edits.replace(range, format!("*{}", name.text()));
            for declarator in array_declarators(&name) {
                let inner = declarator.declarator().map(|it| Self::range(it.range()));
                let all = Self::range(declarator.range());
                self.edits.replace(inner.map_or(all.start, |it| it.end)..all.end, "");
            }
        }
    }

    /// The extents of an array as they are written; 0 for those that are not.
    pub(super) fn extents(&self, id: VariableId, rank: usize) -> Vec<String> {
        let mut extents = self.written_extents(id);
        while extents.len() < rank {
            extents.insert(0, "0".to_owned());
        }
        extents.truncate(rank);
        extents
    }

    /// The extents in the declarator of a variable.
    pub(super) fn written_extents(&self, id: VariableId) -> Vec<String> {
        let names = self.declaring_names(id);
        let written = |name: &SyntaxNode| -> Vec<String> {
            let size = |it: ast::ArrayDeclarator| match it.size() {
                Some(size) => self.edited(size.range()),
                None => "0".to_owned(),
            };
            array_declarators(name).into_iter().map(size).collect()
        };
        names.iter().map(written).max_by_key(Vec::len).unwrap_or_default()
    }

    /// Whether no file-scope declaration of an array defines it: another file does.
    pub(super) fn is_extern(&self, id: VariableId) -> bool {
        let variable = self.hir.variable(id);
        let is_extern = |name: &SyntaxNode| {
            let declaration = name.ancestors().find_map(ast::Declaration::cast);
            let specifiers = declaration.and_then(|it| it.decl_specifiers());
            specifiers.is_some_and(|it| it.syntax().text().to_string().contains("extern"))
        };
        variable.storage == Storage::Global && self.declaring_names(id).iter().all(is_extern)
    }

    pub(super) fn align(&mut self, of: &Directive) -> Lowered<()> {
        let (mut declarations, mut statements) = (String::new(), String::new());
        for (subject, axes, _) in xmp::subjects(of) {
            let Some(array) = subject.variable.and_then(|it| self.model.array(it)).cloned() else {
                let message = format!("`{}` is no array", subject.name);
                return unsupported(subject.name_range, message, "name an array or a pointer");
            };
            let variable = self.hir.variable(array.variable);
            let (name, descriptor, rank) =
                (variable.name.to_string(), array_name(&variable.name), axes.len());
            let is_global = of.function.is_none();
            let is_static =
                is_global || variable.storage == Storage::StaticLocal || self.is_static(of, &name);
            declarations.push_str(&match is_static {
                true => format!("static struct apg_xmp_array {descriptor} __attribute__((unused));"),
                false => format!(
                    "struct apg_xmp_array {descriptor} __attribute__((unused, cleanup(apg_xmp_drop_array))) = {{0}};"
                ),
            });
            let is_member = self.is_member(array.variable);
            let operand = self.operand(array.variable);
            let element = match self.is_redeclared(&array) {
                true => format!("{operand}[0]"),
                false => format!("{operand}{}", "[0]".repeat(rank)),
            };
            let address = match self.is_redeclared(&array) && !is_member && !self.is_extern(array.variable) {
                true => format!("&{name}"),
                false => "0".to_owned(),
            };
            let extents: Vec<String> =
                self.extents(array.variable, rank).into_iter().map(|it| format!("(long)({it})")).collect();
            let (site, quoted) = (self.site(of), quoted(&name));
            let layout = format!(
                "APG_XMP_TYPE({element}), sizeof({element}), {rank}, {}, {}, {}",
                constants("long", &extents),
                grid_name(&array.template),
                constants("struct apg_xmp_alignment", &self.alignments(&array)),
            );
            let call = format!("apg_xmp_align({site}, &{descriptor}, {quoted}, {address}, {layout}); ");
            if is_member {
                let layout = move |descriptor: &str, address: &str| {
                    format!("apg_xmp_align({site}, &{descriptor}, {quoted}, {address}, {layout}); ")
                };
                self.member_layouts.push((array.variable, Box::new(layout)));
            }
            statements.push_str(&match is_static && !is_global {
                true => format!("if (!{descriptor}.state) {call}"),
                false => call,
            });
        }
        self.declare(of, &declarations, &statements)
    }

    /// The template's axis of each axis of an array, and the offset there.
    pub(super) fn alignments(&self, array: &GlobalArray) -> Vec<String> {
        let one = |(axis, subscript): (usize, &Subscript)| {
            let found = target_axis(array, subscript, axis);
            let Some((position, name)) = found else { return "{-1, 0}".to_owned() };
            let number = axis_number(position, array.target.len(), array.target_spelling);
            let target = self.edited(array.target[position].range);
            // `i + 1`: what is added to the index.
            let offset = target.trim().strip_prefix(name.as_str()).unwrap_or_default().trim();
            format!("{{{number}, {}}}", if offset.is_empty() { "0" } else { offset })
        };
        array.axes.iter().enumerate().map(one).collect()
    }

    pub(super) fn shadow(&mut self, of: &Directive) -> Lowered<()> {
        let mut statements = String::new();
        for (subject, widths, _) in xmp::subjects(of) {
            let (mut below, mut above) = (Vec::new(), Vec::new());
            for width in widths {
                let parts = self.parts(width);
                let (low, high) = match (width.kind, &parts[..]) {
                    (SubscriptKind::Star, _) => ("-1", "-1"),
                    (_, [both]) => (both.as_str(), both.as_str()),
                    (_, [low, high]) => (low.as_str(), high.as_str()),
                    _ => return unsupported(width.range, "this is no width", "write `N` or `N:M`"),
                };
                below.push(low.to_owned());
                above.push(high.to_owned());
            }
            let (site, array) = (self.site(of), array_name(&subject.name));
            let widths = format!("{}, {}", constants("long", &below), constants("long", &above));
            let call = format!("apg_xmp_shadow({site}, &{array}, {widths}); ");
            if let Some(variable) = subject.variable.filter(|it| self.is_member(*it)) {
                let layout = move |descriptor: &str, _: &str| {
                    format!("apg_xmp_shadow({site}, &{descriptor}, {widths}); ")
                };
                self.member_layouts.push((variable, Box::new(layout)));
            }
            let is_static = subject.variable.is_some_and(|it| {
                self.hir.variable(it).storage == Storage::StaticLocal || self.is_static(of, &subject.name)
            });
            statements.push_str(&match is_static && of.function.is_some() {
                true => format!("{{ static int apg_once_; if (!apg_once_) {{ apg_once_ = 1; {call}}} }} "),
                false => call,
            });
        }
        self.declare(of, "", &statements)
    }
}

/// What stands behind the index of an axis, of `count` that an access has and `rank` of the array, which is
/// named in regions of accelerators, and has a descriptor on the host.
fn behind_index(
    (name, descriptor): (&str, &str),
    (axis, count, rank): (usize, usize, usize),
    is_on_device: bool,
) -> String {
    let mut behind = ")".to_owned();
    if axis + 1 < rank {
        behind.push_str(&match is_on_device {
            true => format!(" * {}", stride_name(name, axis)),
            false => format!(" * {descriptor}.stride[{axis}]"),
        });
    }
    if axis + 1 == count {
        behind.push_str(&match is_on_device {
            true => format!(" - {}]", origin_name(name)),
            false => format!(" - {descriptor}.origin]"),
        });
        if count < rank {
            behind.push(')');
        }
    }
    behind
}

/// The base of an index or a section.
fn base_of(kind: &ExprKind) -> Option<ExprId> {
    match kind {
        ExprKind::Index(base, _) | ExprKind::Section(base, ..) => Some(*base),
        _ => None,
    }
}

/// The position of the template's subscript that an axis of an array is aligned with, and the index in both.
fn target_axis(array: &GlobalArray, subscript: &Subscript, axis: usize) -> Option<(usize, String)> {
    if subscript.kind == SubscriptKind::Star {
        return None;
    }
    let is_colon = |it: &Subscript| it.text == ":";
    if is_colon(subscript) {
        let number = array.axes[..axis].iter().filter(|it| is_colon(it)).count();
        let mut colons = (0..array.target.len()).filter(|it| is_colon(&array.target[*it]));
        return Some((colons.nth(number)?, ":".to_owned()));
    }
    let is_index = |it: &&Subscript| {
        let rest = it.text.strip_prefix(subscript.text.as_str());
        rest.is_some_and(|it| it.is_empty() || it.starts_with(['+', '-']))
    };
    let position = array.target.iter().position(|it| is_index(&it))?;
    Some((position, subscript.text.to_string()))
}

/// The array declarators around a name, that of the first axis first.
fn array_declarators(name: &SyntaxNode) -> Vec<ast::ArrayDeclarator> {
    let mut found = Vec::new();
    for node in name.ancestors().skip(1) {
        match node.kind() {
            SyntaxKind::ARRAY_DECLARATOR => found.extend(ast::ArrayDeclarator::cast(node)),
            SyntaxKind::NAME_DECLARATOR | SyntaxKind::PAREN_DECLARATOR | SyntaxKind::POINTER_DECLARATOR => {}
            _ => break,
        }
    }
    found
}
