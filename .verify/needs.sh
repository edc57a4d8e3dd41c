# SPDX-License-Identifier: Apache-2.0
# What ./verify needs on the machine: one function each, which finds it, installs it, or says what is missing.

need_jdk() {
  local java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
  command -v "$java" >/dev/null \
    || die "no JDK: '$java' is not there. Install a JDK 17 or newer and set JAVA_HOME"
  JAVA_HOME=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p')
  [ -x "$JAVA_HOME/bin/javac" ] \
    || die "no JDK: $JAVA_HOME has no compiler (bin/javac). Install a JDK 17 or newer, not only a JRE"
  local version
  version=$("$JAVA_HOME/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
  [ "${version:-0}" -ge 17 ] \
    || die "JDK $version is too old: $JAVA_HOME. Install a JDK 17 or newer and set JAVA_HOME"
  export JAVA_HOME PATH="$JAVA_HOME/bin:$PATH"
}

need_maven() {
  command -v mvn >/dev/null && return
  install_package maven "Maven 3.8 or newer"
  command -v mvn >/dev/null || die "Maven was installed, but 'mvn' is not on the PATH"
}

# What sets the clocks of test servers. Without it tests say that they could not run.
need_libfaketime() {
  [ "$(uname -s)" != Linux ] || ls /usr/lib/*/faketime/libfaketime.so.1 >/dev/null 2>&1 \
    || (install_package libfaketime "libfaketime, to set the clocks of test servers") || true
}

# A Redis server to test with: the system's, its package's, or the one in a Maven artifact. And the oldest that is
# supported, 6.2, which only that artifact has; without it tests say that they could not run.
need_redis() {
  need_libfaketime
  [ -n "${HOLDFAST_REDIS_6_SERVER:-}" ] || HOLDFAST_REDIS_6_SERVER=$(redis_of_artifact || true)
  export HOLDFAST_REDIS_6_SERVER
  [ -n "${HOLDFAST_REDIS_SERVER:-}" ] && return
  command -v redis-server >/dev/null && return
  (without_services install_package redis-server "Redis 6.2 or newer") || true
  command -v redis-server >/dev/null && return
  [ -n "$HOLDFAST_REDIS_6_SERVER" ] \
    || die "no Redis: put redis-server on the PATH, or set HOLDFAST_REDIS_SERVER to its binary"
  export HOLDFAST_REDIS_SERVER=$HOLDFAST_REDIS_6_SERVER
}

# Prints where the binary is that com.github.codemonstur:embedded-redis has for this machine.
redis_of_artifact() {
  local version=1.4.3 directory=${TMPDIR:-/tmp}/holdfast-redis-6.2 name jar
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) name=redis-server-6.2.6-v5-linux-amd64 ;;
    Linux-aarch64) name=redis-server-6.2.7-linux-arm64 ;;
    Darwin-x86_64) name=redis-server-6.2.6-v5-darwin-amd64 ;;
    Darwin-arm64) name=redis-server-6.2.6-v5-darwin-arm64 ;;
    *) return 1 ;;
  esac
  if [ ! -x "$directory/$name" ]; then
    mkdir -p "$directory"
    mvn --batch-mode -q dependency:copy -Dartifact=com.github.codemonstur:embedded-redis:$version \
      -DoutputDirectory="$directory" </dev/null >&2 || return 1
    jar=$directory/embedded-redis-$version.jar
    (cd "$directory" && "$JAVA_HOME/bin/jar" xf "$jar" "$name") && chmod +x "$directory/$name" || return 1
  fi
  "$directory/$name" --version >/dev/null 2>&1 && echo "$directory/$name"
}

# A PostgreSQL server to test with: the system's, or its package's, or the one in a Maven artifact. And the newest that there
# is as an artifact, on which a part of the tests runs once more.
need_postgresql() {
  [ -n "${HOLDFAST_POSTGRESQL_NEWEST_BIN:-}" ] || HOLDFAST_POSTGRESQL_NEWEST_BIN=$(postgresql_of_artifact 18.6.0 || true)
  [ -n "$HOLDFAST_POSTGRESQL_NEWEST_BIN" ] \
    || echo "verify: PostgreSQL 18 cannot be had here: tested on one version only" >&2
  export HOLDFAST_POSTGRESQL_NEWEST_BIN
  [ -n "${HOLDFAST_POSTGRESQL_BIN:-}" ] && return
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null && return
  HOLDFAST_POSTGRESQL_BIN=$(postgresql_on_path || true)
  if [ -z "$HOLDFAST_POSTGRESQL_BIN" ]; then
    (without_services install_package postgresql "PostgreSQL 14 or newer") || true
    compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null && return
    HOLDFAST_POSTGRESQL_BIN=$(postgresql_on_path || postgresql_of_artifact 15.19.0 || true)
  fi
  [ -n "$HOLDFAST_POSTGRESQL_BIN" ] \
    || die "no PostgreSQL: install it, or set HOLDFAST_POSTGRESQL_BIN to the directory of initdb and postgres"
  export HOLDFAST_POSTGRESQL_BIN
}

# Prints the directory of the server's programs, if they are on the PATH.
postgresql_on_path() {
  local initdb
  initdb=$(command -v initdb) && [ -x "${initdb%/*}/postgres" ] && echo "${initdb%/*}"
}

# postgresql_of_artifact VERSION: prints where the programs are that io.zonky.test.postgres:embedded-postgres-binaries has for
# this machine.
postgresql_of_artifact() {
  local version=$1 directory=${TMPDIR:-/tmp}/holdfast-postgresql-${1%%.*} platform name
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) platform=linux-amd64 ;;
    Linux-aarch64) platform=linux-arm64v8 ;;
    Darwin-x86_64) platform=darwin-amd64 ;;
    Darwin-arm64) platform=darwin-arm64v8 ;;
    *) return 1 ;;
  esac
  name=embedded-postgres-binaries-$platform
  if [ ! -x "$directory/bin/initdb" ]; then
    mkdir -p "$directory" && chmod 755 "$directory"
    mvn --batch-mode -q dependency:copy -Dartifact=io.zonky.test.postgres:$name:$version \
      -DoutputDirectory="$directory" </dev/null >&2 || return 1
    (cd "$directory" && "$JAVA_HOME/bin/jar" xf "$name-$version.jar" && tar xJf ./*.txz) || return 1
  fi
  "$directory/bin/initdb" --version >/dev/null 2>&1 && echo "$directory/bin"
}

# The pooler that tests put before PostgreSQL.
need_pgbouncer() {
  [ -n "${HOLDFAST_PGBOUNCER:-}" ] && return
  [ -x /usr/sbin/pgbouncer ] || command -v pgbouncer >/dev/null && return
  without_services install_package pgbouncer "PgBouncer"
  [ -x /usr/sbin/pgbouncer ] || command -v pgbouncer >/dev/null \
    || die "no PgBouncer: put pgbouncer on the PATH, or set HOLDFAST_PGBOUNCER to its binary"
}

# A MariaDB server: its programs, without the service.
need_mariadb() {
  command -v mariadbd >/dev/null && command -v mariadb-install-db >/dev/null && return
  # In Debian the programs are in packages of their own.
  (install_package mariadb-server-core MariaDB && install_package mariadb-client-core MariaDB) \
    || (without_services install_package mariadb-server MariaDB) || true
  command -v mariadbd >/dev/null || die "no MariaDB: put mariadbd and mariadb-install-db on the PATH"
}

# A C compiler, for the shim that sets the clock of a server. Without it those tests say that they could not run.
need_c_compiler() {
  can_compile || (install_package gcc "a C compiler") || true
  can_compile || (install_package libc6-dev "the headers of the C library") || true
}

# The model checker, which compiles what it checks.
need_spin() {
  need_c_compiler
  command -v spin >/dev/null || (install_package spin "the model checker Spin") || true
}

can_compile() {
  echo '#include <stdio.h>' | gcc -E - >/dev/null 2>&1
}

# Keeps the package manager from starting what it installs: tests start servers of their own.
without_services() {
  local policy=/usr/sbin/policy-rc.d made=
  if [ ! -e "$policy" ] && [ -w "${policy%/*}" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" && made=yes
  fi
  "$@"
  local status=$?
  [ -z "$made" ] || rm -f "$policy"
  return $status
}

# may_use_sudo NAME MANAGER: asks, on a terminal. HOLDFAST_INSTALL=yes and continuous integration have said so before.
may_use_sudo() {
  case ${HOLDFAST_INSTALL:-${CI:+yes}} in
    yes) return ;;
    "") [ -t 0 ] && [ -t 2 ] || return 1 ;;
    *) return 1 ;;
  esac
  local answer
  read -r -p "Install $1 with sudo $2? [y/N] " answer
  [[ $answer == [yY]* ]]
}

# install_package NAME WHAT: by the system's package manager, as root.
install_package() {
  local manager
  for manager in apt-get dnf apk pacman brew none; do
    command -v "$manager" >/dev/null && break
  done
  case $manager in
    none)
      die "$2 is missing, and there is no package manager to install it (apt-get, dnf, apk, pacman, brew). Install it by hand"
      ;;
    brew)
      brew install "$1" >&2 || die "$2 is missing, and 'brew install $1' failed"
      return
      ;;
  esac
  local as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null \
      || die "$2 is missing, and installing it with $manager needs root: there is no sudo. Install it by hand"
    may_use_sudo "$1" "$manager" || die "$2 is missing. Install $1 by hand, or let it be installed: HOLDFAST_INSTALL=yes"
    as_root=sudo
  fi
  echo "verify: installing $1 with $manager" >&2
  case $manager in
    apt-get) $as_root apt-get update -qq && $as_root apt-get install -qq -y --no-install-recommends "$1" ;;
    dnf) $as_root dnf install -q -y "$1" ;;
    apk) $as_root apk add -q "$1" ;;
    pacman) $as_root pacman -Sy --noconfirm "$1" ;;
  esac </dev/null >&2 || die "$2 is missing, and $manager could not install $1"
}
