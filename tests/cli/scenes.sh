#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# labels: slow
# timeout: 60
# Built-in scenes are listed, printed as they are in scenes/, and good.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

run 0 scenes
list=$out
for file in "$FIRN_SOURCE_DIR"/scenes/*.yaml; do
  name=$(basename "$file" .yaml)
  expect "$list" "$name "
  "$FIRN" scenes "$name" | cmp - "$file" || die "firn scenes $name differs from $file"
  run 0 check "$name" --set quality=0.1 --no-time
  expect "$out" "$name: ok"
  run 0 check "$file" --resolved
  echo "$out" >"$name.yaml"
  run 0 check "$name.yaml" --resolved
  [[ "$out" == "$(cat "$name.yaml")" ]] || die "$name: resolved again, it differs"
done
run 2 scenes snowbal-drop
expect "$err" "did you mean 'snowball-drop'?"
run 2 run snowbal-drop
expect "$err" "did you mean 'snowball-drop'?"
exit 0
