-- What the scripts of tests/tests/neovim.rs share: the plugin loaded, the file opened, waiting, asking. A step that fails ends Neovim
-- with status 1 after a line that says why.

local M = {}

--- Ends the play.
function M.fail(message)
  print("FAIL: " .. message .. "\n")
  vim.cmd("cquit 1")
end

--- Waits for a condition.
function M.wait(what, condition)
  if not vim.wait(180000, condition, 20) then M.fail("timed out: " .. what .. "; seen: " .. M.seen()) end
end

--- Tells the test of a step.
function M.say(text) print(text .. "\n") end

--- Loads the plugin and opens the file.
function M.start()
  vim.opt.runtimepath:append(vim.env.APG_TEST_PLUGIN)
  vim.cmd("filetype plugin on")
  vim.cmd("runtime! plugin/apg.lua ftdetect/x10.lua")
  require("apg").setup({ server = { vim.env.APG_TEST_SERVER }, command = vim.env.APG_TEST_COMMAND })
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.APG_TEST_FILE))
  M.wait("the server", function() return require("apg").client(0) ~= nil end)
end

--- The code of a diagnostic, wherever this version of Neovim keeps it.
function M.code(diagnostic)
  return diagnostic.code or (diagnostic.user_data and diagnostic.user_data.lsp and diagnostic.user_data.lsp.code)
end

--- The answer to a request with these parameters about the buffer, of the server with this number, or of the first that has one.
function M.request(method, parameters, server)
  parameters.textDocument = vim.lsp.util.make_text_document_params(0)
  local answers
  -- Neovim may send an edit late: then the server says that the text is another one by now, and is asked again.
  for _ = 1, 10 do
    answers = vim.lsp.buf_request_sync(0, method, parameters, 60000) or {}
    local edited = false
    for number, answer in pairs(answers) do
      if answer.result and (server == nil or number == server) then return answer.result end
      edited = edited or (answer.error or {}).code == -32801
    end
    if not edited then break end
    vim.wait(100)
  end
  M.fail(method .. " gave nothing: " .. vim.inspect(answers))
end

--- The answer about a place (line and column from 1): in normal mode the cursor cannot stand where one writes.
function M.ask(method, line, column, more, server)
  local parameters = { position = { line = line - 1, character = column - 1 } }
  for key, value in pairs(more or {}) do parameters[key] = value end
  return M.request(method, parameters, server)
end

--- All text of the buffers that are seen.
function M.seen()
  local text = {}
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local buffer = vim.api.nvim_win_get_buf(window)
    vim.list_extend(text, vim.api.nvim_buf_get_lines(buffer, 0, -1, false))
  end
  return table.concat(text, "\n")
end

return M
