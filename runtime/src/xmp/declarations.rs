//! Declarations of a running program: grids that templates fix later, and arrays with their local memory.

use std::ffi::c_void;
use std::sync::Arc;

use parking_lot::Mutex;

use super::array::{Alignment, Block, Declaration, Shadow};
use super::error::{Result, XmpError};
use super::exchange::Plan;
use super::grid::Grid;
use super::layout::{self, Axis};
use super::node::Node;
use super::one_sided;
use super::reduction::Element;
use super::reflect::{self, Width};

/// A grid, and the arrays that wait until it is fixed.
pub struct GridState {
    /// Nodes, or a template.
    pub grid: Arc<Grid>,
    /// Their addresses.
    pub(super) waiting: Vec<usize>,
}

/// A grid that arrays and other grids refer to.
#[derive(Clone)]
pub struct SharedGrid(pub Arc<Mutex<GridState>>);

impl std::fmt::Debug for SharedGrid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SharedGrid")
    }
}

impl SharedGrid {
    /// A grid that nothing refers to yet.
    pub fn new(grid: Grid) -> SharedGrid {
        SharedGrid(Arc::new(Mutex::new(GridState { grid: Arc::new(grid), waiting: Vec::new() })))
    }

    /// The grid as it is now.
    pub fn get(&self) -> Arc<Grid> {
        Arc::clone(&self.0.lock().grid)
    }
}

/// What a plan of a reflection was made for.
type PlanKey = (Option<Vec<Width>>, bool);

/// An array of the program.
pub struct ArrayState {
    /// Its name.
    pub name: String,
    /// Type of its elements.
    pub element: Element,
    element_bytes: i64,
    /// Elements of each axis; 0 for those that are not known.
    extents: Vec<i64>,
    alignments: Vec<Alignment>,
    shadows: Vec<Shadow>,
    /// The template.
    pub template: SharedGrid,
    /// The variable of the program that points to the block; null where the program has the memory.
    variable: *mut *mut c_void,
    /// What is known of it once it has a block.
    pub placed: Option<Placed>,
    plans: Vec<(PlanKey, Arc<Vec<Plan>>)>,
    /// The plan of `reflect_init`.
    kept: Option<Arc<Vec<Plan>>>,
}

/// An array with a block.
pub struct Placed {
    /// What is declared.
    pub declaration: Arc<Declaration>,
    /// The block of this node.
    pub block: Block,
    /// The number under which other nodes know its memory, if they know it.
    pub segment: u64,
    /// Other nodes may access its memory: it is the runtime's.
    pub is_published: bool,
    /// Memory that ends with the array.
    memory: Option<*mut c_void>,
}

impl ArrayState {
    /// An array as it is declared.
    pub(super) fn new(
        name: String,
        element: Element,
        element_bytes: i64,
        extents: Vec<i64>,
        alignments: Vec<Alignment>,
        template: SharedGrid,
        variable: *mut *mut c_void,
    ) -> ArrayState {
        let shadows = vec![Shadow::default(); extents.len()];
        ArrayState {
            name,
            element,
            element_bytes,
            extents,
            alignments,
            shadows,
            template,
            variable,
            placed: None,
            plans: Vec::new(),
            kept: None,
        }
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// Bytes of an element.
    pub fn element_bytes(&self) -> i64 {
        self.element_bytes
    }

    /// How each axis is aligned.
    pub fn alignments(&self) -> &[Alignment] {
        &self.alignments
    }

    /// The shadow of each axis.
    pub fn shadows(&self) -> &[Shadow] {
        &self.shadows
    }

    /// Its block.
    ///
    /// # Errors
    /// It has none yet.
    pub(super) fn placed(&self) -> Result<&Placed> {
        self.placed.as_ref().ok_or_else(|| {
            let template = self.template.get();
            match template.placed() {
                Err(error) => error,
                Ok(_) => XmpError::new(format!("the array `{}` has no memory yet", self.name))
                    .hint("`xmp_malloc` gives it some"),
            }
        })
    }

    /// Sets the shadow of each axis.
    ///
    /// # Errors
    /// A width is negative.
    pub(super) fn set_shadows(&mut self, shadows: Vec<Shadow>) -> Result<()> {
        if let Some(wrong) = shadows.iter().find(|it| it.below < 0 || it.above < 0) {
            return Err(XmpError::new(format!(
                "`{}` has a shadow of {}:{}",
                self.name, wrong.below, wrong.above
            )));
        }
        self.shadows = shadows;
        Ok(())
    }

    /// Lays the array out and gives it memory, if all is known that this needs. With `extents` the memory
    /// is the program's to free.
    ///
    /// # Errors
    /// The array does not fit its template, or there is no memory.
    ///
    /// # Safety
    /// `array` is the program's struct of this array, and the variable is valid.
    pub(super) unsafe fn place(
        &mut self,
        node: &mut Node,
        array: *mut layout::Array,
        extents: Option<Vec<i64>>,
    ) -> Result<()> {
        let is_program_memory = extents.is_some();
        let extents = extents.unwrap_or_else(|| self.extents.clone());
        if extents.contains(&0) && !is_program_memory && self.extents.contains(&0) {
            return Ok(());
        }
        let template = self.template.get();
        if template.placement.is_none() {
            let mut state = self.template.0.lock();
            if !state.waiting.contains(&(array as usize)) {
                state.waiting.push(array as usize);
            }
            return Ok(());
        }
        if let Some(wrong) = extents.iter().find(|it| **it < 0) {
            return Err(XmpError::new(format!(
                "the array `{}` has {wrong} elements along an axis",
                self.name
            )));
        }
        let declaration = Declaration {
            name: self.name.clone(),
            element_bytes: self.element_bytes,
            extents,
            template,
            alignments: self.alignments.clone(),
            shadows: self.shadows.clone(),
        };
        let block = Block::new(&declaration, node.here())?;
        let set = Arc::clone(&block.nodes.set);
        let segment = match self.placed.take() {
            Some(former) => {
                release(node, &former);
                former.segment
            }
            None => node.new_segment(&set),
        };
        let (mut memory, bytes) = (None, block.bytes());
        let is_published = is_program_memory || !self.variable.is_null();
        if is_published {
            let address = allocate(&self.name, bytes)?;
            // SAFETY: the caller's variable and array.
            unsafe {
                (*array).address = address;
                if !is_program_memory {
                    self.variable.write(address);
                }
            }
            memory = (!is_program_memory).then_some(address);
            // SAFETY: allocated memory, which is withdrawn before it is freed; of what the program frees,
            // accesses of other nodes are the program's mistake, as those of its own.
            unsafe { one_sided::publish(node.mailbox(), segment, address.cast(), bytes) };
        }
        // SAFETY: the caller's array.
        unsafe { describe(&block, &mut *array) };
        (self.plans, self.kept) = (Vec::new(), None);
        self.placed =
            Some(Placed { declaration: Arc::new(declaration), block, segment, is_published, memory });
        Ok(())
    }

    /// The array ends.
    pub(super) fn release(&mut self, node: &Node, array: *mut layout::Array) {
        self.template.0.lock().waiting.retain(|it| *it != array as usize);
        if let Some(placed) = self.placed.take() {
            one_sided::end(node.mailbox(), placed.segment);
            release(node, &placed);
        }
    }

    /// The plan of a reflection, made once.
    ///
    /// # Errors
    /// A width does not fit the shadow.
    pub(super) fn plan_reflect(
        &mut self,
        widths: Option<Vec<Width>>,
        is_orthogonal: bool,
    ) -> Result<Arc<Vec<Plan>>> {
        let key = (widths, is_orthogonal);
        if let Some((_, plan)) = self.plans.iter().find(|it| it.0 == key) {
            return Ok(Arc::clone(plan));
        }
        let plan =
            Arc::new(reflect::plan(&self.name, &self.placed()?.block, key.0.as_deref(), is_orthogonal)?);
        self.plans.push((key, Arc::clone(&plan)));
        Ok(plan)
    }

    /// Keeps the plan of `reflect_init`.
    pub(super) fn keep(&mut self, plan: Arc<Vec<Plan>>) {
        self.kept = Some(plan);
    }

    /// The plan of `reflect_init`.
    ///
    /// # Errors
    /// There was none.
    pub(super) fn kept(&self) -> Result<Arc<Vec<Plan>>> {
        self.kept
            .clone()
            .ok_or_else(|| XmpError::new(format!("`reflect_do` of `{}` without a `reflect_init`", self.name)))
    }
}

/// Bytes behind a block: programs that write slightly beyond it work as with implementations that round
/// sizes up.
const SLACK_BYTES: u64 = 256;

/// Zeroed memory, and some behind it.
fn allocate(name: &str, bytes: u64) -> Result<*mut c_void> {
    // SAFETY: any size is allowed.
    let address =
        unsafe { libc::calloc(usize::try_from(bytes.saturating_add(SLACK_BYTES)).unwrap_or(usize::MAX), 1) };
    match address.is_null() {
        true => Err(XmpError::new(format!(
            "there is no memory for the {bytes} bytes of the local block of `{name}`"
        ))),
        false => Ok(address),
    }
}

fn release(node: &Node, placed: &Placed) {
    one_sided::withdraw(node.mailbox(), placed.segment);
    if let Some(memory) = placed.memory {
        // SAFETY: allocated here, and freed once: the array forgets it.
        unsafe { libc::free(memory) };
    }
}

/// Tells the program where elements are.
fn describe(block: &Block, array: &mut layout::Array) {
    array.origin = 0;
    for ((axis, stride), map) in block.axes.iter().zip(&mut array.stride).zip(&mut array.axis) {
        *stride = axis.stride / block.element_bytes.max(1);
        *map = match axis.local {
            super::array::Local::Shift(by) => {
                array.origin += by * *stride;
                // Division by the greatest number changes no index.
                Axis { offset: 0, width: i64::MAX, cycle: i64::MAX }
            }
            super::array::Local::Cyclic { origin, width, cycle } => Axis { offset: -origin, width, cycle },
        };
    }
}

/// The block of a coarray: the same on all images.
pub struct CoarrayState {
    /// Its name.
    pub name: String,
    /// Bytes of an element.
    pub element_bytes: i64,
    /// Elements of each axis.
    pub extents: Vec<i64>,
    /// Images of each axis; 0 of the last one: what remains.
    pub coextents: Vec<i64>,
    /// The images.
    pub set: Arc<super::node_set::NodeSet>,
    /// The number under which other nodes know its memory.
    pub segment: u64,
    /// Its memory here.
    pub address: *mut u8,
}

impl CoarrayState {
    /// The node of an image with 0-based coordinates.
    ///
    /// # Errors
    /// There is no such image.
    pub fn node(&self, image: &[i64]) -> Result<u32> {
        // The first axis varies fastest, as in Fortran, and the last one is what remains.
        let (mut position, mut distance) = (0_i64, 1_i64);
        for (index, extent) in image.iter().zip(&self.coextents) {
            if *index < 0 || *extent > 0 && index >= extent {
                return Err(self.no_image(image));
            }
            position = position.saturating_add(index.saturating_mul(distance));
            distance = distance.saturating_mul(*extent);
        }
        let node = usize::try_from(position).ok().and_then(|it| self.set.nodes.get(it));
        node.copied().ok_or_else(|| self.no_image(image))
    }

    fn no_image(&self, image: &[i64]) -> XmpError {
        let text: Vec<String> = image.iter().map(ToString::to_string).collect();
        XmpError::new(format!(
            "image [{}] of the coarray `{}` does not exist: it has {} images",
            text.join("]["),
            self.name,
            self.set.nodes.len()
        ))
    }
}
