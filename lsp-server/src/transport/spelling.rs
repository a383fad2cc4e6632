//! Translation of URIs between the client's spelling and the server's, at the border of the two.
//!
//! Clients escape more or less than the standard says, and compare URIs as texts. All that comes in gets the one spelling that
//! [`crate::uri`] defines; all that goes out gets back the spelling in which the client named the document.

use std::collections::HashMap;
use std::str::FromStr;

use serde::Serialize;
use serde_json::Value;
use tower_lsp_server::jsonrpc::Request;
use tower_lsp_server::ls_types::Uri;

use super::frames;
use crate::uri::{self, Malformed};

/// How the client writes URIs.
#[derive(Debug, Default)]
pub struct Spellings {
    /// By the server's spelling: those that are opened, and others that the client writes in another way.
    documents: HashMap<String, String>,
    /// Folders of the workspace, in the server's spelling and the client's: what lies in them is named alike.
    folders: Vec<(String, String)>,
    /// Whether any of them is not the server's.
    differs: bool,
}

/// A text that stands where a URI is needed.
#[derive(Debug, PartialEq, Eq)]
pub struct NoUri {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub why: Malformed,
}

impl Spellings {
    /// A message of the client with the server's spellings.
    ///
    /// # Errors
    /// What it is about has no URI. Elements of lists that have none are left out.
    pub fn incoming(&mut self, message: Request) -> Result<Request, NoUri> {
        let (method, id, params) = message.into_parts();
        let mut message = Request::build(method.clone());
        if let Some(id) = id {
            message = message.id(id);
        }
        if let Some(mut params) = params {
            self.settle(&mut params, &method)?;
            message = message.params(params);
        }
        Ok(message.finish())
    }

    fn settle(&mut self, value: &mut Value, method: &str) -> Result<(), NoUri> {
        match value {
            Value::Array(values) => {
                values.retain_mut(|value| self.settle(value, method).is_ok());
                Ok(())
            }
            Value::Object(fields) => fields.iter_mut().try_for_each(|(name, value)| match value {
                // No workspace is what clients mean by it.
                Value::String(text) if name == "rootUri" => {
                    let settled = self.settled(text, method, true);
                    *value = settled.map_or(Value::Null, Value::String);
                    Ok(())
                }
                Value::String(text) if name == "uri" || name.ends_with("Uri") => {
                    let is_folder = method == "initialize" || method.ends_with("WorkspaceFolders");
                    *text = self.settled(text, method, is_folder)?;
                    Ok(())
                }
                value => self.settle(value, method),
            }),
            _ => Ok(()),
        }
    }

    fn settled(&mut self, text: &str, method: &str, is_folder: bool) -> Result<String, NoUri> {
        let settled = match uri::canonical(text) {
            Ok(settled) => settled,
            // Of a document that cannot be there nothing is known, which is an answer.
            Err(_) if method != "textDocument/didOpen" && Uri::from_str(text).is_ok() => {
                return Ok(text.to_owned());
            }
            Err(why) => return Err(NoUri { text: text.to_owned(), why }),
        };
        let is_plain = settled == text;
        self.differs |= !is_plain;
        if is_folder && !is_plain {
            self.folders.push((settled.clone() + "/", text.trim_end_matches('/').to_owned() + "/"));
        } else if method == "textDocument/didOpen" {
            // The spelling of an open document is the one in which it was opened.
            self.documents.insert(settled.clone(), text.to_owned());
        } else if !is_plain {
            self.documents.entry(settled.clone()).or_insert_with(|| text.to_owned());
        }
        Ok(settled)
    }

    /// The bytes of a message to the client, with its spellings.
    pub fn outgoing(&self, message: &impl Serialize) -> Vec<u8> {
        if !self.differs {
            return frames::bytes(message);
        }
        let mut value = serde_json::to_value(message).unwrap_or_default();
        self.restore(&mut value);
        frames::bytes(&value)
    }

    fn restore(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(spelling) = self.spelling(text) {
                    *text = spelling;
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.restore(value)),
            Value::Object(fields) => {
                // The edits of a workspace are keyed by document.
                let named: Vec<(String, String)> =
                    fields.keys().filter_map(|key| Some((key.clone(), self.spelling(key)?))).collect();
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

    /// The client's spelling of a URI, also of one that leads to a place in a document.
    fn spelling(&self, text: &str) -> Option<String> {
        if !text.contains(':') {
            return None;
        }
        if let Some(spelling) = self.documents.get(text) {
            return Some(spelling.clone());
        }
        if let Some((document, place)) = text.split_once('#')
            && let Some(spelling) = self.documents.get(document)
        {
            return Some(format!("{spelling}#{place}"));
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

    fn incoming(spellings: &mut Spellings, method: &'static str, params: Value) -> Result<Value, NoUri> {
        let request = Request::build(method).params(params).finish();
        spellings.incoming(request).map(|request| request.params().cloned().unwrap_or_default())
    }

    fn outgoing(spellings: &Spellings, message: &Value) -> Value {
        let bytes = spellings.outgoing(message);
        let body = bytes.windows(4).position(|end| end == b"\r\n\r\n").expect("a header") + 4;
        serde_json::from_slice(&bytes[body..]).expect("JSON")
    }

    #[test]
    fn elements_of_lists_that_name_nothing_are_left_out() {
        let mut spellings = Spellings::default();
        let params = json!({ "rootUri": "", "workspaceFolders": [{ "uri": "w" }, { "uri": "file:///a b" }] });
        let found = incoming(&mut spellings, "initialize", params).expect("taken");
        assert_eq!(found, json!({ "rootUri": null, "workspaceFolders": [{ "uri": "file:///a%20b" }] }));
        let params = json!({ "textDocument": { "uri": "A.x10", "text": "" } });
        let refused = incoming(&mut spellings, "textDocument/didOpen", params);
        assert_eq!(refused, Err(NoUri { text: "A.x10".into(), why: Malformed::NoScheme }));
    }

    #[test]
    fn answers_name_documents_as_the_client_does() {
        let mut spellings = Spellings::default();
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
        /// The client's own spelling comes back, whatever it is.
        #[test]
        fn spellings_come_back(text in r"(file:///|untitled:|vscode-vfs://h/)[a-z%0-9 é/\[\]{}#?:@.A-F]{1,20}") {
            let mut spellings = Spellings::default();
            let params = json!({ "textDocument": { "uri": text } });
            let settled = incoming(&mut spellings, "textDocument/didOpen", params.clone());
            if let Ok(settled) = settled {
                prop_assert_eq!(outgoing(&spellings, &settled), params);
            } else {
                prop_assert!(uri::canonical(&text).is_err());
            }
        }
    }
}
