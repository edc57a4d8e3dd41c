# SPDX-License-Identifier: Apache-2.0
# What `holdfast run` and `holdfast elect` do beside Java, which has neither process groups nor terminals:
#
#   supervisor   this shell, the process that the user started: forwards signals, passes the exit code on
#   keeper       Java, in a group of its own: acquires, renews and releases the lease, and feeds the watchdog
#   watchdog     a subshell in a group of its own: ends the command in time if the feed says so, or stops, or closes
#   front        a subshell beside the supervisor, which waits for the command and gives it the terminal
#
# Whoever of the first three is killed or stopped, another one ends the command: docs/decisions/0020.
# Before `supervise`, the array `java` is the command line of the keeper. Times are hundredths of a second since boot.

lost=75 not_executable=126 not_found=127

supervise_script=${BASH_SOURCE[0]}

. "${supervise_script%/*}/tree.bash"

# --- the command

is_in_foreground() {
  local stat
  read -r stat <"/proc/$BASHPID/stat"
  set -- ${stat##*)}
  [ "$5" != 0 ] && [ "$3" = "$6" ]
}

# In a process of its own, which becomes the command. The keeper knows it before it begins, or it does not begin.
become_command() {
  echo "child $BASHPID" 1<>"/proc/$supervisor/fd/$to" || exit 1
  echo "$BASHPID" >&"$born"
  export HOLDFAST_TOKEN=$token HOLDFAST_NAME=$name HOLDFAST_HOLDER=$holder
  export HOLDFAST_TREE=${HOLDFAST_TREE:-:}$holder:
  trap - "${signals[@]}" PIPE
  exec 2>&"$stderr"
  local descriptor
  for descriptor in "/proc/$BASHPID/fd"/*; do
    # The shell's and ours. Those that the user passed on, usually 3 to 9, are for the command.
    case ${descriptor##*/} in ?) ;; *) eval "exec ${descriptor##*/}>&-" ;; esac
  done
  exec -- "$@"
}

# Waits for the command, in a group of its own, to which it gives the terminal if it is ours to give.
front() {
  exec {to}>&-
  trap - "${signals[@]}" PIPE
  if is_in_foreground; then
    # Another shell, because one in the background gives no terminal to anybody. It takes the terminal from its
    # standard error, where nothing is to be written.
    exec bash "$supervise_script" front "$$" "$to" "$born" "$stdin" "$stderr" "$token" "$holder" "$name" "$@" 2</dev/tty
  fi
  exec 2>/dev/null
  set -m
  (become_command "$@") <&"$stdin" &
  wait $!
  exit
}

front_on_terminal() {
  set -m
  local status
  (become_command "$@") <&"$stdin"
  status=$?
  while [ -n "$(jobs -ps)" ]; do
    # Stopped from the terminal: so are we, until the user's shell continues us.
    kill -STOP 0
    fg %% >/dev/null
    status=$?
  done
  exit "$status"
}

# --- the supervisor

signals=(HUP INT QUIT USR1 USR2 ALRM TERM CONT WINCH TSTP TTIN TTOU VTALRM PROF XCPU XFSZ IO PWR SYS URG)

caught() {
  interrupted=yes
  case $stage in
    waiting)
      case $1 in
        HUP | INT | QUIT | TERM)
          ended_by=$1
          # The keeper leaves the queue when its input ends.
          exec {to}>&-
          ;;
      esac
      ;;
    running)
      case $1 in HUP | INT | QUIT | TERM) ended_by=$1 ;; esac
      [ -n "$child" ] || read -r -t 1 -u "$born" child
      [ -z "$child" ] || kill -s "$1" -- "-$child"
      ;;
  esac
} 2>/dev/null

# wait_for PID: its exit status, however many signals come in between.
wait_for() {
  local status
  while :; do
    interrupted=
    wait "$1"
    status=$?
    if [ "$status" -gt 128 ] && [ -n "$interrupted" ] && kill -0 "$1" 2>/dev/null; then
      continue
    fi
    # A signal may have come first and its end after it; then the status is to be had again.
    if [ "$status" -gt 128 ] && [ -n "$interrupted" ]; then
      wait "$1"
      status=$?
    fi
    return "$status"
  done
}

# end_within HUNDREDTHS PID: its exit status; it is killed if it has not ended by then, as when it was stopped.
end_within() {
  set_now
  local latest=$((now + $1))
  while kill -0 "$2" && [ "$now" -lt "$latest" ]; do
    pause 0.02
    set_now
  done
  kill -KILL "$2"
  wait_for "$2"
} 2>/dev/null

# Whether the lease was held, and the command watched, until the end.
was_kept() {
  while kill -0 "$keeper" && kill -0 "$watchdog"; do
    wait -n "$keeper" "$watchdog"
  done 2>/dev/null
  if kill -0 "$keeper" 2>/dev/null; then
    # As always: the keeper releases the lease, which may take as long as its store takes.
    wait_for "$watchdog" && wait_for "$keeper" && return
    # The lease of a keeper that was stopped runs out.
    end_within 200 "$keeper"
    return 1
  fi
  wait_for "$keeper" && end_within 200 "$watchdog" && return
  # The watchdog is at work, and nothing is to be left when we have ended.
  end_within $((grace + 500)) "$watchdog"
  return 1
}

# hold ARGUMENTS: acquires, runs the command and releases. `command` is the command.
hold() {
  local keeper watchdog front
  local token holder until grace policy name group= child= stage=waiting
  set -m
  coproc KEEPER { exec "${java[0]}" -Dholdfast.supervise="$supervise_script" -Dholdfast.people="$is_for_people" -Dholdfast.words=${#command[@]} "${java[@]:1}" "$@" 2>&"$stderr"; }
  keeper=$KEEPER_PID
  exec {from}<&"${KEEPER[0]}" {to}>&"${KEEPER[1]}"
  eval "exec ${KEEPER[0]}<&- ${KEEPER[1]}>&-"
  local status
  if ! read -r _ token holder until grace policy <&"$from" || ! IFS= read -r name <&"$from"; then
    exec {from}<&-
    wait_for "$keeper"
    status=$?
    [ -z "$ended_by" ] || status=$((128 + $(kill -l "$ended_by")))
    exec {to}>&-
    return "$status"
  fi
  (
    exec {to}>&-
    trap - "${signals[@]}"
    watchdog
  ) <&"$from" >/dev/null &
  watchdog=$!
  exec {from}<&-
  set +m
  # Where the command says who it is, for the signals that are to reach it.
  exec {born}<> <(:)
  stage=running
  front "${command[@]}" &
  front=$!
  wait_for "$front"
  status=$?
  stage=ended
  exec {born}>&-
  echo done >&"$to"
  exec {to}>&-
  was_kept || return "$lost"
  return "$status"
}

require_executable() {
  type -P -- "$1" >/dev/null && return
  case $1 in
    */*)
      [ ! -e "$1" ] || { say usage "'$1' is not executable: give it the permission (chmod +x), or name its interpreter" && exit "$not_executable"; }
      ;;
  esac
  say usage "there is no command '$1': check its spelling and the PATH"
  exit "$not_found"
}

# Whether these arguments run a command; if not, Java alone has the answer to them.
is_supervised() {
  case ${1:-} in run | elect) ;; *) return 1 ;; esac
  local argument
  for argument in "$@"; do
    shift
    case $argument in
      -h | --help) return 1 ;;
      --) [ $# -gt 0 ] && return ;;
    esac
  done
  return 1
}

# supervise run|elect ARGUMENTS -- COMMAND: does not return.
supervise() {
  local -a all=("$@") command=()
  local index=0 ended_by= interrupted= stage=none child= to= supervisor=$$ is_json= is_for_people=false
  while [ "${all[index]}" != -- ]; do
    index=$((index + 1))
  done
  command=("${all[@]:index+1}")
  case " ${all[*]:0:index} " in *" --json "*) is_json=yes ;; esac
  [ ! -t 2 ] || is_for_people=true
  # Kept, because a shell gives nothing to what runs in the background.
  exec {stdin}<&0 {stderr}>&2
  require_executable "${command[0]}"
  exec 2>/dev/null
  trap : PIPE
  local signal status
  for signal in "${signals[@]}"; do
    trap "caught $signal" "$signal"
  done
  hold "$@"
  status=$?
  while [ "$1" = elect ] && [ "$status" = "$lost" ] && [ -z "$ended_by" ]; do
    say note "standing for election again"
    hold "$@"
    status=$?
  done
  exit "$status"
}

# Parts of the above that are processes of their own.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  case ${1:-} in
    # For the keeper, when it is alone.
    end-tree)
      group=$2 holder=$3
      end_tree "$4"
      ;;
    front)
      supervisor=$2 to=$3 born=$4 stdin=$5 stderr=$6 token=$7 holder=$8 name=$9
      front_on_terminal "${@:10}"
      ;;
  esac
fi
