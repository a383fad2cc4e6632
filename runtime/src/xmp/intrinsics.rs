//! Intrinsic functions on global arrays: transposition, matrix product, sorting, gathering by index arrays
//! and packing by masks (XcalableMP 1.4, section 7.7).
//!
//! A matrix product assigns the rows and the columns that a node needs for its block of the result, and
//! multiplies them there. Sorting, gathering and packing have the whole of their operands on each node for
//! a moment.

use std::sync::Arc;

use super::array::{Alignment, Block, Declaration, Shadow};
use super::error::{Result, XmpError};
use super::gmove::{Of, Side};
use super::mailbox::Construct;
use super::node::{Assignment, Node};
use super::reduction::{Element, Operator, Shape, Variable, compare_totally};

/// A global array in memory.
#[derive(Clone, Debug)]
pub struct View {
    /// What is declared.
    pub declaration: Arc<Declaration>,
    /// Type of its elements.
    pub element: Element,
    /// The block of this node.
    pub memory: *mut u8,
}

impl View {
    fn name(&self) -> &str {
        &self.declaration.name
    }

    fn extents(&self) -> &[i64] {
        &self.declaration.extents
    }

    fn bytes(&self) -> usize {
        self.declaration.element_bytes as usize
    }

    fn side(&self) -> Result<Side> {
        Side::new(Of::Global(Arc::clone(&self.declaration)), None)
    }

    /// All elements, in order, on this node.
    ///
    /// # Safety
    /// The memory is the block of this node.
    unsafe fn gathered(&self, node: &mut Node) -> Result<Vec<u8>> {
        let count = self.extents().iter().product::<i64>() as usize;
        let mut all = vec![0; count * self.bytes()];
        let local = Of::Local(self.extents().to_vec(), self.declaration.element_bytes);
        let (to, from) = (Side::new(local, None)?, self.side()?);
        let assignment = Assignment {
            to: &to,
            target: all.as_mut_ptr(),
            from: &from,
            source: self.memory,
            on_device: (false, false),
        };
        // SAFETY: the caller's block, and a vector of this function.
        unsafe { node.gmove(&assignment, Construct::Intrinsic, None)? };
        Ok(all)
    }

    /// Calls `each` for the elements of this node: their positions in the whole array, and their bytes.
    ///
    /// # Safety
    /// The memory is the block of this node.
    unsafe fn for_each_own(&self, node: &Node, mut each: impl FnMut(usize, &mut [u8])) -> Result<()> {
        let block = Block::new(&self.declaration, node.here())?;
        if !block.is_member {
            return Ok(());
        }
        let mut places = vec![(0_usize, 0_i64)];
        for (axis, extent) in block.axes.iter().zip(self.extents()) {
            let mut owned: Vec<i64> = axis.owned().into_iter().flat_map(|it| it.indices()).collect();
            owned.sort_unstable();
            let along = |(position, offset): &(usize, i64)| {
                let (position, offset) = (*position, *offset);
                let place = move |at: &i64| {
                    (position * *extent as usize + *at as usize, offset + axis.local.place(*at) * axis.stride)
                };
                owned.iter().map(place).collect::<Vec<_>>()
            };
            places = places.iter().flat_map(along).collect();
        }
        for (position, offset) in places {
            // SAFETY: an element of the caller's block.
            let own =
                unsafe { std::slice::from_raw_parts_mut(self.memory.offset(offset as isize), self.bytes()) };
            each(position, own);
        }
        Ok(())
    }
}

fn check_rank(view: &View, rank: usize, function: &str) -> Result<()> {
    match view.extents().len() {
        own if own == rank => Ok(()),
        own => {
            Err(XmpError::new(format!("`{function}` of `{}`, which has {own} axes, not {rank}", view.name())))
        }
    }
}

fn check_elements(views: &[&View], function: &str) -> Result<()> {
    match views.iter().find(|it| it.element != views[0].element || it.bytes() != views[0].bytes()) {
        Some(other) => Err(XmpError::new(format!(
            "`{function}` of `{}` and `{}`, whose elements have different types",
            views[0].name(),
            other.name()
        ))),
        None => Ok(()),
    }
}

fn check_extents(a: &View, b: &View, function: &str) -> Result<()> {
    match a.extents() == b.extents() {
        true => Ok(()),
        false => Err(XmpError::new(format!(
            "`{function}` of `{}` and `{}`, which have different numbers of elements",
            a.name(),
            b.name()
        ))),
    }
}

/// `to[i][j] = from[j][i]`
///
/// # Errors
/// The arrays do not match; a node has ended, or is in another construct.
///
/// # Safety
/// The views are of blocks of this node.
pub unsafe fn transpose(node: &mut Node, to: &View, from: &View) -> Result<()> {
    [to, from].into_iter().try_for_each(|it| check_rank(it, 2, "xmp_transpose"))?;
    let (target, source) = (to.side()?, from.side()?.transposed());
    let assignment = Assignment {
        to: &target,
        target: to.memory,
        from: &source,
        source: from.memory,
        on_device: (false, false),
    };
    // SAFETY: the caller's blocks.
    unsafe { node.gmove(&assignment, Construct::Intrinsic, None) }
}

/// An array in blocks as a part of another one is: along one of its axes as that array, whole along the
/// other.
struct Operand {
    block: Block,
    memory: Vec<u8>,
}

/// # Safety
/// The view is of a block of this node.
unsafe fn operand(node: &mut Node, of: &View, like: &Declaration, axis: usize) -> Result<Operand> {
    let mut alignments = vec![Alignment { template_axis: None, offset: 0 }; 2];
    alignments[axis] = like.alignments[axis];
    let declaration = Arc::new(Declaration {
        name: of.name().to_owned(),
        element_bytes: of.declaration.element_bytes,
        extents: of.extents().to_vec(),
        template: Arc::clone(&like.template),
        alignments,
        shadows: vec![Shadow::default(); 2],
    });
    let block = Block::new(&declaration, node.here())?;
    let mut memory = vec![0; block.bytes() as usize];
    let (to, from) = (Side::new(Of::Global(declaration), None)?, of.side()?);
    let assignment = Assignment {
        to: &to,
        target: memory.as_mut_ptr(),
        from: &from,
        source: of.memory,
        on_device: (false, false),
    };
    // SAFETY: the caller's block, and a vector as long as the operand's.
    unsafe { node.gmove(&assignment, Construct::Intrinsic, None)? };
    Ok(Operand { block, memory })
}

impl Operand {
    fn element(&self, index: [i64; 2], bytes: usize) -> &[u8] {
        let places = self.block.axes.iter().zip(index).map(|(axis, at)| axis.local.place(at) * axis.stride);
        let start = places.sum::<i64>() as usize;
        &self.memory[start..start + bytes]
    }
}

/// `x = a * b`, of matrices.
///
/// # Errors
/// The arrays do not match; a node has ended, or is in another construct.
///
/// # Safety
/// The views are of blocks of this node.
pub unsafe fn multiply_matrices(node: &mut Node, x: &View, a: &View, b: &View) -> Result<()> {
    [x, a, b].into_iter().try_for_each(|it| check_rank(it, 2, "xmp_matmul"))?;
    check_elements(&[x, a, b], "xmp_matmul")?;
    let (rows, inner, columns) = (a.extents()[0], a.extents()[1], b.extents()[1]);
    if b.extents()[0] != inner || x.extents() != [rows, columns] {
        let text = |it: &View| format!("`{}[{}][{}]`", it.name(), it.extents()[0], it.extents()[1]);
        return Err(XmpError::new(format!("`xmp_matmul`: {} is not {} times {}", text(x), text(a), text(b))));
    }
    let product =
        Variable { value: Shape { element: x.element, bytes: x.bytes(), count: 1 }, locations: Vec::new() };
    product.check(Operator::Sum)?;
    // SAFETY: the caller's blocks.
    let (a_rows, b_columns) =
        unsafe { (operand(node, a, &x.declaration, 0)?, operand(node, b, &x.declaration, 1)?) };
    let bytes = x.bytes();
    let store = |position: usize, own: &mut [u8]| {
        let (row, column) = (position as i64 / columns, position as i64 % columns);
        own.fill(0);
        for at in 0..inner {
            let mut term = [0_u8; 32];
            term[..bytes].copy_from_slice(a_rows.element([row, at], bytes));
            product.combine(Operator::Product, &mut term[..bytes], b_columns.element([at, column], bytes));
            product.combine(Operator::Sum, own, &term[..bytes]);
        }
    };
    let typed = |position: usize, own: &mut [u8]| {
        let (row, column) = (position as i64 / columns, position as i64 % columns);
        let number = |it: &[u8]| f64::from_ne_bytes(it.try_into().unwrap_or_default());
        let terms = (0..inner).map(|at| {
            number(a_rows.element([row, at], bytes)) * number(b_columns.element([at, column], bytes))
        });
        own.copy_from_slice(&terms.sum::<f64>().to_ne_bytes());
    };
    // SAFETY: the caller's block.
    unsafe {
        match x.element {
            Element::Number(crate::layout::slot::F64) => x.for_each_own(node, typed),
            _ => x.for_each_own(node, store),
        }
    }
}

/// `to` is `from` in ascending or descending order.
///
/// # Errors
/// The arrays do not match; a node has ended, or is in another construct.
///
/// # Safety
/// The views are of blocks of this node.
pub unsafe fn sort(node: &mut Node, from: &View, to: &View, is_ascending: bool) -> Result<()> {
    let function = if is_ascending { "xmp_sort_up" } else { "xmp_sort_down" };
    [from, to].into_iter().try_for_each(|it| check_rank(it, 1, function))?;
    check_elements(&[from, to], function)?;
    check_extents(from, to, function)?;
    let is_number = matches!(from.element, Element::Bool | Element::Number(_));
    if !is_number {
        return Err(XmpError::new(format!(
            "`{function}` of `{}`, whose elements have no order",
            from.name()
        )));
    }
    // SAFETY: the caller's block.
    let all = unsafe { from.gathered(node)? };
    let mut elements: Vec<&[u8]> = all.chunks_exact(from.bytes()).collect();
    elements.sort_by(|a, b| {
        let order = compare_totally(a, b, from.element);
        if is_ascending { order } else { order.reverse() }
    });
    // SAFETY: the caller's block.
    unsafe { to.for_each_own(node, |position, own| own.copy_from_slice(elements[position])) }
}

/// An integer of an index array.
fn integer(bytes: &[u8]) -> i64 {
    match bytes.len() {
        8 => i64::from_ne_bytes(bytes.try_into().unwrap_or_default()),
        4 => i32::from_ne_bytes(bytes.try_into().unwrap_or_default()).into(),
        2 => i16::from_ne_bytes(bytes.try_into().unwrap_or_default()).into(),
        _ => bytes.first().copied().unwrap_or(0).into(),
    }
}

/// Positions in an array from the elements of index arrays at `position`.
fn indexed(of: &View, indices: &[(Vec<u8>, usize)], position: usize, function: &str) -> Result<usize> {
    let mut found = 0;
    for ((all, bytes), extent) in indices.iter().zip(of.extents()) {
        let index = integer(&all[position * bytes..(position + 1) * bytes]);
        if !(0..*extent).contains(&index) {
            return Err(XmpError::new(format!(
                "`{function}`: the index {index} is outside of `{}`, which has {extent} elements along that axis",
                of.name()
            )));
        }
        found = found * extent + index;
    }
    Ok(found as usize)
}

/// # Safety
/// The views are of blocks of this node.
unsafe fn index_arrays(
    node: &mut Node,
    of: &View,
    shape: &View,
    indices: &[View],
    function: &str,
) -> Result<Vec<(Vec<u8>, usize)>> {
    if indices.len() != of.extents().len() {
        return Err(XmpError::new(format!(
            "`{function}` of `{}` with {} index arrays",
            of.name(),
            indices.len()
        )));
    }
    let mut all = Vec::new();
    for it in indices {
        check_extents(shape, it, function)?;
        // SAFETY: the caller's block.
        all.push((unsafe { it.gathered(node)? }, it.bytes()));
    }
    Ok(all)
}

/// `x[i] = a[indices[i]]`, with an index array for each axis of `a`.
///
/// # Errors
/// The arrays do not match; an index is outside; a node has ended, or is in another construct.
///
/// # Safety
/// The views are of blocks of this node.
pub unsafe fn gather(node: &mut Node, x: &View, a: &View, indices: &[View]) -> Result<()> {
    check_elements(&[x, a], "xmp_gather")?;
    // SAFETY: the caller's blocks.
    let (indices, source) = unsafe { (index_arrays(node, a, x, indices, "xmp_gather")?, a.gathered(node)?) };
    let (bytes, mut outcome) = (x.bytes(), Ok(()));
    let store = |position: usize, own: &mut [u8]| match indexed(a, &indices, position, "xmp_gather") {
        Ok(from) => own.copy_from_slice(&source[from * bytes..(from + 1) * bytes]),
        Err(error) => outcome = Err(error),
    };
    // SAFETY: the caller's block.
    unsafe { x.for_each_own(node, store)? };
    outcome
}

/// `x[indices[i]] = a[i]`, with an index array for each axis of `x`.
///
/// # Errors
/// The arrays do not match; an index is outside; a node has ended, or is in another construct.
///
/// # Safety
/// The views are of blocks of this node.
pub unsafe fn scatter(node: &mut Node, x: &View, a: &View, indices: &[View]) -> Result<()> {
    check_elements(&[x, a], "xmp_scatter")?;
    // SAFETY: the caller's blocks.
    let (indices, source) = unsafe { (index_arrays(node, x, a, indices, "xmp_scatter")?, a.gathered(node)?) };
    let bytes = x.bytes();
    let mut chosen = rustc_hash::FxHashMap::default();
    for position in 0..source.len() / bytes.max(1) {
        chosen.insert(indexed(x, &indices, position, "xmp_scatter")?, position);
    }
    let store = |position: usize, own: &mut [u8]| {
        if let Some(from) = chosen.get(&position) {
            own.copy_from_slice(&source[from * bytes..(from + 1) * bytes]);
        }
    };
    // SAFETY: the caller's block.
    unsafe { x.for_each_own(node, store) }
}

/// Positions of a mask's true elements, in order; all without a mask.
///
/// # Safety
/// The view is of a block of this node.
unsafe fn true_positions(
    node: &mut Node,
    of: &View,
    mask: Option<&View>,
    function: &str,
) -> Result<Vec<usize>> {
    let Some(mask) = mask else { return Ok((0..of.extents().iter().product::<i64>() as usize).collect()) };
    check_extents(of, mask, function)?;
    // SAFETY: the caller's block.
    let all = unsafe { mask.gathered(node)? };
    let is_true = |it: &(usize, &[u8])| it.1.iter().any(|byte| *byte != 0);
    Ok(all.chunks_exact(mask.bytes()).enumerate().filter(is_true).map(|it| it.0).collect())
}

/// The first elements of `v` are those of `a` where the mask is true, in order.
///
/// # Errors
/// The arrays do not match; a node has ended, or is in another construct.
///
/// # Safety
/// The views are of blocks of this node.
pub unsafe fn pack(node: &mut Node, v: &View, a: &View, mask: Option<&View>) -> Result<()> {
    check_rank(v, 1, "xmp_pack")?;
    check_elements(&[v, a], "xmp_pack")?;
    // SAFETY: the caller's blocks.
    let (chosen, source) = unsafe { (true_positions(node, a, mask, "xmp_pack")?, a.gathered(node)?) };
    check_room(v, chosen.len(), "xmp_pack")?;
    let bytes = v.bytes();
    let store = |position: usize, own: &mut [u8]| {
        if let Some(from) = chosen.get(position) {
            own.copy_from_slice(&source[from * bytes..(from + 1) * bytes]);
        }
    };
    // SAFETY: the caller's block.
    unsafe { v.for_each_own(node, store) }
}

/// The elements of `a` where the mask is true are the first ones of `v`, in order.
///
/// # Errors
/// The arrays do not match; a node has ended, or is in another construct.
///
/// # Safety
/// The views are of blocks of this node.
pub unsafe fn unpack(node: &mut Node, a: &View, v: &View, mask: Option<&View>) -> Result<()> {
    check_rank(v, 1, "xmp_unpack")?;
    check_elements(&[a, v], "xmp_unpack")?;
    // SAFETY: the caller's blocks.
    let (chosen, source) = unsafe { (true_positions(node, a, mask, "xmp_unpack")?, v.gathered(node)?) };
    check_room(v, chosen.len(), "xmp_unpack")?;
    let bytes = v.bytes();
    let store = |position: usize, own: &mut [u8]| {
        if let Ok(from) = chosen.binary_search(&position) {
            own.copy_from_slice(&source[from * bytes..(from + 1) * bytes]);
        }
    };
    // SAFETY: the caller's block.
    unsafe { a.for_each_own(node, store) }
}

fn check_room(v: &View, count: usize, function: &str) -> Result<()> {
    match v.extents()[0] as usize {
        size if size < count => Err(XmpError::new(format!(
            "`{function}`: the mask has {count} true elements, and `{}` has {size}",
            v.name()
        ))),
        _ => Ok(()),
    }
}
