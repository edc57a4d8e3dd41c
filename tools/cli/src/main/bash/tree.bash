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
  [ -n "$stderr" ] || return 0
  if [ -n "$is_json" ]; then
    text=${text//[[:cntrl:]]/ }
    text=${text//\\/\\\\}
    echo "{\"event\":\"$1\",\"message\":\"${text//\"/\\\"}\"}" >&"$stderr"
  else
    echo "holdfast: $text" >&"$stderr"
  fi
}

# The same, by a process of its own: a pipe that is not read, or a terminal that was halted, would keep us from what is to
# be done.
say_aside() {
  (say "$@") {life}>&- &
  speaker=$!
}

# Waits a second for it, and leaves none behind.
end_speaker() {
  local attempt
  for attempt in {1..20}; do
    kill -0 "$speaker" || return 0
    pause 0.05
  done
  kill -KILL "$speaker"
} 2>/dev/null

# --- the command's processes: itself, its group, and all that inherited its mark, wherever they went

# set_start PID: when it began, in ticks since boot, or nothing if it has ended. A process id may be given to another
# process, but not at the same time.
set_start() {
  local stat
  start=
  read -r stat <"/proc/$1/stat" || return
  set -- ${stat##*)}
  case $1:${18} in Z:[01] | X:*) ;; *) start=${20} ;; esac
}

# A process whose first thread has ended is shown as one that has, but for its number of threads.
threads='([2-9]|[1-9][0-9]+)'

# Where the environment of such a process can be read: by its other threads only.
headless() {
  local file
  for file in $(grep -lsE "^[0-9]+ \(.*\) Z( -?[0-9]+){16} $threads " /proc/[0-9]*/stat); do
    echo "${file%stat}task"/*/environ
  done
}

# All that have not ended; those that have may be listed until their parents have heard of it.
members() {
  local start file
  set_start "$child"
  [ -z "$start" ] || [ "$start" != "$child_start" ] || echo "$child"
  for file in $(grep -ls "HOLDFAST_TREE=[^=]*:$holder:" /proc/[0-9]*/environ $(headless)) \
    $([ "$group" = 0 ] || grep -lsE "^[0-9]+ \(.*\) ([^ZX] [0-9]+ $group |Z [0-9]+ $group( -?[0-9]+){14} $threads )" /proc/[0-9]*/stat); do
    file=${file#/proc/}
    echo "${file%%/*}"
  done
}

signal_tree() {
  # The list is split on purpose.
  set -- "$1" $(members)
  [ $# = 1 ] || kill -s "$@"
} 2>/dev/null

is_gone() {
  [ -z "$(members)" ]
} 2>/dev/null

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

# set_child child PID START GROUP
set_child() {
  child=$2 child_start=$3 group=$4
}

# Reads the feed: "child PID START GROUP", "until TIME", "lost CAUSE", "over".
watchdog() {
  local line= part left reason= timeout status child=0 child_start= group=0
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
        "child "*) set_child $line ;;
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
  local speaker
  if [ "$policy" = warn ]; then
    say_aside lost "$reason; the command goes on without it"
    end_speaker
    exit "$lost"
  fi
  say_aside lost "$reason; ending the command"
  set_now
  local kill_at=$((until - margin))
  # What is lost already has no deadline to respect, but the grace is no longer than it was to be.
  [ "$kill_at" -le $((now + grace)) ] || kill_at=$((now + grace))
  end_tree "$kill_at"
  end_speaker
  exit "$lost"
}

# For the keeper, when it is alone: end-tree CHILD START GROUP HOLDER KILL_AT.
if [ "${1:-}" = end-tree ] && [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set_child "$@"
  holder=$5
  end_tree "$6"
fi
