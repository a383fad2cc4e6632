//! Loops that nodes share (specification 1.4, section 5.1.2): each node gets bounds of its own.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{
    BinaryOp, Directive, DirectiveId, ExprId, ExprKind, Mapping, Spelling, StmtId, StmtKind, Subscript,
    SubscriptKind, VariableId,
};
use apg_c_analysis::loops::{CanonicalLoop, canonical};
use apg_c_analysis::xmp::{self, GridKind};
use apg_c_syntax::Family;

use super::Unit;
use super::accelerators::Place;
use super::edits::split;
use super::references::{axis_number, grid_name};
use crate::changes::is_changed;
use crate::unsupported::{Lowered, unsupported};

/// A loop whose iterations are divided.
struct SharedLoop {
    stmt: StmtId,
    form: CanonicalLoop,
    name: String,
    /// The position of its subscript.
    position: usize,
    /// What is added to the iteration variable in the subscript.
    offset: String,
    /// A directive of OpenMP about the loop.
    openmp: Option<DirectiveId>,
}

/// The iterations of a pass over a nest, by axis.
struct Passes {
    /// The modes of each pass, one for each position of the subscripts.
    modes: Vec<Vec<&'static str>>,
    /// Widths below and above, and whether they may lie beyond the loop's bounds.
    widths: Vec<(String, String, u8)>,
    /// What is done after the first pass.
    wait: Option<String>,
}

/// What is known of a node's iterations of a loop.
struct RangeFacts {
    /// The number of its names.
    number: usize,
    /// The call that computes them.
    call: String,
    /// They are one arithmetic progression.
    is_one_run: bool,
    /// They follow each other without a distance.
    steps_by_one: bool,
}

impl<'a> Unit<'a> {
    pub(super) fn loop_construct(&mut self, of: &'a Directive) -> Lowered<()> {
        let Some(body) = of.body else { return Ok(()) };
        let Some(on) = xmp::target(of, "on") else {
            return unsupported(of.range, "the clause `on` is missing", "write `on t(i)`");
        };
        let loops = self.shared_loops(on, body)?;
        let place = self.place(Self::range(of.range).start, loops[0].stmt);
        let passes = self.passes(of, on)?;
        let (mut before, mut behind) = (String::from("{ "), String::from(" }"));
        let axes: u32 = loops.iter().map(|it| 1 << self.axis(on, it.position)).sum();
        let is_on_device =
            self.has_devices && (of.clause("acc").is_some() || matches!(place, Place::Own(..)));
        self.loop_reductions(of, (&on.name, axes), is_on_device, (&mut before, &mut behind))?;
        if passes.modes.len() > 1 {
            let wait = passes.wait.as_ref().map_or_else(String::new, |it| format!("if (apg_p_ == 1) {it} "));
            before.push_str(&format!(
                "for (int apg_p_ = 0; apg_p_ < {}; ++apg_p_) {{ {wait}",
                passes.modes.len()
            ));
            behind.insert(0, '}');
        }
        let mut runs = String::new();
        for index in 0..loops.len() {
            self.edit_loop(of, on, &loops, index, &passes, (&mut before, &mut runs))?;
        }
        let test = self.ownership(of, on, &loops)?;
        let is_plain =
            runs.is_empty() && test.is_empty() && passes.modes.len() == 1 && of.clause("reduction").is_none();
        self.check_place(of, on, &loops, (place, is_plain))?;
        before.push_str(&test);
        before.push_str(&format!("{{ {runs}"));
        behind.insert_str(0, &" }".repeat(1 + runs.matches("apg_xmp_first_run").count()));
        if let Some(region) = self.region_of(of) {
            before.push_str(&self.region_start(region)?);
            behind.insert_str(0, &self.region_end(region));
        }
        self.put_around(of, body, place, (before, behind))
    }

    /// Puts what the host does around a loop where it is executed.
    fn put_around(
        &mut self,
        of: &Directive,
        body: StmtId,
        place: Place,
        (before, behind): (String, String),
    ) -> Lowered<()> {
        match place {
            Place::Host => {
                self.replace(of, before)?;
                self.edits.insert_behind(Self::range(self.hir.stmt(body).range), behind);
            }
            Place::Own(_, outer) => {
                let outer = Self::range(self.hir.stmt(outer).range);
                self.edits.insert(outer.start, before);
                self.edits.insert_behind(outer, behind);
            }
            // What the host computes is done in front of the region.
            Place::Whole(region) | Place::Inside(region) => {
                let region = &mut self.regions[region];
                region.before.push_str(&before);
                region.behind.insert_str(0, &behind);
            }
        }
        Ok(())
    }

    /// Checks that the host can compute a loop's iterations in front of the region in which it stands.
    fn check_place(
        &self,
        of: &Directive,
        on: &Mapping,
        loops: &[SharedLoop],
        (place, is_plain): (Place, bool),
    ) -> Lowered<()> {
        let (Place::Own(region, _) | Place::Inside(region)) = place else { return Ok(()) };
        if matches!(place, Place::Inside(_)) && !is_plain {
            let message = "this loop of an accelerator has several ranges, a test or a reduction of the host, \
                           and its region has other statements";
            return unsupported(of.range, message, "write a region of its own for this loop");
        }
        let forms = loops.iter().map(|it| &it.form);
        let mut exprs: Vec<ExprId> =
            forms.flat_map(|it| [Some(it.start), Some(it.end), it.step]).flatten().collect();
        for subscript in &on.subscripts {
            match subscript.kind {
                SubscriptKind::Expr(it) => exprs.push(it),
                SubscriptKind::Bounds(first, second) => exprs.extend([first, second].into_iter().flatten()),
                _ => {}
            }
        }
        let body = self.regions[region].body;
        let mut found = None;
        for expr in exprs {
            self.hir.walk_expr(expr, &mut |node| {
                if let Node::Expr(id) = node
                    && let ExprKind::Variable(it) = self.hir.expr(id).kind
                    && loops.iter().all(|other| other.form.variable != it)
                    && self.is_of_region(body, it)
                {
                    found = Some(it);
                }
                true
            });
        }
        let Some(variable) = found else { return Ok(()) };
        let name = &self.hir.variable(variable).name;
        let message = format!("the iterations of this loop depend on `{name}`, which its region changes");
        unsupported(of.range, message, "write a region of its own for this loop")
    }

    /// Whether a statement declares or changes a variable.
    fn is_of_region(&self, body: StmtId, variable: VariableId) -> bool {
        let range = self.hir.stmt(body).range;
        is_changed(self.hir, body, variable)
            || self.hir.variable(variable).range.is_some_and(|it| range.contains_range(it))
    }

    fn axis(&self, on: &Mapping, position: usize) -> usize {
        axis_number(position, on.subscripts.len(), on.spelling)
    }

    /// The loops in a statement whose variables are subscripts.
    fn shared_loops(&self, on: &Mapping, body: StmtId) -> Lowered<Vec<SharedLoop>> {
        let subscripts: Vec<(usize, String, String)> = on
            .subscripts
            .iter()
            .enumerate()
            .filter_map(|(n, it)| self.index(it).map(|(a, b)| (n, a, b)))
            .collect();
        let (mut found, mut error) = (Vec::<SharedLoop>::new(), None);
        let mut openmp = None;
        self.hir.walk_stmt(body, &mut |node| {
            match node {
                Node::Directive(id) => {
                    let of = self.hir.directive(id);
                    if of.family == Family::OpenMp {
                        openmp = of.body.map(|it| (it, id));
                    }
                    // A loop construct inside has loops of its own.
                    return !(of.family == Family::XcalableMp && of.name == "loop");
                }
                Node::Stmt(stmt) if matches!(self.hir.stmt(stmt).kind, StmtKind::For { .. }) => {
                    let Ok(form) = canonical(self.hir, stmt) else { return true };
                    let name = self.hir.variable(form.variable).name.to_string();
                    let Some((position, _, offset)) = subscripts.iter().find(|it| it.1 == name) else {
                        return true;
                    };
                    if form.comparison == BinaryOp::NotEqual && form.step.is_some() {
                        let range = self.hir.stmt(stmt).range;
                        error = error.take().or(Some(range));
                    }
                    let openmp = openmp.filter(|it| it.0 == stmt).map(|it| it.1);
                    found.push(SharedLoop {
                        stmt,
                        form,
                        name,
                        position: *position,
                        offset: offset.clone(),
                        openmp,
                    });
                }
                _ => {}
            }
            true
        });
        if let Some(range) = error {
            let message = "the number of iterations of this loop is not known in front of it";
            return unsupported(range, message, "compare the variable by `<` or `<=`");
        }
        if found.is_empty() {
            let range = self.hir.stmt(body).range;
            let message = "no `for` loop here has a variable that is a subscript of `on`";
            return unsupported(range, message, "write `for (i = 0; i < n; i++)` for `on t(i)`");
        }
        Ok(found)
    }

    /// The variable of a subscript and what is added to it: `i`, `i + 1`.
    fn index(&self, subscript: &Subscript) -> Option<(String, String)> {
        let SubscriptKind::Expr(expr) = subscript.kind else { return None };
        let name = |expr| match &self.hir.expr(expr).kind {
            ExprKind::Variable(it) => Some(self.hir.variable(*it).name.to_string()),
            ExprKind::Unresolved(name) => Some(name.to_string()),
            _ => None,
        };
        match &self.hir.expr(expr).kind {
            ExprKind::Binary(BinaryOp::Add, base, offset) => {
                Some((name(*base)?, format!("({})", self.edited(self.hir.expr(*offset).range))))
            }
            ExprKind::Binary(BinaryOp::Subtract, base, offset) => {
                Some((name(*base)?, format!("-({})", self.edited(self.hir.expr(*offset).range))))
            }
            _ => Some((name(expr)?, "0".to_owned())),
        }
    }

    /// A test of the subscripts that no loop has.
    fn ownership(&self, of: &Directive, on: &Mapping, loops: &[SharedLoop]) -> Lowered<String> {
        let mut test = String::new();
        for (position, subscript) in on.subscripts.iter().enumerate() {
            let is_whole = subscript.kind == SubscriptKind::Star || subscript.text == ":";
            if is_whole || loops.iter().any(|it| it.position == position) {
                continue;
            }
            if let SubscriptKind::Bounds(..) = subscript.kind {
                test.push_str(&self.part_ownership(of, on, position, subscript)?);
                continue;
            }
            test.push_str(&format!(
                "if (apg_xmp_owns({}, {}, {}, ({}){})) ",
                self.site(of),
                grid_name(&on.name),
                self.axis(on, position),
                self.edited(subscript.range),
                self.shift(&on.name, on.name_range, on.spelling)
            ));
        }
        Ok(test)
    }

    /// A test whether this node owns some of a part of an axis.
    fn part_ownership(
        &self,
        of: &Directive,
        on: &Mapping,
        position: usize,
        subscript: &Subscript,
    ) -> Lowered<String> {
        let parts = self.parts(subscript);
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let (first, second, step) = match parts[..] {
            [first, second] => (first, second, "1"),
            [first, second, step] => (first, second, step),
            _ => ("", "", ""),
        };
        if first.is_empty() || second.is_empty() {
            let message = "a bound of this part of an axis is missing";
            return unsupported(subscript.range, message, "write both sides of the colon, or `:` alone");
        }
        let last = match on.spelling {
            Some(Spelling::Parentheses) => format!("({second})"),
            _ => format!("({first}) + ({second}) - 1"),
        };
        Ok(format!(
            "if (apg_xmp_has_iterations(apg_xmp_loop({}, {}, {}, 0{}, ({first}), {last}, {step}, APG_XMP_WHOLE, 0, 0, 0))) ",
            self.site(of),
            grid_name(&on.name),
            self.axis(on, position),
            self.shift(&on.name, on.name_range, on.spelling),
        ))
    }

    /// The ranges of a nest: with `expand`, `margin` and `peel_and_wait` (section 5.1.2).
    fn passes(&self, of: &Directive, on: &Mapping) -> Lowered<Passes> {
        let count = on.subscripts.len();
        let plain = || vec![("0".to_owned(), "0".to_owned(), 0); count];
        let clause = ["expand", "margin", "peel_and_wait"].iter().find_map(|it| of.clause(it));
        let Some(clause) = clause else {
            return Ok(Passes { modes: vec![vec!["APG_XMP_WHOLE"; count]], widths: plain(), wait: None });
        };
        let written =
            self.in_parentheses(clause.range).map_or_else(Vec::new, |it| split(&self.text, it, b','));
        let mut written: Vec<String> = written.into_iter().map(|it| self.edited_range(it)).collect();
        let mut wait = None;
        if clause.name == "peel_and_wait" && !written.is_empty() {
            let number = written.remove(0);
            wait = Some(format!("apg_xmp_wait_async({}, (const long[]){{{number}}}, 1, 0);", self.site(of)));
        }
        let is_inner = clause.name != "expand"
            && written.iter().any(|it| it.rsplit('/').next().unwrap_or_default().contains('-'));
        let mut widths = Vec::new();
        for width in &written {
            let (unbound, sides) =
                match width.trim_start().strip_prefix('/').and_then(|it| it.split_once('/')) {
                    Some((_, sides)) => (1, sides),
                    None => (0, width.as_str()),
                };
            let (below, above) = sides.split_once(':').unwrap_or((sides, sides));
            let side = |it: &str| if is_inner { format!("-({it})") } else { it.to_owned() };
            widths.push((side(below), side(above), unbound));
        }
        if widths.len() != count {
            let message = format!("`{}` has {} widths for {count} axes", clause.name, widths.len());
            return unsupported(clause.range, message, "write a width for each subscript of `on`");
        }
        // The difference of two boxes is a slab for each axis: axes in front are inside, those behind whole.
        let slabs = |inside: &'static str, slab: &'static str, whole: &'static str| {
            (0..count).map(move |axis| {
                (0..count)
                    .map(|it| match it.cmp(&axis) {
                        std::cmp::Ordering::Less => inside,
                        std::cmp::Ordering::Equal => slab,
                        std::cmp::Ordering::Greater => whole,
                    })
                    .collect::<Vec<_>>()
            })
        };
        let modes = match (clause.name.as_str(), is_inner) {
            ("expand", _) => vec![vec!["APG_XMP_EXPAND"; count]],
            ("margin", false) => slabs("APG_XMP_WHOLE", "APG_XMP_MARGIN", "APG_XMP_EXPAND").collect(),
            ("margin", true) => slabs("APG_XMP_INTERIOR", "APG_XMP_PEEL", "APG_XMP_WHOLE").collect(),
            (_, true) => [vec!["APG_XMP_INTERIOR"; count]]
                .into_iter()
                .chain(slabs("APG_XMP_INTERIOR", "APG_XMP_PEEL", "APG_XMP_WHOLE"))
                .collect(),
            (_, false) => [vec!["APG_XMP_WHOLE"; count]]
                .into_iter()
                .chain(slabs("APG_XMP_WHOLE", "APG_XMP_MARGIN", "APG_XMP_EXPAND"))
                .collect(),
        };
        Ok(Passes { modes, widths, wait })
    }

    /// The format of the distribution of a loop's axis.
    fn format(&self, of: &Directive, on: &Mapping, shared: &SharedLoop) -> Option<&str> {
        let distribution = self.model.grid(&on.name, of.function)?.distribution.as_ref()?;
        distribution.formats.get(shared.position).map(|it| it.as_str())
    }

    /// Whether a node's iterations of a loop are one arithmetic progression, which the translation tells from
    /// the distribution.
    fn is_one_run(&self, of: &Directive, on: &Mapping, shared: &SharedLoop, passes: &Passes) -> bool {
        if passes.modes.iter().any(|it| matches!(it[shared.position], "APG_XMP_MARGIN" | "APG_XMP_PEEL")) {
            return false;
        }
        let Some(grid) = self.model.grid(&on.name, of.function) else { return false };
        match (grid.kind, self.format(of, on, shared)) {
            (GridKind::Nodes, _) => true,
            (_, Some(it)) => {
                it == "*"
                    || it.starts_with("block")
                    || it.starts_with("gblock")
                    || it == "cyclic" && shared.form.step.is_none()
            }
            _ => false,
        }
    }

    /// Edits the head of a loop. `before` gets its range, which is computed once if no outer loop changes it.
    fn edit_loop(
        &mut self,
        of: &Directive,
        on: &Mapping,
        loops: &[SharedLoop],
        index: usize,
        passes: &Passes,
        (before, runs): (&mut String, &mut String),
    ) -> Lowered<()> {
        let shared = &loops[index];
        let number = self.number();
        let range = self.range_call(of, on, shared, passes);
        let name = &shared.name;
        let form = &shared.form;
        let init = self.init_text(shared);
        let is_one_run = self.is_one_run(of, on, shared, passes);
        if self.region_at(Self::range(self.hir.stmt(shared.stmt).range).start).is_some() {
            let steps_by_one =
                form.step.is_none() && self.format(of, on, shared).is_some_and(|it| it != "cyclic");
            let facts = RangeFacts { number, call: range, is_one_run, steps_by_one };
            return self.edit_device_loop(loops, index, &facts, (before, runs));
        }
        let compare = if form.is_downward { ">=" } else { "<=" };
        let run = format!("apg_{}{number}_", if is_one_run { 'r' } else { 'n' });
        let inner =
            format!("for ({init} {run}.first; {name} {compare} {run}.last; {name} += apg_r{number}_.step) ");
        let mut outer = match is_one_run {
            true => String::new(),
            false => format!(
                "for (struct apg_xmp_run apg_n{number}_ = apg_xmp_first_run(&apg_r{number}_); \
                 apg_n{number}_.index < apg_r{number}_.runs; apg_xmp_next_run(&apg_r{number}_, &apg_n{number}_)) "
            ),
        };
        let outer_names: Vec<&str> = loops[..index].iter().map(|it| it.name.as_str()).collect();
        if mentions(&range, &outer_names) {
            outer.insert_str(
                0,
                &format!(
                    "for (struct apg_xmp_range apg_r{number}_ = {range}, *apg_f{number}_ = &apg_r{number}_; \
                     apg_f{number}_; apg_f{number}_ = 0) "
                ),
            );
        } else {
            before.push_str(&format!("const struct apg_xmp_range apg_r{number}_ = {range}; "));
        }
        let head =
            self.hir.stmt(shared.stmt).range.start().into()..self.hir.stmt(form.body).range.start().into();
        match shared.openmp {
            Some(id) => {
                self.edits.insert(Self::range(self.hir.directive(id).range).start, outer);
                self.edits.replace(head, inner);
            }
            None => self.edits.replace(head, format!("{outer}{inner}")),
        }
        Ok(())
    }

    /// Edits the head of a loop of an accelerator, whose bounds are scalars in front of the region. Each of
    /// several runs is a region of its own; `runs` begins the loops over them.
    fn edit_device_loop(
        &mut self,
        loops: &[SharedLoop],
        index: usize,
        facts: &RangeFacts,
        (before, runs): (&mut String, &mut String),
    ) -> Lowered<()> {
        let shared = &loops[index];
        let (name, form) = (&shared.name, &shared.form);
        let RangeFacts { number, call: range, is_one_run, steps_by_one } = facts;
        let outer_names: Vec<&str> = loops[..index].iter().map(|it| it.name.as_str()).collect();
        let stmt = self.hir.stmt(shared.stmt).range;
        if mentions(range, &outer_names) {
            let message =
                "the bounds of this loop depend on those around it, and it is one of an accelerator";
            return unsupported(stmt, message, "write constant bounds, and a condition in the loop");
        }
        let is_nested = |it: &SharedLoop| {
            let inside = &self.hir.stmt(it.form.body).kind;
            matches!(inside, StmtKind::For { .. }) || matches!(inside, StmtKind::Block(all) if all.len() == 1)
        };
        if !*is_one_run && !loops[..index].iter().all(is_nested) {
            let message =
                "this loop of an accelerator is over an axis in several parts, and not nested directly";
            return unsupported(stmt, message, "distribute the axis by `block`, or nest the loops directly");
        }
        before.push_str(&format!("const struct apg_xmp_range apg_r{number}_ = {range}; "));
        let of = if *is_one_run { "r" } else { "n" };
        // Only the step of `cyclic` differs from what is written.
        let step = match (*steps_by_one, form.is_downward) {
            (true, false) => "1".to_owned(),
            (true, true) => "-1".to_owned(),
            _ => format!("apg_t{number}_"),
        };
        let scalars = format!(
            "const long apg_b{number}_ = apg_{of}{number}_.first, apg_e{number}_ = apg_{of}{number}_.last, \
             apg_t{number}_ __attribute__((unused)) = apg_r{number}_.step; "
        );
        match is_one_run {
            true => before.push_str(&scalars),
            false => runs.push_str(&format!(
                "for (struct apg_xmp_run apg_n{number}_ = apg_xmp_first_run(&apg_r{number}_); \
                 apg_n{number}_.index < apg_r{number}_.runs; apg_xmp_next_run(&apg_r{number}_, &apg_n{number}_)) \
                 {{ {scalars}"
            )),
        }
        let compare = if form.is_downward { ">=" } else { "<=" };
        if let Some(region) = self.region_at(Self::range(stmt).start) {
            let condition = format!("apg_b{number}_ {compare} apg_e{number}_");
            self.regions[region].conditions.push((shared.stmt, condition));
        }
        let init = self.init_text(shared);
        let head = Self::range(stmt).start..self.hir.stmt(form.body).range.start().into();
        self.edits.replace(
            head,
            format!("for ({init} apg_b{number}_; {name} {compare} apg_e{number}_; {name} += {step}) "),
        );
        Ok(())
    }

    /// The first part of a loop up to its first value.
    fn init_text(&self, shared: &SharedLoop) -> String {
        if let StmtKind::For { init: Some(init), .. } = self.hir.stmt(shared.stmt).kind
            && let StmtKind::Declaration(_) = self.hir.stmt(init).kind
        {
            let start = Self::range(self.hir.expr(shared.form.start).range).start;
            let text = self.edited_range(Self::range(self.hir.stmt(init).range).start..start);
            return text.trim_end().to_owned();
        }
        format!("{} =", shared.name)
    }

    /// The range of a loop as a call.
    fn range_call(&self, of: &Directive, on: &Mapping, shared: &SharedLoop, passes: &Passes) -> String {
        let form = &shared.form;
        let text = |expr| self.edited(self.hir.expr(expr).range);
        let (first, end) = (text(form.start), text(form.end));
        let step = form.step.map_or_else(|| "1".to_owned(), text);
        let step = if form.is_downward { format!("-({step})") } else { step };
        let last = match form.comparison {
            BinaryOp::Less => format!("(long)({end}) - 1"),
            BinaryOp::Greater => format!("(long)({end}) + 1"),
            BinaryOp::NotEqual if form.is_downward => format!("(long)({end}) + 1"),
            BinaryOp::NotEqual => format!("(long)({end}) - 1"),
            _ => format!("({end})"),
        };
        let modes: Vec<&str> = passes.modes.iter().map(|it| it[shared.position]).collect();
        let mode = match &modes[..] {
            [only] => (*only).to_owned(),
            all => format!("((const int[]){{{}}})[apg_p_]", all.join(", ")),
        };
        let (below, above, unbound) = &passes.widths[shared.position];
        format!(
            "apg_xmp_loop({}, {}, {}, {}{}, ({first}), {last}, {step}, {mode}, {below}, {above}, {unbound})",
            self.site(of),
            grid_name(&on.name),
            self.axis(on, shared.position),
            shared.offset,
            self.shift(&on.name, on.name_range, on.spelling),
        )
    }
}

/// Whether a text has one of these words.
fn mentions(text: &str, names: &[&str]) -> bool {
    let words = text.split(|it: char| !it.is_alphanumeric() && it != '_');
    words.into_iter().any(|it| names.contains(&it))
}
