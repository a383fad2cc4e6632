-- Run by tests/tests/neovim.rs in a headless Neovim: opens a broken kernel, waits for its diagnostics, applies the quick fix
-- and waits until the buffer is clean. Prints one line a step; anything but "clean" at the end is a failure.

local file, server = vim.env.APG_TEST_FILE, vim.env.APG_TEST_SERVER

local function fail(message)
  print("FAIL: " .. message .. "\n")
  vim.cmd("cquit 1")
end

local function wait(what, condition)
  if not vim.wait(30000, condition, 20) then fail("timed out: " .. what) end
end

vim.opt.runtimepath:append(vim.env.APG_TEST_PLUGIN)
vim.cmd("filetype plugin on")
vim.cmd("runtime! plugin/apg.lua ftdetect/x10.lua")
require("apg").setup({ server = { server } })
vim.cmd("edit " .. vim.fn.fnameescape(file))
print("filetype " .. vim.bo.filetype .. "\n")

wait("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
local found = vim.diagnostic.get(0)
for _, diagnostic in ipairs(found) do
  local code = diagnostic.code or (diagnostic.user_data and diagnostic.user_data.lsp and diagnostic.user_data.lsp.code)
  print("diagnostic " .. tostring(code) .. "\n")
end

-- Ask for the fixes of the first diagnostic, as the editor does for the cursor's line.
local client = require("apg").client(0)
local parameters = {
  textDocument = vim.lsp.util.make_text_document_params(0),
  range = {
    start = { line = found[1].lnum, character = found[1].col },
    ["end"] = { line = found[1].end_lnum, character = found[1].end_col },
  },
  context = { diagnostics = {} },
}
local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", parameters, 30000)
local action
for _, answer in pairs(answers or {}) do
  for _, candidate in ipairs(answer.result or {}) do action = action or candidate end
end
if not action then fail("no quick fix") end
print("fix " .. action.title .. "\n")
vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
wait("a clean buffer", function() return #vim.diagnostic.get(0) == 0 end)
vim.cmd("write")
print("clean\n")
vim.cmd("quitall!")
