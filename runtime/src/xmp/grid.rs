//! Nodes and templates as descriptors, and the nodes at their points (XcalableMP 1.4, sections 4.3 and 5.2).

use std::sync::Arc;

use super::distribution::AxisMap;
use super::error::{Result, XmpError};
use super::node_set::{NodeSet, Nodes};
use super::progression::Progression;

/// How a declaration is written, which decides what inquiry functions call an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `t[N]`
    Brackets,
    /// `t(N)`
    Parentheses,
}

/// The format of an axis of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// `*`
    Whole,
    /// `block` or `block(width)`
    Block(Option<i64>),
    /// `cyclic(width)`
    Cyclic(i64),
    /// `gblock(sizes)`; none for `gblock(*)`
    Gblock(Option<Vec<i64>>),
}

/// A subscript of nodes, a template or an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subscript {
    /// One index.
    Index(i64),
    /// Some indices.
    Section {
        /// The first index.
        start: i64,
        /// How many.
        count: i64,
        /// Their distance.
        step: i64,
    },
    /// All of the axis.
    All,
    /// Those of the node that executes.
    Own,
}

/// An axis of points that nodes have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its indices and their division.
    pub map: AxisMap,
    /// The axis of the nodes onto which it is distributed.
    pub node_axis: Option<usize>,
}

/// Points with indices, and the nodes that have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The nodes.
    pub nodes: Arc<Nodes>,
    /// The axes of the points.
    pub axes: Vec<Axis>,
}

/// The nodes that a node array is a part of.
#[derive(Clone, Debug)]
pub struct PartOf {
    /// The nodes.
    pub grid: Arc<Grid>,
    /// Their subscripts.
    pub subscripts: Vec<Subscript>,
}

/// Nodes or a template.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Its name.
    pub name: String,
    /// How it is declared.
    pub spelling: Spelling,
    /// What it is.
    pub kind: GridKind,
    /// Its points; of a template once it is fixed and distributed.
    pub placement: Option<Placement>,
}

/// What a grid is.
#[derive(Clone, Debug)]
pub enum GridKind {
    /// Nodes.
    Nodes {
        /// What they are a part of, where that is written.
        part: Option<PartOf>,
    },
    /// A template.
    Template {
        /// First and last index of each axis, once they are known.
        bounds: Option<Vec<(i64, i64)>>,
        /// Number of axes.
        rank: usize,
        /// How it is distributed: the format of each axis, and the nodes.
        distribution: Option<(Vec<Format>, Arc<Grid>)>,
    },
}

impl Grid {
    /// A node array.
    pub fn of_nodes(name: &str, spelling: Spelling, nodes: Nodes, part: Option<PartOf>) -> Grid {
        let base = i64::from(spelling == Spelling::Parentheses);
        let of_axis = |(axis, size): (usize, &i64)| Axis {
            map: AxisMap {
                first: base,
                last: base + size - 1,
                layout: super::distribution::Layout::Blocks((base..=base + size).collect()),
            },
            node_axis: Some(axis),
        };
        let axes = nodes.sizes.iter().enumerate().map(of_axis).collect();
        let placement = Placement { nodes: Arc::new(nodes), axes };
        let kind = GridKind::Nodes { part };
        Grid { name: name.to_owned(), spelling, kind, placement: Some(placement) }
    }

    /// A template that is not distributed.
    pub fn of_template(name: &str, spelling: Spelling, rank: usize, bounds: Option<Vec<(i64, i64)>>) -> Grid {
        let kind = GridKind::Template { bounds, rank, distribution: None };
        Grid { name: name.to_owned(), spelling, kind, placement: None }
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        match &self.kind {
            GridKind::Template { rank, .. } => *rank,
            GridKind::Nodes { .. } => self.placement.as_ref().map_or(0, |it| it.axes.len()),
        }
    }

    /// Its points.
    ///
    /// # Errors
    /// It is a template without bounds or without a distribution.
    pub fn placed(&self) -> Result<&Placement> {
        self.placement.as_ref().ok_or_else(|| {
            let missing = match &self.kind {
                GridKind::Template { bounds: None, .. } => "has no bounds yet",
                GridKind::Template { distribution: None, .. } => "is not distributed",
                _ => "has a `gblock(*)` without sizes yet",
            };
            XmpError::new(format!("the template `{}` {missing}", self.name))
                .hint("`distribute` it, and fix what is not declared by `template_fix`")
        })
    }

    /// Gives a template a distribution, bounds, or formats in place of those it has, and places it if
    /// nothing is missing any more.
    ///
    /// # Errors
    /// They do not match: the words for the user.
    pub fn fix(
        &mut self,
        distribution: Option<(Vec<Format>, Arc<Grid>)>,
        formats: Option<Vec<Format>>,
        bounds: Option<Vec<(i64, i64)>>,
    ) -> Result<()> {
        let name = &self.name;
        let GridKind::Template { bounds: own_bounds, distribution: own, rank } = &mut self.kind else {
            return Err(XmpError::new(format!("`{name}` is a node array, not a template")));
        };
        if bounds.is_some() {
            *own_bounds = bounds;
        }
        if let Some((formats, nodes)) = distribution {
            check_formats(name, &formats, *rank, &nodes)?;
            *own = Some((formats, nodes));
        }
        match (formats, own.as_mut()) {
            (Some(new), Some((formats, nodes))) => {
                check_formats(name, &new, *rank, nodes)?;
                *formats = new;
            }
            (Some(_), None) => {
                return Err(XmpError::new(format!(
                    "the template `{name}` is fixed with formats, but not distributed"
                )));
            }
            (None, _) => {}
        }
        if let (Some(bounds), Some((formats, nodes))) = (&*own_bounds, &*own) {
            self.placement = place(name, bounds, formats, nodes)?;
        }
        Ok(())
    }
}

/// An error if formats are not those of a template onto nodes.
fn check_formats(name: &str, formats: &[Format], rank: usize, nodes: &Grid) -> Result<()> {
    let distributed = formats.iter().filter(|it| **it != Format::Whole).count();
    if distributed == nodes.rank() && formats.len() == rank {
        return Ok(());
    }
    Err(XmpError::new(format!(
        "{distributed} of {} axes of `{name}` are distributed onto `{}`, which has {}",
        formats.len(),
        nodes.name,
        nodes.rank()
    ))
    .hint("write `*` for each axis that is not distributed"))
}

/// Greatest index of a template: sums and differences of a few of them are numbers of 64 bits.
const MAX_INDEX: i64 = 1 << 60;

/// The points of a template; `None` if sizes of `gblock(*)` are missing.
fn place(name: &str, bounds: &[(i64, i64)], formats: &[Format], nodes: &Grid) -> Result<Option<Placement>> {
    let nodes = Arc::clone(&nodes.placed()?.nodes);
    let mut next_node_axis = 0..nodes.sizes.len();
    let mut axes = Vec::new();
    for ((first, last), format) in bounds.iter().copied().zip(formats) {
        if first > last.saturating_add(1) {
            return Err(XmpError::new(format!(
                "an axis of the template `{name}` begins at {first} and ends at {last}"
            ))
            .hint("an axis has a size of 0 or more"));
        }
        if first < -MAX_INDEX || last > MAX_INDEX {
            return Err(XmpError::new(format!(
                "an axis of the template `{name}` begins at {first} and ends at {last}: an index is at most 2^60"
            )));
        }
        let node_axis = if *format == Format::Whole { None } else { next_node_axis.next() };
        let size = node_axis.map_or(1, |axis| nodes.sizes[axis]);
        let map = match format {
            Format::Whole => Ok(AxisMap::whole(first, last)),
            Format::Block(width) => AxisMap::block(first, last, *width, size),
            Format::Cyclic(width) => AxisMap::cyclic(first, last, *width, size),
            Format::Gblock(None) => return Ok(None),
            Format::Gblock(Some(sizes)) if sizes.len() as i64 != size => {
                Err(format!("gblock has {} sizes for {size} nodes", sizes.len()))
            }
            Format::Gblock(Some(sizes)) => AxisMap::gblock(first, last, sizes),
        };
        let map = map.map_err(|error| {
            XmpError::new(format!("the template `{name}` cannot be distributed: {error}"))
        })?;
        axes.push(Axis { map, node_axis });
    }
    Ok(Some(Placement { nodes, axes }))
}

impl Placement {
    /// The nodes that have a point at these subscripts; all nodes without.
    ///
    /// # Errors
    /// An index is outside of its axis: the words for the user.
    pub fn nodes_at(&self, name: &str, subscripts: Option<&[Subscript]>, here: u32) -> Result<NodeSet> {
        let all = |axis: usize| (0..self.nodes.sizes[axis]).collect::<Vec<_>>();
        let mut coordinates: Vec<Vec<i64>> = (0..self.nodes.sizes.len()).map(all).collect();
        for (axis, subscript) in self.axes.iter().zip(subscripts.unwrap_or_default()) {
            let indices = match *subscript {
                Subscript::All => continue,
                Subscript::Own => {
                    if let Some((node_axis, position)) = axis.node_axis.zip(self.nodes.set.position(here)) {
                        coordinates[node_axis] = vec![self.nodes.coordinates(position)[node_axis]];
                    }
                    continue;
                }
                Subscript::Index(index) => Progression::interval(index, index),
                Subscript::Section { start, count, step } => section(start, count, step),
            };
            let outside = indices.and_then(|it| {
                [it.first, it.last()].into_iter().find(|it| *it < axis.map.first || *it > axis.map.last)
            });
            if let Some(index) = outside {
                return Err(XmpError::new(format!(
                    "the index {index} is outside of `{name}`, whose axis has the indices {} to {}",
                    axis.map.first, axis.map.last
                )));
            }
            let Some(node_axis) = axis.node_axis else { continue };
            let has = |node: &i64| {
                axis.map
                    .owned(*node)
                    .iter()
                    .any(|it| indices.is_some_and(|some| it.intersect(some).is_some()))
            };
            coordinates[node_axis].retain(has);
        }
        Ok(self.nodes.product(&coordinates))
    }
}

/// The indices of a section, ascending.
pub fn section(start: i64, count: i64, step: i64) -> Option<Progression> {
    if count <= 0 {
        return None;
    }
    match step {
        0.. => Some(Progression { first: start, step: step.max(1), count }),
        _ => Some(Progression { first: start + (count - 1) * step, step: -step, count }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(sizes: &[i64], count: u32) -> Arc<Grid> {
        let nodes = Nodes::new("p", sizes, &NodeSet::entire(count)).expect("nodes");
        Arc::new(Grid::of_nodes("p", Spelling::Brackets, nodes, None))
    }

    fn template(bounds: &[(i64, i64)]) -> Grid {
        Grid::of_template("t", Spelling::Brackets, bounds.len(), Some(bounds.to_vec()))
    }

    #[test]
    fn points_are_at_the_nodes_that_own_them() {
        let mut grid = template(&[(0, 9), (1, 8), (0, 2)]);
        let formats = vec![Format::Block(None), Format::Cyclic(1), Format::Whole];
        grid.fix(Some((formats, nodes(&[2, 2], 4))), None, None).expect("a distribution");
        let at = |subscripts: &[Subscript]| {
            grid.placed().and_then(|it| it.nodes_at("t", Some(subscripts), 3)).map(|it| it.nodes)
        };
        use Subscript::*;
        assert_eq!(at(&[Index(7), Index(2), Index(0)]), Ok(vec![3]));
        assert_eq!(at(&[All, Index(1), All]), Ok(vec![0, 2]));
        assert_eq!(at(&[All, Own, All]), Ok(vec![1, 3]));
        assert_eq!(at(&[Section { start: 0, count: 5, step: 1 }, All, All]), Ok(vec![0, 1]));
        assert_eq!(
            at(&[Index(10), All, All]).map_err(|it| it.message),
            Err("the index 10 is outside of `t`, whose axis has the indices 0 to 9".to_owned())
        );
    }

    #[test]
    fn deferred_template_is_placed_when_bounds_and_sizes_are_known() {
        let mut grid = Grid::of_template("t", Spelling::Brackets, 1, None);
        grid.fix(Some((vec![Format::Gblock(None)], nodes(&[2], 2))), None, None).expect("a distribution");
        assert_eq!(
            grid.placed().map_err(|it| it.message),
            Err("the template `t` has no bounds yet".to_owned())
        );
        grid.fix(None, None, Some(vec![(0, 4)])).expect("bounds");
        assert!(grid.placed().is_err());
        grid.fix(None, Some(vec![Format::Gblock(Some(vec![1, 4]))]), None).expect("sizes");
        assert_eq!(grid.placed().map(|it| it.axes[0].map.count(1)), Ok(4));
    }

    #[test]
    fn axes_that_do_not_match_are_errors() {
        let error = template(&[(0, 9), (0, 9)]).fix(
            Some((vec![Format::Block(None), Format::Whole], nodes(&[2, 2], 4))),
            None,
            None,
        );
        assert_eq!(
            error.map_err(|it| it.message),
            Err("1 of 2 axes of `t` are distributed onto `p`, which has 2".to_owned())
        );
        let mut grid = template(&[(0, 9), (0, 9)]);
        grid.fix(Some((vec![Format::Block(None), Format::Gblock(None)], nodes(&[2, 2], 4))), None, None)
            .expect("a distribution");
        let error = grid.fix(None, Some(vec![Format::Block(None), Format::Whole]), None);
        assert_eq!(
            error.map_err(|it| it.message),
            Err("1 of 2 axes of `t` are distributed onto `p`, which has 2".to_owned())
        );
        let error = template(&[(0, 9)]).fix(None, Some(vec![Format::Block(None)]), None);
        assert_eq!(
            error.map_err(|it| it.message),
            Err("the template `t` is fixed with formats, but not distributed".to_owned())
        );
        let error =
            template(&[(0, 9)]).fix(Some((vec![Format::Gblock(Some(vec![10]))], nodes(&[2], 2))), None, None);
        assert_eq!(
            error.map_err(|it| it.message),
            Err("the template `t` cannot be distributed: gblock has 1 sizes for 2 nodes".to_owned())
        );
    }
}
