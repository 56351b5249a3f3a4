# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion of firn for bash. All that it offers is asked of the program, so that nothing is said twice.

_firn_verbs() { "$1" help 2>/dev/null | sed -n 's/^  firn \([a-z][a-z]*\).*/\1/p'; }
_firn_scenes() { "$1" scenes 2>/dev/null | sed 's/ .*//'; }
# --name of a switch, --name= where a value has to follow.
_firn_options() {
  "$1" "$2" --help 2>/dev/null |
    sed -n -e 's/^ \{1,6\}\(-., \)\{0,1\}\(--[a-z-]*\)\[.*/\2/p' \
      -e 's/^ \{1,6\}\(-., \)\{0,1\}\(--[a-z-]*=\{0,1\}\).*/\2/p'
}
# Whether a word is an option, of firn VERB, that the next word is the value of.
_firn_wants() { [[ $3 == -[ojf] ]] || { [[ $3 == --* ]] && _firn_options "$1" "$2" | grep -qxF -- "$3="; }; }
# Values that the program lists for an option; some depend on the scene on the command line.
_firn_values() { "$1" help --values "$2" "$3" ${4:+"$4"} 2>/dev/null; }
# The first word behind the verb that is neither an option nor the value of one.
_firn_scene() {
  local firn=$1 verb=$2 before='' word
  shift 2
  for word; do
    if [[ $word != -* && $word != = && $before != = ]] && ! _firn_wants "$firn" "$verb" "$before"; then
      printf '%s' "$word"
      return
    fi
    before=$word
  done
}
# What a verb takes: SCENE, NAME, VERB, DIR|FILE, as the page of firn says.
_firn_argument() { "$1" help 2>/dev/null | sed -n "s/^  firn $2 \[\{0,1\}\([A-Z|]*\).*/\1/p"; }

_firn() {
  local firn=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]-} words=
  local last=${COMP_WORDS[COMP_CWORD - 1]} option=
  COMPREPLY=()
  # --option value, --option = value and, with the = at hand, --option =.
  if [[ $cur == = ]]; then
    option=$last cur=
  elif [[ $last == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  else
    option=$last
  fi
  if ((COMP_CWORD == 1)); then
    words="$(_firn_verbs "$firn") --help --version"
  elif [[ $cur == -* ]]; then
    words=$(_firn_options "$firn" "$verb")
  elif [[ ${COMP_WORDS[COMP_CWORD]} == = || $last == = ]] || _firn_wants "$firn" "$verb" "$last"; then
    # Perhaps a file, which is offered where nothing of this fits.
    if [[ $option == -* ]]; then
      words=$(_firn_values "$firn" "$verb" "$option" "$(_firn_scene "$firn" "$verb" "${COMP_WORDS[@]:2:COMP_CWORD-2}")")
    fi
  else
    case $verb:$(_firn_argument "$firn" "$verb") in
      bench:*) words=$("$firn" bench --list 2>/dev/null | sed 's/ .*//') ;;
      *:DIR\|SCENE) compgen -f -- "$cur" >/dev/null || words=$(_firn_scenes "$firn") ;;
      *:SCENE | *:NAME) words=$(_firn_scenes "$firn") ;;
      *:VERB) words=$(_firn_verbs "$firn") ;;
    esac
  fi
  # Files are offered besides by `-o default` where nothing of this fits.
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null || :; fi
}
complete -o default -F _firn firn
