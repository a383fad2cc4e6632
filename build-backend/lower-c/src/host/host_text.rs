//! The text of a file for a C compiler that refuses what the user has written: without directives and clauses
//! of later versions of OpenMP that only say something about devices. The host runs all of such a program.

use std::ops::Range;

use apg_c_analysis::hir::{Clause, Construct, Directive};
use apg_c_syntax::Family;

use super::Host;
use super::edits::{Edits, neighbouring_comma};
use crate::default_map;
use crate::sources::{Source, Sources};
use crate::unsupported::{Lowered, unsupported};

/// The text of a file whose regions the host runs, without what older compilers do not know: `declare
/// mapper`, names of mappers, all forms of `declare target`, `nowait` with a condition, `defaultmap` of
/// `all`, and `map` without a type. `None` if the file has nothing of it, if a macro or a header contains
/// it, or if a clause names a mapper that is not declared. `name` is the file in messages.
pub fn host_text(source: Source<'_>, name: &str) -> Option<String> {
    text_for_host(source, name, |host, of| host.simplify(of))
}

/// The text of a file whose regions the host runs, with the directives that it has in place of
/// `metadirective`. `None` if the file has none whose choice is known.
pub fn host_choices(source: Source<'_>, name: &str) -> Option<String> {
    text_for_host(source, name, |_, _| Ok(()))
}

fn text_for_host(
    source: Source<'_>,
    name: &str,
    edit: impl Fn(&mut Host<'_>, &Directive) -> Lowered<()>,
) -> Option<String> {
    let files = [source];
    let sources = Sources::new(&files, false);
    let mut host = Host {
        sources: &sources,
        file: 0,
        parsed: source.parsed,
        name,
        on_host: &[],
        host_has_regions: false,
        print: false,
        edits: Edits::of(source.parsed.text()),
        is_changed: false,
        mapper_depth: std::cell::Cell::new(0),
    };
    let hir = &source.parsed.program;
    let of_openmp = hir.directive_ids().map(|it| hir.directive(it)).filter(|it| it.family == Family::OpenMp);
    for of in of_openmp {
        host.write_choice(of, false);
        edit(&mut host, of).ok()?;
    }
    host.is_changed.then(|| host.edits.apply(source.parsed.text(), name, ""))
}

impl Host<'_> {
    /// Removes what only devices need of a directive.
    fn simplify(&mut self, of: &Directive) -> Lowered<()> {
        use Construct::{BeginDeclareTarget, DeclareTarget, EndDeclareTarget};
        let is_declaration =
            matches!(of.constructs.first(), Some(DeclareTarget | BeginDeclareTarget | EndDeclareTarget));
        if is_declaration || of.name == "declare mapper" {
            let at = self.spelled(of.range)?;
            self.edits.replace_lines(self.parsed.text(), at, "");
            self.is_changed = true;
            return Ok(());
        }
        self.simplify_clauses(of)
    }

    /// Replaces clauses that not all compilers know.
    pub(super) fn simplify_clauses(&mut self, of: &Directive) -> Lowered<()> {
        let is_named = |it: &Clause| it.modifiers.iter().any(|it| it.text == "mapper");
        if of.clauses_named("map").any(is_named) {
            // A name that no mapper has stays an error.
            for clause in of.clauses_named("map") {
                clause.items.iter().try_for_each(|item| self.mapper_of(clause, item).map(|_| ()))?;
            }
            self.remove_mappers(of)?;
            self.is_changed = true;
        }
        // The host ends the region in front of what is behind it: `nowait` has no effect.
        for clause in of.clauses_named("nowait").filter(|it| !it.items.is_empty()) {
            let range = self.clause(clause, "nowait")?;
            let comma = neighbouring_comma(self.parsed.text(), &range);
            self.edits.remove(range);
            comma.into_iter().for_each(|it| self.edits.remove(it..it + 1));
            self.is_changed = true;
        }
        of.clauses_named("defaultmap").try_for_each(|it| self.simplify_default_map(it))?;
        let otherwise = match of.constructs.first() {
            Some(Construct::TargetEnterData) => Some("to: "),
            Some(Construct::TargetExitData) => Some("from: "),
            _ => None,
        };
        let maps = of.clauses_named("map").filter(|it| it.modifiers.is_empty());
        for (clause, otherwise) in maps.filter_map(|it| Some((it, otherwise?))) {
            let range = self.clause(clause, "map")?;
            if let Some(at) = self.parsed.text()[range.clone()].find('(') {
                self.edits.insert(range.start + at + 1, otherwise);
                self.is_changed = true;
            }
        }
        Ok(())
    }

    /// Removes the category that a clause without one has, and what only a device can lack.
    fn simplify_default_map(&mut self, clause: &Clause) -> Lowered<()> {
        let (is_of_all, is_present) = default_map::later_words(clause);
        if !is_of_all && !is_present {
            return Ok(());
        }
        let range = self.clause(clause, "defaultmap")?;
        let text = &self.parsed.text()[range.clone()];
        let at = |it: usize| range.start + it;
        if let (true, Some(colon), Some(end)) = (is_of_all, text.find(':'), text.rfind(')')) {
            self.edits.remove(at(colon)..at(end));
        }
        if let (true, Some(start)) = (is_present, text.find("present")) {
            self.edits.replace(at(start)..at(start + "present".len()), "tofrom");
        }
        self.is_changed = true;
        Ok(())
    }

    /// Where a clause is spelled.
    fn clause(&self, clause: &Clause, name: &str) -> Lowered<Range<usize>> {
        let range: Range<usize> = self.parsed.spelled(clause.range).unwrap_or_default().into();
        match self.parsed.text()[range.clone()].starts_with(name) {
            true => Ok(range),
            false => unsupported(clause.range, "a macro contains this clause", "write the clause itself"),
        }
    }
}
