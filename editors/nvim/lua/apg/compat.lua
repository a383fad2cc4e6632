-- What versions of Neovim call differently: from 0.7 on to those in which the old names are gone.

local M = {}

--- The clients of a buffer.
function M.clients(buffer)
  if vim.lsp.get_clients then return vim.lsp.get_clients({ bufnr = buffer }) end
  return vim.lsp.buf_get_clients(buffer)
end

--- Starts a server for a buffer, and gives its id.
function M.start(config, buffer)
  if vim.lsp.start then return vim.lsp.start(config, { bufnr = buffer, reuse_client = function() return false end }) end
  return vim.lsp.start_client(config)
end

--- Ends a server.
function M.stop(id)
  local client = vim.lsp.get_client_by_id(id)
  if client == nil then return end
  if vim.fn.has("nvim-0.11") == 1 then
    client:stop(true)
  else
    client.stop(true)
  end
end

--- Asks a server.
function M.request(client, method, parameters, answer, buffer)
  if vim.fn.has("nvim-0.11") == 1 then return client:request(method, parameters, answer, buffer) end
  return client.request(method, parameters, answer, buffer)
end

--- Runs a command in a terminal in the current, empty buffer; in a folder, if one is given.
function M.terminal(command, folder)
  local options = folder and { cwd = folder } or vim.empty_dict()
  if vim.fn.has("nvim-0.11") == 1 then
    options.term = true
    return vim.fn.jobstart(command, options)
  end
  return vim.fn.termopen(command, options)
end

--- Shows lenses in a buffer, and keeps them up to date.
function M.lenses(buffer)
  if vim.lsp.codelens.enable then return vim.lsp.codelens.enable(true, { bufnr = buffer }) end
  vim.api.nvim_create_autocmd({ "BufEnter", "BufWritePost", "InsertLeave" }, {
    buffer = buffer,
    callback = function() vim.lsp.codelens.refresh() end,
  })
  -- The buffer was entered before there was a server.
  vim.schedule(function()
    if vim.api.nvim_get_current_buf() == buffer then vim.lsp.codelens.refresh() end
  end)
end

return M
