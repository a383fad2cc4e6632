//! Which parts of a program each external declaration has, and when the names of file scope were declared:
//! what an edit of one function needs, so that this function alone is lowered again.

use apg_c_syntax::{TextRange, TextSize};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::hir::{DirectiveId, ExprId, Program, VariableId};

/// How many parts a program has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) variables: usize,
    pub(crate) exprs: usize,
    pub(crate) stmts: usize,
    pub(crate) directives: usize,
}

impl Counts {
    pub(crate) fn of(program: &Program) -> Counts {
        Counts {
            variables: program.variables.len(),
            exprs: program.exprs.len(),
            stmts: program.stmts.len(),
            directives: program.directives.len(),
        }
    }
}

/// A part of a program by its place in an external declaration: edits in other functions do not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Anchor {
    /// The number of the declaration; `None` for those of headers.
    declaration: Option<usize>,
    /// The number in it.
    number: usize,
}

/// A number of a part that each declaration has some of.
pub(crate) trait Counted: Copy {
    /// How many there are.
    fn count(counts: &Counts) -> usize;
    /// The number as an index.
    fn index(self) -> usize;
    /// The part with this index.
    fn of_index(index: usize) -> Self;
}

macro_rules! counted {
    ($($id:ident: $field:ident;)*) => {
        $(
            impl Counted for $id {
                fn count(counts: &Counts) -> usize {
                    counts.$field
                }

                fn index(self) -> usize {
                    $id::index(self)
                }

                fn of_index(index: usize) -> $id {
                    $id::new(index)
                }
            }
        )*
    };
}

counted! {
    VariableId: variables;
    ExprId: exprs;
    DirectiveId: directives;
}

/// An external declaration of the main file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Where it is in the tree.
    pub(crate) range: TextRange,
    /// The counts in front of it.
    pub(crate) start: Counts,
    /// The counts behind it.
    pub(crate) end: Counts,
    /// It is the definition of a function that declares nothing of file scope but itself.
    pub(crate) is_isolated: bool,
}

/// The external declarations of a main file, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) parts: Vec<Part>,
    /// The number of the declaration since which a name of file scope has its meaning.
    pub(crate) names: FxHashMap<SmolStr, usize>,
    /// The same of tags.
    pub(crate) tags: FxHashMap<SmolStr, usize>,
    /// The last declaration that completes a type of an earlier one.
    pub(crate) last_completion: usize,
    /// There are arrays whose length is an expression.
    pub(crate) has_variable_lengths: bool,
}

impl Layout {
    /// The place of a part.
    pub(crate) fn anchor_of<T: Counted>(&self, id: T) -> Anchor {
        let index = id.index();
        let declaration = self.parts.partition_point(|it| T::count(&it.start) <= index).checked_sub(1);
        let start = declaration.map_or(0, |it| T::count(&self.parts[it].start));
        Anchor { declaration, number: index - start }
    }

    /// The part at a place.
    pub(crate) fn at<T: Counted>(&self, anchor: Anchor) -> T {
        let start = anchor.declaration.map_or(0, |it| T::count(&self.parts[it].start));
        T::of_index(start + anchor.number)
    }

    /// The number of the declaration at a place of the tree.
    pub(crate) fn part_at(&self, start: TextSize) -> Option<usize> {
        self.parts.binary_search_by_key(&start, |it| it.range.start()).ok()
    }
}
