//! Observation of messages: an endpoint (decorator pattern) that counts for the profile what is sent, and
//! shows a sanitizer of threads the order that messages make. Without either there is none.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use crate::base::place::PlaceId;
use crate::base::sanitizer;
use crate::heap::Handle;
use crate::net::device_memory::{DeviceMemory, DevicePuts};
use crate::net::endpoint::{Endpoint, PlaceEnded, PutTarget, Receiver, Waiter};
use crate::profile;
use crate::serialize::Error;
use crate::serialize::out_of_band::{Part, Received};

/// The endpoint, observed if anything in this process observes messages.
pub(crate) fn observe(endpoint: Arc<dyn Endpoint>) -> Arc<dyn Endpoint> {
    let is_observed = profile::on() || sanitizer::watches_threads();
    if is_observed { Arc::new(ObservedEndpoint(endpoint)) } else { endpoint }
}

struct ObservedEndpoint(Arc<dyn Endpoint>);

struct ObservedReceiver(Arc<dyn Receiver>);

/// That many bytes are about to be sent.
fn sending(bytes: usize) {
    profile::message(bytes);
    sanitizer::release(&raw const sanitizer::MESSAGES);
}

fn received() {
    sanitizer::acquire(&raw const sanitizer::MESSAGES);
}

impl Endpoint for ObservedEndpoint {
    fn here(&self) -> PlaceId {
        self.0.here()
    }

    fn hosts(&self) -> u32 {
        self.0.hosts()
    }

    fn describe(&self, place: PlaceId) -> String {
        self.0.describe(place)
    }

    fn start(&self, receiver: Arc<dyn Receiver>) -> io::Result<()> {
        self.0.start(Arc::new(ObservedReceiver(receiver)))
    }

    fn send(&self, to: PlaceId, body: &[u8], parts: &[Part]) -> Result<(), PlaceEnded> {
        sending(body.len() + parts.iter().map(|part| part.bytes().len()).sum::<usize>());
        self.0.send(to, body, parts)
    }

    fn send_request(&self, to: PlaceId, body: &[u8]) -> Result<bool, PlaceEnded> {
        sending(body.len());
        self.0.send_request(to, body)
    }

    fn end_request(&self, by: PlaceId) -> bool {
        self.0.end_request(by)
    }

    fn put(&self, to: PlaceId, header: &[u8], data: &[u8]) -> Result<(), PlaceEnded> {
        sending(header.len() + data.len());
        self.0.put(to, header, data)
    }

    fn device_puts(&self) -> Option<&dyn DevicePuts> {
        self.0.device_puts().map(|_| self as &dyn DevicePuts)
    }

    fn poll(&self) -> bool {
        self.0.poll()
    }

    fn needs_polling(&self) -> bool {
        self.0.needs_polling()
    }

    fn waiter(&self) -> Option<Arc<dyn Waiter>> {
        self.0.waiter()
    }

    fn polls_by_system_calls(&self) -> bool {
        self.0.polls_by_system_calls()
    }

    fn places_sharing_cpus(&self) -> u32 {
        self.0.places_sharing_cpus()
    }

    fn is_local(&self, place: PlaceId) -> bool {
        self.0.is_local(place)
    }

    fn set_polled(&self, begins: bool) {
        self.0.set_polled(begins);
    }

    fn shutdown(&self) {
        self.0.shutdown();
    }
}

impl DevicePuts for ObservedEndpoint {
    fn put_from_device(&self, to: PlaceId, header: &[u8], source: &DeviceMemory) -> Result<(), PlaceEnded> {
        sending(header.len() + source.length as usize);
        self.0.device_puts().map_or(Err(PlaceEnded(to)), |puts| puts.put_from_device(to, header, source))
    }
}

impl Receiver for ObservedReceiver {
    fn message(&self, from: PlaceId, body: Cow<'_, [u8]>, parts: Vec<Received>) -> Result<(), Error> {
        received();
        self.0.message(from, body, parts)
    }

    fn begin_part(&self, ty: u64, length: u64, bytes: u64) -> Option<(PutTarget, Handle)> {
        self.0.begin_part(ty, length, bytes)
    }

    fn begin_put(&self, from: PlaceId, header: &[u8], length: u64) -> Result<Option<PutTarget>, Error> {
        self.0.begin_put(from, header, length)
    }

    fn begin_device_put(
        &self,
        from: PlaceId,
        header: &[u8],
        length: u64,
    ) -> Result<Option<DeviceMemory>, Error> {
        self.0.begin_device_put(from, header, length)
    }

    fn end_put(&self, from: PlaceId, header: Vec<u8>, accepted: bool) -> Result<(), Error> {
        received();
        self.0.end_put(from, header, accepted)
    }

    fn abandon_put(&self, from: PlaceId, header: &[u8]) {
        self.0.abandon_put(from, header);
    }

    fn peer_down(&self, place: PlaceId, error: Option<io::Error>) {
        self.0.peer_down(place, error);
    }
}
