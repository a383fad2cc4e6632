if vim.g.loaded_apg then return end
vim.g.loaded_apg = true

local function command(name, action, options)
  vim.api.nvim_create_user_command(name, action, options)
end

command("ApgRun", function(call) require("apg.run").run(call.fargs) end, {
  nargs = "*",
  complete = function() return { "--places", "--accels", "--threads", "--heap", "--release", "--on", "--keep", "--" } end,
  desc = "Run the program of this buffer; arguments as of `apg run`",
})
command("ApgAttach", function(call)
  if #call.fargs ~= 2 then
    vim.notify("ApgAttach: name a job and its remote machine; :ApgJobs lists jobs", vim.log.levels.ERROR)
    return
  end
  require("apg.run").attach(call.fargs[1], call.fargs[2])
end, { nargs = "+", desc = "Follow a job on a remote machine: JOB REMOTE" })
command("ApgJobs", function(call) require("apg.run").jobs(call.args) end, {
  nargs = 1,
  desc = "List the programs on a remote machine",
})
command("ApgCuda", function(call) require("apg.generated").show(call.args) end, {
  nargs = "?",
  complete = function() return { "cuda", "ptx", "resources", "cpp", "mir" } end,
  desc = "Show what this program is compiled to, live: its CUDA, or the form that is named",
})
command("ApgPlaces", function(call) require("apg.places").show(call.fargs) end, {
  nargs = "*",
  complete = function() return { "--places", "--accels" } end,
  desc = "Show the hosts and accelerators that a run has; arguments as of `apg places`",
})
command("ApgExplain", function(call) require("apg.run").explain(call.args) end, {
  nargs = "?",
  desc = "Explain a diagnostic code, by default that under the cursor",
})
command("ApgLog", function() require("apg").log() end, { desc = "Open the log of the language server" })
command("ApgRestart", function() require("apg").restart() end, { desc = "Restart the language server" })
