//! Items of `map` clauses as ranges of memory (OpenMP 5.2, sections 3.2.5 "array sections" and 5.8.3), in
//! expressions of C.

use apg_c_analysis::Parsed;
use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Clause, ExprId, ExprKind, Item, Type, VariableId};
use apg_c_syntax::TextRange;

use crate::literal::quoted;
use crate::unsupported::{Lowered, unsupported};

/// A row of a table of maps, of expressions of C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Map {
    name: String,
    address: String,
    bytes: String,
    /// The pointer that the range is reached by.
    pointer: Option<String>,
    pub kinds: Vec<&'static str>,
    /// The variable that the range is an object of, or what it points to.
    pub base: Option<VariableId>,
    /// It is a copy of the variable, whose name has a prefix.
    pub is_copy: bool,
}

impl Map {
    /// A range that expressions of C describe.
    pub(super) fn range(name: &str, address: String, bytes: String, kinds: Vec<&'static str>) -> Map {
        Map { name: name.to_owned(), address, bytes, pointer: None, kinds, base: None, is_copy: false }
    }

    /// A row of the table.
    pub(super) fn row(&self) -> String {
        let kinds = if self.kinds.is_empty() { "0".to_owned() } else { self.kinds.join(" | ") };
        let pointer = self.pointer.as_deref().unwrap_or("0");
        format!("{{{}, {}, {}, {pointer}, {kinds}}}", quoted(&self.name), self.address, self.bytes)
    }

    /// An object as a whole.
    pub(super) fn object(name: &str, base: VariableId, kinds: Vec<&'static str>) -> Map {
        Map {
            name: name.to_owned(),
            address: format!("(void *)&{name}"),
            bytes: format!("sizeof({name})"),
            pointer: None,
            kinds,
            base: Some(base),
            is_copy: false,
        }
    }
}

/// The kinds of a map clause; `otherwise` if it has no type.
pub(super) fn map_kinds(clause: &Clause, otherwise: &'static str) -> Lowered<Vec<&'static str>> {
    let mut ty = otherwise;
    let mut kinds = Vec::new();
    for modifier in &clause.modifiers {
        match modifier.text.as_str() {
            it @ ("to" | "from" | "tofrom" | "alloc" | "release" | "delete" | "storage") => {
                ty = ["to", "from", "tofrom", "alloc", "release", "delete", "storage"]
                    .into_iter()
                    .find(|known| *known == it)
                    .unwrap_or(otherwise);
            }
            "always" => kinds.push("APG_ALWAYS"),
            "present" => kinds.push("APG_PRESENT"),
            "close" | "mapper" => {}
            other => {
                let message = format!("the modifier `{other}` of `map` is not supported");
                return unsupported(clause.range, message, "write the ranges themselves");
            }
        }
    }
    kinds.extend(type_kinds(ty));
    Ok(kinds)
}

/// The kinds of a map type.
pub(super) fn type_kinds(ty: &str) -> &'static [&'static str] {
    match ty {
        "to" => &["APG_TO"],
        "from" => &["APG_FROM"],
        "tofrom" => &["APG_TO", "APG_FROM"],
        "delete" => &["APG_DELETE"],
        _ => &[],
    }
}

/// SourceText of expressions.
#[derive(Clone, Copy)]
pub(super) struct SourceText<'a> {
    pub parsed: &'a Parsed,
    /// In clauses of a mapper.
    pub object: Option<MappedObject<'a>>,
}

/// The object that the variable of a mapper stands for.
#[derive(Clone, Copy)]
pub(super) struct MappedObject<'a> {
    pub variable: VariableId,
    /// The object as an expression of C.
    pub text: &'a str,
    /// The variable that it is a part of.
    pub base: Option<VariableId>,
}

impl<'a> SourceText<'a> {
    /// The text of a range, on one line.
    pub(super) fn of(self, range: TextRange) -> String {
        let spelled = self.parsed.spelled(range).unwrap_or_default();
        self.parsed.text()[spelled].replace("\\\r\n", " ").replace("\\\n", " ").replace(['\n', '\r'], " ")
    }

    /// The text of an expression.
    pub(super) fn expr(self, id: ExprId) -> String {
        let hir = &self.parsed.program;
        let range = hir.expr(id).range;
        let Some(object) = self.object else { return self.of(range) };
        let whole = self.parsed.spelled(range).unwrap_or_default();
        let mut found = Vec::new();
        hir.walk_expr(id, &mut |node| {
            if let Node::Expr(it) = node
                && hir.expr(it).kind == ExprKind::Variable(object.variable)
            {
                found.extend(self.parsed.spelled(hir.expr(it).range));
            }
            true
        });
        found.sort_by_key(|it| it.start());
        let (mut text, mut at) = (String::new(), whole.start());
        for name in found {
            if name.start() < at {
                continue;
            }
            text.push_str(&self.parsed.text()[TextRange::new(at, name.start())]);
            text.push_str(object.text);
            at = name.end();
        }
        text.push_str(&self.parsed.text()[TextRange::new(at, whole.end())]);
        text.replace("\\\r\n", " ").replace("\\\n", " ").replace(['\n', '\r'], " ")
    }

    /// A variable as an expression of C.
    fn variable(self, id: VariableId) -> String {
        match self.object.filter(|it| it.variable == id) {
            Some(object) => object.text.to_owned(),
            None => self.parsed.program.variable(id).name.to_string(),
        }
    }

    /// The variable that an expression is a part of.
    pub(super) fn base_variable(self, expr: ExprId) -> Option<VariableId> {
        let found = self.parsed.program.base_variable(expr)?;
        match self.object.filter(|it| it.variable == found) {
            Some(object) => object.base,
            None => Some(found),
        }
    }

    /// The first or last element of a section, or the expression itself.
    pub(super) fn element(self, id: ExprId, is_last: bool) -> Lowered<String> {
        let hir = &self.parsed.program;
        let expr = hir.expr(id);
        let base = match &expr.kind {
            ExprKind::Variable(it) => return Ok(self.variable(*it)),
            ExprKind::Section(base, ..) | ExprKind::Index(base, _) => *base,
            ExprKind::Member { base, .. } | ExprKind::Dereference(base) => *base,
            _ => return Ok(format!("({})", self.expr(id))),
        };
        if self.parsed.spelled(hir.expr(base).range) == self.parsed.spelled(expr.range) {
            let message = "a macro contains this section";
            return unsupported(expr.range, message, "write the section itself, with macros for its bounds");
        }
        let inside = self.element(base, is_last)?;
        Ok(match &expr.kind {
            ExprKind::Section(_, low, length) => {
                let low = low.map_or_else(|| "0".to_owned(), |it| format!("({})", self.expr(it)));
                match (is_last, self.length(id, *length)?) {
                    (false, _) => format!("{inside}[{low}]"),
                    (true, length) => format!("{inside}[{low} + {length} - 1]"),
                }
            }
            ExprKind::Index(_, index) => format!("{inside}[{}]", self.expr(*index)),
            ExprKind::Member { field, is_arrow: true, .. } => format!("{inside}->{field}"),
            ExprKind::Member { field, .. } => format!("{inside}.{field}"),
            _ => format!("(*{inside})"),
        })
    }

    /// The number of elements of a section.
    pub(super) fn length(self, section: ExprId, length: Option<ExprId>) -> Lowered<String> {
        let hir = &self.parsed.program;
        let expr = hir.expr(section);
        if let Some(length) = length {
            return Ok(format!("({})", self.expr(length)));
        }
        let ExprKind::Section(base, low, _) = expr.kind else { return Ok("1".to_owned()) };
        if !matches!(hir.expr(base).ty, Type::Array(..)) {
            let message = "the length of this section is not known";
            return unsupported(expr.range, message, "write it behind the colon: `[0:N]`");
        }
        let array = self.element(base, false)?;
        let count = format!("(long)(sizeof({array}) / sizeof({array}[0]))");
        Ok(match low {
            Some(low) => format!("({count} - ({}))", self.expr(low)),
            None => count,
        })
    }

    /// The sections of an expression.
    fn sections(self, mut id: ExprId) -> Vec<(ExprId, Option<ExprId>)> {
        let hir = &self.parsed.program;
        let mut found = Vec::new();
        loop {
            match hir.expr(id).kind {
                ExprKind::Section(base, _, length) => {
                    found.push((id, length));
                    id = base;
                }
                ExprKind::Index(base, _) | ExprKind::Member { base, .. } | ExprKind::Dereference(base) => {
                    id = base;
                }
                _ => return found,
            }
        }
    }

    /// The range of an item: its address and its number of bytes.
    fn range(self, id: ExprId) -> Lowered<(String, String)> {
        let first = self.element(id, false)?;
        let sections = self.sections(id);
        let mut lengths = Vec::new();
        for (section, length) in &sections {
            lengths.push(self.length(*section, *length)?);
        }
        let address = format!("(void *)&{first}");
        let bytes = match &lengths[..] {
            [] => format!("sizeof({first})"),
            [one] if matches!(self.parsed.program.expr(id).kind, ExprKind::Section(..)) => {
                format!("({one} > 0 ? (unsigned long){one} * sizeof({first}) : 0)")
            }
            all => {
                let last = self.element(id, true)?;
                let is_there: Vec<String> = all.iter().map(|it| format!("{it} > 0")).collect();
                let bytes = format!("(unsigned long)((char *)(&{last} + 1) - (char *)&{first})");
                format!("({} ? {bytes} : 0)", is_there.join(" && "))
            }
        };
        Ok((address, bytes))
    }

    /// The pointer whose target an item is a part of, and the variable that it is, if it is one; `None` for a
    /// part of an object with a name.
    fn pointer(self, mut id: ExprId) -> Option<ExprId> {
        let hir = &self.parsed.program;
        loop {
            match hir.expr(id).kind {
                ExprKind::Section(base, ..) | ExprKind::Index(base, _) => match hir.expr(base).ty {
                    Type::Array(..) => id = base,
                    _ => return Some(base),
                },
                ExprKind::Member { base, is_arrow: true, .. } | ExprKind::Dereference(base) => {
                    return Some(base);
                }
                ExprKind::Member { base, .. } => id = base,
                _ => return None,
            }
        }
    }

    /// A range without anything that it is reached by: for `target update`.
    pub(super) fn plain(self, item: &Item, kind: &'static str) -> Lowered<Map> {
        let Some(expr) = item.expr else {
            return unsupported(item.range, "this is no object", "name a variable or a section of it");
        };
        let (address, bytes) = self.range(expr)?;
        let base = self.base_variable(expr);
        Ok(Map {
            name: self.expr(expr),
            address,
            bytes,
            pointer: None,
            kinds: vec![kind],
            base,
            is_copy: false,
        })
    }

    /// Adds the maps of an item: the structs that lead to it, and its range.
    pub(super) fn add_item(
        self,
        item: &Item,
        kinds: &[&'static str],
        is_entry: bool,
        maps: &mut Vec<Map>,
    ) -> Lowered<()> {
        let hir = &self.parsed.program;
        let Some(expr) = item.expr else {
            return unsupported(item.range, "this is no object", "name a variable or a section of it");
        };
        let is_member = self.add_containers(expr, is_entry, maps)?;
        let (address, bytes) = self.range(expr)?;
        let pointer = self.pointer(expr);
        let by_variable = pointer.and_then(|it| match hir.expr(it).kind {
            ExprKind::Variable(variable) => Some(variable),
            _ => None,
        });
        let mut kinds = kinds.to_vec();
        let is_part = is_member && self.is_part_of_container(expr);
        if is_part {
            kinds.push("APG_MEMBER");
        }
        // The copy of a local pointer is a capture, which has the address by itself.
        let is_attached = match by_variable {
            Some(variable) => {
                let own = format!("(void *)&{}", hir.variable(variable).name);
                hir.variable(variable).has_static_storage() || maps.iter().any(|it| it.address == own)
            }
            None => pointer.is_some() && !is_part,
        };
        let pointer = match pointer.filter(|_| is_attached) {
            Some(pointer) => Some(format!("(void *)&{}", self.element(pointer, false)?)),
            None => None,
        };
        let base = match (by_variable, pointer.is_some()) {
            (Some(variable), _) => Some(variable),
            (None, false) if !is_part => self.base_variable(expr),
            _ => None,
        };
        maps.push(Map { name: self.expr(expr), address, bytes, pointer, kinds, base, is_copy: false });
        Ok(())
    }

    /// Whether an item is memory of the struct that it is a member of, not what a member points to.
    fn is_part_of_container(self, mut id: ExprId) -> bool {
        let hir = &self.parsed.program;
        loop {
            match hir.expr(id).kind {
                ExprKind::Section(base, ..) | ExprKind::Index(base, _) => {
                    if !matches!(hir.expr(base).ty, Type::Array(..)) {
                        return false;
                    }
                    id = base;
                }
                ExprKind::Member { .. } => return true,
                _ => return false,
            }
        }
    }

    /// Adds the structs whose members lead to an expression, the outermost first; whether there are any. They
    /// are copied to the device, so that their other pointers and numbers are there as well.
    fn add_containers(self, id: ExprId, is_entry: bool, maps: &mut Vec<Map>) -> Lowered<bool> {
        let hir = &self.parsed.program;
        let (base, is_arrow) = match hir.expr(id).kind {
            ExprKind::Section(base, ..) | ExprKind::Index(base, _) | ExprKind::Dereference(base) => {
                return self.add_containers(base, is_entry, maps);
            }
            ExprKind::Member { base, is_arrow, .. } => (base, is_arrow),
            _ => return Ok(false),
        };
        if !is_arrow && matches!(hir.expr(base).kind, ExprKind::Member { .. }) {
            return self.add_containers(base, is_entry, maps);
        }
        let is_nested = self.add_containers(base, is_entry, maps)?;
        let inner = self.element(base, false)?;
        let object = if is_arrow { format!("(*{inner})") } else { inner.clone() };
        let address = format!("(void *)&{object}");
        if maps.iter().any(|it| it.address == address) {
            return Ok(true);
        }
        let variable = match hir.expr(base).kind {
            ExprKind::Variable(_) => self.base_variable(base),
            ExprKind::Index(array, _) => match hir.expr(array).kind {
                ExprKind::Variable(_) => self.base_variable(array),
                _ => None,
            },
            _ => None,
        };
        maps.push(Map {
            name: self.expr(base),
            address,
            bytes: format!("sizeof({object})"),
            pointer: (is_nested && is_arrow).then(|| format!("(void *)&{inner}")),
            kinds: if is_entry { vec!["APG_TO", "APG_CONTAINER"] } else { vec!["APG_CONTAINER"] },
            base: variable,
            is_copy: false,
        });
        Ok(true)
    }
}
