-- A session to be recorded (tests/sessions/record.mjs): someone types a program with mistakes on the way, asks about it, mends it.

local play = dofile(vim.env.APG_TEST_SCRIPTS .. "/play.lua")
vim.opt.swapfile = false
play.start()

--- Waits until the diagnostics of what is typed have come.
local function settle() vim.wait(700, function() return false end, 50) end

--- Types a text, character by character.
local function type_in(line, column, text)
  for at = 1, #text do
    vim.api.nvim_buf_set_text(0, line - 1, column + at - 2, line - 1, column + at - 2, { text:sub(at, at) })
    vim.wait(15)
  end
end

settle()
local whole = { range = { start = { line = 0, character = 0 }, ["end"] = { line = 99, character = 0 } } }
for _, method in ipairs({ "documentSymbol", "semanticTokens/full", "foldingRange", "codeLens" }) do
  play.request("textDocument/" .. method, {})
end
vim.api.nvim_buf_set_lines(0, 3, 3, false, { "        " })
type_in(4, 9, "counter.")
play.ask("textDocument/completion", 4, 17)
type_in(4, 17, "increase(")
play.ask("textDocument/signatureHelp", 4, 26)
type_in(4, 26, "2);")
settle()
play.ask("textDocument/hover", 4, 18)
play.ask("textDocument/definition", 4, 18)
play.ask("textDocument/references", 4, 18, { context = { includeDeclaration = true } })
play.ask("textDocument/documentHighlight", 4, 10)
-- A type that is nowhere, and its fix.
vim.api.nvim_buf_set_lines(0, 4, 4, false, { "        val list = new ArrayLst[Long]();", "        val map = new HashMap[Long,Long]();" })
settle()
play.request("textDocument/codeAction", {
  range = { start = { line = 5, character = 25 }, ["end"] = { line = 5, character = 25 } },
  context = { diagnostics = {} },
})
vim.api.nvim_buf_set_lines(0, 4, 6, false, {})
-- Half of a statement, and the rest of it.
type_in(5, 31, " async ")
settle()
type_in(5, 38, "{ counter.increase(1); }")
settle()
play.request("textDocument/inlayHint", whole)
play.ask("textDocument/rename", 4, 18, { newName = "add" })
play.ask("textDocument/prepareCallHierarchy", 4, 18)
play.request("textDocument/formatting", { options = { tabSize = 4, insertSpaces = true } })
vim.cmd("undo")
settle()
vim.cmd("write")
settle()
vim.lsp.stop_client(vim.lsp.get_active_clients())
vim.wait(2000, function() return #vim.lsp.get_active_clients() == 0 end, 20)
play.say("done")
vim.cmd("quitall!")
