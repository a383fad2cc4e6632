//! References to nodes and templates with subscripts: `on p(1:2)`, `from t[i][:]` (specification 1.4,
//! section 4.2.2 and chapter 4).
//!
//! The runtime has axes in C's order, in which the last one varies fastest: those in parentheses are
//! reversed.

use apg_c_analysis::hir::{Directive, Mapping, Spelling, StmtKind, Subscript, SubscriptKind};
use apg_c_analysis::xmp::{self, Grid, GridKind};
use apg_c_syntax::TextRange;

use super::edits::split;
use super::{Unit, constants};
use crate::unsupported::{Lowered, unsupported};

/// The name of nodes or a template in the edited text.
pub(super) fn grid_name(name: &str) -> String {
    format!("apg_x_{name}")
}

/// In C's order.
pub(super) fn ordered<T>(mut list: Vec<T>, spelling: Option<Spelling>) -> Vec<T> {
    if spelling == Some(Spelling::Parentheses) {
        list.reverse();
    }
    list
}

/// The number of an axis in C's order.
pub(super) fn axis_number(position: usize, count: usize, spelling: Option<Spelling>) -> usize {
    match spelling {
        Some(Spelling::Parentheses) => count - 1 - position,
        _ => position,
    }
}

impl Unit<'_> {
    /// The parts of a subscript between its colons.
    pub(super) fn parts(&self, subscript: &Subscript) -> Vec<String> {
        let parts = split(&self.text, subscript.range.into(), b':');
        parts.into_iter().map(|it| self.edited_range(it)).collect()
    }

    /// The nodes or the template that a name means at a place: the last declaration in front of it whose
    /// block holds the place.
    fn grid_at(&self, name: &str, at: TextRange) -> Option<&Grid> {
        let is_visible = |it: &&Grid| {
            let is_before = it.name == name && it.range.start() <= at.start();
            let holds = |scope: TextRange| scope.contains_range(it.range);
            let scopes = self.hir.stmts.iter().filter(|it| matches!(it.kind, StmtKind::Block(_)));
            let scope = scopes.map(|it| it.range).filter(|it| holds(*it)).min_by_key(|it| it.len());
            is_before && scope.is_none_or(|it| it.contains_range(at))
        };
        self.model.grids.iter().filter(is_visible).max_by_key(|it| it.range.start())
    }

    /// What leads from an index as a reference at a place writes it to the numbers of its nodes: those in
    /// brackets are counted from 0, those in parentheses from 1, however the nodes are declared.
    pub(super) fn shift(&self, name: &str, at: TextRange, spelling: Option<Spelling>) -> &'static str {
        let declared = self.grid_at(name, at);
        let declared = declared.filter(|it| it.kind == GridKind::Nodes).map(|it| it.spelling);
        match (declared, spelling) {
            (Some(Spelling::Brackets), Some(Spelling::Parentheses)) => " - 1",
            (Some(Spelling::Parentheses), Some(Spelling::Brackets)) => " + 1",
            _ => "",
        }
    }

    /// A subscript of a reference as indices of an axis.
    fn triplet(&self, subscript: &Subscript, of: &Mapping) -> Lowered<String> {
        let (parts, spelling) = (self.parts(subscript), of.spelling);
        if subscript.kind == SubscriptKind::Star {
            return Ok("{APG_XMP_ANY, 0, 0, 1}".to_owned());
        }
        let shift = self.shift(&of.name, subscript.range, spelling);
        let index = |it: &str| if shift.is_empty() { it.to_owned() } else { format!("({it}){shift}") };
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        Ok(match parts[..] {
            [at] => format!("{{APG_XMP_INDEX, {}, 1, 1}}", index(at)),
            ["", ""] => "{APG_XMP_ALL, 0, 0, 1}".to_owned(),
            ["", "", step] => format!("{{APG_XMP_SECTION, 0, -1, {step}}}"),
            [first, "", ref rest @ ..] => {
                format!("{{APG_XMP_SECTION, {}, -1, {}}}", index(first), rest.first().unwrap_or(&"1"))
            }
            [first, second, ref rest @ ..] => {
                let step = rest.first().unwrap_or(&"1");
                match (spelling, first) {
                    (Some(Spelling::Parentheses), "") => {
                        let message = "this section has no lower bound";
                        return unsupported(subscript.range, message, "write it in front of the colon");
                    }
                    (Some(Spelling::Parentheses), _) => {
                        let count = format!("(({second}) - ({first})) / ({step}) + 1");
                        format!("{{APG_XMP_SECTION, {}, {count}, {step}}}", index(first))
                    }
                    _ => {
                        let first = if first.is_empty() { "0" } else { first };
                        // Unlike that of an array's section, the length counts the indices that are skipped.
                        let count = match *step {
                            "1" => (*second).to_owned(),
                            step => format!("(({second}) + ({step}) - 1) / ({step})"),
                        };
                        format!("{{APG_XMP_SECTION, {}, {count}, {step}}}", index(first))
                    }
                }
            }
            [] => return unsupported(subscript.range, "this subscript is empty", "write an index or `:`"),
        })
    }

    /// A reference as an address of a `struct apg_xmp_on`.
    pub(super) fn on(&self, mapping: &Mapping) -> Lowered<String> {
        let grid = grid_name(&mapping.name);
        if mapping.spelling.is_none() {
            return Ok(format!("&(const struct apg_xmp_on){{{grid}, 0}}"));
        }
        let mut triplets = Vec::new();
        for subscript in &mapping.subscripts {
            triplets.push(self.triplet(subscript, mapping)?);
        }
        let triplets = constants("struct apg_xmp_triplet", &ordered(triplets, mapping.spelling));
        Ok(format!("&(const struct apg_xmp_on){{{grid}, {triplets}}}"))
    }

    /// The nodes of a clause; null without it.
    pub(super) fn on_clause(&self, of: &Directive, clause: &str) -> Lowered<String> {
        match xmp::target(of, clause) {
            Some(mapping) => self.on(mapping),
            None => Ok("0".to_owned()),
        }
    }

    /// The number of an `async` clause as an address; null without it, and where the result is copied to a
    /// device behind the directive.
    pub(super) fn asynchronous(&self, of: &Directive) -> String {
        if self.has_devices && of.clause("acc").is_some() {
            return "0".to_owned();
        }
        let number = of.clause("async").and_then(|it| it.items.first());
        number.map_or_else(|| "0".to_owned(), |it| format!("&(const long){{{}}}", self.edited(it.range)))
    }
}
