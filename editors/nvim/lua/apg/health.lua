-- :checkhealth apg

local M = {}

local function report(name, message)
  local health = vim.health or require("health")
  local call = health[name] or health["report_" .. name]
  call(message)
end

--- Says what is installed and what is missing.
function M.check()
  local config = require("apg").config
  report("start", "apg")
  for _, program in ipairs({ config.server[1], config.command }) do
    if vim.fn.executable(program) == 1 then
      local version = vim.fn.systemlist({ program, "--version" })[1] or ""
      report("ok", program .. ": " .. version)
    else
      report("error", program .. " was not found on the PATH")
    end
  end
  if vim.fn.executable(config.command) == 1 then
    for _, line in ipairs(vim.fn.systemlist({ config.command, "doctor" })) do
      report("info", line)
    end
  end
end

return M
