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
-- The code stands beside the source, which keeps the cursor.
local generated
for _, window in ipairs(vim.api.nvim_list_wins()) do
  if window ~= vim.api.nvim_get_current_win() then generated = window end
end
local shown = vim.api.nvim_win_get_buf(generated)
play.say("cuda " .. vim.bo[shown].filetype .. " beside " .. vim.bo.filetype)

local function code() return table.concat(vim.api.nvim_buf_get_lines(shown, 0, -1, false), "\n") end
local function change(line, from, to)
  local text = vim.api.nvim_buf_get_lines(0, line - 1, line, false)[1]
  vim.api.nvim_buf_set_lines(0, line - 1, line, false, { (text:gsub(from, to, 1)) })
  -- A script has no main loop that would tell.
  vim.api.nvim_exec_autocmds("TextChanged", { buffer = 0 })
end
change(10, "1%.0f", "7.5f")
play.wait("the new code", function() return code():find("7.5", 1, true) ~= nil end)
play.say("cuda is renewed")

vim.api.nvim_win_set_cursor(0, { 10, 0 })
vim.api.nvim_exec_autocmds("CursorMoved", { buffer = 0 })
local line = vim.api.nvim_win_get_cursor(generated)[1]
local text = vim.api.nvim_buf_get_lines(shown, line - 1, line, false)[1]
if not text:find("7.5", 1, true) then play.fail("the cursor's line is not shown, but " .. text) end
play.say("cuda follows")

change(10, ";", "")
play.wait("a note", function()
  local namespace = vim.api.nvim_get_namespaces()["apg.generated.notes"]
  return #vim.api.nvim_buf_get_extmarks(shown, namespace, 0, -1, {}) == 1
end)
if not code():find("7.5", 1, true) then play.fail("the last code is gone") end
vim.cmd("ApgCuda cpp")
play.wait("host code", function() return play.seen():find("----", 1, true) ~= nil or play.seen():find("// There is no generated code", 1, true) ~= nil end)
if #vim.api.nvim_list_wins() ~= 2 then play.fail("there are " .. #vim.api.nvim_list_wins() .. " windows") end
play.say("cuda stays")
vim.cmd("quitall!")
