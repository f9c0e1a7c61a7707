#!/bin/sh
# The messages where no window can be opened: one sentence that names the way without a window, and exit status 2.
#
#     no_window.sh HEADWAY
set -u
headway=$1
fail() {
    echo "FAILED: $1"
    exit 1
}
expect() { # STATUS WORDS COMMAND...
    status=$1 words=$2
    shift 2
    said=$("$@" 2>&1 >/dev/null)
    got=$?
    [ "$got" -eq "$status" ] || fail "$*: exit status $got, not $status: $said"
    [ "$(printf '%s\n' "$said" | wc -l)" -eq 1 ] || fail "$*: more than one line: $said"
    case $said in
        *"$words"*) ;;
        *) fail "$*: '$said' does not say '$words'" ;;
    esac
}
expect 2 "headway run PROGRAM" env -u DISPLAY -u WAYLAND_DISPLAY "$headway"
expect 2 "no display" env -u DISPLAY -u WAYLAND_DISPLAY "$headway" train
expect 2 "nothing-there" env -u DISPLAY -u WAYLAND_DISPLAY "$headway" nothing-there
expect 2 "--wrong" "$headway" --wrong
expect 2 "--theme" "$headway" --theme pink
expect 2 "WIDTHxHEIGHT" "$headway" --offscreen big
expect 2 "no step" "$headway" --offscreen 640x480 --do dance
expect 2 "add --offscreen" timeout 20 "$headway" --do wait
expect 2 "there is none" timeout 20 "$headway" --offscreen 640x480 --do wait
expect 2 "paused" timeout 20 "$headway" train --offscreen 640x480 --do set:batches=100000 \
    --do run --do seconds:0.5 --do pause --do wait
if command -v xvfb-run >/dev/null; then
    # -noreset: a server that resets signals xvfb-run once more, which may then fail to clean up and exit with 5.
    expect 2 "3.3" env MESA_GL_VERSION_OVERRIDE=2.1 xvfb-run -a -s "-noreset -screen 0 640x480x24 -nolisten tcp" "$headway"
fi
# Other commands are passed to the runner.
"$headway" lessons >/dev/null || fail "headway lessons"
"$headway" devices --json >/dev/null || fail "headway devices --json"
"$headway" --version | grep -q '^headway [0-9]' || fail "headway --version"
echo "every refusal was one sentence"
