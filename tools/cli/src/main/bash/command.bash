# SPDX-License-Identifier: Apache-2.0
# How the command is started, and gets signals: for supervise.bash.

# --- descriptors

is_open() {
  [ -e "/proc/$BASHPID/fd/$1" ]
}

# close_others DESCRIPTOR…: all but these and the standard streams.
close_others() {
  local path descriptor
  for path in "/proc/$BASHPID/fd"/*; do
    descriptor=${path##*/}
    case " 0 1 2 $* " in *" $descriptor "*) ;; *) eval "exec $descriptor>&-" ;; esac
  done
}

# read_line DESCRIPTOR: sets `line`. Reads for a second at a time, so that no signal waits for longer, and does not go on
# when the lock is not wanted any more.
read_line() {
  local part status
  line=
  while :; do
    IFS= read -r -t 1 -u "$1" part
    status=$?
    line+=$part
    [ "$status" -gt 128 ] || return "$status"
    [ "$stage" != waiting ] || [ -z "$ended_by" ] || return 1
  done
}

# Makes the pipes of one `hold`. Bash forgets a signal that has come before a process substitution in the same command, so
# they are made before signals are handled, or, for the next election, each by a command of its own.
make_pipes() {
  exec {input_pipe}<> <(:)
  exec {output_pipe}<> <(:)
  exec {life_pipe}<> <(:)
  exec {status_pipe}<> <(:)
}

# --- the command

# tty_nr, the terminal that controls us, is 0 if there is none.
has_terminal() {
  local stat
  read -r stat <"/proc/$$/stat"
  set -- ${stat##*)}
  [ "$5" != 0 ]
}

is_in_foreground() {
  local stat
  read -r stat <"/proc/$$/stat"
  set -- ${stat##*)}
  [ "$3" = "$6" ]
}

# What a shell changes, and we to find Java, is for the command as it was.
restore_environment() {
  local entry
  unset OLDPWD
  while IFS= read -r -d '' entry; do
    case $entry in OLDPWD=* | JAVA_HOME=* | PATH=*) export "$entry" ;; esac
  done <"/proc/$$/environ"
}

# In a process of its own, which becomes the command. Keeper and watchdog know it before it begins, or it does not begin.
become_command() {
  trap - "${signals[@]}" PIPE
  local start group=$BASHPID
  [ -z "$terminal" ] || group=0
  set_start "$BASHPID"
  echo "child $BASHPID $start $group" >&"$to" || exit "$lost"
  echo "child $BASHPID $start $group" >&"$feed" || exit "$lost"
  echo "$BASHPID" >&"$tell"
  export HOLDFAST_TOKEN=$token HOLDFAST_NAME=$name HOLDFAST_HOLDER=$holder
  export HOLDFAST_TREE=${HOLDFAST_TREE:-:}$holder:
  restore_environment
  unset HOLDFAST_PASSWORD
  if [ -n "$stderr" ]; then exec 2>&"$stderr"; else exec 2>&-; fi
  local path descriptor
  for path in "/proc/$BASHPID/fd"/*; do
    descriptor=${path##*/}
    # The shell's and ours. Those that the user passed on, usually 3 to 9, are for the command.
    case $descriptor in ?) ;; *) eval "exec $descriptor>&-" ;; esac
  done
  exec -- "$@"
}

# Starts the command and says "PID", and when it has ended "STATUS".
parent() {
  trap '' "${signals[@]}" PIPE
  exec {told}<&-
  # Elsewhere than on a terminal it has a group of its own, by which it is found again. On a terminal it is in ours, so
  # that the terminal's signals, its foreground and Ctrl-Z are as without us.
  [ -n "$terminal" ] || set -m
  # Said, because a shell gives nothing to what runs in the background.
  if [ -n "$stdin" ]; then
    (become_command "$@") <&"$stdin" &
  else
    (become_command "$@") <&- &
  fi
  set +m
  exec </dev/null >/dev/null
  close_others "$tell"
  wait $!
  echo $? >&"$tell"
}

# Sets `child` when the command is there: before, it may lose a signal, as every shell that has just been forked.
start_command() {
  local tell
  exec {told}<"/proc/$$/fd/$status_pipe" {tell}>"/proc/$$/fd/$status_pipe"
  exec {status_pipe}>&-
  (parent "$@") &
  parent=$!
  exec {tell}>&- {feed}>&-
  ! read_line "$told" || child=$line
}

# forward SIGNAL [unheard]
forward() {
  [ -n "$child" ] || return
  if [ -z "$terminal" ]; then
    kill -s "$1" -- "-$child"
    return
  fi
  case ${2:-}$1 in
    # Typed: the command has it from the terminal.
    INT | QUIT) ! is_in_foreground || return ;;
    WINCH | CONT) return ;;
  esac
  kill -s "$1" "$child"
}
