//! Synchronisation of images by messages: `post`, `wait` and `sync_images` (XcalableMP 1.4, chapter 6).

use super::Mailbox;
use super::packet::Packet;
use crate::xmp::error::{Result, XmpError};

impl Mailbox {
    /// `post` to a node.
    ///
    /// # Errors
    /// The node has ended.
    pub fn post_tag(&self, to: u32, tag: i64) -> Result<()> {
        self.send_packet(to, &Packet::Post(tag), &[])
    }

    /// `wait` for a post of a node, or any, with a tag, or any.
    ///
    /// # Errors
    /// All nodes that could post have ended.
    pub fn wait_for_post(&self, from: Option<u32>, tag: Option<i64>) -> Result<()> {
        let here = self.here();
        self.wait_until(|state| {
            let is_wanted = |posted: &i64| tag.is_none_or(|it| it == *posted);
            let nodes = from.map_or(0..state.channels.len() as u32, |node| node..node + 1);
            for node in nodes.clone() {
                let posts = &mut state.channels[node as usize].posts;
                if let Some(at) = posts.iter().position(is_wanted) {
                    posts.remove(at);
                    return Some(Ok(()));
                }
            }
            let all_ended =
                nodes.filter(|it| *it != here || from == Some(here)).all(|it| state.ended_node(it).is_some());
            all_ended.then(|| {
                let of = from.map_or("any node".to_owned(), |it| format!("node {it}"));
                Err(XmpError::new(format!(
                    "node {here} waits for a `post` of {of}, and all that could post have ended"
                )))
            })
        })
    }

    /// `sync_images` with some nodes.
    ///
    /// # Errors
    /// One of them has ended.
    pub fn sync_with(&self, nodes: &[u32]) -> Result<()> {
        for node in nodes {
            self.send_packet(*node, &Packet::Sync, &[])?;
        }
        for node in nodes {
            self.wait_until(|state| {
                let channel = &mut state.channels[*node as usize];
                if channel.syncs > 0 {
                    channel.syncs -= 1;
                    return Some(Ok(()));
                }
                let how = state.ended_node(*node)?;
                Some(Err(XmpError::new(format!(
                    "node {} waits in `sync_images` for node {node}, which {how}",
                    self.here()
                ))))
            })?;
        }
        Ok(())
    }
}
