vim.bo.commentstring = "// %s"
vim.bo.comments = "s1:/*,mb:*,ex:*/,://"
vim.bo.suffixesadd = ".x10"
vim.cmd("compiler apg")
require("apg").attach(vim.api.nvim_get_current_buf())
