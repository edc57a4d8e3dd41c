# SPDX-License-Identifier: Apache-2.0
# The command line from the class path of the tests: what the holdfast script does once everything is built.
java=("$HOLDFAST_TEST_JAVA" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xlog:disable -cp "$HOLDFAST_TEST_CLASS_PATH" io.holdfast.cli.Main)
. "${BASH_SOURCE[0]%/*}/../../main/bash/supervise.bash"
is_supervised "$@" && supervise "$@"
exec "${java[@]}" "$@"
