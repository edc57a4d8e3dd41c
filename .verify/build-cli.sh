# SPDX-License-Identifier: Apache-2.0
# Builds the command line when its sources have changed: for ./holdfast in a source tree.

# Shows that time passes, on a terminal, until the process has ended.
progress() {
  local seconds=0
  echo -n "holdfast: building, once; it takes a minute or two" >&2
  while kill -0 "$1" 2>/dev/null; do
    sleep 1
    seconds=$((seconds + 1))
    [ ! -t 2 ] || echo -ne "\rholdfast: building, once; it takes a minute or two (${seconds} s) " >&2
  done
  echo >&2
}

build() {
  local log=$cli/target/build.log
  (cd "$root" && exec mvn -q -B -pl tools/cli -am package -Dmaven.test.skip=true) </dev/null >"$log" 2>&1 {making}>&- &
  local maven=$!
  # What runs in the background of a script does not hear of Ctrl-C.
  trap 'kill "$maven" 2>/dev/null; exit 130' INT
  trap 'kill "$maven" 2>/dev/null; exit 143' TERM HUP
  progress "$maven"
  trap - INT TERM HUP
  wait "$maven" || die "the build failed: $(grep -m 1 ERROR "$log"); see $log"
  # Maven leaves it alone if nothing in it has changed.
  touch "$jar"
  sum_of_sources >"$cli/target/sources.sum"
}

sources() {
  find "$root"/pom.xml "$root"/{core,backends/*,tools/cli}/{pom.xml,src/main} "$@"
}

sum_of_sources() {
  sources -type f -print0 | LC_ALL=C sort -z | xargs -0 cat | cksum
}

# A file that was only touched has not changed.
is_stale() {
  [ -e "$jar" ] || return 0
  [ -n "$(sources -newer "$jar" -print -quit)" ] || return 1
  local sum
  read -r sum 2>/dev/null <"$cli/target/sources.sum" || return 0
  [ "$sum" = "$(sum_of_sources)" ] || return 0
  touch "$jar" 2>/dev/null
  return 1
}

# A job of cron, or a service, runs what was built before.
may_build() {
  case ${1:-} in run | elect) [ ! -e "$jar" ] || [ -t 2 ] ;; esac
}

# One at a time, where there is flock: two first calls at once would build in one directory.
build_alone() {
  mkdir -p "$cli/target" 2>/dev/null && [ -w "$cli/target" ] \
    || die "it is not built yet, and you may not write to $cli/target: call it once as a user who may"
  exec {making}>"$cli/target/making"
  if type -P flock >/dev/null && ! flock -n "$making"; then
    echo "holdfast: another call is building it; waiting for that" >&2
    flock "$making"
  fi
  if is_stale; then
    build
    rm -rf "${archives[0]}"
  fi
  exec {making}>&-
}

if may_build "$@" && is_stale; then
  . "$root/.verify/needs.sh"
  need_jdk
  need_maven
  build_alone
fi
