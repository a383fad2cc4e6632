# Completes names of remote machines behind `--on`.
_apg_remotes() {
    local -a names
    names=(${(f)"$(apg __complete remotes '' 2>/dev/null)"})
    (( $#names )) && compadd -a names
}

# Completes names of jobs of the remote machine that the command line names.
_apg_jobs() {
    local -a names
    names=(${(f)"$(apg __complete jobs '' "${words[@]}" 2>/dev/null)"})
    (( $#names )) && compadd -a names
}

