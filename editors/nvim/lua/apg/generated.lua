-- The generated CUDA of a buffer, in a window beside it.

local M = {}

--- Opens it for the current buffer.
function M.show()
  local source = vim.api.nvim_get_current_buf()
  local client = require("apg").client(source)
  if not client then
    vim.notify("ApgCuda: the language server does not run for this buffer", vim.log.levels.ERROR)
    return
  end
  local parameters = { textDocument = vim.lsp.util.make_text_document_params(source), kind = "cuda" }
  client.request("apg/generatedCode", parameters, function(failure, answer)
    if failure then
      vim.notify("ApgCuda: " .. failure.message, vim.log.levels.ERROR)
      return
    end
    vim.cmd("vertical botright new")
    local buffer = vim.api.nvim_get_current_buf()
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(answer.text, "\n"))
    vim.bo[buffer].buftype = "nofile"
    vim.bo[buffer].bufhidden = "wipe"
    vim.bo[buffer].modifiable = false
    vim.bo[buffer].filetype = "cuda"
  end, source)
end

return M
