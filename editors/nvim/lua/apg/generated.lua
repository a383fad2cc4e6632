-- What a buffer is compiled to, in a window beside it: kept up to date while someone types, with the lines marked that belong to the
-- cursor's, scrolled to them.

local compat = require("apg.compat")

local M = {}

--- What can be shown, and the file type that colours it.
M.kinds = {
  cuda = "cuda", ptx = "asm", resources = "", c = "c", cpp = "cpp", mir = "", transfers = "", communication = "",
}

--- The kinds that are offered, in the order of use.
M.names = { "cuda", "ptx", "resources", "c", "cpp", "mir", "transfers", "communication" }

local marks = vim.api.nvim_create_namespace("apg.generated")
local notes = vim.api.nvim_create_namespace("apg.generated.notes")
--- Typing settles before code is generated again.
local SETTLED = 300

--- By the number of the source's buffer: { buffer, kind, lines, asked, timer, group }.
local views = {}

local function window_of(buffer)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == buffer then return window end
  end
end

--- The line of the source that a generated line (both from 0) comes from; -1 is nowhere.
local function source_of(view, line)
  local found = -1
  for _, entry in ipairs(view.lines) do
    if entry[1] > line then break end
    found = entry[2]
  end
  return found
end

local function mark(buffer, from, to)
  local last = vim.api.nvim_buf_line_count(buffer)
  for line = from, math.min(to, last) - 1 do
    vim.api.nvim_buf_set_extmark(buffer, marks, line, 0, { line_hl_group = "Visual" })
  end
end

local function reveal(buffer, line)
  local window = window_of(buffer)
  if window == nil then return end
  line = math.min(line + 1, vim.api.nvim_buf_line_count(buffer))
  vim.api.nvim_win_set_cursor(window, { line, 0 })
  vim.api.nvim_win_call(window, function() vim.cmd("normal! zz") end)
end

--- Marks what belongs to the cursor of the source, and shows it.
local function from_source(source)
  local view = views[source]
  local window = window_of(source)
  if view == nil or window == nil then return end
  local line = vim.api.nvim_win_get_cursor(window)[1] - 1
  vim.api.nvim_buf_clear_namespace(source, marks, 0, -1)
  vim.api.nvim_buf_clear_namespace(view.buffer, marks, 0, -1)
  local first, nearest, distance
  for nth, entry in ipairs(view.lines) do
    if entry[2] == line then
      local behind = view.lines[nth + 1]
      mark(view.buffer, entry[1], behind and behind[1] or math.huge)
      first = first or entry[1]
    elseif entry[2] >= 0 and entry[2] < line and (distance == nil or line - entry[2] < distance) then
      nearest, distance = entry[1], line - entry[2]
    end
  end
  if first or nearest then reveal(view.buffer, first or nearest) end
end

--- The other way round.
local function from_generated(source)
  local view = views[source]
  local window = view and window_of(view.buffer)
  if window == nil then return end
  local line = source_of(view, vim.api.nvim_win_get_cursor(window)[1] - 1)
  vim.api.nvim_buf_clear_namespace(source, marks, 0, -1)
  vim.api.nvim_buf_clear_namespace(view.buffer, marks, 0, -1)
  if line >= 0 then
    mark(source, line, line + 1)
    reveal(source, line)
  end
end

local function forget(source)
  local view = views[source]
  if view == nil then return end
  views[source] = nil
  vim.api.nvim_del_augroup_by_id(view.group)
  if vim.api.nvim_buf_is_valid(source) then vim.api.nvim_buf_clear_namespace(source, marks, 0, -1) end
end

--- Shows an answer of the server. While someone types, most texts are no programs: the last code stays in sight.
local function take(source, answer)
  local view = views[source]
  vim.api.nvim_buf_clear_namespace(view.buffer, notes, 0, -1)
  if not answer.isCode and view.has_code then
    local note = { { "  (of the last text without errors)", "WarningMsg" } }
    vim.api.nvim_buf_set_extmark(view.buffer, notes, 0, 0, { virt_text = note })
    return
  end
  view.has_code = answer.isCode
  view.lines = answer.lines
  vim.bo[view.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(view.buffer, 0, -1, false, vim.split((answer.text:gsub("\n$", "")), "\n"))
  vim.bo[view.buffer].modifiable = false
  from_source(source)
end

local function generate(source)
  local view = views[source]
  local client = view and require("apg").client(source)
  if client == nil then return end
  view.asked = view.asked + 1
  local asked = view.asked
  local parameters = { textDocument = vim.lsp.util.make_text_document_params(source), kind = view.kind }
  compat.request(client, "apg/generatedCode", parameters, function(failure, answer)
    -- The window is gone, or a later text is on its way.
    if views[source] ~= view or view.asked ~= asked or not vim.api.nvim_buf_is_valid(view.buffer) then return end
    if answer then
      take(source, answer)
    elseif not view.has_code then
      vim.notify("ApgCuda: " .. failure.message, vim.log.levels.ERROR)
    end
  end, source)
end

local function generate_soon(source)
  local view = views[source]
  if view == nil then return end
  view.changes = view.changes + 1
  local change = view.changes
  vim.defer_fn(function()
    if views[source] == view and view.changes == change then generate(source) end
  end, SETTLED)
end

local function open(source, kind)
  local window = vim.api.nvim_get_current_win()
  vim.cmd("vertical botright new")
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_name(buffer, ("apg://%s/%d/%s"):format(kind, source, vim.fn.fnamemodify(vim.api.nvim_buf_get_name(source), ":t")))
  vim.bo[buffer].buftype = "nofile"
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].modifiable = false
  -- A buffer of C would be attached to language servers.
  vim.bo[buffer][kind == "c" and "syntax" or "filetype"] = M.kinds[kind]
  vim.wo.wrap = false
  vim.api.nvim_set_current_win(window)
  local group = vim.api.nvim_create_augroup("apg.generated." .. source, { clear = true })
  views[source] = { buffer = buffer, kind = kind, lines = {}, asked = 0, changes = 0, group = group, has_code = false }
  local function on(events, of, callback)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = of, callback = callback })
  end
  on({ "TextChanged", "TextChangedI" }, source, function() generate_soon(source) end)
  on({ "CursorMoved", "CursorMovedI" }, source, function() from_source(source) end)
  on("CursorMoved", buffer, function() from_generated(source) end)
  on("BufWipeout", source, function() forget(source) end)
  on("BufWipeout", buffer, function() vim.schedule(function() forget(source) end) end)
end

--- Opens the code of the host for the current buffer.
function M.show_host_code() M.show(vim.bo.filetype == "c" and "c" or "cpp") end

--- Opens it for the current buffer, by default its CUDA.
function M.show(kind)
  kind = kind ~= nil and kind ~= "" and kind or "cuda"
  if M.kinds[kind] == nil then
    vim.notify("ApgCuda: there is no form " .. kind .. ": " .. table.concat(M.names, ", "), vim.log.levels.ERROR)
    return
  end
  local source = vim.api.nvim_get_current_buf()
  if not require("apg").client(source) then
    vim.notify("ApgCuda: the language server does not run for this buffer", vim.log.levels.ERROR)
    return
  end
  local view = views[source]
  if view and (view.kind ~= kind or window_of(view.buffer) == nil) then
    forget(source)
    if vim.api.nvim_buf_is_valid(view.buffer) then vim.api.nvim_buf_delete(view.buffer, { force = true }) end
  end
  if views[source] == nil then open(source, kind) end
  generate(source)
end

return M
