# Completion of hookctl in bash. In ~/.bashrc:
#   source <(hookctl completion bash)
_hookctl() {
  COMPREPLY=()
  local program line how=""
  program=$(type -P hookctl)
  [[ $program == /* ]] || return 0
  while IFS= read -r line; do
    if [[ -z $how ]]; then how=$line; else COMPREPLY+=("$line"); fi
  done < <("$program" completion bash -- "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null </dev/null)
  case $how in nospace*) compopt -o nospace 2>/dev/null ;; esac
  case $how in
    *" files "*) compopt -o default 2>/dev/null ;;
    *" folders "*) compopt -o dirnames 2>/dev/null ;;
  esac
}
complete -F _hookctl hookctl
