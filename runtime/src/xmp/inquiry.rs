//! Inquiry functions about descriptors (XcalableMP 1.4, section 7.2). Axes are counted from 1 on: those of
//! arrays in the order of C, those of nodes and templates beginning with the fastest.

use super::array::Local;
use super::declarations::ArrayState;
use super::distribution::Layout;
use super::grid::{Format, Grid, GridKind, Spelling, Subscript};

/// `XMP_UNDEFINED`
pub const UNDEFINED: i32 = -2001;

/// `XMP_DESC_NODES`, `XMP_DESC_TEMPLATE`, `XMP_DESC_ARRAY`
const KINDS: [i64; 3] = [2200, 2201, 2202];
/// `XMP_NOT_DISTRIBUTED`, `XMP_BLOCK`, `XMP_CYCLIC`, `XMP_GBLOCK`
const FORMATS: [i64; 4] = [2100, 2101, 2102, 2103];

/// An enumeration with its variants by number.
macro_rules! numbered {
    ($(#[$attribute:meta])* pub enum $name:ident { $($variant:ident),* $(,)? }) => {
        $(#[$attribute])*
        pub enum $name { $($variant),* }

        impl $name {
            /// By its number in `apg_xmp.h`.
            pub fn from_number(number: i32) -> Option<$name> {
                [$($name::$variant),*].get(usize::try_from(number).ok()?).copied()
            }
        }
    };
}

numbered! {
    /// What is asked (`APG_XMP_ASK_KIND`, ...).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[allow(missing_docs, reason = "the names say it, and xmp.h")]
    pub enum Question {
        Kind,
        Rank,
        Lower,
        Upper,
        Size,
        LocalSize,
        ElementBytes,
        ShadowBelow,
        ShadowAbove,
        LocalIndex,
        Owner,
        FirstOwned,
        LastOwned,
        Allocated,
        AlignAxis,
        AlignOffset,
        Replicated,
        Fixed,
        Format,
        BlockSize,
        NodeAxis,
        GblockSize,
        NodeIndex,
        NodePosition,
        PartLower,
        PartUpper,
        PartStep,
    }
}

/// The axis of a grid that an inquiry counts as `axis`.
fn grid_axis(axis: i32, rank: usize) -> Option<usize> {
    rank.checked_sub(usize::try_from(axis).ok().filter(|it| *it > 0)?)
}

/// The answer to a question about nodes or a template; `None` if there is none. `here` is the number of
/// this node.
pub fn of_grid(grid: &Grid, question: Question, axis: i32, index: i64, here: u32) -> Option<i64> {
    match (question, &grid.kind) {
        (Question::Kind, GridKind::Nodes { .. }) => Some(KINDS[0]),
        (Question::Kind, GridKind::Template { .. }) => Some(KINDS[1]),
        (Question::Rank, _) => Some(grid.rank() as i64),
        (Question::Fixed, _) => Some(i64::from(grid.placement.is_some())),
        (_, GridKind::Nodes { .. }) => of_nodes(grid, question, axis, here),
        (_, GridKind::Template { bounds, distribution, .. }) => {
            let axis = grid_axis(axis, grid.rank())?;
            let bounds = bounds.as_ref().map(|it| it[axis]);
            let placed = grid.placement.as_ref().map(|it| &it.axes[axis]);
            let format = distribution.as_ref().map(|it| &it.0[axis]);
            match question {
                Question::Lower => bounds.map(|it| it.0),
                Question::Upper => bounds.map(|it| it.1),
                Question::Size => bounds.map(|it| it.1 - it.0 + 1),
                Question::LocalSize => {
                    let placement = grid.placement.as_ref()?;
                    let coordinates = placement.nodes.coordinates(placement.nodes.set.position(here)?);
                    let axis = placed?;
                    Some(axis.map.count(axis.node_axis.map_or(0, |it| coordinates[it])))
                }
                Question::Format => Some(
                    FORMATS[match format? {
                        Format::Whole => 0,
                        Format::Block(_) => 1,
                        Format::Cyclic(_) => 2,
                        Format::Gblock(_) => 3,
                    }],
                ),
                Question::BlockSize => match (&placed?.map.layout, format?) {
                    (_, Format::Gblock(_)) | (Layout::Whole, _) => None,
                    (Layout::Blocks(starts), Format::Block(width)) => {
                        Some(width.unwrap_or_else(|| starts.get(1).map_or(0, |it| it - starts[0])))
                    }
                    (Layout::Cyclic { width, .. }, _) => Some(*width),
                    (Layout::Blocks(_), _) => None,
                },
                Question::GblockSize => match format? {
                    Format::Gblock(Some(sizes)) => sizes.get(usize::try_from(index).ok()?).copied(),
                    _ => None,
                },
                Question::NodeAxis => {
                    let nodes = grid.placement.as_ref()?.nodes.sizes.len();
                    placed?.node_axis.map(|it| (nodes - it) as i64)
                }
                _ => None,
            }
        }
    }
}

fn of_nodes(grid: &Grid, question: Question, axis: i32, here: u32) -> Option<i64> {
    let nodes = &grid.placement.as_ref()?.nodes;
    let position = nodes.set.position(here);
    match question {
        Question::NodePosition => return position.map(|it| it as i64),
        Question::PartLower | Question::PartUpper | Question::PartStep => {
            let GridKind::Nodes { part: Some(part) } = &grid.kind else { return None };
            let whole = &part.grid.placement.as_ref()?.nodes.sizes;
            let axis = grid_axis(axis, whole.len())?;
            let base = i64::from(part.grid.spelling == Spelling::Parentheses);
            let (first, count, step) = match part.subscripts.get(axis)? {
                Subscript::All | Subscript::Own => (base, whole[axis], 1),
                Subscript::Index(index) => (*index, 1, 1),
                Subscript::Section { start, count: -1, step } => {
                    (*start, (whole[axis] + base - start + step - 1) / step, *step)
                }
                Subscript::Section { start, count, step } => (*start, *count, *step),
            };
            return Some(match question {
                Question::PartLower => first - base + 1,
                Question::PartUpper => first - base + 1 + (count - 1) * step,
                _ => step,
            });
        }
        _ => {}
    }
    let axis = grid_axis(axis, nodes.sizes.len())?;
    match question {
        Question::Size => Some(nodes.sizes[axis]),
        Question::NodeIndex => position.map(|it| nodes.coordinates(it)[axis] + 1),
        _ => None,
    }
}

/// The answer to a question about an array; `None` if there is none.
pub fn of_array(array: &ArrayState, question: Question, axis: i32, index: i64) -> Option<i64> {
    match question {
        Question::Kind => return Some(KINDS[2]),
        Question::Rank => return Some(array.rank() as i64),
        Question::ElementBytes => return Some(array.element_bytes()),
        Question::Replicated => {
            let template = array.template.get();
            let axis = grid_axis(axis, template.rank())?;
            let is_named = array.alignments().iter().any(|it| it.template_axis == Some(axis));
            return Some(i64::from(!is_named));
        }
        _ => {}
    }
    let number = usize::try_from(axis).ok()?.checked_sub(1)?;
    let alignment = array.alignments().get(number)?;
    match question {
        Question::AlignAxis => {
            let rank = array.template.get().rank();
            return alignment.template_axis.map(|it| (rank - it) as i64);
        }
        Question::AlignOffset => return alignment.template_axis.map(|_| alignment.offset),
        Question::ShadowBelow => return Some(array.shadows()[number].below),
        Question::ShadowAbove => return Some(array.shadows()[number].above),
        _ => {}
    }
    let block = &array.placed.as_ref()?.block;
    let axis = &block.axes[number];
    match question {
        Question::Lower => Some(axis.map.first),
        Question::Upper => Some(axis.map.last),
        Question::Size => Some(axis.map.size()),
        Question::LocalSize => Some(axis.map.count(axis.coordinate)),
        Question::Allocated => Some(axis.allocated),
        Question::FirstOwned => axis.map.bounds(axis.coordinate).map(|it| it.0),
        Question::LastOwned => axis.map.bounds(axis.coordinate).map(|it| it.1),
        Question::Owner => (index >= axis.map.first && index <= axis.map.last).then(|| axis.map.owner(index)),
        // Where its owner has it.
        Question::LocalIndex => Some(match (&axis.map.layout, axis.local) {
            (Layout::Blocks(starts), Local::Shift(_)) if !axis.shadow.is_full => {
                let owner = axis.map.owner(index.clamp(axis.map.first, axis.map.last));
                index - starts[owner as usize] + axis.shadow.below
            }
            (_, local) => local.place(index),
        }),
        _ => None,
    }
}
