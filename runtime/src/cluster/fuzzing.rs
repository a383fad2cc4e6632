//! Entries of fuzz targets: the decoders of what agents, launchers and the user's files say. Each takes any
//! bytes, and panics where the decoder breaks its promise.

use crate::cluster::control::{FromAgent, ToAgent};
use crate::cluster::frames::read_frame;
use crate::cluster::hostfile;
use crate::cluster::membership::pmi1;
use crate::cluster::rendezvous::Appointment;
use crate::net::bootstrap::handshake;
use crate::net::placement::Placement;
use crate::serialize::read::Input;

/// Reads frames of both directions between a launcher and an agent, and placements.
///
/// # Panics
/// A payload is longer than what has come.
pub fn read_frames(bytes: &[u8]) {
    let mut input = bytes;
    while let Ok(Some((_, payload))) = read_frame::<ToAgent>(&mut input) {
        assert!(payload.len() <= bytes.len());
    }
    let mut input = bytes;
    while let Ok(Some((_, payload))) = read_frame::<FromAgent>(&mut input) {
        assert!(payload.len() <= bytes.len());
    }
    // What it is not is an error.
    let _ = Placement::decode(&mut Input::new(bytes));
}

/// Reads host files, host lists and appointments; what is read is read again from what is written.
///
/// # Panics
/// A text is not read as it was written.
pub fn read_names(text: &str) {
    for hosts in [hostfile::parse_file(text), hostfile::parse_list(text)].into_iter().flatten() {
        assert!(hosts.iter().all(|host| !host.name.starts_with('-')));
        assert_eq!(hostfile::parse_list(&hostfile::list(&hosts)).as_ref(), Ok(&hosts));
        // What does not fit is refused.
        let _ = hostfile::allocate(&hosts, None);
    }
    if let Some(appointment) = Appointment::from_text(text) {
        assert_eq!(Appointment::from_text(&appointment.to_text()), Some(appointment));
    }
}

/// Answers the challenge of a rendezvous with these bytes.
///
/// # Panics
/// The answer is accepted, or a hello does not survive its encoding.
pub fn answer_challenge(answer: &[u8]) {
    handshake::answer_challenge_with(answer);
}

/// Speaks PMI-1 with a launcher that answers these bytes.
pub fn speak_pmi1(answers: &[u8]) {
    pmi1::speak(answers);
}
