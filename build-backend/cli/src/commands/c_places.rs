//! C programs with XcalableMP: each place is a process that runs `main`.

use std::path::Path;
use std::sync::Arc;

use apg_project::c::xcalablemp_flags;
use apg_runtime::apgas::bootstrap::{self, Carrier, Supervision};
use apg_runtime::base::ending::Ending;
use apg_runtime::net::bootstrap::connect;
use apg_runtime::net::bootstrap::launcher::Program;
use apg_runtime::net::endpoint::Endpoint;
use apg_runtime::offload::{Main, TargetDevices};
use apg_runtime::topology::Selection;
use apg_runtime::{cache, xmp};
use apg_toolchain::c::{CBuild, Form, SharedForm, Support};

use crate::exit;
use crate::failure::Failure;

/// What connects a program with its places.
const SUPPORT: Support = Support {
    header: ("apg_xmp.h", xmp::HEADER),
    own_headers: &[("xmp.h", xmp::USER_HEADER)],
    source: xmp::SUPPORT,
};

/// Makes the request for a program one for a program of places, from the parts that it has with its devices.
pub(super) fn distribute(request: &mut CBuild, mut form: SharedForm) {
    let (version, folder): (Vec<_>, Vec<_>) =
        xcalablemp_flags().into_iter().partition(|it| it.starts_with("-D"));
    request.options.extend([version, folder].into_iter().filter(|it| !it.is_empty()));
    form.supports.push(SUPPORT);
    request.form = Form::SharedObject(form);
}

/// Whether a built program is one of places.
pub(super) fn is_distributed(object: &Path) -> bool {
    std::fs::read(object).is_ok_and(|bytes| bytes.windows(SYMBOL.len()).any(|it| it == SYMBOL))
}

/// A symbol that only programs of places have.
const SYMBOL: &[u8] = b"\0apg_xmp_main\0";

/// A place that knows the others.
pub(super) struct Node {
    endpoint: Arc<dyn Endpoint>,
    supervision: Supervision,
    ending: &'static Ending,
}

/// Connects this process with the other places, which place 0 starts as it was started itself.
pub(super) fn join(object: &Path, places: u32) -> Result<Node, Failure> {
    let cannot = |error: std::io::Error| Failure::new(format!("cannot start the places: {error}"));
    // SAFETY: no other thread runs yet, and nothing else has used the inherited descriptors.
    let info = unsafe { connect::take_bootstrap_info() };
    let bytes = std::fs::read(object).map_err(cannot)?;
    let digest = cache::key(&[bytes]);
    let identity = u64::from_str_radix(digest.get(..16).unwrap_or_default(), 16).unwrap_or(0);
    let options = bootstrap::Options {
        hosts: places,
        threads: 1,
        accelerators: Selection::Auto,
        carrier: Carrier::Mesh,
        program: Program {
            executable: std::env::current_exe().map_err(cannot)?.into(),
            arguments: std::env::args_os().skip(1).collect(),
            identity,
        },
    };
    let (supervision, ending): (_, &'static Ending) =
        (Supervision::default(), Box::leak(Box::new(Ending::new())));
    let endpoint = bootstrap::connect(info, &options, &supervision, ending).map_err(Failure::new)?;
    Ok(Node { endpoint, supervision, ending })
}

impl Node {
    /// The device of this node: the nodes of a host take its devices in turn.
    pub(super) fn device(&self, all: TargetDevices) -> TargetDevices {
        match all {
            TargetDevices::Gpus(list) if !list.is_empty() => {
                TargetDevices::Gpus(vec![list[self.endpoint.here().index() % list.len()]])
            }
            all => all,
        }
    }

    /// Gives the loaded program its places: what to run in place of its `main`.
    pub(super) fn attach(self) -> Result<Main, Failure> {
        let main = xmp::attach(self.endpoint, self.supervision, self.ending, end_program);
        exit::buffer_lines();
        main.map_err(Failure::new)?.ok_or_else(|| Failure::new("this program has no places"))
    }
}

/// Ends this process, after an error in words for the user.
fn end_program(error: Option<(&str, Option<&str>)>, status: i32) -> ! {
    if let Some((message, hint)) = error {
        let failure = Failure::new(message);
        let mut failure = hint.into_iter().fold(failure, Failure::hint);
        // The status says it where nothing can be written.
        let _ = failure.print();
    }
    exit::end_at_once(status)
}
