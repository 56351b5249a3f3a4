#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# The installed manual is whole and clean, and the shells complete what the program knows.
source "$(dirname "$0")/common.bash"
installed pages
export PATH=$PREFIX/bin:$PATH LD_LIBRARY_PATH=$LIBDIR
failures=0
wrong() {
  echo "$*"
  failures=$((failures + 1))
}

# ---- documents
for file in README.md LICENSE docs/library.md docs/cli.md examples/ball.c examples/CMakeLists.txt; \
  do
  [[ -s $DOC/$file ]] || wrong "$file was not installed"
done

# ---- manual: a page for each verb, which has all of its options
if command -v help2man >/dev/null; then
  man1=$PREFIX/share/man/man1
  verbs=$(firn help | sed -n 's/^  firn \([a-z]*\).*/\1/p')
  [[ $(wc -w <<<"$verbs") -ge 13 ]] || wrong "firn help lists: $verbs"
  for page in firn $(printf 'firn-%s ' $verbs); do
    if [[ ! -s $man1/$page.1 ]]; then
      wrong "there is no $page.1"
      continue
    fi
    if command -v mandoc >/dev/null; then
      said=$(mandoc -T lint -W warning "$man1/$page.1" 2>&1) || wrong "$page.1: $said"
    fi
    if command -v man >/dev/null; then
      said=$(MANWIDTH=80 man --warnings -l "$man1/$page.1" 2>&1 >/dev/null) || true
      [[ -z $said ]] || wrong "$page.1: $said"
      # No two commands share a line: they would have run together.
      said=$(MANWIDTH=200 man -l "$man1/$page.1" | grep -E '(^| )firn [a-z].* firn [a-z]' || true)
      [[ -z $said ]] || wrong "$page.1 has commands in one paragraph: $said"
    fi
  done
  for verb in $verbs; do
    for option in $(firn "$verb" --help | grep -oE '^ {1,6}(-., )?--[a-z-]+' | sed 's/.*--//'); do
      sed 's/\\//g' "$man1/firn-$verb.1" | grep -q -- "--$option" ||
        wrong "firn-$verb.1 does not know --$option"
    done
  done
  grep -q 'firn-run \\- simulate a scene into a folder' "$man1/firn-run.1" || wrong "its name"
else
  echo "without help2man there are no pages"
fi

# ---- bash
# shellcheck disable=SC1091
. "$PREFIX/share/bash-completion/completions/firn"
# completes "WORD..." "EXPECTED...": the last word becomes these, in any order.
completes() {
  local expected
  read -ra COMP_WORDS <<<"$1"
  [[ $1 != *" " ]] || COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _firn
  expected=$(tr ' ' '\n' <<<"$2" | sort)
  [[ $(printf '%s\n' "${COMPREPLY[@]}" | sort) == "$expected" ]] ||
    wrong "bash: '$1' became '${COMPREPLY[*]}', not '$2'"
}
completes "firn re" "refine render"
completes "firn run --res" "--resume"
completes "firn run --fra" "--frames="
completes "firn run --pic" "--pictures"
completes "firn run bunny-d" "bunny-drop"
completes "firn scenes bunny-d" "bunny-drop"
completes "firn help sw" "sweep"
completes "firn bench mpm/explicit-cubic" "mpm/explicit-cubic-flip"
completes "firn info nothing-of-this" ""
completes "firn render bunny-d" "bunny-drop"
# Values of options; bash takes = for a word.
completes "firn run --solver bunny-d" ""
completes "firn run --solver " "mpm sph flip"
completes "firn run --solver = s" "sph"
completes "firn run --solver =" "mpm sph flip"
completes "firn export --format v" "$(firn help --values export --format | grep '^v' | paste -sd ' ')"
completes "firn export -f pl" "ply"
completes "firn render --format e" "exr"
completes "firn render --map = b" "balance"
completes "firn run --quality 0." "0.25 0.5"
completes "firn run --isa sc" "scalar"
completes "firn run --threads 0" ""
completes "firn run --set mpm.fli" "mpm.flip= mpm.flip_rescale= mpm.flight="
completes "firn run --set = qual" "quality="
completes "firn run --solver sph snowball-drop --set snow.0.variation.3." "$(
  printf 'snow.0.variation.3.%s= ' of axis blend factor offset amplitude wavelength octaves seed | sed 's/ $//')"
# Every key of a scene that it offers can be set.
firn scenes snowball-drop >ball.yaml
for path in $(firn help --values run --set snowball-drop | sed 's/=$//'); do
  said=$(firn check snowball-drop --resolved --set "$path=~" 2>&1) || true
  [[ $said != *"unknown key"* ]] || wrong "--set $path: $said"
done
for value in $(firn help --values run --solver); do
  firn check demo --resolved --solver "$value" >/dev/null || wrong "--solver $value"
done
completes "firn run --set = bunny-d" ""
completes "firn run -o bunny-d" ""
completes "firn run --resume bunny-d" "bunny-drop"
# All scenes, as the program lists them.
completes "firn run " "$(firn scenes | sed 's/ .*//' | paste -sd ' ')"

# ---- fish and zsh, where they are
if command -v fish >/dev/null; then
  fish="$PREFIX/share/fish/vendor_completions.d/firn.fish"
  offers() {
    fish --no-config -c "source $fish; complete -C '$1'" | cut -f 1 | grep -qxF -- "$2" ||
      wrong "fish: '$1' does not become $2"
  }
  offers "firn re" render
  offers "firn run --res" --resume
  offers "firn run --fra" --frames=
  offers "firn run bunny-d" bunny-drop
  offers "firn run --solver m" mpm
  offers "firn run --solver=m" --solver=mpm
  offers "firn run --set mpm.fli" mpm.flip=
fi
if command -v zsh >/dev/null; then
  zsh="$PREFIX/share/zsh/site-functions/_firn"
  zsh -n "$zsh" || wrong "zsh does not read _firn"
  lists() {
    zsh -f -c "source $zsh; $1" | grep -qF -- "$2" || wrong "zsh: $1 does not list $2"
  }
  lists "_firn_verbs firn" "run:simulate a scene into a folder"
  lists "_firn_options firn run" "--resume:go on"
  lists "_firn_options firn run" "--frames=:write"
  lists "_firn_scenes firn" "bunny-drop:A bunny"
  lists "_firn_values firn run --solver" sph
  lists "_firn_scene firn run --solver sph bunny-drop" bunny-drop
fi
exit $((failures > 0))
