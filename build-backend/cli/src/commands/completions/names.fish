# Completes names of remote machines behind `--on`, and names of their jobs.
complete -c apg -n "__fish_seen_subcommand_from run build places doctor jobs attach stop" -l on -x -a "(apg __complete remotes '' 2>/dev/null)"
complete -c apg -n "__fish_seen_subcommand_from attach stop" -f -a "(apg __complete jobs '' (commandline -opc) 2>/dev/null)"
