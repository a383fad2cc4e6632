-- The places that a run has: hosts and their accelerators, in a window below.

local M = {}

--- Shows lines in a window below.
function M.window(lines)
  vim.cmd("botright " .. math.min(#lines, 12) .. "new")
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].buftype = "nofile"
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].modifiable = false
end

--- Shows them. Arguments are those of `apg places`.
function M.show(arguments)
  local command = require("apg").config.command
  if vim.fn.executable(command) == 0 then
    vim.notify("ApgPlaces: " .. command .. " was not found", vim.log.levels.ERROR)
    return
  end
  local lines = vim.fn.systemlist(vim.list_extend({ command, "places" }, arguments))
  local failed = vim.v.shell_error ~= 0
  if failed then
    vim.notify(table.concat(lines, "\n"), vim.log.levels.ERROR)
    return
  end
  M.window(lines)
end

return M
