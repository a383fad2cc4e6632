//! `metadirective` in the text for the C compiler, which may not know it: the directive that the host has in
//! its place (OpenMP 5.2, section 7.4).

use std::ops::Range;

use apg_c_analysis::hir::{Construct, Directive, HostDirective};

use super::Host;

impl Host<'_> {
    /// Writes the directive that the host has in place of a `metadirective`. One of a macro or header, and
    /// one whose choice is not known at compile time, stays as it is; so does what is replaced as a whole.
    pub(super) fn write_choice(&mut self, of: &Directive, is_offloaded: bool) {
        let Some(choice) = &of.metadirective else { return };
        let Ok(at) = self.spelled(of.range) else { return };
        let text = self.parsed.text();
        match choice.on_host {
            HostDirective::Unknown => return,
            HostDirective::Nothing => self.edits.replace_lines(text, at, ""),
            HostDirective::Words(_) if is_offloaded && of.has(Construct::TargetData) => return,
            HostDirective::Words(words) => {
                let words: Range<usize> = self.parsed.spelled(words).unwrap_or_default().into();
                let name = text[at.clone()].find("metadirective").map(|it| at.start + it);
                let Some(name) = name.filter(|it| *it < words.start && words.end <= at.end) else { return };
                self.edits.replace(name..words.start, &continuations(&text[name..words.start]));
                self.edits.replace(words.end..at.end, &continuations(&text[words.end..at.end]));
            }
        }
        self.is_changed = true;
    }
}

/// Blanks with as many continued lines as a part of a directive, so that the lines behind keep their numbers.
fn continuations(part: &str) -> String {
    let lines = part.matches('\n').count();
    if lines == 0 { " ".to_owned() } else { " \\\n".repeat(lines) }
}
