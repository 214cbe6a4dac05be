/** The shells that hookctl completes words in. */
export type Shell = "bash" | "zsh" | "fish";

/**
 * Each script asks the hookctl on the PATH for candidates. The first line of the answer has the mode: `nospace` or
 * `space`, then `files`, `folders` or `none`, then the number of characters before the path. A hookctl on a relative
 * PATH is not run, because it may be in a project.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of hookctl in bash. In ~/.bashrc:
#   source <(hookctl completion bash)
_hookctl() {
  COMPREPLY=()
  local program line how=""
  program=$(type -P hookctl)
  [[ $program == /* ]] || return 0
  while IFS= read -r line; do
    if [[ -z $how ]]; then how=$line; else COMPREPLY+=("$line"); fi
  done < <("$program" completion bash -- "\${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null </dev/null)
  case $how in nospace*) compopt -o nospace 2>/dev/null ;; esac
  case $how in
    *" files "*) compopt -o default 2>/dev/null ;;
    *" folders "*) compopt -o dirnames 2>/dev/null ;;
  esac
}
complete -F _hookctl hookctl
`,
  zsh: `#compdef hookctl
# Completion of hookctl in zsh. In ~/.zshrc, after compinit:
#   source <(hookctl completion zsh)
_hookctl() {
  local program line how
  local -a lines values shown more
  program=$(whence -p hookctl)
  [[ $program == /* ]] || return 1
  lines=("\${(@f)$("$program" completion zsh -- "\${(@Q)words[1,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  how=\${lines[1]}
  for line in "\${(@)lines[2,-1]}"; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  [[ $how == nospace* ]] && more=(-S '')
  compadd -l "\${(@)more}" -d shown -a values
  [[ $how == *' files '* || $how == *' folders '* ]] || return
  compset -p "\${how##* }"
  if [[ $how == *' folders '* ]]; then _files -/; else _files; fi
}
compdef _hookctl hookctl
`,
  fish: `# Completion of hookctl in fish. Save it once:
#   hookctl completion fish > ~/.config/fish/completions/hookctl.fish
function __hookctl_complete
    set -l program (command -s hookctl)
    string match -q -- '/*' $program; or return
    set -l token (commandline -ct)
    set -l lines ($program completion fish -- (commandline -opc) $token 2>/dev/null </dev/null)
    set -l how (string split ' ' -- $lines[1])
    printf '%s\\n' $lines[2..-1]
    set -l head (string sub -l $how[3] -- $token)
    set -l path (string sub -s (math $how[3] + 1) -- $token)
    switch $how[2]
        case files
            printf "$head%s\\n" (__fish_complete_path $path)
        case folders
            printf "$head%s\\n" (__fish_complete_directories $path)
    end
end
complete -c hookctl -f -a '(__hookctl_complete)'
`,
};
