-- A remote machine: it is added, completed and listed, the program runs there from its lens and outlives this Neovim's terminal, and
-- is followed again as after a restart.

local play = dofile(vim.env.APG_TEST_SCRIPTS .. "/play.lua")
play.start()
local source = vim.api.nvim_get_current_buf()

vim.cmd("ApgAddRemote lab h1")
play.wait("apg.toml", function() return play.seen():find('host = "h1"', 1, true) ~= nil end)
play.say("added")
vim.cmd("bwipeout!")
vim.api.nvim_set_current_buf(source)
local names = vim.fn.getcompletion("ApgRun --on la", "cmdline")
if names[1] ~= "lab" then play.fail("no completion: " .. vim.inspect(names)) end
vim.cmd("ApgRemotes")
if not play.seen():find("lab +h1") then play.fail("not listed: " .. play.seen()) end
play.say("listed")
vim.cmd("bwipeout!")

vim.api.nvim_set_current_buf(source)
local found
for _, lens in ipairs(play.request("textDocument/codeLens", {})) do
  if lens.command and lens.command.title == "Run on lab" then found = lens.command end
end
if not found then play.fail("no lens") end
vim.lsp.commands[found.command](found)
play.wait("the program's output", function() return play.seen():find("tick 1", 1, true) ~= nil end)
play.say("ran")
-- The terminal ends, as with Neovim.
vim.cmd("bwipeout!")

vim.api.nvim_set_current_buf(source)
local job
for _ = 1, 20 do
  vim.cmd("ApgJobs lab")
  play.wait("the jobs", function() return play.seen():find("Process exited", 1, true) ~= nil end)
  job = play.seen():match("(Ticks%-%x+)")
  vim.cmd("bwipeout!")
  vim.api.nvim_set_current_buf(source)
  if job then break end
  vim.wait(500)
end
if not job then play.fail("no job is left") end
vim.cmd("ApgAttach " .. job .. " lab")
play.wait("the rest of the output", function()
  return play.seen():find("tick 600", 1, true) ~= nil and play.seen():find("Process exited 3", 1, true) ~= nil
end)
play.say("attached")
vim.cmd("bwipeout!")
vim.api.nvim_set_current_buf(source)
vim.cmd("ApgDoctor lab")
play.wait("what the machine has", function() return play.seen():find("C++ compiler", 1, true) ~= nil end)
play.say("doctor")
vim.cmd("quitall!")
