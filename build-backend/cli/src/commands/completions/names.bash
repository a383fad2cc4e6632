# Completes names of remote machines behind `--on`, and names of their jobs.
_apg_with_names() {
    local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" names=""
    # `--on=NAME` is three words.
    if [[ "$current" == "=" ]]; then
        current=""
    elif [[ "$before" == "=" ]]; then
        before="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    if [[ "$before" == "--on" ]]; then
        names="$(apg __complete remotes "$current" 2>/dev/null)"
    elif [[ "$current" != -* && "$before" != "--message-format" && "$before" != "--color" ]]; then
        case " ${COMP_WORDS[*]} " in
            *" attach "* | *" stop "*)
                names="$(apg __complete jobs "$current" "${COMP_WORDS[@]}" 2>/dev/null)"
                ;;
        esac
    fi
    if [[ -n "$names" ]]; then
        local IFS=$'\n'
        COMPREPLY=($names)
    else
        _apg "$@"
    fi
}
complete -F _apg_with_names -o bashdefault -o default apg
