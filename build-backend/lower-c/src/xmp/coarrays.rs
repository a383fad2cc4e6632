//! Coarrays, events and locks (specification 1.4, chapter 6): objects of each image that other images read
//! and write.

use std::ops::Range;

use apg_c_analysis::hir::{Directive, Expr, ExprId, ExprKind, Spelling, StmtId, StmtKind, Type, VariableId};
use apg_c_analysis::xmp;
use apg_c_syntax::ast::{self, AstNode};
use apg_c_syntax::{Family, SyntaxKind, SyntaxNode, TextRange};
use rustc_hash::FxHashSet;

use super::edits::split;
use super::items::{array_rank, tree_range};
use super::references::grid_name;
use super::sections::subscript_ranges;
use super::{Unit, constants};
use crate::literal::quoted;
use crate::unsupported::{Lowered, unsupported};

/// The name of a coarray's descriptor in the edited text.
fn coarray_name(name: &str) -> String {
    format!("apg_c_{name}")
}

/// A section of a coarray on another image.
struct RemoteSide {
    /// The coarray.
    descriptor: String,
    /// As a `struct apg_xmp_part`.
    part: String,
    /// An element as an operand of `__typeof__`.
    element: String,
}

/// What an access of a coarray reads or writes on this image.
struct LocalSide {
    /// Statements in front of the access.
    before: String,
    /// As a `struct apg_xmp_part`.
    part: String,
    /// Statements behind the access.
    behind: String,
    /// The elements are moved from where they are, not as a value.
    is_in_place: bool,
}

impl<'a> Unit<'a> {
    /// Declares the coarrays of the file: objects stay as they are, and the runtime knows their addresses.
    pub(super) fn edit_coarrays(&mut self) {
        let mut names = FxHashSet::default();
        for declarator in self.codimensions() {
            let Some(codimensions) = declarator.codimensions() else { continue };
            let end = declarator.declarator().map_or(0, |it| Self::range(it.range()).end);
            self.edits.replace(end..Self::range(codimensions.range()).end, "");
            let name = declarator.syntax().descendants().find(|it| it.kind() == SyntaxKind::NAME);
            names.extend(name.map(|it| it.text().to_string()));
        }
        for directive in xmp::directives(self.hir).filter(|it| it.name == "coarray") {
            let subjects = xmp::mappings(directive).map(|it| it.name.to_string());
            names.extend(subjects.filter(|it| !it.is_empty()));
        }
        for index in 0..self.hir.variables.len() {
            let of = &self.hir.variables[index];
            if of.has_static_storage() && of.function.is_none() && names.contains(of.name.as_str()) {
                self.declare_coarray(VariableId::new(index));
            }
        }
    }

    fn codimensions(&self) -> Vec<ast::InitDeclarator> {
        let root = self.parsed.syntax.main.syntax();
        root.descendants()
            .filter_map(ast::InitDeclarator::cast)
            .filter(|it| it.codimensions().is_some())
            .collect()
    }

    fn declare_coarray(&mut self, variable: VariableId) {
        let of = self.hir.variable(variable);
        let Some(range) = of.range else { return };
        let (name, rank) = (of.name.to_string(), array_rank(&of.ty));
        let descriptor = coarray_name(&name);
        // In front of the declaration: accesses stand behind it.
        let root = self.parsed.syntax.main.syntax();
        let token = root.covering_element(range);
        let declaration = token.ancestors().find(|it| it.kind() == SyntaxKind::DECLARATION);
        let start = declaration.map_or(0, |it: SyntaxNode| Self::range(it.text_range()).start);
        self.edits
            .insert(start, format!("static struct apg_xmp_coarray {descriptor} __attribute__((unused)); "));
        let element = format!("{name}{}", "[0]".repeat(rank));
        let site = format!(
            "&(const struct apg_xmp_site){{{}, \"coarray\", {}}}",
            quoted(self.name),
            self.line(range)
        );
        let extents = constants("long", &self.object_extents(&name, rank));
        let extents = if rank == 0 { "0".to_owned() } else { extents };
        self.setup.push_str(&format!(
            "apg_xmp_coarray_declare({site}, &{descriptor}, {}, (void *)&{name}, sizeof({element}), {rank}, {extents}, 1, \
             (const long[]){{0}});\n",
            quoted(&name)
        ));
    }

    /// The extents of an array that is an object, as expressions.
    fn object_extents(&self, name: &str, rank: usize) -> Vec<String> {
        let extent = |axis: usize| {
            let row = format!("{name}{}", "[0]".repeat(axis));
            format!("sizeof({row}) / sizeof({row}[0])")
        };
        (0..rank).map(extent).collect()
    }

    /// Edits the assignments that move elements of coarrays, and array assignments of variables of the node.
    pub(super) fn edit_assignments(&mut self) {
        let mut of_directives = FxHashSet::default();
        for directive in xmp::directives(self.hir).filter(|it| matches!(it.name.as_str(), "gmove" | "array"))
        {
            if let Some(body) = directive.body {
                let range = self.hir.stmt(body).range;
                let inside = |it: &usize| range.contains_range(self.hir.stmts[*it].range);
                of_directives.extend((0..self.hir.stmts.len()).filter(inside));
            }
        }
        let mut moved = FxHashSet::default();
        for index in 0..self.hir.stmts.len() {
            let stmt = StmtId::new(index);
            let StmtKind::Expr(expr) = self.hir.stmt(stmt).kind else { continue };
            if of_directives.contains(&index) {
                continue;
            }
            if let Err(error) = self.edit_assignment(stmt, expr, &mut moved) {
                self.errors.push(error);
            }
        }
        for index in 0..self.hir.exprs.len() {
            let id = ExprId::new(index);
            match self.edit_atomic(id, &mut moved) {
                Ok(()) => {}
                Err(error) => self.errors.push(error),
            }
        }
        for (index, expr) in self.hir.exprs.iter().enumerate() {
            if matches!(expr.kind, ExprKind::Coindexed(..)) && !moved.contains(&ExprId::new(index)) {
                let message = "an object of another image is read or written here in an expression";
                let advice = "assign it to a variable in a statement of its own: `x = a:[1];`";
                self.errors.extend(unsupported::<()>(expr.range, message, advice).err());
            }
        }
    }

    fn edit_assignment(&mut self, stmt: StmtId, expr: ExprId, moved: &mut FxHashSet<ExprId>) -> Lowered<()> {
        let ExprKind::Assign(op, target, value) = self.hir.expr(expr).kind else { return Ok(()) };
        let range = self.hir.stmt(stmt).range;
        let coindexed = |side: ExprId| match self.hir.expr(side).kind {
            ExprKind::Coindexed(base, image) => Some((base, image)),
            _ => None,
        };
        let (name, image, to, from) = match (coindexed(target), coindexed(value)) {
            (Some((base, image)), None) => {
                moved.insert(target);
                ("put", (base, image), base, value)
            }
            (None, Some((base, image))) => {
                moved.insert(value);
                ("get", (base, image), target, base)
            }
            (None, None) => {
                let is_section =
                    matches!(self.hir.expr(target).kind, ExprKind::Section(..) | ExprKind::Index(..))
                        && self
                            .chain(target)
                            .1
                            .iter()
                            .any(|it| matches!(self.hir.expr(*it).kind, ExprKind::Section(..)));
                return if is_section { self.array_assignment(stmt, target, value) } else { Ok(()) };
            }
            (Some(_), Some(_)) => {
                let message = "both sides of this assignment are objects of other images";
                return unsupported(range, message, "read one into a variable, and assign that");
            }
        };
        if op.is_some() {
            let message = "an object of another image is computed with";
            return unsupported(range, message, "read it, compute, and write it back");
        }
        let remote = self.remote(image.0)?;
        let number = self.edited(self.hir.expr(image.1).range);
        let site = self.site_of(range, "coarray");
        let other = if name == "put" { from } else { to };
        let local = self.local_side(other, &remote.element, name == "put")?;
        let (to, from) =
            if name == "put" { (&remote.part, &local.part) } else { (&local.part, &remote.part) };
        let sides = if self.has_devices { self.sides_on_device(range, image.0, other) } else { 0 };
        if sides & 2 != 0 && !local.is_in_place {
            let message = "one value is moved here, which the host does not have";
            return unsupported(self.hir.expr(other).range, message, "write a section of it: `b[i:1]`");
        }
        let call = format!(
            "{{ {}const struct apg_xmp_part apg_to_ = {to}, apg_from_ = {from}; \
             apg_xmp_{name}({site}, &{}, (const long[]){{{number}}}, &apg_to_, &apg_from_, {sides});{} }}",
            local.before, remote.descriptor, local.behind
        );
        self.edits.replace(range.into(), call);
        Ok(())
    }

    /// Which sides of an assignment are in the memory of the accelerator, those that a `host_data` around it
    /// names: 1 for the coarray, 2 for the other side (XcalableACC 1.0, section 3.5).
    fn sides_on_device(&self, assignment: TextRange, coarray: ExprId, other: ExprId) -> u8 {
        let is_around = |it: &&Directive| {
            let is_host_data = it.family == Family::OpenAcc && it.name == "host_data";
            is_host_data && it.body.is_some_and(|body| self.hir.stmt(body).range.contains_range(assignment))
        };
        let used: Vec<VariableId> = self
            .hir
            .directive_ids()
            .map(|it| self.hir.directive(it))
            .filter(is_around)
            .flat_map(|it| it.clauses_named("use_device"))
            .flat_map(|it| &it.items)
            .filter_map(|it| it.variable(self.hir))
            .collect();
        let is_used = |side: ExprId| match self.hir.expr(self.chain(side).0).kind {
            ExprKind::Variable(variable) => used.contains(&variable),
            _ => false,
        };
        u8::from(is_used(coarray)) | u8::from(is_used(other)) << 1
    }

    /// The side of this image in an access of elements like `remote`. A value is converted, as an assignment
    /// does; elements of arrays are moved as they are.
    fn local_side(&self, side: ExprId, remote: &str, is_source: bool) -> Lowered<LocalSide> {
        let Expr { range, ref ty, .. } = *self.hir.expr(side);
        let (root, chain) = self.chain(side);
        let has_section = chain.iter().any(|it| matches!(self.hir.expr(*it).kind, ExprKind::Section(..)));
        // Only the owner of an element of a global array has it.
        let has_elements = has_section || matches!(ty, Type::Array(..)) || self.global_array(root).is_some();
        if !has_elements {
            let text = self.edited(range);
            let part = "{0, (void *)&apg_v_, 0, 0, 0, sizeof(apg_v_)}".to_owned();
            return Ok(match is_source {
                true => LocalSide {
                    before: format!("__typeof__({remote}) apg_v_ = {text}; "),
                    part,
                    behind: String::new(),
                    is_in_place: false,
                },
                false => LocalSide {
                    before: format!("__typeof__({remote}) apg_v_; "),
                    part,
                    behind: format!(" {text} = apg_v_;"),
                    is_in_place: false,
                },
            });
        }
        let (ExprKind::Variable(variable), Some(part)) = (&self.hir.expr(root).kind, self.part(side)) else {
            let message = "these elements are those of no variable";
            return unsupported(
                range,
                message,
                "set a pointer to them, and write a section of that: `p[0:n]`",
            );
        };
        let element = self.element_of_variable(*variable).1;
        let before = format!(
            "_Static_assert(__builtin_types_compatible_p(__typeof__({element}), __typeof__({remote})), \
             \"the elements of both sides have one type\"); "
        );
        Ok(LocalSide { before, part, behind: String::new(), is_in_place: true })
    }

    /// A section of a coarray.
    fn remote(&self, base: ExprId) -> Lowered<RemoteSide> {
        let range = self.hir.expr(base).range;
        let no_coarray = || unsupported(range, "this is no coarray", "declare it with `:[*]`");
        let (root, chain) = self.chain(base);
        let ExprKind::Variable(variable) = self.hir.expr(root).kind else { return no_coarray() };
        let of = self.hir.variable(variable);
        let (name, rank) = (&of.name, array_rank(&of.ty));
        if chain.len() > rank {
            let message = format!("`{name}` has {rank} axes, and the access has {} subscripts", chain.len());
            return unsupported(
                range,
                message,
                "what a pointer of another image points to is not accessible: declare an array `:[*]`",
            );
        }
        let Some(part) = self.part(base) else { return no_coarray() };
        let element = format!("{name}{}", "[0]".repeat(rank));
        // The other image has an address of its own.
        let rest = part.split_once(", ").and_then(|it| it.1.split_once(", ")).map_or("", |it| it.1);
        let part = match rank {
            0 => format!("{{0, 0, 0, 0, 0, sizeof({name})}}"),
            _ => format!("{{0, 0, {rest}"),
        };
        Ok(RemoteSide { descriptor: coarray_name(name), part, element })
    }

    /// `xmp_atomic_define(a:[1], v)` and `xmp_atomic_ref(&v, a:[1])` (section 7.6).
    fn edit_atomic(&mut self, call: ExprId, moved: &mut FxHashSet<ExprId>) -> Lowered<()> {
        let ExprKind::Call(callee, arguments) = &self.hir.expr(call).kind else { return Ok(()) };
        let [first, second] = arguments[..] else { return Ok(()) };
        let (atom, is_define) = match self.hir.callee_name(*callee) {
            Some("xmp_atomic_define") => (first, true),
            Some("xmp_atomic_ref") => (second, false),
            _ => return Ok(()),
        };
        let (base, image) = match self.hir.expr(atom).kind {
            ExprKind::Coindexed(base, image) => (base, self.edited(self.hir.expr(image).range)),
            // This image: coarrays are those of all nodes, in tasks as well.
            _ => (atom, "apg_xmp_runtime->node_number(1)".to_owned()),
        };
        moved.insert(atom);
        let range = self.hir.expr(call).range;
        let RemoteSide { descriptor, part, .. } = self.remote(base)?;
        let site = self.site_of(range, "atomic");
        let at =
            format!("{site}, &{descriptor}, (const long[]){{{image}}}, &(const struct apg_xmp_part){part}");
        let new = match is_define {
            true => {
                let value = self.edited(self.hir.expr(second).range);
                format!("((void)apg_xmp_atomic({at}, APG_XMP_DEFINE, {value}, 0))")
            }
            false => {
                let target = self.edited(self.hir.expr(first).range);
                format!("((void)(*({target}) = apg_xmp_atomic({at}, APG_XMP_REF, 0, 0)))")
            }
        };
        self.edits.replace(range.into(), new);
        Ok(())
    }

    /// A reference in text, `p[1]`, as an address of a `struct apg_xmp_on`.
    fn point(&self, range: Range<usize>) -> String {
        let text = &self.text[range.clone()];
        let length = text.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(text.len());
        let grid = grid_name(&text[..length]);
        let rest = range.start + length..range.end;
        let mut indices: Vec<Range<usize>> = subscript_ranges(&self.text, rest.clone());
        let is_round = indices.is_empty();
        if is_round && let Some(inside) = self.in_parentheses(tree_range(&rest)) {
            indices = split(&self.text, inside, b',');
            indices.reverse();
        }
        let spelling = if is_round { Spelling::Parentheses } else { Spelling::Brackets };
        let shift = self.shift(&text[..length], tree_range(&range), Some(spelling));
        let index = |it| format!("{{APG_XMP_INDEX, ({}){shift}, 1, 1}}", self.edited_range(it));
        let triplets: Vec<String> = indices.into_iter().map(index).collect();
        format!("&(const struct apg_xmp_on){{{grid}, {}}}", constants("struct apg_xmp_triplet", &triplets))
    }

    /// The parts of a directive's list in parentheses.
    fn list(&self, of: &Directive) -> Vec<Range<usize>> {
        let inside = of.argument.first().and_then(|it| self.in_parentheses(it.range));
        inside.map_or_else(Vec::new, |it| split(&self.text, it, b','))
    }

    pub(super) fn post(&mut self, of: &Directive) -> Lowered<()> {
        let list = self.list(of);
        let [node, tag] = &list[..] else {
            return unsupported(of.range, "`post` names no node and tag", "write `post (p[1], tag)`");
        };
        let (site, node, tag) = (self.site(of), self.point(node.clone()), self.edited_range(tag.clone()));
        self.replace(of, format!("apg_xmp_post({site}, {node}, {tag});"))
    }

    pub(super) fn wait(&mut self, of: &Directive) -> Lowered<()> {
        let list = self.list(of);
        let node = list.first().map_or_else(|| "0".to_owned(), |it| self.point(it.clone()));
        let tag = list.get(1).map_or_else(
            || "0".to_owned(),
            |it| format!("(const long[]){{{}}}", self.edited_range(it.clone())),
        );
        let site = self.site(of);
        self.replace(of, format!("apg_xmp_wait({site}, {node}, {tag});"))
    }

    pub(super) fn lock(&mut self, of: &Directive, is_unlock: u8) -> Lowered<()> {
        let wrong = || unsupported(of.range, "this is no lock of an image", "write `lock (x:[1])`");
        let Some(inside) = of.argument.first().and_then(|it| self.in_parentheses(it.range)) else {
            return wrong();
        };
        let text = self.text[inside.clone()].trim().to_owned();
        let Some((object, image)) = text.rsplit_once(':') else { return wrong() };
        let image = image.trim().trim_start_matches('[').trim_end_matches(']');
        let name = object.split('[').next().unwrap_or_default().trim();
        let subscripts: Vec<String> = subscript_ranges(object, 0..object.len())
            .into_iter()
            .map(|it| format!("{{APG_XMP_INDEX, {}, 1, 1}}", &object[it]))
            .collect();
        let Some(variable) = self.variable(name, of) else { return wrong() };
        let rank = array_rank(&self.hir.variable(variable).ty);
        let extents = constants("long", &self.object_extents(name, rank));
        let part = match rank {
            0 => format!("{{0, 0, 0, 0, 0, sizeof({name})}}"),
            _ => format!(
                "{{0, 0, {rank}, {extents}, {}, sizeof({object})}}",
                constants("struct apg_xmp_triplet", &subscripts)
            ),
        };
        let site = self.site(of);
        self.replace(
            of,
            format!(
                "apg_xmp_lock({site}, &{}, (const long[]){{{image}}}, &(const struct apg_xmp_part){part}, {is_unlock});",
                coarray_name(name)
            ),
        )
    }

    /// An array assignment of variables of the node: `a[0:n] = b[0:n] + 1;`.
    fn array_assignment(&mut self, stmt: StmtId, target: ExprId, value: ExprId) -> Lowered<()> {
        let range = self.hir.stmt(stmt).range;
        let (base, _) = self.chain(target);
        if self.global_array(base).is_some() {
            let message = "a section of a global array is assigned outside of `array` and `gmove`";
            return unsupported(range, message, "write `#pragma xmp array on t[:]` in front of it");
        }
        let is_pointer = matches!(self.hir.expr(base).ty, Type::Pointer(_));
        let (loops, indices) = self.local_section_loops(target, is_pointer)?;
        let text = self.assignment_of_elements(target, value, &loops, &indices)?;
        self.edits.replace(range.into(), text);
        Ok(())
    }
}
