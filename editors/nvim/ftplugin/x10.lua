vim.bo.commentstring = "// %s"
vim.bo.comments = "s1:/*,mb:*,ex:*/,://"
vim.bo.suffixesadd = ".x10"
require("apg").attach(vim.api.nvim_get_current_buf())
