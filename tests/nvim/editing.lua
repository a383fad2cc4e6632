-- Run by tests/tests/neovim.rs in a headless Neovim: completes a member, shows a signature, renames a method over two files,
-- goes to a declaration in the class library. Prints one line a step; anything but "done" at the end is a failure.

local file = vim.env.APG_TEST_FILE

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
require("apg").setup({ server = { vim.env.APG_TEST_SERVER } })
vim.cmd("edit " .. vim.fn.fnameescape(file))
wait("the server", function() return require("apg").client(0) ~= nil end)
local client = require("apg").client(0)

-- The answer of the server to a request at a place (line and column from 1) of the buffer.
local function ask(method, line, column, more)
  -- In normal mode the cursor cannot stand behind the last character, where one writes.
  local parameters = {
    textDocument = vim.lsp.util.make_text_document_params(0),
    position = { line = line - 1, character = column - 1 },
  }
  for key, value in pairs(more or {}) do parameters[key] = value end
  local answers = vim.lsp.buf_request_sync(0, method, parameters, 30000) or {}
  for _, answer in pairs(answers) do
    if answer.result then return answer.result end
  end
  fail(method .. " gave nothing: " .. vim.inspect(answers))
end

-- `counter.` in the last line of main: code that does not parse.
vim.api.nvim_buf_set_lines(0, 4, 4, false, { "        counter." })
wait("the edit", function() return vim.api.nvim_buf_line_count(0) >= 8 end)
local labels = {}
for _, item in ipairs(ask("textDocument/completion", 5, 17)) do labels[item.label] = item end
if not labels.increase then fail("`increase` is not offered") end
print("completed increase\n")
vim.api.nvim_buf_set_lines(0, 4, 5, false, { "        counter.increase(1);" })

local help = ask("textDocument/signatureHelp", 5, 26)
print("signature " .. help.signatures[1].label .. "\n")

local edit = ask("textDocument/rename", 5, 19, { newName = "add" })
vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding)
vim.cmd("wall")
print("renamed: " .. vim.trim(vim.api.nvim_buf_get_lines(0, 4, 5, false)[1]) .. "\n")

local target = ask("textDocument/definition", 6, 22)
target = target.uri and target or target[1]
vim.lsp.util.jump_to_location(target, client.offset_encoding)
print("at " .. vim.fn.expand("%:t") .. ", " .. (vim.bo.readonly and "read-only" or "writable") .. "\n")
print("done\n")
vim.cmd("quitall!")
