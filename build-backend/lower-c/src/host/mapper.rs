//! `declare mapper` (OpenMP 5.2, section 5.8.8): a struct or union is mapped by the clauses of its mapper.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Clause, Directive, ExprId, ExprKind, Item, Mapper, Type, VariableId};

use super::mapping::{Map, MappedObject, SourceText, map_kinds};
use super::{Host, edits};
use crate::unsupported::{Lowered, unsupported};

/// The most mappers that lead from one to the next.
const MAX_DEPTH: u32 = 16;

/// The most elements of a section whose elements have a mapper.
const MAX_ELEMENTS: u64 = 64;

/// The kinds of a clause's maps.
pub(super) type Kinds<'k> = dyn Fn(&Clause) -> Lowered<Vec<&'static str>> + 'k;

impl Host<'_> {
    /// Whether objects of a type have a mapper that clauses need not name.
    pub(super) fn has_mapper(&self, ty: &Type) -> bool {
        self.parsed.program.mapper("default", ty).is_some()
    }

    /// Adds the maps of the `map` clauses of a directive.
    pub(super) fn add_clauses(
        &self,
        of: &Directive,
        source: SourceText<'_>,
        kinds: &Kinds<'_>,
        is_entry: bool,
        maps: &mut Vec<Map>,
    ) -> Lowered<()> {
        let hir = &self.parsed.program;
        let is_variable =
            |item: &Item| item.expr.is_some_and(|it| matches!(hir.expr(it).kind, ExprKind::Variable(_)));
        // A pointer that is mapped itself is on the device before what it points to, so that it is attached.
        for of_variables in [true, false] {
            for clause in of.clauses_named("map") {
                let kinds = kinds(clause)?;
                for item in clause.items.iter().filter(|it| is_variable(it) == of_variables) {
                    self.add_mapped(clause, item, source, &kinds, is_entry, maps)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the ranges of a clause of `target update`, which moves data in one direction; what only leads to
    /// ranges stays as it is (OpenMP 5.2, section 5.9.2).
    pub(super) fn add_update(
        &self,
        clause: &Clause,
        direction: &'static str,
        maps: &mut Vec<Map>,
    ) -> Lowered<()> {
        let mut kinds = vec![direction];
        if clause.modifiers.iter().any(|it| it.text == "present") {
            kinds.push("APG_PRESENT");
        }
        for item in &clause.items {
            let mut added = Vec::new();
            if self.mapper_of(clause, item)?.is_some() {
                self.add_mapped(clause, item, self.source(), &kinds, false, &mut added)?;
                added.retain(|it| it.kinds.contains(&direction) && !it.kinds.contains(&"APG_CONTAINER"));
            } else {
                let mut map = self.source().plain(item, direction)?;
                map.kinds.clone_from(&kinds);
                added.push(map);
            }
            maps.append(&mut added);
        }
        Ok(())
    }

    /// The mapper of an item, which its clause names or its type has.
    pub(super) fn mapper_of(&self, clause: &Clause, item: &Item) -> Lowered<Option<&Mapper>> {
        let hir = &self.parsed.program;
        let named = clause.modifiers.iter().find(|it| it.text == "mapper");
        let name = named.and_then(|it| it.arguments.first()?.word.as_deref());
        let ty = item.expr.map(|it| &hir.expr(it).ty);
        let found = ty.and_then(|ty| hir.mapper(name.unwrap_or("default"), ty));
        if let (None, Some(name)) = (found, name.filter(|it| *it != "default")) {
            let message = format!("no `declare mapper` in this file declares `{name}` for this type");
            return unsupported(clause.range, message, "declare it in front of the region");
        }
        Ok(found)
    }

    /// Adds the maps of an item, by the mapper of its type if it has one.
    fn add_mapped(
        &self,
        clause: &Clause,
        item: &Item,
        source: SourceText<'_>,
        kinds: &[&'static str],
        is_entry: bool,
        maps: &mut Vec<Map>,
    ) -> Lowered<()> {
        let hir = &self.parsed.program;
        let (Some(mapper), Some(expr)) = (self.mapper_of(clause, item)?, item.expr) else {
            return source.add_item(item, kinds, is_entry, maps);
        };
        // The object of a mapper itself is mapped as it is.
        if source.object.is_some_and(|it| hir.expr(expr).kind == ExprKind::Variable(it.variable)) {
            return source.add_item(item, kinds, is_entry, maps);
        }
        if self.has_effects(expr) {
            let message = "the mapper of this item would evaluate its calls and assignments more than once";
            return unsupported(
                item.range,
                message,
                "store the address of the object in a pointer, and map `p[0:1]`",
            );
        }
        // A section is on the device as the structs are that lead to a member, so that pointers lead to it.
        if matches!(hir.expr(expr).kind, ExprKind::Section(..)) {
            let section = if is_entry { &["APG_TO", "APG_CONTAINER"][..] } else { &["APG_CONTAINER"] };
            source.add_item(item, section, is_entry, maps)?;
        }
        for text in self.elements(expr, source)? {
            self.add_by_mapper(mapper, &text, source.base_variable(expr), kinds, is_entry, maps)?;
        }
        Ok(())
    }

    /// Whether an expression does something at each evaluation.
    fn has_effects(&self, expr: ExprId) -> bool {
        let hir = &self.parsed.program;
        let mut found = false;
        hir.walk_expr(expr, &mut |node| {
            if let Node::Expr(id) = node {
                found |= matches!(
                    hir.expr(id).kind,
                    ExprKind::Call(..)
                        | ExprKind::Assign(..)
                        | ExprKind::Increment { .. }
                        | ExprKind::Block(_)
                );
            }
            true
        });
        found
    }

    /// The objects that an item with a mapper consists of, as expressions of C.
    fn elements(&self, expr: ExprId, source: SourceText<'_>) -> Lowered<Vec<String>> {
        let hir = &self.parsed.program;
        let ExprKind::Section(base, low, length) = hir.expr(expr).kind else {
            return Ok(vec![source.element(expr, false)?]);
        };
        let count = length.and_then(|it| hir.constant(it)).and_then(|it| u64::try_from(it).ok());
        let Some(count) = count.filter(|it| *it <= MAX_ELEMENTS) else {
            let message = "the elements of this section have a mapper, and their number is no small constant";
            return unsupported(hir.expr(expr).range, message, "map them one by one, or write their ranges");
        };
        let array = source.element(base, false)?;
        let low = low.map_or_else(|| "0".to_owned(), |it| format!("({})", source.expr(it)));
        Ok((0..count).map(|index| format!("{array}[{low} + {index}]")).collect())
    }

    /// Adds the maps of an object by the clauses of a mapper.
    fn add_by_mapper(
        &self,
        mapper: &Mapper,
        text: &str,
        base: Option<VariableId>,
        kinds: &[&'static str],
        is_entry: bool,
        maps: &mut Vec<Map>,
    ) -> Lowered<()> {
        let depth = self.mapper_depth.get();
        let of = self.parsed.program.directive(mapper.directive);
        if self.is_in_header(of.range) {
            let message = "a header contains this mapper, whose ranges are not known here";
            return unsupported(of.range, message, "write it in the file itself, behind the `#include`");
        }
        if depth >= MAX_DEPTH {
            let message = "the mappers of these types lead to each other without end";
            return unsupported(of.range, message, "write the ranges in the `map` clauses");
        }
        self.mapper_depth.set(depth + 1);
        let object = Some(MappedObject { variable: mapper.variable, text, base });
        let source = SourceText { parsed: self.parsed, object };
        let combined = |clause: &Clause| Ok(decayed(kinds, &map_kinds(clause, "tofrom")?));
        let added = self.add_clauses(of, source, &combined, is_entry, maps);
        self.mapper_depth.set(depth);
        added
    }

    /// Adds the maps of a variable that no clause names, by the mapper of its type.
    pub(super) fn add_mapped_variable(
        &self,
        variable: VariableId,
        kinds: &[&'static str],
        maps: &mut Vec<Map>,
    ) -> Lowered<()> {
        let of = self.parsed.program.variable(variable);
        let Some(mapper) = self.parsed.program.mapper("default", &of.ty) else { return Ok(()) };
        self.add_by_mapper(mapper, &of.name, Some(variable), kinds, true, maps)
    }

    /// Removes the names of mappers from a directive that the compiler sees, too.
    pub(super) fn remove_mappers(&mut self, of: &Directive) -> Lowered<()> {
        for clause in of.clauses_named("map") {
            let Some(modifier) = clause.modifiers.iter().find(|it| it.text == "mapper") else { continue };
            let range: std::ops::Range<usize> =
                self.parsed.spelled(modifier.range).unwrap_or_default().into();
            if !self.parsed.text()[range.clone()].starts_with("mapper") {
                let message = "a macro contains this mapper";
                return unsupported(clause.range, message, "write the mapper itself");
            }
            if clause.modifiers.len() == 1 {
                self.edits.replace(range, "tofrom");
                continue;
            }
            let comma = edits::neighbouring_comma(self.parsed.text(), &range);
            self.edits.remove(range);
            comma.into_iter().for_each(|it| self.edits.remove(it..it + 1));
        }
        Ok(())
    }
}

/// The kinds of a map of a mapper's clause where the object is mapped with others (OpenMP 5.2, table 5.2):
/// data is copied in the directions that both say.
fn decayed(outer: &[&'static str], own: &[&'static str]) -> Vec<&'static str> {
    let is_direction = |it: &&'static str| matches!(*it, "APG_TO" | "APG_FROM");
    let both = own.iter().filter(|it| is_direction(it) && outer.contains(it));
    let others = outer.iter().chain(own).filter(|it| !is_direction(it));
    let mut found: Vec<&'static str> = both.chain(others).copied().collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::decayed;

    #[test]
    fn directions_are_those_of_both() {
        assert_eq!(decayed(&["APG_TO"], &["APG_TO", "APG_FROM"]), ["APG_TO"]);
        assert_eq!(decayed(&["APG_FROM"], &["APG_TO"]), [""; 0]);
        assert_eq!(decayed(&["APG_DELETE"], &["APG_ALWAYS", "APG_FROM"]), ["APG_ALWAYS", "APG_DELETE"]);
    }
}
