# Completion of hookctl in fish. Save it once:
#   hookctl completion fish > ~/.config/fish/completions/hookctl.fish
function __hookctl_complete
    set -l program (command -s hookctl)
    string match -q -- '/*' $program; or return
    set -l token (commandline -ct)
    set -l lines ($program completion fish -- (commandline -opc) $token 2>/dev/null </dev/null)
    set -l how (string split ' ' -- $lines[1])
    printf '%s\n' $lines[2..-1]
    set -l head (string sub -l $how[3] -- $token)
    set -l path (string sub -s (math $how[3] + 1) -- $token)
    switch $how[2]
        case files
            printf "$head%s\n" (__fish_complete_path $path)
        case folders
            printf "$head%s\n" (__fish_complete_directories $path)
    end
end
complete -c hookctl -f -a '(__hookctl_complete)'
