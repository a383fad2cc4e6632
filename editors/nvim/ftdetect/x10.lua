vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
  pattern = "*.x10",
  callback = function() vim.bo.filetype = "x10" end,
})
