//! Scopes of a body: locals by block, the closures and activities around a use (captures), jump targets,
//! and the results of `return`.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::body::{Capture, Captured, LabelId, LocalId};
use crate::ty::Ty;

/// A construct whose code captures variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Closure,
    Async,
    /// A statement or expression.
    At,
    AtEach,
}

impl FrameKind {
    /// As messages call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            FrameKind::Closure => "closure",
            FrameKind::Async => "`async`",
            FrameKind::At => "`at`",
            FrameKind::AtEach => "`ateach`",
        }
    }
}

struct Frame {
    kind: FrameKind,
    captures: Vec<Captured>,
    /// Locals that code inside assigns.
    assigned: Vec<LocalId>,
}

/// A jump target.
struct Target {
    label: LabelId,
    /// Names given to it; a loop may have several.
    names: Vec<SmolStr>,
    is_loop: bool,
    is_switch: bool,
    /// How many frames are around it.
    depth: usize,
}

/// The result of resolving a jump.
pub(crate) enum JumpResolution {
    To(LabelId),
    /// The target lies outside the closure or activity.
    Outside(FrameKind),
    /// There is a target of that name, but it is no loop.
    NotALoop,
    None,
}

/// The result that `return` contributes to.
pub(crate) struct Returns {
    /// The declared result, or the one found so far; `None` until the first `return`.
    pub(crate) result: Option<Ty>,
    /// The result is declared.
    pub(crate) declared: bool,
    /// How many frames are around it.
    pub(crate) depth: usize,
}

#[derive(Default)]
pub(crate) struct Scopes {
    blocks: Vec<FxHashMap<SmolStr, LocalId>>,
    /// Of each local: how many frames are around its declaration, and whether it is a `var`.
    locals: Vec<(usize, bool)>,
    frames: Vec<Frame>,
    targets: Vec<Target>,
    pub(crate) returns: Vec<Returns>,
    next_label: u32,
    /// Labels whose loop follows.
    pending_labels: Vec<SmolStr>,
}

impl Scopes {
    pub(crate) fn enter(&mut self) {
        self.blocks.push(FxHashMap::default());
    }

    pub(crate) fn leave(&mut self) {
        self.blocks.pop();
    }

    /// A local was made: `local`s come in the order of their numbers.
    pub(crate) fn made(&mut self, mutable: bool) {
        self.locals.push((self.frames.len(), mutable));
    }

    /// Makes `local` visible under `name`; the local that it hides without a closure between, if any.
    pub(crate) fn declare(&mut self, name: &SmolStr, local: LocalId) -> Option<LocalId> {
        let hidden = self.local(name).filter(|&other| {
            let from = self.locals[other.0 as usize].0;
            !self.frames[from..].iter().any(|frame| frame.kind == FrameKind::Closure)
        });
        if let Some(block) = self.blocks.last_mut() {
            block.insert(name.clone(), local);
        }
        hidden
    }

    /// The local of that name.
    pub(crate) fn local(&self, name: &str) -> Option<LocalId> {
        self.blocks.iter().rev().find_map(|block| block.get(name)).copied()
    }

    /// The visible locals by name.
    pub(crate) fn visible(&self) -> Vec<(SmolStr, LocalId)> {
        let mut all: Vec<(SmolStr, LocalId)> = Vec::new();
        for (name, local) in self.blocks.iter().rev().flatten() {
            if !all.iter().any(|(other, _)| other == name) {
                all.push((name.clone(), *local));
            }
        }
        all.sort_by_key(|(_, local)| *local);
        all
    }

    /// All visible names, for suggestions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &SmolStr> {
        self.blocks.iter().flat_map(|block| block.keys())
    }

    // ---- frames

    pub(crate) fn enter_frame(&mut self, kind: FrameKind) {
        self.frames.push(Frame { kind, captures: Vec::new(), assigned: Vec::new() });
    }

    /// Ends the innermost frame; its captures, in order of first use.
    pub(crate) fn leave_frame(&mut self) -> Vec<Capture> {
        let Some(frame) = self.frames.pop() else { return Vec::new() };
        let shares = frame.kind == FrameKind::Async;
        let capture = |what: Captured| {
            let by_reference = match what {
                Captured::Local(local) => {
                    shares && (self.locals[local.0 as usize].1 || frame.assigned.contains(&local))
                }
                Captured::This => false,
            };
            Capture { what, by_reference }
        };
        frame.captures.iter().map(|&what| capture(what)).collect()
    }

    /// Whether code is inside a closure or activity of this body.
    pub(crate) fn frame_depth(&self) -> usize {
        self.frames.len()
    }

    /// A use of a local: captured by every frame since its declaration.
    pub(crate) fn use_local(&mut self, local: LocalId, assigned: bool) {
        let from = self.locals[local.0 as usize].0;
        for frame in self.frames.iter_mut().skip(from) {
            let what = Captured::Local(local);
            if !frame.captures.contains(&what) {
                frame.captures.push(what);
            }
            if assigned && !frame.assigned.contains(&local) {
                frame.assigned.push(local);
            }
        }
    }

    /// A use of `this`: captured by every frame.
    pub(crate) fn use_this(&mut self) {
        for frame in &mut self.frames {
            if !frame.captures.contains(&Captured::This) {
                frame.captures.push(Captured::This);
            }
        }
    }

    // ---- jumps

    /// `name:` before the next loop.
    pub(crate) fn label(&mut self, name: SmolStr) {
        self.pending_labels.push(name);
    }

    /// Labels that no loop took.
    pub(crate) fn take_labels(&mut self) -> Vec<SmolStr> {
        std::mem::take(&mut self.pending_labels)
    }

    pub(crate) fn enter_target(&mut self, is_loop: bool, is_switch: bool) -> LabelId {
        let label = LabelId(self.next_label);
        self.next_label += 1;
        let names = self.take_labels();
        self.targets.push(Target { label, names, is_loop, is_switch, depth: self.frames.len() });
        label
    }

    pub(crate) fn leave_target(&mut self) {
        self.targets.pop();
    }

    /// The target of `break` or `continue`.
    pub(crate) fn jump(&self, name: Option<&str>, is_break: bool) -> JumpResolution {
        let mut not_a_loop = false;
        for target in self.targets.iter().rev() {
            let named = match name {
                Some(name) => target.names.iter().any(|n| n == name),
                None => target.is_loop || (is_break && target.is_switch),
            };
            if !named {
                continue;
            }
            if !is_break && !target.is_loop {
                not_a_loop = true;
                continue;
            }
            return match self.frames.get(target.depth) {
                Some(frame) => JumpResolution::Outside(frame.kind),
                None => JumpResolution::To(target.label),
            };
        }
        if not_a_loop { JumpResolution::NotALoop } else { JumpResolution::None }
    }

    /// The visible label names, for suggestions.
    pub(crate) fn label_names(&self) -> impl Iterator<Item = &SmolStr> {
        self.targets.iter().flat_map(|target| target.names.iter())
    }

    /// The frame around a `return` that it cannot leave, if there is one.
    pub(crate) fn return_crosses(&self) -> Option<FrameKind> {
        let depth = self.returns.last().map_or(0, |returns| returns.depth);
        self.frames.get(depth).map(|frame| frame.kind)
    }
}
