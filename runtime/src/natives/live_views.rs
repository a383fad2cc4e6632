//! x10.util.LiveView: pictures of the running program, by handle.

use std::collections::HashMap;

use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;

use super::{raise, text_of};
use crate::abi::{ExceptionKind, Outcome};
use crate::heap::Ref;
use crate::live_view::LiveView;
use crate::program;

static VIEWS: Mutex<HashMap<i64, LiveView, FxBuildHasher>> = Mutex::new(HashMap::with_hasher(FxBuildHasher));

pub(crate) fn view_open(title: Ref, port: i32) -> Outcome<i64> {
    let title = text_of(title)?;
    let Ok(port) = u16::try_from(port) else {
        return raise(ExceptionKind::IllegalArgument, &format!("{port} is no port: 0 to 65535"));
    };
    match LiveView::open(&title, port) {
        Ok(view) => {
            let mut views = VIEWS.lock();
            let handle = views.keys().max().map_or(1, |last| last + 1);
            views.insert(handle, view);
            Ok(handle)
        }
        Err(error) => raise(ExceptionKind::Io, &format!("cannot serve a picture on port {port}: {error}")),
    }
}

pub(crate) fn view_url(view: i64) -> Outcome<Ref> {
    let url = with(view, |view| view.url().to_owned())?;
    program::string(url.as_bytes())
}

pub(crate) fn view_show(view: i64, frame: Ref) -> Outcome<()> {
    let frame = text_of(frame)?;
    with(view, |view| view.show(&frame))
}

pub(crate) fn view_is_watched(view: i64) -> Outcome<bool> {
    with(view, LiveView::is_watched)
}

pub(crate) fn view_is_delivered(view: i64) -> Outcome<bool> {
    with(view, LiveView::is_delivered)
}

pub(crate) fn view_close(view: i64) {
    VIEWS.lock().remove(&view);
}

fn with<R>(handle: i64, work: impl FnOnce(&LiveView) -> R) -> Outcome<R> {
    match VIEWS.lock().get(&handle) {
        Some(view) => Ok(work(view)),
        None => raise(ExceptionKind::IllegalOperation, "the view is closed"),
    }
}
