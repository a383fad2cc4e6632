//! Report of slots that wait for long: a thread of each place with slots finds them, and place 0 collects the
//! waits of all places, prints them with the cycle among them, and ends the program if it is to end.

use std::time::Duration;

use crate::apgas::failure::Undelivered;
use crate::apgas::message::Message;
use crate::apgas::slots;
use crate::apgas::system::{run_in_thread, system};
use crate::base::fatal;
use crate::base::output;
use crate::base::place::{PlaceId, here};
use crate::slots::timeout::SlotTimeout;
use crate::slots::waits;
use crate::slots::waits::{Wait, WaitMessage, WaitReport};

/// How long waiting activities may take to say where they are.
const LINES_TIMEOUT: Duration = Duration::from_millis(200);
/// How long place 0 waits for the answers of the others.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);
/// Longest time between two looks at the waits.
const MAX_INTERVAL: Duration = Duration::from_secs(1);
const MIN_INTERVAL: Duration = Duration::from_millis(50);

fn report() -> &'static WaitReport {
    slots::wait_report()
}

/// Starts the thread that looks for slots of this place that wait for too long, unless it runs.
pub(crate) fn watch() {
    if slots::begins_watch() {
        start_watch(slots::timeout());
    }
}

fn start_watch(timeout: SlotTimeout) {
    let Some(limit) = timeout.after else { return };
    let interval = (limit / 4).clamp(MIN_INTERVAL, MAX_INTERVAL);
    run_in_thread("apg-slots", move || {
        let mut quiet = Duration::ZERO;
        loop {
            std::thread::sleep(interval);
            quiet = quiet.saturating_sub(interval);
            let oldest = slots::waits().iter().map(|(wait, _)| wait.milliseconds).max();
            if quiet.is_zero() && oldest.is_some_and(|it| u128::from(it) >= limit.as_millis()) {
                // The next report, if the program continues, comes after as long a time. A launch may defer
                // the first.
                quiet = if timeout.continues { limit } else { interval };
                match here() {
                    PlaceId::ZERO => report_all(limit, timeout.continues),
                    _ => {
                        let message = Message::SlotWaits(WaitMessage::Stalled);
                        system().deliver(PlaceId::ZERO, &message, Undelivered::Control);
                    }
                }
            }
        }
    });
}

/// The waits of this place's slots, with lines of the program.
fn own_waits() -> Vec<Wait> {
    let found = slots::waits();
    found.iter().filter_map(|it| it.1.as_ref()).for_each(|probe| probe.request());
    std::thread::sleep(LINES_TIMEOUT);
    found
        .into_iter()
        .map(|(wait, probe)| Wait { lines: probe.map_or_else(Vec::new, |it| it.lines()), ..wait })
        .collect()
}

/// At place 0: reports the waits of all places if a slot still waits for `limit` since the last launch of a
/// kernel, and no report is under way.
fn report_all(limit: Duration, continues: bool) {
    {
        let mut state = report().state.lock();
        if std::mem::replace(&mut state.is_under_way, true) {
            return;
        }
        state.answers.clear();
    }
    let others = system().hosts() as usize - 1;
    for place in PlaceId::first(system().hosts()).skip(1) {
        system().deliver(place, &Message::SlotWaits(WaitMessage::Request), Undelivered::Control);
    }
    let (mut all, mut since_launch) = (own_waits(), slots::launches().milliseconds());
    {
        let mut state = report().state.lock();
        while state.answers.len() < others {
            if report().answered.wait_for(&mut state, ANSWER_TIMEOUT).timed_out() {
                report!(
                    "apg: some places did not say within {} seconds which of their slots wait",
                    ANSWER_TIMEOUT.as_secs()
                );
                break;
            }
        }
        for (waits, since) in std::mem::take(&mut state.answers) {
            all.extend(waits);
            since_launch = since_launch.into_iter().chain(since).min();
        }
        state.is_under_way = false;
    }
    if !waits::is_overdue(&all, since_launch, limit) {
        return;
    }
    all.sort_by_key(|wait| (wait.group, wait.rank));
    let seconds = limit.as_secs();
    output::flush_all();
    report!("apg: a slot has waited for {seconds} s; these slots wait:");
    output::print(2, waits::describe(&all).as_bytes());
    output::flush_all();
    if !continues {
        report!(
            "apg: the program ends (--slot-timeout SECONDS:continue lets it go on, --slot-timeout 0 never reports)"
        );
        fatal::fail(1);
    }
}

/// Handles a message of another place.
pub(super) fn on_message(from: PlaceId, message: WaitMessage) {
    match message {
        WaitMessage::Stalled => {
            let timeout = slots::timeout();
            let Some(limit) = timeout.after else { return };
            run_in_thread("apg-slots", move || report_all(limit, timeout.continues));
        }
        WaitMessage::Request => run_in_thread("apg-slots", move || {
            let (waits, since_launch) = (own_waits(), slots::launches().milliseconds());
            let answer = Message::SlotWaits(WaitMessage::Waits(waits, since_launch));
            system().deliver(from, &answer, Undelivered::Control);
        }),
        WaitMessage::Waits(waits, since_launch) => {
            report().state.lock().answers.push((waits, since_launch));
            report().answered.notify_all();
        }
    }
}
