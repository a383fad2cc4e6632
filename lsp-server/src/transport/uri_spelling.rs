//! Translation of URIs between the client's spelling and the canonical one.
//!
//! Clients escape more or fewer characters than RFC 3986 says, and compare URIs as strings. URIs in incoming
//! messages get the canonical spelling of [`crate::lsp::uri`]; outgoing ones get back the spelling in which
//! the client named the document.

use std::collections::HashMap;
use std::str::FromStr;

use serde::Serialize;
use serde_json::Value;
use tower_lsp_server::jsonrpc::Request;
use tower_lsp_server::ls_types::Uri;

use super::frames;
use crate::lsp::uri::{self, Malformed};

/// How the client writes URIs.
#[derive(Debug, Default)]
pub(super) struct UriSpellings {
    /// The client's spelling by the canonical one, of open documents and of others whose spelling differs.
    documents: HashMap<String, String>,
    /// Canonical and client's spelling of workspace folders, which are prefixes of the URIs of their files.
    folders: Vec<(String, String)>,
    /// Whether any spelling differs from the canonical one.
    differs: bool,
}

/// A string that is no URI of a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MalformedUri {
    /// The string.
    pub uri: String,
    /// Why it is none.
    pub reason: Malformed,
}

impl UriSpellings {
    /// Makes the URIs of an incoming message canonical.
    ///
    /// # Errors
    /// The message has a malformed URI. Elements of lists with malformed URIs are removed instead.
    pub(super) fn incoming(&mut self, message: Request) -> Result<Request, MalformedUri> {
        let (method, id, params) = message.into_parts();
        let mut message = Request::build(method.clone());
        if let Some(id) = id {
            message = message.id(id);
        }
        if let Some(mut params) = params {
            self.canonicalize(&mut params, &method)?;
            message = message.params(params);
        }
        Ok(message.finish())
    }

    fn canonicalize(&mut self, value: &mut Value, method: &str) -> Result<(), MalformedUri> {
        match value {
            Value::Array(values) => {
                values.retain_mut(|value| self.canonicalize(value, method).is_ok());
                Ok(())
            }
            Value::Object(fields) => fields.iter_mut().try_for_each(|(name, value)| match value {
                // Clients send a malformed root when there is no workspace.
                Value::String(text) if name == "rootUri" => {
                    let canonical = self.canonical(text, method, true);
                    *value = canonical.map_or(Value::Null, Value::String);
                    Ok(())
                }
                Value::String(text) if name == "uri" || name.ends_with("Uri") => {
                    let is_folder = method == "initialize" || method.ends_with("WorkspaceFolders");
                    *text = self.canonical(text, method, is_folder)?;
                    Ok(())
                }
                value => self.canonicalize(value, method),
            }),
            _ => Ok(()),
        }
    }

    fn canonical(&mut self, text: &str, method: &str, is_folder: bool) -> Result<String, MalformedUri> {
        let canonical = match uri::canonical(text) {
            Ok(canonical) => canonical,
            // Requests about a document that cannot exist get an empty answer.
            Err(_) if method != "textDocument/didOpen" && Uri::from_str(text).is_ok() => {
                return Ok(text.to_owned());
            }
            Err(reason) => return Err(MalformedUri { uri: text.to_owned(), reason }),
        };
        let is_canonical = canonical == text;
        self.differs |= !is_canonical;
        if is_folder && !is_canonical {
            self.folders.push((canonical.clone() + "/", text.trim_end_matches('/').to_owned() + "/"));
        } else if method == "textDocument/didOpen" {
            // The spelling of `didOpen` takes precedence.
            self.documents.insert(canonical.clone(), text.to_owned());
        } else if !is_canonical {
            self.documents.entry(canonical.clone()).or_insert_with(|| text.to_owned());
        }
        Ok(canonical)
    }

    /// Encodes an outgoing message with the client's spellings.
    pub(super) fn outgoing(&self, message: &impl Serialize) -> Vec<u8> {
        if !self.differs {
            return frames::encode(message);
        }
        let mut value = serde_json::to_value(message).unwrap_or_default();
        self.restore(&mut value);
        frames::encode(&value)
    }

    fn restore(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(spelling) = self.client_spelling(text) {
                    *text = spelling;
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.restore(value)),
            Value::Object(fields) => {
                // URIs are keys of workspace edits.
                let named: Vec<(String, String)> =
                    fields.keys().filter_map(|key| Some((key.clone(), self.client_spelling(key)?))).collect();
                for (key, spelling) in named {
                    if let Some(value) = fields.remove(&key) {
                        fields.insert(spelling, value);
                    }
                }
                fields.values_mut().for_each(|value| self.restore(value));
            }
            _ => {}
        }
    }

    /// The client's spelling of a URI, which may have a fragment.
    fn client_spelling(&self, text: &str) -> Option<String> {
        if !text.contains(':') {
            return None;
        }
        if let Some(spelling) = self.documents.get(text) {
            return Some(spelling.clone());
        }
        if let Some((document, fragment)) = text.split_once('#')
            && let Some(spelling) = self.documents.get(document)
        {
            return Some(format!("{spelling}#{fragment}"));
        }
        let (folder, spelling) = self.folders.iter().find(|(folder, _)| text.starts_with(folder))?;
        Some(spelling.clone() + &text[folder.len()..])
    }
}

#[cfg(all(test, unix))]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn incoming(
        spellings: &mut UriSpellings,
        method: &'static str,
        params: Value,
    ) -> Result<Value, MalformedUri> {
        let request = Request::build(method).params(params).finish();
        spellings.incoming(request).map(|request| request.params().cloned().unwrap_or_default())
    }

    fn outgoing(spellings: &UriSpellings, message: &Value) -> Value {
        let bytes = spellings.outgoing(message);
        let body = bytes.windows(4).position(|end| end == b"\r\n\r\n").expect("a header") + 4;
        serde_json::from_slice(&bytes[body..]).expect("JSON")
    }

    #[test]
    fn list_elements_with_malformed_uris_are_removed() {
        let mut spellings = UriSpellings::default();
        let params = json!({ "rootUri": "", "workspaceFolders": [{ "uri": "w" }, { "uri": "file:///a b" }] });
        let found = incoming(&mut spellings, "initialize", params).expect("taken");
        assert_eq!(found, json!({ "rootUri": null, "workspaceFolders": [{ "uri": "file:///a%20b" }] }));
        let params = json!({ "textDocument": { "uri": "A.x10", "text": "" } });
        let refused = incoming(&mut spellings, "textDocument/didOpen", params);
        assert_eq!(refused, Err(MalformedUri { uri: "A.x10".into(), reason: Malformed::NoScheme }));
    }

    #[test]
    fn outgoing_messages_use_the_client_spelling() {
        let mut spellings = UriSpellings::default();
        let of = |uri: &str| json!({ "textDocument": { "uri": uri } });
        incoming(&mut spellings, "textDocument/hover", of("file:///w/%5ba%5d.x10")).expect("taken");
        incoming(&mut spellings, "textDocument/didOpen", of("file:///w/[a].x10")).expect("taken");
        incoming(&mut spellings, "textDocument/hover", of("file:///w/%5Ba%5D.x10")).expect("taken");
        incoming(&mut spellings, "initialize", json!({ "rootUri": "file:///a b/" })).expect("taken");
        let answer = json!({
            "changes": { "file:///w/%5Ba%5D.x10": [], "file:///w/b.x10": [] },
            "arguments": ["file:///w/%5Ba%5D.x10", "file:///w/%5Ba%5D.x10#L3", "file:///a%20b/%5Bc%5D.x10", 1],
        });
        let expected = json!({
            "changes": { "file:///w/[a].x10": [], "file:///w/b.x10": [] },
            "arguments": ["file:///w/[a].x10", "file:///w/[a].x10#L3", "file:///a b/%5Bc%5D.x10", 1],
        });
        assert_eq!(outgoing(&spellings, &answer), expected);
    }

    proptest! {
        #[test]
        fn client_spelling_survives_the_round_trip(text in r"(file:///|untitled:|vscode-vfs://h/)[a-z%0-9 é/\[\]{}#?:@.A-F]{1,20}") {
            let mut spellings = UriSpellings::default();
            let params = json!({ "textDocument": { "uri": text } });
            let canonical = incoming(&mut spellings, "textDocument/didOpen", params.clone());
            if let Ok(canonical) = canonical {
                prop_assert_eq!(outgoing(&spellings, &canonical), params);
            } else {
                prop_assert!(uri::canonical(&text).is_err());
            }
        }
    }
}
