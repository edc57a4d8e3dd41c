# SPDX-License-Identifier: Apache-2.0
# Our words, the command's processes, and the watchdog that ends them: for supervise.bash.

# From the last moment at which the command may live to the end of the lease, by this machine's reckoning.
margin=30

# A pipe on which nobody writes: to wait on it for a time needs no other process.
exec {never}<> <(:)

pause() {
  read -r -t "$1" -u "$never" _
  return 0
}

set_now() {
  read -r now _ </proc/uptime
  now=$((10#${now/./}))
}

# say EVENT TEXT: our own words, on stderr; with --json as a line of JSON, as Message.java does it.
say() {
  local text=$2
  if [ -n "$is_json" ]; then
    text=${text//[[:cntrl:]]/ }
    text=${text//\\/\\\\}
    echo "{\"event\":\"$1\",\"message\":\"${text//\"/\\\"}\"}" >&"$stderr"
  else
    echo "holdfast: $text" >&"$stderr"
  fi
}

# --- the command's processes: its group, and whoever inherited its mark, wherever they went

marked() {
  local file
  for file in $(grep -ls "HOLDFAST_TREE=[^=]*:$holder:" /proc/[0-9]*/environ); do
    file=${file#/proc/}
    echo "${file%/environ}"
  done
}

signal_tree() {
  [ -z "$group" ] || kill -s "$1" -- "-$group"
  local pids
  pids=$(marked)
  # The list is split on purpose.
  [ -z "$pids" ] || kill -s "$1" $pids
} 2>/dev/null

is_gone() {
  ! { [ -n "$group" ] && kill -0 -- "-$group" 2>/dev/null; } && [ -z "$(marked)" ]
}

# end_tree KILL_AT: TERM, and at that time KILL. A stopped process ends when it is continued.
end_tree() {
  signal_tree TERM
  signal_tree CONT
  set_now
  while [ "$now" -lt "$1" ]; do
    is_gone && return
    pause 0.05
    set_now
  done
  local attempt
  for attempt in {1..40}; do
    is_gone && return
    signal_tree KILL
    pause 0.05
  done
}

# --- the watchdog

# Reads the feed: "child GROUP", "until TIME", "lost CAUSE", "over".
watchdog() {
  local line= part left reason= timeout status
  while :; do
    set_now
    left=$((until - margin - grace - now))
    if [ "$left" -le 0 ]; then
      reason="the lock '$name' could not be renewed in time"
      break
    fi
    [ "$left" -le 50 ] || left=50
    printf -v timeout '0.%02d' "$left"
    IFS= read -r -t "$timeout" part
    status=$?
    # A time-out in the middle of a line leaves its beginning here.
    line+=$part
    if [ "$status" = 0 ]; then
      case $line in
        "child "*) group=${line#* } ;;
        "until "*) until=${line#* } ;;
        over) exit 0 ;;
        lost*)
          reason="the lock '$name' is lost (${line#* })"
          break
          ;;
      esac
      line=
    elif [ "$status" -le 128 ]; then
      reason="the process that kept the lock '$name' is gone"
      break
    fi
  done
  if [ "$policy" = warn ]; then
    say lost "$reason; the command goes on without it"
    exit "$lost"
  fi
  say lost "$reason; ending the command"
  set_now
  local kill_at=$((until - margin))
  # What is lost already has no deadline to respect, but the grace is no longer than it was to be.
  [ "$kill_at" -le $((now + grace)) ] || kill_at=$((now + grace))
  end_tree "$kill_at"
  exit "$lost"
}
