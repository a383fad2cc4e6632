//! Variables of `reduction` and `bcast` (specification 1.4, sections 5.2 and 5.4): their memory and type.

use std::ops::Range;

use apg_c_analysis::hir::{Directive, SubscriptKind, Type};
use apg_c_analysis::xmp::GlobalArray;
use apg_c_syntax::{TextRange, TextSize};

use super::Unit;
use super::edits::{split, trimmed};
use super::sections::subscript_ranges;
use crate::unsupported::{Lowered, unsupported};

/// The operator and the variables of a reduction.
pub(super) struct Reduction {
    /// The runtime's name of the operator.
    pub(super) operator: &'static str,
    /// The variables as a list of `struct apg_xmp_item`.
    pub(super) items: String,
    /// Their number.
    pub(super) count: usize,
}

impl Reduction {
    /// Whether a value that is combined with itself stays the same.
    pub(super) fn is_idempotent(&self) -> bool {
        !matches!(self.operator, "APG_XMP_SUM" | "APG_XMP_DIFFERENCE" | "APG_XMP_PRODUCT" | "APG_XMP_BIT_XOR")
    }
}

/// The operators of reductions.
const OPERATORS: [(&str, &str); 14] = [
    ("+", "APG_XMP_SUM"),
    ("-", "APG_XMP_DIFFERENCE"),
    ("*", "APG_XMP_PRODUCT"),
    ("&", "APG_XMP_BIT_AND"),
    ("|", "APG_XMP_BIT_OR"),
    ("^", "APG_XMP_BIT_XOR"),
    ("&&", "APG_XMP_AND"),
    ("||", "APG_XMP_OR"),
    ("max", "APG_XMP_MAX"),
    ("min", "APG_XMP_MIN"),
    ("firstmax", "APG_XMP_FIRST_MAX"),
    ("firstmin", "APG_XMP_FIRST_MIN"),
    ("lastmax", "APG_XMP_LAST_MAX"),
    ("lastmin", "APG_XMP_LAST_MIN"),
];

impl Unit<'_> {
    /// The text between the first and the last parenthesis of a range.
    pub(super) fn in_parentheses(&self, range: TextRange) -> Option<Range<usize>> {
        let range = Self::range(range);
        let text = &self.text[range.clone()];
        let (open, close) = (text.find('(')?, text.rfind(')')?);
        (open < close).then(|| range.start + open + 1..range.start + close)
    }

    /// A reduction whose operator and variables are in parentheses.
    pub(super) fn reduction_items(&self, of: &Directive, range: TextRange) -> Lowered<Reduction> {
        let missing = || {
            let message = "the operator or the variables of this reduction are missing";
            unsupported(range, message, "write `reduction(+:x)`")
        };
        let Some(inside) = self.in_parentheses(range) else { return missing() };
        let Some(colon) = self.text[inside.clone()].find(':') else { return missing() };
        let written = self.text[inside.start..inside.start + colon].trim().to_ascii_lowercase();
        let Some((_, operator)) = OPERATORS.iter().find(|it| it.0 == written) else {
            let message = format!("`{written}` is no operator of a reduction");
            return unsupported(
                range,
                message,
                "write one of + - * & | ^ && || max min firstmax firstmin lastmax lastmin",
            );
        };
        let mut items = Vec::new();
        for (item, locations) in self.located(inside.start + colon + 1..inside.end) {
            let mut places = Vec::new();
            for location in &locations {
                places.push(self.item(of, location.clone(), "0, 0")?);
            }
            let places = match places.is_empty() {
                true => "0, 0".to_owned(),
                false => format!("{}, (struct apg_xmp_item[]){{{}}}", places.len(), places.join(", ")),
            };
            items.push(self.item(of, item, &places)?);
        }
        if items.is_empty() {
            return missing();
        }
        let count = items.len();
        Ok(Reduction { operator, items: items.join(", "), count })
    }

    /// The variables of a list, with those that say where their values were found: `x/i, j/, y`.
    fn located(&self, range: Range<usize>) -> Vec<(Range<usize>, Vec<Range<usize>>)> {
        let (mut found, mut at) = (Vec::new(), range.start);
        while at < range.end {
            let rest = &self.text[at..range.end];
            let first_comma = split(&self.text, at..range.end, b',')[0].clone();
            match rest.find('/').map(|it| at + it).filter(|it| *it < first_comma.end) {
                Some(open) => {
                    let close =
                        self.text[open + 1..range.end].find('/').map_or(range.end, |it| open + 1 + it);
                    let locations = split(&self.text, open + 1..close, b',');
                    found.push((trimmed(&self.text, at..open), locations));
                    let next = (close + 1).min(range.end);
                    at = self.text[next..range.end].find(',').map_or(range.end, |it| next + it + 1);
                }
                None => {
                    let end = first_comma.end;
                    found.push((first_comma, Vec::new()));
                    at = self.text[end..range.end].find(',').map_or(range.end, |it| end + it + 1);
                }
            }
        }
        found
    }

    /// Variables with commas between them.
    pub(super) fn item_list(&self, of: &Directive, range: Range<usize>) -> Lowered<(String, usize)> {
        let mut items = Vec::new();
        for item in split(&self.text, range, b',') {
            items.push(self.item(of, item, "0, 0")?);
        }
        let count = items.len();
        Ok((format!("(const struct apg_xmp_item[]){{{}}}", items.join(", ")), count))
    }

    /// A variable as a `struct apg_xmp_item`: an object, an array, an element, or consecutive elements.
    fn item(&self, of: &Directive, range: Range<usize>, locations: &str) -> Lowered<String> {
        let tree_range = tree_range(&range);
        let text = &self.text[range.clone()];
        let name: &str = text.split(|it: char| !it.is_alphanumeric() && it != '_').next().unwrap_or_default();
        let variable = self.variable(name, of);
        let is_global = variable.is_some_and(|it| self.model.array(it).is_some());
        let rank = variable.map_or(0, |it| array_rank(&self.hir.variable(it).ty));
        if let Some(array) = variable.and_then(|it| self.model.array(it)).filter(|_| name == text) {
            return self.whole_array(array, tree_range, locations);
        }
        if name == text && rank > 0 {
            let element = format!("{text}{}", "[0]".repeat(rank));
            return Ok(format!(
                "{{(void *){text}, sizeof({text}) / sizeof({element}), APG_XMP_TYPE({element}), sizeof({element}), {locations}}}"
            ));
        }
        // A parameter that is declared as an array.
        let extents = variable.filter(|_| name == text).map_or_else(Vec::new, |it| self.written_extents(it));
        if !extents.is_empty() && !is_global {
            let element = format!("{text}{}", "[0]".repeat(extents.len()));
            let count = extents.iter().map(|it| format!("(long)({it})")).collect::<Vec<_>>().join(" * ");
            return Ok(format!(
                "{{(void *){text}, {count}, APG_XMP_TYPE({element}), sizeof({element}), {locations}}}"
            ));
        }
        let subscripts = subscript_ranges(&self.text, range.start + name.len()..range.end);
        let is_section = |it: &Range<usize>| split(&self.text, it.clone(), b':').len() > 1;
        if subscripts.iter().any(is_section) {
            return self.section_item(name, rank, &subscripts, tree_range, locations);
        }
        if !subscripts.is_empty() && subscripts.len() < rank && !is_global {
            let row = self.edited_range(range);
            let element = format!("{row}{}", "[0]".repeat(rank - subscripts.len()));
            return Ok(format!(
                "{{(void *){row}, sizeof({row}) / sizeof({element}), APG_XMP_TYPE({element}), sizeof({element}), {locations}}}"
            ));
        }
        let value = self.edited_range(range);
        Ok(format!("{{(void *)&({value}), 1, APG_XMP_TYPE({value}), sizeof({value}), {locations}}}"))
    }

    /// A global array that each node has all of.
    fn whole_array(&self, array: &GlobalArray, range: TextRange, locations: &str) -> Lowered<String> {
        let name = &self.hir.variable(array.variable).name;
        let extents = self.extents(array.variable, array.axes.len());
        let is_whole = array.axes.iter().all(|it| it.kind == SubscriptKind::Star);
        if !is_whole || extents.iter().any(|it| it == "0") {
            let message = format!("`{name}` is a global array, of which each node has a part");
            return unsupported(range, message, "name a variable of each node, or compute in a loop");
        }
        let count = extents.iter().map(|it| format!("(long)({it})")).collect::<Vec<_>>().join(" * ");
        let element = self.element_of_variable(array.variable).1;
        Ok(format!("{{(void *){name}, {count}, APG_XMP_TYPE({element}), sizeof({element}), {locations}}}"))
    }

    /// Consecutive elements: all axes behind the first section are whole.
    fn section_item(
        &self,
        name: &str,
        rank: usize,
        subscripts: &[Range<usize>],
        range: TextRange,
        locations: &str,
    ) -> Lowered<String> {
        let (mut first, mut count) = (name.to_owned(), String::from("1"));
        let mut must_be_whole = false;
        for subscript in subscripts {
            let parts: Vec<String> = split(&self.text, subscript.clone(), b':')
                .into_iter()
                .map(|it| self.edited_range(it))
                .collect();
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            let whole = format!("(long)(sizeof({first}) / sizeof({first}[0]))");
            let (low, length, is_whole, is_index) = match parts[..] {
                [index] => (index, "1".to_owned(), false, true),
                [low, ""] if !low.is_empty() => (low, format!("({whole} - ({low}))"), false, false),
                [_, ""] => ("0", whole, true, false),
                [low, length] | [low, length, "1"] => {
                    (if low.is_empty() { "0" } else { low }, format!("({length})"), false, false)
                }
                _ => {
                    let message = "the elements of this section are not consecutive";
                    return unsupported(range, message, "copy them into an array of their own");
                }
            };
            if must_be_whole && !is_whole {
                let message = "the elements of this section are not consecutive";
                return unsupported(range, message, "copy them into an array of their own");
            }
            must_be_whole |= !is_index;
            first = format!("{first}[{low}]");
            count = format!("{count} * {length}");
        }
        for _ in subscripts.len()..rank {
            count = format!("{count} * (long)(sizeof({first}) / sizeof({first}[0]))");
            first = format!("{first}[0]");
        }
        Ok(format!("{{(void *)&{first}, {count}, APG_XMP_TYPE({first}), sizeof({first}), {locations}}}"))
    }
}

/// The number of axes of an array.
pub(super) fn array_rank(mut ty: &Type) -> usize {
    let mut rank = 0;
    while let Type::Array(element, _) = ty {
        ty = element;
        rank += 1;
    }
    rank
}

/// A range of the tree.
pub(super) fn tree_range(range: &Range<usize>) -> TextRange {
    let offset = |at: usize| TextSize::try_from(at).unwrap_or_default();
    TextRange::new(offset(range.start), offset(range.end))
}
