# SPDX-License-Identifier: Apache-2.0
# What `holdfast run` and `holdfast elect` do beside Java, which has neither process groups nor all signals, and does not
# pass descriptors on. Four processes:
#
#   supervisor   this shell, the process that the user started: forwards signals, passes the exit code on
#   keeper       Java: acquires and renews the lease, and releases it when no process of the command is left
#   watchdog     a subshell: ends the command if the keeper is silent for too long, or gone, or says that the lock is lost
#   parent       a subshell: starts the command, waits for it and tells the supervisor how it ended
#
# All but the supervisor ignore every signal that can be ignored, and the supervisor never uses `wait` for what still runs:
# bash leaves that by a jump out of the handler of a signal, and forgets another one that came at the same moment. It reads
# from pipes, which end when the processes at their other ends do. Its stages, and what signals do in them (docs/decisions/0094):
#
#   stage      waits for                        HUP INT QUIT TERM              other signals
#   waiting    the grant                        leave the queue, 128+N         nothing
#   starting   the process of the command       kept for the next stage        kept for the next stage
#   running    the end of the command           to the command                 to the command
#   ending     the keeper: it has released      what is left is ended          nothing
#
# Before `supervise`, the array `java` is the command line of the keeper. Times are hundredths of a second since boot.

lost=75 unavailable=69 not_executable=126 not_found=127

# For how long the keeper may take, in hundredths: to release, as long as a slow store may take; to end when it has no more
# to do; to leave the queue. It is killed then, for it was stopped.
longest_release=3000 longest_exit=200 longest_leave=1000

signals=(HUP INT QUIT USR1 USR2 ALRM TERM CONT WINCH TSTP TTIN TTOU VTALRM PROF XCPU XFSZ IO PWR SYS URG)

supervise_script=${BASH_SOURCE[0]}

. "${supervise_script%/*}/tree.bash"
. "${supervise_script%/*}/command.bash"

# --- the supervisor

caught() {
  case $stage in
    none | waiting)
      case $1 in HUP | INT | QUIT | TERM)
        # Before there is a keeper, read_line sees that it is not to be waited for.
        [ -n "$ended_by" ] || [ -z "${to:-}" ] || echo leave >&"$to"
        ended_by=$1
        ;;
      esac
      ;;
    starting) pending+=("$1") ;;
    running)
      case $1 in INT | QUIT | TERM) ended_by=$1 ;; esac
      forward "$1"
      ;;
    ending)
      case $1 in HUP | INT | QUIT | TERM)
        ended_by=$1
        echo end >&"$to"
        ;;
      esac
      ;;
  esac
} 2>/dev/null

# Whether a process of ours has not ended yet.
is_running() {
  local stat
  read -r stat <"/proc/$1/stat" || return
  set -- ${stat##*)}
  [ "$1" != Z ] && [ "$2" = "$$" ]
}

end_now() {
  ! is_running "$1" || kill -KILL "$1"
}

# await_ends SET_LATEST: waits for keeper and watchdog. The function sets `latest`, a time, if it is known when they must
# have ended; they are killed then, for they were stopped.
await_ends() {
  local latest=
  exec {life}>&-
  until read -r -t 0.2 -u "$lives"; [ $? -le 128 ]; do
    set_now
    [ -n "$latest" ] || "$1"
    if [ -n "$latest" ] && [ "$now" -ge "$latest" ]; then
      end_now "$keeper"
      [ -z "$watchdog" ] || end_now "$watchdog"
    fi
  done
  exec {lives}<&-
}

never_late() {
  :
}

late_leaving() {
  latest=$((now + longest_leave))
}

late_release() {
  if ! is_running "$keeper"; then
    # If the watchdog is at work, nothing is to be left when we have ended.
    latest=$((now + grace + 500))
    ! wait "$keeper" || latest=$((now + longest_exit))
  elif ! is_running "$watchdog"; then
    latest=$((now + longest_release))
    wait "$watchdog" || latest=$((now + longest_exit))
  fi
}

# Whether the lease was held, and the command watched, until the end.
was_kept() {
  await_ends late_release
  wait "$watchdog"
  # One that was stopped was killed, and is no loss.
  [ $? != "$lost" ] && wait "$keeper"
}

# become_java ARGUMENTS: names are UTF-8 everywhere, also where cron has no locale.
become_java() {
  export LC_ALL=C.UTF-8
  # Java does not start in a directory that was deleted.
  [ . -ef "$PWD" ] || cd /
  exec "${java[0]}" -Dsun.jnu.encoding=UTF-8 "${java[@]:1}" "$@"
}

become_keeper() {
  trap '' "${signals[@]}" PIPE
  [ -z "$stderr" ] || exec 2>&"$stderr"
  close_others "$life"
  # With -Xrs it does not handle the signals that it is to ignore.
  java=("${java[0]}" -Xrs -Dholdfast.supervise="${supervise_script%/*}/tree.bash" -Dholdfast.people="$is_for_people"
    -Dholdfast.words=${#command[@]} "${java[@]:1}")
  become_java "$@"
}

become_watchdog() {
  trap '' "${signals[@]}" PIPE
  close_others "$never" "$life" $stderr
  watchdog
}

# Starts the keeper, with its input at `to` and its output at `from`. `lives` ends when keeper and watchdog have.
start_keeper() {
  local input output
  exec {input}<"/proc/$$/fd/$input_pipe" {to}>"/proc/$$/fd/$input_pipe"
  exec {from}<"/proc/$$/fd/$output_pipe" {output}>"/proc/$$/fd/$output_pipe"
  exec {lives}<"/proc/$$/fd/$life_pipe" {life}>"/proc/$$/fd/$life_pipe"
  exec {input_pipe}>&- {output_pipe}>&- {life_pipe}>&-
  set -m
  (become_keeper "$@") <&"$input" >&"$output" &
  keeper=$!
  set +m
  exec {input}<&- {output}>&-
}

start_watchdog() {
  set -m
  (become_watchdog) <&"$from" >/dev/null &
  watchdog=$!
  set +m
}

# Reads until the lock is granted, which is two lines, or the keeper says with which code it ends. Anything else is from
# Java itself, which writes there why it cannot start, and is no grant.
await_grant() {
  while read_line "$from"; do
    case $line in
      "granted "*)
        set_grant $line
        read_line "$from"
        return
        ;;
      "exit "*)
        answer=${line#* }
        return 1
        ;;
      *) noise+=" $line" ;;
    esac
  done
  return 1
}

# Returns the exit code of a keeper that has not acquired the lock.
not_granted() {
  if [ -z "$ended_by" ]; then
    await_ends never_late
    wait "$keeper"
    local code=$?
    [ -z "$answer" ] || return "$answer"
    say unavailable "Java ended before the lock was acquired, with exit code $code${noise:+:$noise}"
    return "$unavailable"
  fi
  # It may have been granted meanwhile; this releases it.
  exec {to}>&-
  await_ends late_leaving
  return $((128 + $(kill -l "$ended_by")))
}

# Sets `status`. Without one, the parent was killed, and what is left is to be ended; or it was stopped, and the keeper has
# seen that the command has ended.
await_command() {
  local part
  until IFS= read -r -t 1 -u "$told" part; [ $? -le 128 ]; do
    is_running "$keeper" || is_running "$watchdog" || {
      # It may have come while we were stopped.
      IFS= read -r -t 0.2 -u "$told" part
      break
    }
  done
  status=${part:-$lost}
  exec {told}<&-
  # One that was stopped is not to be left.
  [ -n "$part" ] || end_now "$parent"
  case $part in
    "") is_orphan=yes ;;
    $((128 + 1))) ended_by=HUP ;;
  esac
}

# set_grant granted TOKEN HOLDER UNTIL GRACE POLICY
set_grant() {
  token=$2 holder=$3 until=$4 grace=$5 policy=$6
}

# hold ARGUMENTS: acquires, runs the command and releases. `command` is the command; the pipes are there.
hold() {
  local keeper watchdog= parent= to from feed told lives life line status=$lost
  local token holder until grace policy name answer= noise= child= is_orphan= stage=waiting
  local -a pending=()
  start_keeper "$@"
  is_lost=
  if ! await_grant; then
    not_granted
    status=$?
    stage=none
    exec {to}>&- {from}<&- {status_pipe}>&-
    return "$status"
  fi
  name=$line
  # For the command, to say who it is. As long as we have it, the end of the keeper does not end the feed.
  exec {feed}>"/proc/$$/fd/$from"
  start_watchdog
  exec {from}<&-
  stage=starting
  if [ -n "$ended_by" ]; then
    status=$((128 + $(kill -l "$ended_by")))
    exec {feed}>&-
  else
    start_command "${command[@]}"
    stage=running
    local signal
    for signal in "${pending[@]}"; do
      case $signal in INT | QUIT | TERM) ended_by=$signal ;; esac
      forward "$signal" unheard
    done
    await_command
  fi
  stage=ending
  # What is left of a command that ends by itself is waited for; of one that was told to end, it is ended.
  if [ -n "$ended_by$is_orphan" ]; then echo end >&"$to"; else echo done >&"$to"; fi
  was_kept && [ -z "$is_orphan" ] || is_lost=yes
  [ -z "$is_lost" ] || status=$lost
  stage=none
  exec {to}>&-
  return "$status"
}

require_executable() {
  type -P -- "$1" >/dev/null && return
  case $1 in
    */*)
      [ ! -d "$1" ] || { say usage "'$1' is a directory" && exit "$not_executable"; }
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
  local index=0 ended_by= stage=none terminal= is_json= is_for_people=false stdin= stderr=
  while [ "${all[index]}" != -- ]; do
    index=$((index + 1))
  done
  command=("${all[@]:index+1}")
  case " ${all[*]:0:index} " in *" --json "*) is_json=yes ;; esac
  [ ! -t 2 ] || is_for_people=true
  ! has_terminal || terminal=yes
  # Any of them may have been closed, and is for the command too.
  ! is_open 0 || exec {stdin}<&0
  ! is_open 2 || exec {stderr}>&2
  exec 2>/dev/null
  require_executable "${command[0]}"
  local signal status is_lost= input_pipe output_pipe life_pipe status_pipe
  make_pipes
  trap '' PIPE
  for signal in "${signals[@]}"; do
    case $terminal$signal in yesTSTP | yesTTIN | yesTTOU) continue ;; esac
    trap "caught $signal" "$signal"
  done
  hold "$@"
  status=$?
  # A command may end with the same code by itself.
  while [ "$1" = elect ] && [ -n "$is_lost" ] && [ -z "$ended_by" ]; do
    say note "standing for election again"
    make_pipes
    hold "$@"
    status=$?
  done
  exit "$status"
}
