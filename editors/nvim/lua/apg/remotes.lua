-- Remote machines: those that the apg.toml of the buffer's workspace names, as the server lists them.

local compat = require("apg.compat")

local M = {}

--- How long the server may take to list machines while a command line is completed.
local TIMEOUT = 1000

local function parameters() return { textDocument = vim.lsp.util.make_text_document_params(0) } end

--- The machines, as `{ name, host }`, and what is wrong with apg.toml, or nil.
function M.list()
  for _, answer in pairs(vim.lsp.buf_request_sync(0, "apg/remotes", parameters(), TIMEOUT) or {}) do
    if answer.result then
      local problem = answer.result.error
      return answer.result.remotes, problem ~= vim.NIL and problem or nil
    end
  end
  return {}, nil
end

--- The names that begin with a text, for command lines.
function M.complete(start)
  local names = {}
  for _, remote in ipairs((M.list())) do
    if vim.startswith(remote.name, start) then table.insert(names, remote.name) end
  end
  return names
end

--- Shows the machines in a window below.
function M.show()
  local remotes, problem = M.list()
  local lines = {}
  for _, remote in ipairs(remotes) do
    table.insert(lines, ("%-16s %s"):format(remote.name, remote.host))
  end
  if problem then table.insert(lines, problem) end
  if #lines == 0 then table.insert(lines, "no remote machines: :ApgAddRemote NAME HOST adds one to apg.toml") end
  require("apg.places").window(lines)
end

--- Adds a machine to apg.toml, and opens that.
function M.add(name, host)
  local client = require("apg").client(0)
  if not client then
    vim.notify("ApgAddRemote: no server runs for this buffer", vim.log.levels.ERROR)
    return
  end
  local machine = vim.tbl_extend("error", parameters(), { name = name, host = host })
  compat.request(client, "apg/addRemote", machine, function(error, answer)
    local problem = error and error.message or (answer.error ~= vim.NIL and answer.error)
    if problem then
      vim.notify("ApgAddRemote: " .. problem, vim.log.levels.ERROR)
      return
    end
    vim.cmd("botright split " .. vim.fn.fnameescape(answer.file))
    vim.cmd("normal! G")
  end, vim.api.nvim_get_current_buf())
end

return M
