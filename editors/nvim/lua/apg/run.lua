-- Runs programs in a terminal window below.

local compat = require("apg.compat")

local M = {}

--- The buffer of the last terminal.
local last

local function terminal(arguments, folder)
  local window = last and vim.fn.bufwinid(last) or -1
  if window >= 0 then
    -- What ran there and still runs ends with its buffer.
    vim.api.nvim_set_current_win(window)
    vim.cmd("enew")
    vim.api.nvim_buf_delete(last, { force = true })
  else
    vim.cmd("botright 12split | enew")
  end
  last = vim.api.nvim_get_current_buf()
  compat.terminal(arguments, folder)
  vim.cmd("normal! G")
end

--- Runs the program of the current buffer. Arguments are those of `apg run`.
function M.run(arguments)
  local config = require("apg").config
  local file = vim.api.nvim_buf_get_name(0)
  if file == "" then
    vim.notify("ApgRun: this buffer has no file; write it first", vim.log.levels.ERROR)
    return
  end
  if vim.bo.modified then vim.cmd("write") end
  local line = { config.command, "run", file }
  local folders = vim.bo.filetype == "c" and {} or config.source_path
  for _, folder in ipairs(folders) do
    vim.list_extend(line, { "--source-path", folder })
  end
  -- Remote machines are named in the workspace's apg.toml.
  local folder = vim.tbl_contains(arguments, "--on") and require("apg").root_of(0) or nil
  terminal(vim.list_extend(line, arguments), folder)
end

--- Runs a command of `apg` that concerns a remote machine, such as `{ "jobs", "--on", "gpu" }`.
function M.remote(arguments)
  local line = vim.list_extend({ require("apg").config.command }, arguments)
  terminal(line, require("apg").root_of(0))
end

--- Prints the page of a diagnostic code; of the diagnostic in the current line without one.
function M.explain(code)
  if code == nil or code == "" then
    local found = vim.diagnostic.get(0, { lnum = vim.api.nvim_win_get_cursor(0)[1] - 1 })[1]
    code = found and (found.code or (found.user_data and found.user_data.lsp and found.user_data.lsp.code))
  end
  if not code then
    vim.notify("ApgExplain: no diagnostic in this line", vim.log.levels.WARN)
    return
  end
  terminal({ require("apg").config.command, "explain", code })
end

return M
