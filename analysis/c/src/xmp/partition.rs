//! Which node of an axis owns the indices of a template (XcalableMP 1.4, section 4.3.3).

use super::model::{Grid, Model};

/// Maximum number of nodes of an axis whose parts are compared.
const MAX_NODES: i128 = 4096;

/// How an axis of a template is divided among the nodes of an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The name of the nodes.
    pub nodes: smol_str::SmolStr,
    /// The axis of the nodes as it is written.
    pub node_axis: usize,
    /// The number of the first node of the axis: 1 with parentheses, 0 with brackets.
    pub first_node: i128,
    /// The number of nodes, at least one.
    pub count: i128,
    /// The number is not in the program (`*`): two are taken.
    pub is_count_assumed: bool,
    /// The first and the last index.
    pub indices: (i128, i128),
    /// The number of neighbouring indices that go to one node.
    chunk: i128,
    /// After the last node comes the first again.
    is_cyclic: bool,
}

impl Partition {
    /// The division of an axis of a template, as it is written; `None` if it is not distributed, or how is
    /// not constant.
    pub fn of(model: &Model, template: &Grid, axis: usize) -> Option<Partition> {
        let distribution = template.distribution.as_ref()?;
        let nodes = model.grid(&distribution.nodes, template.function)?;
        let formats = distribution.formats.get(..=axis)?;
        let format = formats[axis].as_str();
        if format == "*" || (nodes.axes.len() > 1 && nodes.spelling != template.spelling) {
            return None;
        }
        let node_axis = formats[..axis].iter().filter(|it| *it != "*").count();
        let of_nodes = nodes.axes.get(node_axis)?;
        let is_count_assumed = of_nodes.text == "*";
        let count = if is_count_assumed { 2 } else { of_nodes.size()? };
        let (indices, size) = (template.axes.get(axis)?.bounds?, template.axes[axis].size()?);
        if !(1..=MAX_NODES).contains(&count) || size < 1 {
            return None;
        }
        let (chunk, is_cyclic) = chunk(format, size, count)?;
        let first_node = of_nodes.bounds.map_or(nodes.spelling.first_index(), |it| it.0);
        let nodes = nodes.name.clone();
        Some(Partition { nodes, node_axis, first_node, count, is_count_assumed, indices, chunk, is_cyclic })
    }

    /// The node of an index, counted from 0; `None` outside of the template.
    pub fn owner(&self, index: i128) -> Option<i128> {
        let (first, last) = self.indices;
        (first..=last).contains(&index).then(|| {
            let chunk = (index - first) / self.chunk;
            if self.is_cyclic { chunk % self.count } else { chunk.min(self.count - 1) }
        })
    }

    /// The number of indices in a block; `None` if a node has several.
    pub fn block(&self) -> Option<i128> {
        (!self.is_cyclic).then_some(self.chunk)
    }

    /// What a message says of the number of nodes, if the program leaves it open.
    pub fn on_nodes(&self) -> &'static str {
        if self.is_count_assumed { " when there are two nodes" } else { "" }
    }

    /// The largest number of indices of one node.
    pub fn largest_part(&self) -> i128 {
        let size = self.indices.1 - self.indices.0 + 1;
        let round = self.chunk * self.count;
        match self.is_cyclic {
            true => size / round * self.chunk + (size % round).min(self.chunk),
            false => self.chunk.min(size),
        }
    }

    /// The indices of a node as text: `0..24`, `1, 5, 9, ...`.
    pub fn part_text(&self, node: i128) -> String {
        self.part_within(node, self.indices)
    }

    /// The indices of a node that are between two, as text.
    pub fn part_within(&self, node: i128, (from, to): (i128, i128)) -> String {
        let mut parts = self.parts_within(node, (from, to));
        let shown: Vec<String> = parts
            .by_ref()
            .take(3)
            .map(|it| if it.0 == it.1 { it.0.to_string() } else { format!("{}..{}", it.0, it.1) })
            .collect();
        match shown.is_empty() {
            true => "nothing".to_owned(),
            false => shown.join(", ") + if parts.next().is_some() { ", ..." } else { "" },
        }
    }

    /// The first and the last of neighbouring indices of a node that are between two.
    fn parts_within(
        &self,
        node: i128,
        (from, to): (i128, i128),
    ) -> impl Iterator<Item = (i128, i128)> + use<> {
        let (first, last) = (self.indices.0, self.indices.1.min(to));
        let (chunk, round) = (self.chunk, self.chunk * self.count);
        let start = first + node * chunk;
        // The last node of `block(n)` has what is left.
        let is_open = !self.is_cyclic && node == self.count - 1;
        let skipped = if self.is_cyclic { ((from - start) / round).max(0) } else { 0 };
        let rounds = if self.is_cyclic { i128::MAX } else { skipped + 1 };
        (skipped..rounds)
            .map(move |it| start.saturating_add(it.saturating_mul(round)))
            .take_while(move |it| *it <= last)
            .map(move |it| (it.max(from), if is_open { last } else { last.min(it + chunk - 1) }))
            .filter(|it| it.0 <= it.1)
    }

    /// The indices at which another node's part begins, in order.
    pub fn boundaries(&self) -> impl Iterator<Item = i128> + use<> {
        let (first, last) = self.indices;
        let chunk = self.chunk;
        let parts = if self.is_cyclic { MAX_NODES } else { self.count };
        let is_divided = self.count > 1;
        (1..parts).map(move |it| first + it * chunk).take_while(move |it| is_divided && *it <= last)
    }
}

/// The number of neighbouring indices of one node in a format, and whether it has several such parts.
fn chunk(format: &str, size: i128, count: i128) -> Option<(i128, bool)> {
    let (name, argument) = match format.split_once('(') {
        Some((name, rest)) => (name, Some(rest.strip_suffix(')')?.parse::<u32>().ok().filter(|it| *it > 0)?)),
        None => (format, None),
    };
    match (name, argument) {
        ("block", None) => Some(((size.checked_add(count - 1)?) / count, false)),
        ("block", Some(chunk)) => Some((chunk.into(), false)),
        ("cyclic", chunk) => Some((chunk.unwrap_or(1).into(), true)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(format: &str, (first, last): (i128, i128), count: i128) -> Partition {
        let (chunk, is_cyclic) = chunk(format, last - first + 1, count).unwrap();
        let (nodes, indices) = ("p".into(), (first, last));
        Partition {
            nodes,
            node_axis: 0,
            first_node: 0,
            count,
            is_count_assumed: false,
            indices,
            chunk,
            is_cyclic,
        }
    }

    #[test]
    fn each_index_has_the_owner_of_the_serial_model() {
        for (format, chunk, is_cyclic) in
            [("block", 0, false), ("cyclic", 1, true), ("cyclic(3)", 3, true), ("block(7)", 7, false)]
        {
            for count in 1..5 {
                for size in 1..20_i128 {
                    let it = partition(format, (1, size), count);
                    let chunk = if chunk == 0 { (size + count - 1) / count } else { chunk };
                    let mut parts = vec![0; count as usize];
                    for index in 1..=size {
                        let number = (index - 1) / chunk;
                        let owner = if is_cyclic { number % count } else { number.min(count - 1) };
                        assert_eq!(it.owner(index), Some(owner), "{format} {size} {count} {index}");
                        parts[owner as usize] += 1;
                    }
                    if format != "block(7)" {
                        assert_eq!(
                            it.largest_part(),
                            *parts.iter().max().unwrap(),
                            "{format} {size} {count}"
                        );
                    }
                    let ends = (2..=size).filter(|at| it.owner(*at) != it.owner(*at - 1));
                    assert!(ends.into_iter().all(|at| it.boundaries().any(|it| it == at)));
                    assert_eq!((it.owner(0), it.owner(size + 1)), (None, None));
                }
            }
        }
    }

    #[test]
    fn parts_are_shown_with_their_indices() {
        let blocks = partition("block", (0, 99), 4);
        assert_eq!((blocks.part_text(0), blocks.part_text(3)), ("0..24".into(), "75..99".into()));
        assert_eq!(partition("block", (0, 4), 4).part_text(3), "nothing");
        assert_eq!(partition("cyclic", (1, 40), 4).part_text(1), "2, 6, 10, ...");
        assert_eq!(partition("cyclic(2)", (0, 5), 2).part_text(0), "0..1, 4..5");
    }
}
