-- Directives in C files; another server, as clangd, does the rest of C.
require("apg").attach(vim.api.nvim_get_current_buf())
