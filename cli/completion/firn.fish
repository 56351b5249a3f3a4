# SPDX-License-Identifier: Apache-2.0
# Completion of firn for fish. All that it offers is asked of the program, so that nothing is said twice.

function __firn_verbs
    firn help 2>/dev/null | string match -rg '^  firn ([a-z]+) [][A-Z|]* *([a-z].*)$' | paste - -
end
function __firn_scenes
    firn scenes 2>/dev/null | string replace -r ' +' \t
end
# --name of a switch, --name= where a value has to follow.
function __firn_options
    firn (commandline -opc)[2] --help 2>/dev/null | string replace -r '\[=[^]]*\]' '' |
        string match -rg '^ {1,6}(?:-., )?(--[a-z-]+=?)\S* *(.*)$' | paste - -
end
# Values of the option at hand: --option value and --option=value.
function __firn_option
    set -l now (commandline -ct)
    set -l before (commandline -opc)[-1]
    if string match -qr -- '^--[a-z-]+=' $now
        string replace -r '=.*' '' -- $now
    else if string match -qr -- '^-[ojf]$' $before; or begin; string match -q -- '--*' $before; and contains -- "$before=" (__firn_options | string replace -r '\t.*' ''); end
        echo $before
    end
end
function __firn_values
    set -l words (commandline -opc)
    set -l option (__firn_option)
    set -l head ''
    string match -qr -- '^--[a-z-]+=' (commandline -ct); and set head "$option="
    # The first word behind the verb that is no option stands for the scene.
    set -l scene (string match -v -- '-*' $words[3..])[1]
    for value in (firn help --values $words[2] $option $scene 2>/dev/null)
        echo $head$value
    end
end
# What the verb takes: SCENE, NAME, VERB, DIR|FILE, as the page of firn says.
function __firn_takes
    set -l verb (commandline -opc)[2]
    contains -- (firn help 2>/dev/null | string match -rg "^  firn $verb \[?([A-Z|]+)") $argv
end
function __firn_has_verb
    test (count (commandline -opc)) -gt 1
end

complete -c firn -n 'not __firn_has_verb' -f -a '(__firn_verbs)'
complete -c firn -n '__firn_has_verb; and string match -q -- "-*" (commandline -ct)' -a '(__firn_options)'
complete -c firn -n '__firn_has_verb; and test -z "$(__firn_option)"; and __firn_takes SCENE "DIR|SCENE" NAME' -a '(__firn_scenes)'
complete -c firn -n '__firn_has_verb; and __firn_takes VERB' -f -a '(__firn_verbs)'
complete -c firn -n '__firn_has_verb; and test -n "$(__firn_option)"' -a '(__firn_values)'
