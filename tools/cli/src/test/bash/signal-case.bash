# SPDX-License-Identifier: Apache-2.0
# signal-case.bash TOOL CASE DIRECTORY: runs a command under a lock with flock or holdfast, does to it what the case says
# while another one waits for the same lock, and prints "EXIT OVERLAP NEXT": the exit code (- if there is none to be had),
# whether the next command began while a process of the first was alive, and whether it began at all (free or locked).
tool=$1 case=$2 directory=$3
here=${BASH_SOURCE[0]%/*}
mkdir -p "$directory"
exec 2>>"$directory/errors"

# --- the two commands

# The first one: notes its process id, says that it is there, and goes on until it is told to end.
cat >"$directory/first" <<'SCRIPT'
echo $$ >>"$1/pids"
case $2 in
  stubborn) trap '' TERM ;;
  family) setsid sh -c 'trap "" TERM; echo $$ >>"$0/pids"; while :; do sleep 0.05; done' "$1" & ;;
  leaves) sh -c 'echo $$ >>"$0/pids"; until [ -e "$0/enough" ]; do sleep 0.05; done' "$1" & ;;
esac
until [ -s "$1/pids" ] && { [ "$2" = "" ] || [ "$2" = stubborn ] || [ "$(wc -l <"$1/pids")" -gt 1 ]; }; do sleep 0.02; done
: >"$1/begun"
until [ -e "$1/end" ]; do sleep 0.05; done
exit 7
SCRIPT

# The second one: notes which processes of the first one are there.
cat >"$directory/second" <<'SCRIPT'
while read -r pid; do
  read -r stat <"/proc/$pid/stat" || continue
  case ${stat##*) } in Z* | X*) ;; *) echo "$pid" >>"$1/overlap" ;; esac
done <"$1/pids"
: >"$1/next"
SCRIPT

# What puts a command under the lock, whatever the environment.
if [ "$tool" = flock ]; then
  printf 'exec flock %q "$@"\n' "$directory/lock" >"$directory/locked"
else
  printf 'export HOLDFAST_TEST_JAVA=%q HOLDFAST_TEST_CLASS_PATH=%q\n' "$HOLDFAST_TEST_JAVA" "$HOLDFAST_TEST_CLASS_PATH" \
    >"$directory/locked"
  printf 'exec bash %q run signals --url %q --lease-time 10s --grace 1s -- "$@"\n' "$here/launch.bash" "file:$directory/locks" \
    >>"$directory/locked"
fi

behaviour=
case $case in
  *stubborn*) behaviour=stubborn ;;
  *family*) behaviour=family ;;
  *leaves*) behaviour=leaves ;;
esac
first=(sh "$directory/first" "$directory" $behaviour)

# --- looking for processes

state_of() {
  local stat
  read -r stat <"/proc/$1/stat" || return
  stat=${stat##*) }
  echo "${stat%% *}"
}

is_there() {
  case $(state_of "$1") in "" | Z | X) return 1 ;; esac
}

children_of() {
  cat "/proc/$1/task/$1/children"
}

# All that a service manager would find in the group of a service.
all_of() {
  local child
  echo "$1"
  for child in $(children_of "$1"); do
    all_of "$child"
  done
}

command_pid() {
  head -n 1 "$directory/pids"
}

parent_of_command() {
  local stat
  read -r stat <"/proc/$(command_pid)/stat"
  set -- ${stat##*)}
  echo "$2"
}

# part keeper|watchdog|parent, of holdfast; flock has but one process.
part() {
  local child parent
  if [ "$tool" = flock ]; then
    echo "$main"
    return
  fi
  parent=$(parent_of_command)
  for child in $(children_of "$main"); do
    # One that has ended, and was not waited for yet, is none of them.
    is_there "$child" || continue
    case $1:$(cat "/proc/$child/comm"):$child in
      keeper:java:*) echo "$child" ;;
      parent:*:"$parent") echo "$child" ;;
      *:java:* | *:"$parent") ;;
      watchdog:*) echo "$child" ;;
    esac
  done
}

# --- running them

main=
# start COMMAND…: as a group of its own, as an interactive shell does it.
start() {
  set -m
  "$@" </dev/null >>"$directory/output" &
  main=$!
  set +m
}

# flock is stopped for ever, or locked for ever, where that is the case.
patience=1200
[ "$tool" = holdfast ] || patience=150
await() {
  local i
  for ((i = 0; i < patience; i++)); do
    "$@" && return
    sleep 0.05
  done
  return 1
}

begun() {
  [ -e "$directory/begun" ]
}

begun_or_ended() {
  begun || main_ended
}

next() {
  [ -e "$directory/next" ]
}

main_ended() {
  ! is_there "$main"
}

begin_next() {
  bash "$directory/locked" sh "$directory/second" "$directory" </dev/null >/dev/null &
  second=$!
}

# launch [WRAPPER…]: the first one, and when it has begun the second one.
launch() {
  start "$@" bash "$directory/locked" "${first[@]}"
  # A wrapper may have ended it before, on a busy machine.
  await begun_or_ended
  : >>"$directory/pids"
  begin_next
}

end_first() {
  : >"$directory/end"
}

send() {
  kill -s "$1" -- "$2"
}

case $case in
  TERM | INT | HUP | USR1) launch && send "$case" "$main" ;;
  TERM+CONT | CONT+TERM | INT+TERM | TERM+TERM+CONT+TERM)
    launch
    for signal in ${case//+/ }; do send "$signal" "$main"; done
    ;;
  STOP+TERM+CONT)
    launch
    for signal in STOP TERM CONT; do send "$signal" "$main"; done
    ;;
  TERM,family) launch && send TERM "$main" ;;
  group-TERM | group-HUP | group-INT) launch && send "${case#*-}" "-$main" ;;
  group-TERM+CONT) launch && send TERM "-$main" && send CONT "-$main" ;;
  KILL,main) launch && send KILL "$main" ;;
  KILL,group) launch && send KILL "-$main" ;;
  KILL,keeper | KILL,watchdog | KILL,parent | STOP,keeper) launch && send "${case%,*}" "$(part "${case#*,}")" ;;
  STOP,watchdog+TERM) launch && send STOP "$(part watchdog)" && send TERM "$main" ;;
  STOP,parent+TERM) launch && send STOP "$(part parent)" && send TERM "$main" ;;
  STOP,main)
    launch
    send STOP "$main"
    end_first
    # With holdfast the next one begins; flock keeps the lock while it is stopped.
    if [ "$tool" = holdfast ]; then await next; fi
    send CONT "$main"
    ;;
  end) launch && end_first ;;
  leaves)
    launch
    end_first
    await eval '! is_there "$(command_pid)"'
    sleep 0.5
    : >"$directory/enough"
    ;;
  timeout) launch timeout 4 ;;
  timeout-INT) launch timeout -s INT 4 ;;
  timeout-k,stubborn) launch timeout -k 1 4 ;;
  nohup) launch nohup && send HUP "$main" && sleep 0.3 && begun && is_there "$(command_pid)" && send TERM "$main" ;;
  setsid) launch setsid -w && send TERM "$(children_of "$main" | tr -d ' ')" ;;
  env-i)
    launch env -i "PATH=$PATH"
    send TERM "$main"
    ;;
  closed-0) launch bash -c 'exec "$@" <&-' closed && end_first ;;
  closed-1) launch bash -c 'exec "$@" >&-' closed && end_first ;;
  closed-2) launch bash -c 'exec "$@" 2>&-' closed && end_first ;;
  closed-all) launch bash -c 'exec "$@" <&- >&- 2>&-' closed && send TERM "$main" ;;
  systemd-process) launch && send TERM "$main" && send CONT "$main" ;;
  systemd-mixed)
    launch
    all=$(all_of "$main")
    send TERM "$main"
    send CONT "$main"
    await main_ended
    kill -KILL $all
    ;;
  systemd-control-group)
    launch
    for pid in $(all_of "$main"); do kill -TERM "$pid"; kill -CONT "$pid"; done
    ;;
  systemd-KILL) launch && kill -KILL $(all_of "$main") ;;
  start-up)
    start bash "$directory/locked" "${first[@]}"
    # Anywhere between the first line of a shell and the grant.
    sleep "0.$((RANDOM % 9))$((RANDOM % 9))"
    send TERM "$main"
    : >>"$directory/pids"
    begin_next
    ;;
  start-up,pipes)
    start bash "$directory/locked" "${first[@]}"
    # Two process substitutions in one command are at 63 and 62: bash may forget a signal between them.
    until [ -e "/proc/$main/fd/62" ] || [ -e "$directory/locks" ] || begun || [ ! -e "/proc/$main/exe" ]; do :; done
    send TERM "$main"
    : >>"$directory/pids"
    begin_next
    ;;
  terminal-closed | terminal-INT)
    mkfifo "$directory/keys"
    set -m
    script -qec "bash $directory/locked ${first[*]}" /dev/null <"$directory/keys" >>"$directory/output" &
    main=$!
    set +m
    exec 8>"$directory/keys"
    await begun
    begin_next
    case $case in
      terminal-closed) send KILL "$main" ;;
      terminal-INT) printf '\003' >&8 ;;
    esac
    exec 8>&-
    ;;
  *) echo "unknown case $case" >&2 && exit 64 ;;
esac

exit_code=-
if await main_ended; then
  wait "$main"
  exit_code=$?
fi
# flock keeps the lock for as long as a process of the command lives, which may be for ever.
if [ "$tool" = flock ]; then
  for ((i = 0; i < 20; i++)); do ! next || break; sleep 0.05; done
else
  await next
fi
overlap=no free=locked
! next || free=free
[ ! -e "$directory/overlap" ] || overlap=overlap
echo "$exit_code $overlap $free"

# --- nothing is left
kill -KILL "$second" $(children_of "$second") $(grep -ls -- "$directory" /proc/[0-9]*/cmdline | tr -dc '0-9\n' | grep -vx "$$") 2>/dev/null
exit 0
