-- A broken kernel: its diagnostics come, its quick fix is applied, and the buffer is clean.

local play = dofile(vim.env.APG_TEST_SCRIPTS .. "/play.lua")
play.start()
play.say("filetype " .. vim.bo.filetype)

play.wait("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
local found = vim.diagnostic.get(0)
for _, diagnostic in ipairs(found) do play.say("diagnostic " .. tostring(play.code(diagnostic))) end

-- The fixes of the first diagnostic, as the editor asks for those of the cursor's line.
local action = play.request("textDocument/codeAction", {
  range = {
    start = { line = found[1].lnum, character = found[1].col },
    ["end"] = { line = found[1].end_lnum, character = found[1].end_col },
  },
  context = { diagnostics = {} },
})[1]
if not action then play.fail("no quick fix") end
play.say("fix " .. action.title)
vim.lsp.util.apply_workspace_edit(action.edit, require("apg").client(0).offset_encoding)
play.wait("a clean buffer", function() return #vim.diagnostic.get(0) == 0 end)
vim.cmd("write")
play.say("clean")

local hover = play.ask("textDocument/hover", 7, 24)
if not hover.contents.value:find("Kernel", 1, true) then play.fail("hover says " .. vim.inspect(hover)) end
play.say("hover")
vim.cmd("ApgCuda")
play.wait("CUDA", function() return play.seen():find("__global__", 1, true) ~= nil end)
play.say("cuda " .. vim.bo.filetype)
vim.cmd("quitall!")
