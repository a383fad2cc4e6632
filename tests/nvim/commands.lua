-- The commands: the program runs and its output is read, its places are shown, the health check finds both programs, the server's
-- log is opened, the server starts again.

local play = dofile(vim.env.APG_TEST_SCRIPTS .. "/play.lua")
play.start()
local source = vim.api.nvim_get_current_buf()

vim.cmd("ApgRun --places 2 --accels none -- 7")
play.wait("the program's output", function()
  local text = play.seen()
  return text:find("7 at Place(0)", 1, true) ~= nil and text:find("7 at Place(1)", 1, true) ~= nil
end)
play.say("ran")
vim.cmd("wincmd p")
vim.cmd("ApgRun -- 8")
play.wait("the output of another run", function()
  local text = play.seen()
  return text:find("8 at Place(0)", 1, true) ~= nil and text:find("7 at", 1, true) == nil
end)
if #vim.api.nvim_list_wins() ~= 2 then play.fail("each run has a window of its own") end
play.say("ran again")
vim.cmd("bwipeout!")

vim.api.nvim_set_current_buf(source)
vim.api.nvim_buf_set_lines(source, 3, 3, false, { "        val x:Long = true;" })
vim.cmd("silent! write")
vim.o.makeprg = vim.bo.makeprg:gsub("^apg", vim.env.APG_TEST_COMMAND)
vim.bo.makeprg = vim.o.makeprg
vim.cmd("silent make!")
local place
for _, entry in ipairs(vim.fn.getqflist()) do
  if entry.valid == 1 then place = place or entry end
end
if not place then play.fail("no place in " .. vim.inspect(vim.fn.getqflist())) end
play.say(("make: %d:%d %s %s"):format(place.lnum, place.col, place.type, place.text))
vim.cmd("undo")
vim.cmd("silent! write")

vim.cmd("ApgPlaces --places 3 --accels none")
if not play.seen():find("Place(2)", 1, true) then play.fail("no third place in " .. play.seen()) end
play.say("places")
vim.cmd("bwipeout!")

vim.cmd("checkhealth apg")
play.wait("the health check", function() return play.seen():find("apg%-lsp %d") ~= nil end)
local health = play.seen()
if health:find("ERROR", 1, true) then play.fail(health) end
play.say("healthy")
vim.cmd("bwipeout!")

vim.api.nvim_set_current_buf(source)
vim.cmd("ApgLog")
play.wait("the log", function() return play.seen():find("started version=", 1, true) ~= nil end)
play.say("log")
vim.cmd("bwipeout!")

vim.api.nvim_set_current_buf(source)
local before = require("apg").client(source).id
vim.cmd("ApgRestart")
play.wait("another server", function()
  local client = require("apg").client(source)
  return client ~= nil and client.id ~= before
end)
play.say("restarted")
vim.cmd("quitall!")
