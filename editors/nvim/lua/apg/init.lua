-- The Neovim client of apg: starts one `apg-lsp` a workspace and attaches X10 buffers to it. Works from Neovim 0.7 on, which has no
-- vim.lsp.start yet.

local compat = require("apg.compat")

local M = {}

--- Defaults; change them with require("apg").setup({ ... }).
M.config = {
  --- The language server.
  server = { "apg-lsp" },
  --- The command that builds and runs.
  command = "apg",
  --- Folders with further packages.
  source_path = {},
  --- Called with (client, buffer) when the server is attached: the place for key mappings.
  on_attach = nil,
  --- Ask for code lenses when a buffer is read and written.
  code_lens = true,
}

local clients = {} -- root folder -> client id

--- Overrides defaults.
function M.setup(config)
  M.config = vim.tbl_deep_extend("force", M.config, config or {})
end

--- The folder of the workspace of a buffer.
function M.root_of(buffer)
  local folder = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":p:h")
  for _, marker in ipairs({ "apg.toml", ".git" }) do
    local file = vim.fn.findfile(marker, folder .. ";")
    if file ~= "" then return vim.fn.fnamemodify(file, ":p:h") end
    -- The full path of a folder ends with a slash.
    local above = vim.fn.finddir(marker, folder .. ";")
    if above ~= "" then return vim.fn.fnamemodify(above, ":p:h:h") end
  end
  return folder
end

--- The server's lenses name these commands; the editor carries them out.
local lens_commands = {
  ["apg.run"] = function() require("apg.run").run({}) end,
  ["apg.runAtCpu"] = function() require("apg.run").run({ "--accels", "none" }) end,
  ["apg.runOnGpu"] = function(command)
    -- A program in C without device constructs has its parallel regions there.
    local parallel = command.arguments[2]
    require("apg.run").run(vim.list_extend({ "--accels", "all" }, parallel and { "--parallel", parallel } or {}))
  end,
  ["apg.runWithPlaces"] = function()
    vim.ui.input({ prompt = "Number of host places: ", default = "4" }, function(places)
      if places and places ~= "" then require("apg.run").run({ "--places", places }) end
    end)
  end,
  ["apg.runOn"] = function(command) require("apg.run").run({ "--on", command.arguments[2], "--keep" }) end,
  ["apg.debugOn"] = function(command) require("apg.run").run({ "--on", command.arguments[2], "--debugger" }) end,
  ["apg.showCuda"] = function() require("apg.generated").show("cuda") end,
  ["apg.showHostCode"] = function() require("apg.generated").show_host_code() end,
  ["apg.showTransfers"] = function() require("apg.generated").show("transfers") end,
  ["apg.showCommunication"] = function() require("apg.generated").show("communication") end,
}

local function on_attach(client, buffer)
  for name, action in pairs(lens_commands) do
    vim.lsp.commands[name] = action
  end
  if M.config.code_lens and client.server_capabilities.codeLensProvider then compat.lenses(buffer) end
  if M.config.on_attach then M.config.on_attach(client, buffer) end
end

--- Attaches a buffer, starting the server if there is none for its workspace. Says once if the server is not installed.
function M.attach(buffer)
  if vim.fn.executable(M.config.server[1]) == 0 then
    vim.notify_once(
      M.config.server[1] .. " was not found: install it with `cargo install --path lsp-server` in a clone of apg",
      vim.log.levels.WARN
    )
    return
  end
  local root = M.root_of(buffer)
  local id = clients[root]
  if not id or not vim.lsp.get_client_by_id(id) then
    id = compat.start({
      name = "apg",
      cmd = M.config.server,
      root_dir = root,
      init_options = { sourcePath = M.config.source_path, commands = vim.tbl_keys(lens_commands) },
      on_attach = on_attach,
      on_exit = function(_, _, ended)
        if clients[root] == ended then clients[root] = nil end
      end,
    }, buffer)
    clients[root] = id
  end
  if id then vim.lsp.buf_attach_client(buffer, id) end
end

--- The client that serves a buffer, or nil.
function M.client(buffer)
  for _, client in pairs(compat.clients(buffer)) do
    if client.name == "apg" then return client end
  end
end

--- Opens the log file of the server of this buffer.
function M.log()
  local buffer = vim.api.nvim_get_current_buf()
  local client = M.client(buffer)
  if not client then
    vim.notify("ApgLog: no server runs for this buffer", vim.log.levels.ERROR)
    return
  end
  compat.request(client, "apg/logFile", vim.empty_dict(), function(error, file)
    if error or not file or file == vim.NIL then
      vim.notify("ApgLog: " .. (error and error.message or "the server writes no log file"), vim.log.levels.WARN)
      return
    end
    vim.cmd("botright split " .. vim.fn.fnameescape(file))
    vim.bo.autoread = true
    vim.cmd("normal! G")
  end, buffer)
end

--- Ends the servers and attaches all X10 buffers anew.
function M.restart()
  for root, id in pairs(clients) do
    compat.stop(id)
    clients[root] = nil
  end
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local filetype = vim.bo[buffer].filetype
    if filetype == "x10" or filetype == "c" then M.attach(buffer) end
  end
end

return M
