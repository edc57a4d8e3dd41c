# SPDX-License-Identifier: Apache-2.0
# The flags of Java, and its archive of classes, ready to be mapped into memory: docs/decisions/0030 and 0097. Before it,
# `java_binary`, `class_path` and `jar` are set, and `archives` are the directories where an archive may be.

# One compiler suffices for a moment's work; nothing is recorded for tools that would watch it; SLF4J need not look for
# its provider in every jar; and Netty's threads end with the store's connections, because Java would wait for them.
flags=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData -Xlog:disable
  -Dio.lettuce.core.jfr=false -Dio.netty.jfr.enabled=false -Dio.holdfast.redis.lingerSeconds=0
  -Dslf4j.provider=org.slf4j.simple.SimpleServiceProvider -Dslf4j.internal.verbosity=WARN)

# Uses an archive for this Java, and makes one where it may. Without one everything works, and is slower.
use_archive() {
  local directory name=$java_binary$jar
  name=${name//\//_}.jsa
  for directory in "${archives[@]}"; do
    if [ -e "$directory/$name" ] && [ ! "$jar" -nt "$directory/$name" ]; then
      flags+=(-Xshare:auto -XX:SharedArchiveFile="$directory/$name")
      return
    fi
  done
  for directory in "${archives[@]}"; do
    if mkdir -p "$directory" 2>/dev/null && [ -w "$directory" ]; then
      make_archive "$directory/$name"
      flags+=(-Xshare:auto -XX:SharedArchiveFile="$directory/$name")
      return
    fi
  done
}

# In two steps, by a list: JDK 17 leaves classes out that were compiled for Java 5, as picocli's are, if it archives what
# one process has loaded. And with G1: no other collector can put objects into an archive, but all can read them.
# Several first calls at once each make one, and the last one stays: they are equal.
make_archive() {
  local place
  require_java
  place=$(mktemp -d) || return
  (
    cd "$place" || exit
    echo done | "$java_binary" "${flags[@]}" -Xshare:off -XX:DumpLoadedClassList=classes -Dholdfast.words=1 \
      -cp "$class_path" io.holdfast.cli.Training "file:$place/locks"
    "$java_binary" -XX:+UseG1GC -Xlog:disable -Xshare:dump -XX:SharedClassListFile=classes \
      -XX:SharedArchiveFile="$place/archive" -cp "$class_path"
    # Without one it is slower, and not worth a word.
    [ -e archive ] || : >archive
    chmod 644 archive
    cp archive "$1.$$" && mv -f "$1.$$" "$1"
  ) </dev/null >/dev/null 2>&1
  rm -rf "$place"
}

require_java() {
  local version
  # Java does not start in a directory that was deleted.
  version=$([ . -ef "$PWD" ] || cd /; "$java_binary" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.specification\.version = //p')
  [ "${version%%.*}" -ge 17 ] 2>/dev/null || die "Java ${version:-of unknown version} is too old: $java_binary. Install 17 or newer, or set JAVA_HOME"
}
