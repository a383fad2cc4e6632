//! lsp-server
