" What `apg check` says of the file, as a list of places: :make
if exists("current_compiler") | finish | endif
let current_compiler = "apg"

CompilerSet makeprg=apg\ check\ --message-format\ github\ %:p:S
CompilerSet errorformat=::%t%*[a-z]\ file=%f\\,line=%l\\,endLine=%*\\d\\,col=%c\\,endColumn=%*\\d\\,title=%*[^:]::%m
