if vim.g.loaded_apg then return end
vim.g.loaded_apg = true

local function command(name, action, options)
  vim.api.nvim_create_user_command(name, action, options)
end

--- Completes the name of a remote machine behind `--on`, else options.
local function options(names)
  return function(start, line)
    if line:sub(1, #line - #start):match("%-%-on%s+$") then return require("apg.remotes").complete(start) end
    return vim.tbl_filter(function(name) return vim.startswith(name, start) end, names)
  end
end

local function remotes(start) return require("apg.remotes").complete(start) end

command("ApgRun", function(call) require("apg.run").run(call.fargs) end, {
  nargs = "*",
  complete = options({
    "--places", "--accels", "--parallel", "--threads", "--heap", "--release", "--on", "--keep", "--debugger", "--profile", "--",
  }),
  desc = "Run the program of this buffer; arguments as of `apg run`",
})
command("ApgAttach", function(call)
  if #call.fargs ~= 2 then
    vim.notify("ApgAttach: name a job and its remote machine; :ApgJobs lists jobs", vim.log.levels.ERROR)
    return
  end
  require("apg.run").remote({ "attach", call.fargs[1], "--on", call.fargs[2] })
end, { nargs = "+", complete = remotes, desc = "Follow a job on a remote machine: JOB REMOTE" })
command("ApgJobs", function(call) require("apg.run").remote({ "jobs", "--on", call.args }) end, {
  nargs = 1,
  complete = remotes,
  desc = "List the programs on a remote machine",
})
command("ApgDoctor", function(call)
  require("apg.run").remote(call.args == "" and { "doctor" } or { "doctor", "--on", call.args })
end, { nargs = "?", complete = remotes, desc = "Say what this machine, or a remote one, has and lacks" })
command("ApgRemotes", function() require("apg.remotes").show() end, {
  desc = "List the remote machines of the workspace's apg.toml",
})
command("ApgAddRemote", function(call)
  if #call.fargs ~= 2 then
    vim.notify("ApgAddRemote: write a name and [user@]host[:port]", vim.log.levels.ERROR)
    return
  end
  require("apg.remotes").add(call.fargs[1], call.fargs[2])
end, { nargs = "+", desc = "Add a remote machine to apg.toml: NAME [USER@]HOST[:PORT]" })
command("ApgCuda", function(call) require("apg.generated").show(call.args) end, {
  nargs = "?",
  complete = function() return require("apg.generated").names end,
  desc = "Show what this program is compiled to, live: its CUDA, or the form that is named",
})
command("ApgPlaces", function(call) require("apg.places").show(call.fargs) end, {
  nargs = "*",
  complete = options({ "--places", "--accels", "--on", "--hosts" }),
  desc = "Show the hosts and accelerators that a run has; arguments as of `apg places`",
})
command("ApgExplain", function(call) require("apg.run").explain(call.args) end, {
  nargs = "?",
  desc = "Explain a diagnostic code, by default that under the cursor",
})
command("ApgLog", function() require("apg").log() end, { desc = "Open the log of the language server" })
command("ApgRestart", function() require("apg").restart() end, { desc = "Restart the language server" })
