#compdef hookctl
# Completion of hookctl in zsh. In ~/.zshrc, after compinit:
#   source <(hookctl completion zsh)
_hookctl() {
  local program line how
  local -a lines values shown more
  program=$(whence -p hookctl)
  [[ $program == /* ]] || return 1
  lines=("${(@f)$("$program" completion zsh -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  how=${lines[1]}
  for line in "${(@)lines[2,-1]}"; do
    values+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  -- }")
  done
  [[ $how == nospace* ]] && more=(-S '')
  compadd -l "${(@)more}" -d shown -a values
  [[ $how == *' files '* || $how == *' folders '* ]] || return
  compset -p "${how##* }"
  if [[ $how == *' folders '* ]]; then _files -/; else _files; fi
}
compdef _hookctl hookctl
