# SPDX-License-Identifier: Apache-2.0
# worker.bash DIRECTORY: writes a line every 20 ms for as long as it lives, and does not end when it is asked to.
# So does a grandchild, which has left its group and session. Both write only if the guard lets them: with a token
# that is not older than the newest that the directory has seen.
directory=$1
trap '' TERM
exec {never}<> <(:)
beat() {
  local newest
  while :; do
    newest=0
    [ ! -e "$directory/newest" ] || read -r newest <"$directory/newest"
    if [ "${newest:-0}" -gt "$HOLDFAST_TOKEN" ]; then
      echo "$EPOCHREALTIME" >>"$directory/refused-$HOLDFAST_TOKEN"
    else
      [ "$newest" = "$HOLDFAST_TOKEN" ] || echo "$HOLDFAST_TOKEN" >"$directory/newest"
      echo "$EPOCHREALTIME" >>"$directory/$1-$HOLDFAST_TOKEN"
    fi
    read -r -t 0.02 -u "$never" _
  done
}
if [ "${2:-}" = grandchild ]; then
  beat grandchild
fi
setsid bash "$0" "$directory" grandchild &
beat child
