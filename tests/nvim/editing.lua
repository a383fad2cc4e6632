-- A member is completed, a signature shown, a method renamed over two files, a declaration found in the class library.

local play = dofile(vim.env.APG_TEST_SCRIPTS .. "/play.lua")
play.start()
local client = require("apg").client(0)

-- `counter.` in the last line of main: code that does not parse.
vim.api.nvim_buf_set_lines(0, 4, 4, false, { "        counter." })
play.wait("the edit", function() return vim.api.nvim_buf_line_count(0) >= 8 end)
local answer = play.ask("textDocument/completion", 5, 17)
local labels = {}
for _, item in ipairs(answer.items or answer) do labels[item.label] = item end
if not labels.increase then play.fail("`increase` is not offered") end
play.say("completed increase")
vim.api.nvim_buf_set_lines(0, 4, 5, false, { "        counter.increase(1);" })

local help = play.ask("textDocument/signatureHelp", 5, 26)
play.say("signature " .. help.signatures[1].label)

local edit = play.ask("textDocument/rename", 5, 19, { newName = "add" })
vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding)
vim.cmd("wall")
play.say("renamed: " .. vim.trim(vim.api.nvim_buf_get_lines(0, 4, 5, false)[1]))

local target = play.ask("textDocument/definition", 6, 22)
target = target.uri and target or target[1]
vim.lsp.util.jump_to_location(target, client.offset_encoding)
play.say("at " .. vim.fn.expand("%:t") .. ", " .. (vim.bo.readonly and "read-only" or "writable"))
play.say("done")
vim.cmd("quitall!")
