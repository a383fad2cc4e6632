//! Directives that `_Pragma` makes (C17 6.10.9), by itself or in a macro, written out as lines of their own:
//! what edits directives needs them in the text.

use std::collections::BTreeMap;
use std::ops::Range;

use apg_c_analysis::Parsed;
use apg_c_syntax::{ExpansionId, SyntaxKind, Token};

use crate::presumed_line;
use crate::spelling::is_in_header;

/// The text of a file with each macro that makes a directive expanded, and each `_Pragma` of one, as
/// `#pragma` lines; other lines keep their numbers by `#line`. `None` if it has no such macro.
pub fn written_directives(parsed: &Parsed) -> Option<String> {
    let sites = sites(parsed);
    if sites.is_empty() {
        return None;
    }
    let text = parsed.text();
    let (mut written, mut at) = (String::with_capacity(text.len()), 0);
    for (start, (end, expansion)) in sites {
        written.push_str(&text[at..start]);
        written.push_str(&site_text(parsed, start..end, &expansion));
        at = end;
    }
    written.push_str(&text[at..]);
    Some(written)
}

/// Where macros and operators that make directives begin: where they end, and their tokens.
fn sites(parsed: &Parsed) -> BTreeMap<usize, (usize, Vec<Token>)> {
    let mut sites = BTreeMap::new();
    let text = parsed.text();
    for id in parsed.program.directive_ids() {
        let range = parsed.program.directive(id).range;
        if is_in_header(parsed, range) {
            continue;
        }
        let Some(first) = parsed.syntax.main.tokens_in(range).first() else { continue };
        let site = parsed.unit.expansion_site(first);
        let start = site.start as usize;
        if text[start..].starts_with('#') || sites.contains_key(&start) {
            continue;
        }
        let (end, expansion) = match first.expansion == ExpansionId::NONE {
            false => {
                let all = parsed.syntax.main.tokens().map(|(_, it)| it);
                let inside = all.filter(|it| parsed.unit.expansion_site(it) == site);
                (site.end as usize, inside.copied().collect())
            }
            true => {
                let spelled: Range<usize> = parsed.spelled(range).unwrap_or_default().into();
                let Some(close) = text[spelled.end..].find(')') else { continue };
                (spelled.end + close + 1, parsed.syntax.main.tokens_in(range).to_vec())
            }
        };
        sites.insert(start, (end, expansion));
    }
    sites
}

/// The tokens of a macro or an operator as text. A directive that has its lines for itself stays on them.
fn site_text(parsed: &Parsed, range: Range<usize>, expansion: &[Token]) -> String {
    let text = parsed.text();
    let start_of_line = text[..range.start].rfind('\n').map_or(0, |it| it + 1);
    let rest_of_line = text[range.end..].split('\n').next().unwrap_or_default();
    let lines = text[range.clone()].matches('\n').count();
    let is_alone = text[start_of_line..range.start].trim().is_empty() && rest_of_line.trim().is_empty();
    let is_directive = expansion.first().is_some_and(|it| it.kind == SyntaxKind::PRAGMA_START)
        && expansion.iter().filter(|it| it.kind == SyntaxKind::PRAGMA_START).count() == 1
        && expansion.last().is_some_and(|it| it.kind == SyntaxKind::PRAGMA_END);
    let stays = is_alone && is_directive;
    let next_line = format!("\n#line {}\n", presumed_line(text, range.end));
    let mut written = String::new();
    for token in expansion {
        match token.kind {
            SyntaxKind::PRAGMA_START if !stays => written.push('\n'),
            SyntaxKind::PRAGMA_END if stays => written.push_str(&"\n".repeat(lines)),
            SyntaxKind::PRAGMA_END => {
                written.push_str(&next_line);
                continue;
            }
            _ => {}
        }
        if token.kind != SyntaxKind::PRAGMA_END {
            written.push_str(parsed.unit.text(token.text));
            written.push(' ');
        }
    }
    written
}
