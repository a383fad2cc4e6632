//! Array sections (specification 1.4, sections 5.3 and 7.5): `gmove`, and array assignment.

use std::ops::Range;

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Directive, ExprId, ExprKind, StmtId, StmtKind, SubscriptKind, Type, VariableId};
use apg_c_analysis::xmp::GlobalArray;
use apg_c_syntax::TextRange;

use super::arrays::array_name;
use super::edits::split;
use super::items::array_rank;
use super::references::grid_name;
use super::{Unit, constants};
use crate::unsupported::{Lowered, unsupported};

/// A subscript of a section: an index, or a first index, a number of elements, and a distance.
pub(super) enum Section {
    Index(String),
    Elements { first: String, count: Option<String>, step: String },
}

/// The contents of the brackets that follow each other in a range.
pub(super) fn subscript_ranges(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0_usize, range.start);
    for (at, byte) in text.bytes().enumerate().take(range.end).skip(range.start) {
        match byte {
            b'[' | b'(' | b'{' => {
                if depth == 0 {
                    start = at + 1;
                }
                depth += 1;
            }
            b']' | b')' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && byte == b']' {
                    found.push(start..at);
                }
            }
            _ => {}
        }
    }
    found
}

impl<'a> Unit<'a> {
    /// The assignment that a directive is about: its sides and its operator.
    fn assignment(&self, of: &Directive) -> Lowered<(StmtId, ExprId, ExprId)> {
        let wrong = |range: TextRange| {
            let message = format!("`{}` is about one assignment", of.name);
            unsupported(range, message, "write `a[0:n] = b[0:n];` behind it")
        };
        let Some(body) = of.body else { return wrong(of.range) };
        let mut stmt = body;
        while let StmtKind::Block(all) = &self.hir.stmt(stmt).kind {
            let [only] = all[..] else { return wrong(self.hir.stmt(body).range) };
            stmt = only;
        }
        let StmtKind::Expr(expr) = self.hir.stmt(stmt).kind else { return wrong(self.hir.stmt(body).range) };
        match self.hir.expr(expr).kind {
            ExprKind::Assign(_, target, value) => Ok((body, target, value)),
            _ => wrong(self.hir.stmt(body).range),
        }
    }

    /// The subscripts of an access.
    fn subscripts(&self, chain: &[ExprId]) -> Vec<Section> {
        let one = |id: &ExprId| {
            let (ExprKind::Index(base, _) | ExprKind::Section(base, ..)) = self.hir.expr(*id).kind else {
                return Section::Index(String::new());
            };
            let end = Self::range(self.hir.expr(*id).range).end;
            let ranges = subscript_ranges(&self.text, Self::range(self.hir.expr(base).range).end..end);
            let parts = ranges.first().map_or_else(Vec::new, |it| split(&self.text, it.clone(), b':'));
            let parts: Vec<String> = parts.into_iter().map(|it| self.edited_range(it)).collect();
            match &parts[..] {
                [] => Section::Index(String::new()),
                [index] => Section::Index(index.clone()),
                [first, rest @ ..] => Section::Elements {
                    first: if first.is_empty() { "0".to_owned() } else { first.clone() },
                    count: rest.first().filter(|it| !it.is_empty()).cloned(),
                    step: rest.get(1).filter(|it| !it.is_empty()).cloned().unwrap_or_else(|| "1".to_owned()),
                },
            }
        };
        chain.iter().map(one).collect()
    }

    /// A side of an assignment as a `struct apg_xmp_part`; `None` if it is a value.
    pub(super) fn part(&self, side: ExprId) -> Option<String> {
        let (base, chain) = self.chain(side);
        let ExprKind::Variable(variable) = self.hir.expr(base).kind else { return None };
        let of = self.hir.variable(variable);
        let name = &self.edited(self.hir.expr(base).range);
        let sections = self.subscripts(&chain);
        let triplet = |it: &Section| match it {
            Section::Index(index) => format!("{{APG_XMP_INDEX, {index}, 1, 1}}"),
            Section::Elements { first, count, step } => {
                let count = count.as_deref().unwrap_or("-1");
                format!("{{APG_XMP_SECTION, {first}, {count}, {step}}}")
            }
        };
        let mut triplets: Vec<String> = sections.iter().map(triplet).collect();
        let array = self.model.array(variable);
        let is_pointer = matches!(of.ty, Type::Pointer(_));
        let (rank, element) = self.element_of_variable(variable);
        if array.is_none() && chain.len() > rank {
            // What elements point to is no part of the array.
            return None;
        }
        if chain.is_empty() && array.is_none() && (is_pointer || rank == 0) {
            return Some(format!("{{0, (void *)&{name}, 0, 0, 0, sizeof({name})}}"));
        }
        while triplets.len() < rank {
            triplets.push("{APG_XMP_ALL, 0, 0, 1}".to_owned());
        }
        let triplets = constants("struct apg_xmp_triplet", &triplets);
        Some(match array {
            Some(_) => {
                let array = self.descriptor(variable, name);
                format!("{{{array}, 0, {rank}, 0, {triplets}, sizeof({element})}}")
            }
            None => {
                // What a pointer points to has the elements that the section names.
                let extent = |axis: usize| match (axis, sections.first()) {
                    (0, Some(Section::Index(index))) if is_pointer => format!("({index}) + 1"),
                    (0, Some(Section::Elements { first, count: Some(count), step })) if is_pointer => {
                        format!("({first}) + ({count}) * ({step})")
                    }
                    (0, _) if is_pointer => "0".to_owned(),
                    _ => {
                        let row = format!("{name}{}", "[0]".repeat(axis));
                        format!("sizeof({row}) / sizeof({row}[0])")
                    }
                };
                let extents = constants("long", &(0..rank).map(extent).collect::<Vec<_>>());
                format!("{{0, (void *){name}, {rank}, {extents}, {triplets}, sizeof({element})}}")
            }
        })
    }

    /// Number of axes of a variable, one of which is that of a pointer, and an element as an operand of
    /// `sizeof` and `__typeof__`.
    pub(super) fn element_of_variable(&self, variable: VariableId) -> (usize, String) {
        let of = self.hir.variable(variable);
        let array = self.model.array(variable);
        let is_pointer = matches!(of.ty, Type::Pointer(_));
        let rank = match array {
            Some(array) => array.axes.len(),
            None => {
                array_rank(of.ty.element().filter(|_| is_pointer).unwrap_or(&of.ty)) + usize::from(is_pointer)
            }
        };
        let subscripts = match array {
            Some(array) if self.is_pointer_to_elements(array) => 1,
            _ => rank,
        };
        (rank, format!("{}{}", self.operand(variable), "[0]".repeat(subscripts)))
    }

    fn is_pointer_to_elements(&self, array: &GlobalArray) -> bool {
        matches!(self.hir.variable(array.variable).ty, Type::Array(..))
    }

    pub(super) fn gmove(&mut self, of: &'a Directive) -> Lowered<()> {
        let (body, target, value) = self.assignment(of)?;
        let mode = match (of.clause("in"), of.clause("out")) {
            (Some(_), _) => "APG_XMP_IN",
            (_, Some(_)) => "APG_XMP_OUT",
            _ => "APG_XMP_COLLECTIVE",
        };
        let target_range = self.hir.expr(target).range;
        let Some(to) = self.part(target) else {
            return unsupported(target_range, "this is no section of an array", "write `a[0:n] = b[0:n];`");
        };
        let (site, asynchronous) = (self.site(of), self.asynchronous(of));
        self.check_sides_on_device(of, target, value)?;
        let (temporary, from) = match self.part(value) {
            Some(from) => (String::new(), from),
            None => {
                let copied = self.value_on_device(of, value)?;
                let value = self.hir.expr(value);
                let mut has_sections = false;
                self.hir.walk_expr(self.assigned(body), &mut |node| {
                    if let Node::Expr(id) = node {
                        let is_value = value.range.contains_range(self.hir.expr(id).range);
                        has_sections |= is_value && matches!(self.hir.expr(id).kind, ExprKind::Section(..));
                    }
                    true
                });
                if has_sections {
                    let message = "`gmove` moves sections, it computes nothing";
                    return unsupported(value.range, message, "compute in a loop, and move the result");
                }
                let element = self.element_of(target);
                let text = self.edited(value.range);
                let temporary = format!("{copied}__typeof__({element}) apg_v_ = {text}; ");
                (temporary, "{0, (void *)&apg_v_, 0, 0, 0, sizeof(apg_v_)}".to_owned())
            }
        };
        let (mut mode, mut on_device) = (mode.to_owned(), Vec::new());
        for (side, flag) in [(target, "APG_XMP_TO_ON_DEVICE"), (value, "APG_XMP_FROM_ON_DEVICE")] {
            if self.is_on_device(of, side) {
                mode.push_str(&format!(" | {flag}"));
                let (base, chain) = self.chain(side);
                // The runtime looks for the elements of sections.
                if chain.is_empty() || self.global_array(base).is_some() {
                    on_device.push(Self::range(self.hir.expr(base).range));
                }
            }
        }
        let call = format!(
            "{{ {temporary}const struct apg_xmp_part apg_to_ = {to}, apg_from_ = {from}; \
             apg_xmp_gmove({site}, {mode}, &apg_to_, &apg_from_, {asynchronous}); }}"
        );
        on_device.dedup_by_key(|it| self.text[it.clone()].to_owned());
        let call = if on_device.is_empty() { call } else { self.with_presence(of, &on_device, &call) };
        self.replace(of, call)?;
        self.edits.replace(self.hir.stmt(body).range.into(), "");
        Ok(())
    }

    /// The expression of a statement.
    fn assigned(&self, mut stmt: StmtId) -> ExprId {
        loop {
            match &self.hir.stmt(stmt).kind {
                StmtKind::Block(all) if !all.is_empty() => stmt = all[0],
                StmtKind::Expr(expr) => return *expr,
                _ => return ExprId::new(0),
            }
        }
    }

    /// An element of what a section is of, as an operand of `__typeof__`.
    fn element_of(&self, side: ExprId) -> String {
        let (base, chain) = self.chain(side);
        self.element_of_base(base, chain.len())
    }

    fn element_of_base(&self, base: ExprId, rank: usize) -> String {
        let text = self.edited(self.hir.expr(base).range);
        match self.global_array(base) {
            Some(array) if self.is_pointer_to_elements(array) => format!("{text}[0]"),
            Some(array) => format!("{text}{}", "[0]".repeat(array.axes.len())),
            None => format!("{text}{}", "[0]".repeat(rank)),
        }
    }

    pub(super) fn array(&mut self, of: &'a Directive) -> Lowered<()> {
        let (body, target, value) = self.assignment(of)?;
        let (loops, indices) = self.section_loops(of, target)?;
        let range = self.hir.stmt(body).range;
        let text = self.assignment_of_elements(target, value, &loops, &indices)?;
        self.replace(of, text)?;
        self.edits.replace(range.into(), "");
        Ok(())
    }

    /// An assignment of sections as loops over their elements. As all of the value is read first, it is kept
    /// in memory of its own if it has elements of the target.
    pub(super) fn assignment_of_elements(
        &mut self,
        target: ExprId,
        value: ExprId,
        loops: &str,
        indices: &[Elements],
    ) -> Lowered<String> {
        let (target_range, value_range) = (self.hir.expr(target).range, self.hir.expr(value).range);
        let operator = self.edited_range(Self::range(target_range).end..Self::range(value_range).start);
        let (base, rank) = (self.chain(target).0, self.chain(target).1.len());
        self.edit_sections(target, indices)?;
        let mut found = Vec::new();
        self.hir.walk_expr(value, &mut |node| match node {
            Node::Expr(id)
                if matches!(self.hir.expr(id).kind, ExprKind::Section(..) | ExprKind::Index(..)) =>
            {
                let (_, chain) = self.chain(id);
                let has_sections =
                    chain.iter().any(|it| matches!(self.hir.expr(*it).kind, ExprKind::Section(..)));
                if has_sections {
                    found.push(id);
                }
                !has_sections
            }
            _ => true,
        });
        for id in found {
            self.edit_sections(id, indices)?;
        }
        let mut overlaps = false;
        self.hir.walk_expr(value, &mut |node| {
            if let Node::Expr(id) = node {
                overlaps |= self.hir.expr(id).kind == self.hir.expr(base).kind;
            }
            true
        });
        let (target, value) = (self.replaced(target_range), self.replaced(value_range));
        if !overlaps {
            return Ok(format!("{{ {loops}{target}{operator}{value}; }}"));
        }
        Ok(format!(
            "{{ long apg_n_ = 0; {loops}++apg_n_; __typeof__({element}) *apg_w_ = \
             __builtin_malloc(apg_n_ * sizeof *apg_w_); apg_n_ = 0; {loops}apg_w_[apg_n_++] = {value}; \
             apg_n_ = 0; {loops}{target}{operator}apg_w_[apg_n_++]; __builtin_free(apg_w_); }}",
            element = self.element_of_base(base, rank),
        ))
    }

    /// The new text of a range, if all of it is replaced, too.
    fn replaced(&self, range: TextRange) -> String {
        let range = Self::range(range);
        self.edits.replacement(&range).map_or_else(|| self.edited_range(range.clone()), str::to_owned)
    }

    /// Loops over the elements of a section of a variable of the node.
    pub(super) fn local_section_loops(
        &mut self,
        target: ExprId,
        is_pointer: bool,
    ) -> Lowered<(String, Vec<Elements>)> {
        let (base, chain) = self.chain(target);
        let mut row = self.edited(self.hir.expr(base).range);
        let (mut loops, mut indices) = (String::new(), Vec::new());
        for (axis, section) in self.subscripts(&chain).into_iter().enumerate() {
            match section {
                Section::Index(index) => row = format!("{row}[{index}]"),
                Section::Elements { first, count, step } => {
                    if count.is_none() && axis == 0 && is_pointer {
                        let message = "the number of elements of this section is not known";
                        return unsupported(
                            self.hir.expr(target).range,
                            message,
                            "write it behind the colon",
                        );
                    }
                    let whole = || {
                        let extent = format!("(long)(sizeof({row}) / sizeof({row}[0]))");
                        format!("(({extent} - ({first}) + ({step}) - 1) / ({step}))")
                    };
                    let count = count.unwrap_or_else(whole);
                    let number = self.number();
                    loops.push_str(&format!(
                        "for (long apg_e{number}_ = ({first}), apg_l{number}_ = ({first}) + (({count}) - 1) * ({step}); \
                         apg_e{number}_ <= apg_l{number}_; apg_e{number}_ += ({step})) "
                    ));
                    indices.push(Elements { variable: format!("apg_e{number}_"), first, step });
                    row = format!("{row}[0]");
                }
            }
        }
        Ok((loops, indices))
    }

    /// Loops over the elements of a section on this node, and for each section its first index, its distance
    /// and its iteration variable.
    fn section_loops(&mut self, of: &Directive, target: ExprId) -> Lowered<(String, Vec<Elements>)> {
        let (base, chain) = self.chain(target);
        let range = self.hir.expr(target).range;
        let Some(array) = self.global_array(base).cloned() else {
            let message = "this is no section of a global array";
            return unsupported(range, message, "align the array with the template");
        };
        let name = self.hir.variable(array.variable).name.to_string();
        let mut sections = self.subscripts(&chain);
        while sections.len() < array.axes.len() {
            sections.push(Section::Elements { first: "0".to_owned(), count: None, step: "1".to_owned() });
        }
        let extents = self.extents(array.variable, array.axes.len());
        let alignments = self.alignments(&array);
        let (mut loops, mut indices) = (String::new(), Vec::new());
        for (axis, section) in sections.into_iter().enumerate() {
            let is_distributed = array.axes.get(axis).is_some_and(|it| it.kind != SubscriptKind::Star);
            let alignment = alignments[axis].trim_matches(['{', '}']).to_owned();
            let (site, grid) = (self.site(of), grid_name(&array.template));
            match section {
                Section::Index(index) if is_distributed => {
                    let (number, offset) = alignment.split_once(", ").unwrap_or((&alignment, "0"));
                    loops.push_str(&format!(
                        "if (apg_xmp_owns({site}, {grid}, {number}, ({index}) + ({offset}))) "
                    ));
                }
                Section::Index(_) => {}
                Section::Elements { first, count, step } => {
                    let number = self.number();
                    let count = match count {
                        Some(count) => count,
                        None if extents[axis] == "0" => {
                            let message =
                                format!("the number of elements of axis {axis} of `{name}` is not known");
                            return unsupported(range, message, "write it behind the colon");
                        }
                        None => format!("(({}) - ({first}) + ({step}) - 1) / ({step})", extents[axis]),
                    };
                    let last = format!("({first}) + (({count}) - 1) * ({step})");
                    loops.push_str(&match is_distributed {
                        true => format!(
                            "for (struct apg_xmp_range apg_r{number}_ = apg_xmp_loop({site}, {grid}, {alignment}, {first}, {last}, {step}, \
                             APG_XMP_WHOLE, 0, 0, 0), *apg_f{number}_ = &apg_r{number}_; apg_f{number}_; apg_f{number}_ = 0) \
                             for (struct apg_xmp_run apg_n{number}_ = apg_xmp_first_run(&apg_r{number}_); \
                             apg_n{number}_.index < apg_r{number}_.runs; apg_xmp_next_run(&apg_r{number}_, &apg_n{number}_)) \
                             for (long apg_e{number}_ = apg_n{number}_.first; apg_e{number}_ <= apg_n{number}_.last; \
                             apg_e{number}_ += apg_r{number}_.step) "
                        ),
                        false => format!(
                            "for (long apg_e{number}_ = ({first}), apg_l{number}_ = {last}; apg_e{number}_ <= apg_l{number}_; \
                             apg_e{number}_ += ({step})) "
                        ),
                    });
                    indices.push(Elements { variable: format!("apg_e{number}_"), first, step });
                }
            }
        }
        Ok((loops, indices))
    }

    /// Replaces an access with sections by an access of the element of an iteration.
    fn edit_sections(&mut self, id: ExprId, indices: &[Elements]) -> Lowered<()> {
        let (base, chain) = self.chain(id);
        let range = self.hir.expr(id).range;
        let array = self.global_array(base).cloned();
        let mut sections = self.subscripts(&chain);
        let rank = array.as_ref().map_or(sections.len(), |it| it.axes.len());
        while sections.len() < rank {
            sections.push(Section::Elements { first: "0".to_owned(), count: None, step: "1".to_owned() });
        }
        let mut all = indices.iter();
        let mut subscripts = Vec::new();
        for section in sections {
            subscripts.push(match section {
                Section::Index(index) => index,
                Section::Elements { first, step, .. } => {
                    let Some(of) = all.next() else {
                        let message = "this section has more axes than its target";
                        return unsupported(range, message, "write an index for each other axis");
                    };
                    match (first == of.first, step == of.step) {
                        (true, true) => of.variable.clone(),
                        (_, true) => format!("({}) - ({}) + ({first})", of.variable, of.first),
                        _ => format!(
                            "({} - ({})) / ({}) * ({step}) + ({first})",
                            of.variable, of.first, of.step
                        ),
                    }
                }
            });
        }
        let new = match &array {
            Some(array) => self.element(array, &self.edited(self.hir.expr(base).range), &subscripts),
            None => {
                let base = self.edited(self.hir.expr(base).range);
                format!("{base}[{}]", subscripts.join("]["))
            }
        };
        self.edits.replace(range.into(), new);
        Ok(())
    }

    /// An element of a global array, which `name` names.
    pub(super) fn element(&self, array: &GlobalArray, name: &str, subscripts: &[String]) -> String {
        let descriptor = array_name(&self.hir.variable(array.variable).name);
        let rank = array.axes.len();
        let place = |(axis, index): (usize, &String)| {
            let local = match self.is_linear(array, axis) {
                true => format!("({index})"),
                false => format!("apg_xmp_local(&{descriptor}.axis[{axis}], {index})"),
            };
            if axis + 1 < rank { format!("{local} * {descriptor}.stride[{axis}]") } else { local }
        };
        let places: Vec<String> = subscripts.iter().enumerate().map(place).collect();
        let base = match self.needs_cast(array) {
            true => format!("((__typeof__(&{name}{})){name})", "[0]".repeat(rank)),
            false => name.to_owned(),
        };
        format!("{base}[{} - {descriptor}.origin]", places.join(" + "))
    }
}

/// The elements of a section in a loop.
pub(super) struct Elements {
    variable: String,
    first: String,
    step: String,
}
