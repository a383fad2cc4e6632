//! CPU form of a kernel: a loop over blocks, in which each parallel region is a work-item loop that the C++
//! compiler vectorises (Jaaskelainen and others, *pocl: A Performance-Portable OpenCL Implementation*, IJPP
//! 2015). As on a device, the order of threads within a region is unspecified.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::code::{Code, RailSpelling, Scope, Target};
use super::access_summary::{AccessSummary, is_only_indexed};
use super::regions::{RegionNode, RegionTree, Storage, form_regions};
use super::unroll_collectives::{WARP_ELEMENT, block_local_rails, find_unrolled_loop};
use apg_mir::*;

/// Prints the function `cpu_KERNEL`.
pub fn print_cpu_function(code: &mut Code<'_>, id: KernelId) {
    let kernel = &code.program.kernels[id.index()];
    let symbol = code.names.kernels[id.index()].clone();
    let tree = form_regions(kernel);
    code.target = Target::Cpu;
    code.result = Ty::Void;
    code.scopes.clear();
    code.locals = Code::plain_locals(&kernel.locals);
    code.shared = kernel.shared.iter().map(|it| it.local).collect();
    code.stack_rails(&kernel.body);
    let bounds = super::bounds::analyse_kernel(code.program, code.names, id);
    code.check_elimination = bounds.check_elimination;
    code.wide = bounds.wide;
    code.rematerialized = tree.rematerialized.iter().map(|it| it.local).collect();
    code.out.no_position();
    let parameters = "const void *env_, const apg_launch *launch_, apg_i64 first_, apg_i64 last_";
    code.out.open(format!("template <bool proven_> static apg_object *run_{symbol}({parameters}) {{"));
    code.out.line(format!("const E{symbol} &env = *(const E{symbol} *)env_; (void)env;"));
    declare_extents(code, kernel);
    declare_captures(code, kernel);
    let scratch = allocate_scratch(code, kernel, &tree);
    code.out.line("apg_object *result_ = nullptr;");
    code.out.open("try {");
    print_blocks(code, kernel, &tree);
    code.out.close(
        "} catch (apg_object *x_) { result_ = x_; } catch (const apg_kernel_fault &x_) { apg_record(launch_, x_); }",
    );
    if scratch {
        code.out.line("free(scratch_);");
    }
    code.out.line("return result_;");
    code.out.close("}");
    let run = match super::depends_on_launch(code.program, code.names, id) {
        _ if code.program.debug => format!("run_{symbol}<false>"),
        true => format!("(launch_->proven & 3) == 3 ? run_{symbol}<true> : run_{symbol}<false>"),
        false => format!("run_{symbol}<true>"),
    };
    code.out.no_position();
    code.out.line(format!(
        "apg_object *cpu_{symbol}({parameters}) {{ return ({run})(env_, launch_, first_, last_); }}"
    ));
    code.target = Target::Host;
    code.shared.clear();
    code.widened_locals.clear();
    code.rematerialized.clear();
    code.preloaded.clear();
}

/// Prints the loop over blocks. With block interchange it runs only the blocks that are not part of a strip.
fn print_blocks<'k>(code: &mut Code<'_>, kernel: &'k Kernel, tree: &RegionTree<'k>) {
    let interchange = super::block_interchange::find_block_interchange(tree);
    match &interchange {
        Some(interchange) => {
            Printer::new(code, kernel, tree).open_block_strips(interchange);
            code.out.open("for (apg_i64 block_ = strip_; block_ < next_; ++block_) {");
        }
        None => code.out.open("for (apg_i64 block_ = first_; block_ < last_; ++block_) {"),
    }
    // Code that runs once per block runs as the first thread.
    code.out.line("const apg_i64 r_ = 0; (void)r_;");
    declare_block_indices(code, kernel, BLOCK);
    for (index, class) in tree.storage.iter().enumerate() {
        if *class == Storage::Uniform {
            code.declare(index..index + 1);
        }
    }
    for derived in tree.rematerialized.iter().filter(|it| it.has_offset) {
        code.out.line(format!("apg_i64 {}_u = 0;", code.local(derived.local).text));
    }
    for (rail, length) in block_local_rails(tree) {
        let place = code.local(rail);
        let element = kernel.shared.iter().find(|it| it.local == rail).map_or(Ty::I32, |it| it.element);
        let ty = code.ty(element);
        code.out.line(format!("alignas(64) {ty} {}[{length}];", place.text));
    }
    initialise_shared(code, kernel);
    let mut printer = Printer::new(code, kernel, tree);
    printer.print_nodes(&tree.nodes);
    code.out.close("}");
    if interchange.is_some() {
        code.out.close("}");
    }
}

/// Declares the block's extents, as literals where they are constants.
fn declare_extents(code: &mut Code<'_>, kernel: &Kernel) {
    for axis in 0..3 {
        let extent =
            kernel.host.threads.len().checked_sub(axis + 1).and_then(|it| kernel.host.threads.get(it));
        let text = match extent.map(super::constant) {
            None => "1".to_owned(),
            Some(Some(value)) => value.max(0).to_string(),
            Some(None) => format!("launch_->threads[{axis}]"),
        };
        code.out.line(format!("const apg_i64 n{axis}_ = {text};"));
    }
    code.out.line("const apg_i64 threads_ = n0_ * n1_ * n2_; (void)threads_;");
}

fn declare_captures(code: &mut Code<'_>, kernel: &Kernel) {
    let accesses = AccessSummary::of(kernel);
    for (index, capture) in kernel.captures.iter().enumerate() {
        let text = code.locals[index].text.clone();
        let (element, member, length) = match capture.kind {
            KernelCaptureKind::Scalar(ty) => {
                let ty = code.ty(ty);
                code.out.line(format!("const {ty} {text} = env.m{index};"));
                continue;
            }
            KernelCaptureKind::Rail { element } | KernelCaptureKind::ConstantRail { element } => {
                (element, "data", "length")
            }
            KernelCaptureKind::GlobalRail { element } => (element, "handle", "size"),
        };
        let ty = code.ty(element);
        let constant = if accesses.is_read_only(LocalId(index as u32)) { "const " } else { "" };
        code.out.line(format!("{constant}{ty} *const {text} = ({constant}{ty} *)env.m{index}.{member};"));
        declare_debug_length(code, &text, &format!("env.m{index}.{length}"));
        code.locals[index].rail = Some(RailSpelling::new(text, format!("env.m{index}.{length}")));
    }
    for (local, text) in [
        (kernel.auto_blocks, "(apg_i64)launch_->blocks[0] * launch_->blocks[1] * launch_->blocks[2]"),
        (kernel.auto_threads, "threads_"),
    ] {
        if let Some(local) = local {
            let place = code.local(local);
            let ty = code.ty(place.ty);
            code.out.line(format!("const {ty} {} = ({ty})({text});", place.text));
        }
    }
}

/// Tells a debugger the number of elements behind a pointer.
fn declare_debug_length(code: &mut Code<'_>, pointer: &str, length: &str) {
    if code.program.debug {
        code.out.line(format!("const apg_i64 {pointer}_n = {length};"));
    }
}

/// Allocates the shared rails and the context arrays; returns whether there are any.
fn allocate_scratch(code: &mut Code<'_>, kernel: &Kernel, tree: &RegionTree<'_>) -> bool {
    let mut parts = Vec::new();
    let of_blocks = block_local_rails(tree);
    for (number, rail) in kernel.shared.iter().enumerate() {
        let ty = code.ty(rail.element);
        let length = format!("launch_->shared_lengths[{number}]");
        let text = code.local(rail.local).text;
        if !of_blocks.iter().any(|it| it.0 == rail.local) {
            parts.push((ty, text.clone(), length.clone()));
        }
        code.locals[rail.local.index()].rail = Some(RailSpelling::new(text, format!("((apg_i64){length})")));
    }
    for (index, class) in tree.storage.iter().enumerate() {
        if *class == Storage::ContextArray {
            let place = code.locals[index].clone();
            if let Some((element, length)) = place.stack {
                let ty = code.ty(element);
                parts.push((ty, format!("{}_", place.text), format!("threads_ * {length}")));
                let rail = match is_only_indexed(kernel, LocalId(index as u32)) {
                    true => RailSpelling {
                        data: format!("{}_", place.text),
                        length: format!("{length}LL"),
                        lane: Some(("threads_".into(), "r_".into())),
                    },
                    false => {
                        RailSpelling::new(format!("({}_ + r_ * {length})", place.text), format!("{length}LL"))
                    }
                };
                code.locals[index].rail = Some(rail);
                continue;
            }
            let ty = code.ty(place.ty);
            parts.push((ty, format!("{}_", place.text), "threads_".into()));
            code.locals[index].text = format!("{}_[r_]", place.text);
        }
    }
    if parts.is_empty() {
        return false;
    }
    code.out.line("unsigned long bytes_ = 64;");
    for (number, (ty, _, length)) in parts.iter().enumerate() {
        code.out.line(format!(
            "const unsigned long at{number}_ = bytes_; bytes_ += ((unsigned long)({length}) * sizeof({ty}) + 63) & ~63ul;"
        ));
    }
    code.out.line("char *const scratch_ = (char *)malloc(bytes_);");
    code.out.line(
        "if (!scratch_) return apg_rt->raise(APG_OUT_OF_MEMORY_EXCEPTION, \"no memory for the shared rails and the locals of a kernel's block\");",
    );
    code.out.line("char *const base_ = (char *)(((unsigned long)scratch_ + 63) & ~63ul) - 64;");
    let rotated: Vec<String> = super::pointer_rotation::rotated_locals(kernel, &tree.storage, &tree.nodes)
        .iter()
        .map(|it| context_array(code, *it))
        .collect();
    for (number, (ty, name, length)) in parts.iter().enumerate() {
        let fixed = if rotated.contains(name) { "" } else { "const __restrict__ " };
        code.out.line(format!("{ty} *{fixed}{name} = ({ty} *)(base_ + at{number}_);"));
        declare_debug_length(code, name, length);
    }
    true
}

/// The context array of a scalar local.
pub fn context_array(code: &Code<'_>, local: LocalId) -> String {
    code.local(local).text.trim_end_matches("[r_]").to_owned()
}

/// Index of a block in its grid, by axis.
const BLOCK: [&str; 3] = [
    "block_ % launch_->blocks[0]",
    "block_ / launch_->blocks[0] % launch_->blocks[1]",
    "block_ / launch_->blocks[0] / launch_->blocks[1]",
];

/// Declares the block indices; `axes` are their values, the fastest first.
pub fn declare_block_indices(code: &mut Code<'_>, kernel: &Kernel, axes: [&str; 3]) {
    let count = kernel.block_locals.len();
    for (position, local) in kernel.block_locals.iter().enumerate() {
        let place = code.local(*local);
        let ty = code.ty(place.ty);
        let text = if count == 1 { "block_" } else { axes[(count - 1 - position).min(2)] };
        code.out.line(format!("const {ty} {} = ({ty})({text});", place.text));
    }
}

fn initialise_shared(code: &mut Code<'_>, kernel: &Kernel) {
    let overwritten = super::init_barrier::overwritten_rails(kernel);
    for (number, rail) in kernel.shared.iter().enumerate() {
        if overwritten.contains(&rail.local) {
            continue;
        }
        code.out.open("{");
        if let SharedInit::Function { index, setup, .. } = &rail.init {
            let mut own = vec![*index];
            walk::visit_stmts(setup, &mut |stmt| {
                if let StmtKind::Set { local, .. } = &stmt.kind
                    && !own.contains(local)
                {
                    own.push(*local);
                }
            });
            for local in own {
                code.declare(local.index()..local.index() + 1);
            }
        }
        let head = format!("for (apg_i64 i_ = 0; i_ < launch_->shared_lengths[{number}]; ++i_) {{");
        super::print_fill(code, rail, &head);
        code.out.close("}");
    }
}

/// Prints the nodes of a region tree.
pub struct Printer<'c, 'p, 'k> {
    pub code: &'c mut Code<'p>,
    pub kernel: &'k Kernel,
    pub tree: &'c RegionTree<'k>,
    /// Number of the last label.
    pub labels: u32,
    /// Code at the begin of each row of a region.
    pub(super) row_prologues: FxHashMap<*const RegionNode<'k>, String>,
    /// That of the region that is being printed.
    pub(super) row_prologue: String,
    /// The code is inside of a warp region.
    pub(super) in_warp: bool,
}

impl<'c, 'p, 'k> Printer<'c, 'p, 'k> {
    fn new(code: &'c mut Code<'p>, kernel: &'k Kernel, tree: &'c RegionTree<'k>) -> Self {
        let (row_prologues, row_prologue) = (FxHashMap::default(), String::new());
        Printer { code, kernel, tree, labels: 0, row_prologues, row_prologue, in_warp: false }
    }
}

impl<'k> Printer<'_, '_, 'k> {
    pub(super) fn print_nodes(&mut self, nodes: &[RegionNode<'k>]) {
        for (index, node) in nodes.iter().enumerate() {
            self.code.out.no_position();
            match node {
                RegionNode::Parallel(stmts) if stmts.is_empty() => {}
                RegionNode::Parallel(stmts) if self.in_warp => self.print_warp_region(stmts),
                RegionNode::Warps(body) => self.print_warps(body),
                RegionNode::Parallel(stmts) => {
                    self.row_prologue =
                        self.row_prologues.remove(&std::ptr::from_ref(node)).unwrap_or_default();
                    self.print_parallel_region(stmts);
                    self.row_prologue.clear();
                }
                RegionNode::GridStride(stride) => self.print_grid_stride(stride),
                RegionNode::Uniform(stmt) | RegionNode::Jump(stmt) => self.code.stmt(stmt),
                RegionNode::Offset(stmt) => self.print_offset(stmt),
                RegionNode::Collective(stmt) => self.print_collective(stmt),
                RegionNode::If(stmt, then, otherwise) => self.print_branch(stmt, then, otherwise),
                RegionNode::Loop(stmt, body, update) => {
                    match find_unrolled_loop(self.tree, &nodes[..index], stmt, body, update) {
                        Some(unrolled) => self.print_unrolled_loop(&unrolled, stmt, body, update),
                        None => self.print_loop_node(stmt, body, update),
                    }
                }
                RegionNode::Labeled(label, body) => {
                    self.code.scopes.push(Scope::Labeled { label: *label, used: false });
                    self.code.out.open("{");
                    self.print_nodes(body);
                    self.code.out.close("}");
                    if let Some(Scope::Labeled { used: true, .. }) = self.code.scopes.pop() {
                        self.code.out.line(format!("b{}: ;", label.0));
                    }
                }
                RegionNode::Switch(stmt, cases) => self.print_switch(stmt, cases),
            }
        }
    }

    /// The value of a block-uniform expression.
    pub fn uniform_value(&mut self, expr: &Expr) -> String {
        let ty = self.code.ty(expr.ty);
        let value = self.code.expr(expr);
        let names = self.thread_declarations(&value);
        if names.is_empty() && !value.contains("[r_]") && !value.contains("+ r_ * ") {
            return value;
        }
        let one = if self.in_warp { "base_" } else { "0" };
        format!("({{ const apg_i64 r_ = {one}; {names}const {ty} common_ = {value}; common_; }})")
    }

    /// Declarations of the indices of thread `r_` that an expression mentions, and of the rematerialised
    /// locals.
    fn thread_declarations(&mut self, value: &str) -> String {
        let derived: Vec<LocalId> = self.tree.rematerialized.iter().map(|it| it.local).collect();
        let all = derived.iter().any(|it| value.contains(&self.code.local(*it).text));
        let mut names = String::new();
        for local in &self.kernel.thread_locals {
            let place = self.code.local(*local);
            if all || value.contains(&place.text) {
                let ty = self.code.ty(place.ty);
                let rank = self.rank_to_index(*local);
                names.push_str(&format!("const {ty} {} = ({ty})({rank}); ", place.text));
            }
        }
        if all {
            names.push_str(&self.print_rematerialized(&derived.into_iter().collect(), false).join(" "));
        }
        names
    }

    /// Prints a uniform step of a rematerialised local, or the reset of its offset.
    fn print_offset(&mut self, stmt: &Stmt) {
        let StmtKind::Set { local, value } = &stmt.kind else { return };
        self.code.at(stmt.position);
        let name = self.code.local(*local).text;
        let line = match super::rematerialize::as_step(value, *local) {
            None => format!("{name}_u = 0;"),
            Some((by, minus)) => {
                let sign = if minus { "-" } else { "+" };
                format!("{name}_u {sign}= {};", self.code.wide_value(by))
            }
        };
        self.code.out.line(line);
    }

    /// Prints a collective operation of a warp or block: a call whose operands are functions of the thread's
    /// rank, and whose result is one value or an array.
    fn print_collective(&mut self, stmt: &Stmt) {
        let StmtKind::Set { local, value } = &stmt.kind else { return };
        let ExprKind::Collective { operation, args } = &value.kind else { return };
        self.code.at(stmt.position);
        let (count, rank, thread) = match self.in_warp {
            true => ("lanes_", "apg_i64 lane_", "const apg_i64 r_ = base_ + lane_; "),
            false => ("threads_", "apg_i64 r_", ""),
        };
        let mut text = vec![count.to_owned()];
        let shifts = operation.name.starts_with("warp_shuffle");
        for (position, arg) in args.iter().enumerate() {
            if shifts && position == 1 && self.tree.is_uniform(arg, &FxHashSet::default()) {
                text.push(self.code.expr(arg));
                continue;
            }
            let ty = self.code.ty(arg.ty);
            let value = self.code.expr(arg);
            if let Some(array) = self.operand_array(arg, *local) {
                text.push(format!("apg_kept<{ty}>{{{array}}}"));
                continue;
            }
            let names = self.thread_declarations(&value);
            text.push(format!("[&]({rank}) -> {ty} {{ {thread}(void)r_; {names}return {value}; }}"));
        }
        let ty = self.code.ty(args.first().map_or(value.ty, |it| it.ty));
        let place = self.code.local(*local).text;
        let call = |text: &[String]| format!("apg_{}<{ty}>({})", operation.name, text.join(", "));
        let line = match self.thread_array(&place) {
            Some(all) if !operation.is_uniform => {
                text.insert(0, all);
                format!("{};", call(&text))
            }
            _ => format!("{place} = {};", call(&text)),
        };
        self.code.out.line(line);
    }

    /// The array that already holds an operand of all threads, unless the result goes there.
    fn operand_array(&self, operand: &Expr, result: LocalId) -> Option<String> {
        let ExprKind::Local(local) = operand.kind else { return None };
        let place = self.code.local(local);
        let is_number = local != result && place.stack.is_none();
        is_number.then(|| self.thread_array(&place.text)).flatten()
    }

    /// The array of a local with an element for each thread that takes part in a collective operation.
    fn thread_array(&self, place: &str) -> Option<String> {
        let from = if self.in_warp { " + base_" } else { "" };
        let of_block = place.strip_suffix("[r_]").map(|it| format!("{it}{from}"));
        of_block.or_else(|| place.strip_suffix(WARP_ELEMENT).map(str::to_owned))
    }

    /// Index of thread `r_` on an axis.
    pub(super) fn rank_to_index(&self, local: LocalId) -> String {
        let position = self.kernel.thread_locals.iter().position(|it| *it == local).unwrap_or(0);
        if self.kernel.thread_locals.len() == 1 {
            return "r_".into();
        }
        match self.kernel.thread_locals.len() - 1 - position {
            0 => "r_ % n0_".into(),
            1 => "r_ / n0_ % n1_".into(),
            _ => "r_ / n0_ / n1_".into(),
        }
    }

    fn print_branch(&mut self, stmt: &Stmt, then: &[RegionNode<'k>], otherwise: &[RegionNode<'k>]) {
        let StmtKind::If { condition, .. } = &stmt.kind else { return };
        self.code.at(stmt.position);
        let condition = self.uniform_value(condition);
        self.code.out.open(format!("if ({condition}) {{"));
        self.print_nodes(then);
        if !otherwise.is_empty() {
            self.code.out.between("} else {");
            self.print_nodes(otherwise);
        }
        self.code.out.close("}");
    }

    pub(super) fn print_loop_node(
        &mut self,
        stmt: &'k Stmt,
        body: &[RegionNode<'k>],
        update: &[RegionNode<'k>],
    ) {
        let StmtKind::Loop { label, condition, post_tested, .. } = &stmt.kind else { return };
        self.code.at(stmt.position);
        let condition = self.uniform_value(condition);
        let head = if *post_tested { "do {".to_owned() } else { format!("while ({condition}) {{") };
        self.code.out.open(head);
        self.code.scopes.push(Scope::Breakable {
            label: *label,
            is_loop: true,
            break_used: false,
            continue_used: false,
        });
        if !self.in_warp {
            self.prefetch_later_iterations(stmt, body);
        }
        self.code.out.open("{");
        self.print_nodes(body);
        self.code.out.close("}");
        if let Some(Scope::Breakable { continue_used: true, .. }) = self.code.scopes.last() {
            self.code.out.line(format!("n{}: ;", label.0));
        }
        self.print_nodes(update);
        let scope = self.code.scopes.pop();
        self.code.out.close(if *post_tested { format!("}} while ({condition});") } else { "}".to_owned() });
        if let Some(Scope::Breakable { break_used: true, .. }) = scope {
            self.code.out.line(format!("b{}: ;", label.0));
        }
    }

    fn print_switch(&mut self, stmt: &Stmt, bodies: &[Vec<RegionNode<'k>>]) {
        let StmtKind::Switch { label, value, cases } = &stmt.kind else { return };
        self.code.at(stmt.position);
        let text = self.uniform_value(value);
        self.code.out.open(format!("switch ({text}) {{"));
        self.code.scopes.push(Scope::Breakable {
            label: *label,
            is_loop: false,
            break_used: false,
            continue_used: false,
        });
        for ((labels, _), body) in cases.iter().zip(bodies) {
            for case in labels {
                let text = match case {
                    Some(case) => format!("case {}:", self.code.integer(*case, value.ty)),
                    None => "default:".into(),
                };
                self.code.out.line(text);
            }
            self.code.out.open("{");
            self.print_nodes(body);
            self.code.out.close("}");
        }
        let scope = self.code.scopes.pop();
        self.code.out.close("}");
        if let Some(Scope::Breakable { break_used: true, .. }) = scope {
            self.code.out.line(format!("b{}: ;", label.0));
        }
    }
}
