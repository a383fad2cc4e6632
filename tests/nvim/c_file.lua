-- A C file beside another server: a race is underlined and mended by its quick fix, directives are hovered and completed, and the
-- program runs from its lens. `APG_TEST_CLANGD` names the other server; without it apg is alone.

local play = dofile(vim.env.APG_TEST_SCRIPTS .. "/play.lua")
play.start()
play.say("filetype " .. vim.bo.filetype)
local source = vim.api.nvim_get_current_buf()
local apg = require("apg").client(0)

local clangd
if vim.env.APG_TEST_CLANGD ~= "" then
  clangd = require("apg.compat").start({
    name = "clangd",
    cmd = { vim.env.APG_TEST_CLANGD, "--background-index=false", "--log=error" },
    root_dir = vim.fn.expand("%:p:h"),
  }, source)
  vim.lsp.buf_attach_client(source, clangd)
end

--- The diagnostics of one server.
local function found(client) return vim.diagnostic.get(source, { namespace = vim.lsp.diagnostic.get_namespace(client) }) end

--- The answer of our server alone about a place.
local function ask(method, line, column)
  return play.ask(method, line, column, {}, apg.id)
end

play.wait("diagnostics", function() return #found(apg.id) > 0 end)
for _, diagnostic in ipairs(found(apg.id)) do play.say("diagnostic " .. tostring(play.code(diagnostic))) end

-- Someone at the underlined place asks for fixes, of all servers, and takes the first of ours.
local race = found(apg.id)[1]
vim.api.nvim_win_set_cursor(0, { race.lnum + 1, race.col })
vim.ui.select = function(actions, _, choose)
  for number, action in ipairs(actions) do
    if action[1] == apg.id then return choose(action, number) end
  end
  play.fail("no fix of apg in " .. vim.inspect(actions))
end
vim.lsp.buf.code_action()
play.wait("a clean buffer", function() return #found(apg.id) == 0 end)
play.say("fixed: " .. vim.trim(vim.api.nvim_buf_get_lines(0, 4, 5, false)[1]))
vim.cmd("write")

local hover = ask("textDocument/hover", 5, 20)
if not hover.contents.value:find("| `sum` |", 1, true) then play.fail("hover says " .. vim.inspect(hover)) end
play.say("hover")

-- What is false in C itself is told by the other server, and by that one alone.
if clangd then
  vim.api.nvim_buf_set_lines(0, 9, 9, false, { "    missing();" })
  play.wait("a diagnostic of clangd", function() return #found(clangd) > 0 end)
  if #found(apg.id) > 0 then play.fail("apg says " .. vim.inspect(found(apg.id))) end
  vim.api.nvim_buf_set_lines(0, 9, 10, false, {})
  play.wait("no diagnostic of clangd", function() return #found(clangd) == 0 end)
  play.say("beside clangd")
end

local line = vim.api.nvim_buf_get_lines(0, 4, 5, false)[1]
vim.api.nvim_buf_set_lines(0, 4, 5, false, { line .. " sch" })
local labels = {}
local answer = ask("textDocument/completion", 5, #line + 5)
for _, item in ipairs(answer.items or answer) do labels[item.label] = true end
if not labels.schedule then play.fail("`schedule` is not offered but " .. vim.inspect(labels)) end
play.say("completed schedule")
vim.api.nvim_buf_set_lines(0, 4, 5, false, { line })
vim.cmd("write")

-- The lenses that the editor has got by itself.
local lens
play.wait("the lens", function()
  for _, one in ipairs(vim.lsp.codelens.get(source)) do
    if one.command and one.command.command == "apg.run" then lens = one.command end
  end
  return lens ~= nil
end)
vim.lsp.commands[lens.command](lens)
play.wait("the program's output", function() return play.seen():find("sum 4950", 1, true) ~= nil end)
play.say("ran")
vim.cmd("quitall!")
