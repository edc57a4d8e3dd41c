# SPDX-License-Identifier: Apache-2.0
# The command line from the class path of the tests: what the holdfast script does once everything is built.
flags=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xlog:disable)
[ ! -t 1 ] || flags+=(-Dholdfast.terminal=true)
java=("$HOLDFAST_TEST_JAVA" "${flags[@]}" -cp "$HOLDFAST_TEST_CLASS_PATH" io.holdfast.cli.Main)
. "${BASH_SOURCE[0]%/*}/../../main/bash/supervise.bash"
is_supervised "$@" && supervise "$@"
become_java "$@"
