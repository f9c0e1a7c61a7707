#!/bin/sh
# One real window under Xvfb, with a real mouse and real keys: it opens, runs, pauses, idles and closes. Skips (77) if
# Xvfb or xdotool is not installed.
#
#     real_window.sh HEADWAY
set -u
headway=$1
for tool in Xvfb xdotool; do
    command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done

folder=$(mktemp -d)
cd "$folder" || exit 1
server= window=
clean() {
    [ -n "$window" ] && kill "$window" 2>/dev/null
    [ -n "$server" ] && kill "$server" 2>/dev/null
    wait
    rm -rf "$folder"
}
trap clean EXIT
fail() {
    echo "FAILED: $1"
    cat "$folder/window.log"
    exit 1
}

# The server picks the first free display. Without -noreset it would restart, and refuse the window, whenever a
# short-lived client such as xdotool is the last to disconnect.
Xvfb -noreset -displayfd 3 -screen 0 1280x720x24 -nolisten tcp 3>display 2>server.log &
server=$!
for _ in $(seq 100); do
    [ -s display ] && break
    sleep 0.1
done
[ -s display ] || { echo "skipped: Xvfb does not start"; exit 77; }
DISPLAY=:$(cat display)
export DISPLAY
unset WAYLAND_DISPLAY
export XDG_DATA_HOME="$folder/data"  # do not read or change the user's own data

"$headway" train >window.log 2>&1 &
window=$!
id=
for _ in $(seq 200); do
    id=$(xdotool search --name '^Headway' 2>/dev/null | head -n 1)
    [ -n "$id" ] && break
    kill -0 "$window" 2>/dev/null || fail "the window did not come up"
    sleep 0.1
done
[ -n "$id" ] || fail "there is no window"
xdotool windowfocus "$id" 2>/dev/null
sleep 1

# Space runs the lesson, then F12 opens the export dialog and F12 exports; each key is down only for an instant. The
# title shows the state.
title_becomes() {
    for _ in $(seq 2000); do  # polls often, because a run is short
        case $(xdotool getwindowname "$id") in
            *"$1"*) return 0 ;;
        esac
        kill -0 "$window" 2>/dev/null || fail "the window is gone"
        sleep 0.01
    done
    fail "the title never said '$1', but '$(xdotool getwindowname "$id")'"
}
xdotool mousemove --window "$id" 800 400 key --delay 0 space
title_becomes finished
for _ in $(seq 10); do
    xdotool key --delay 0 F12
    for _ in $(seq 15); do
        ls headway-train-*.png >/dev/null 2>&1 && break 2
        sleep 0.1
    done
done
ls headway-train-*.png >/dev/null 2>&1 || fail "F12 F12 wrote no figure"
xdotool key --delay 0 Escape  # on a slow machine the dialog may have opened again

# An idle window takes at most a hundredth of the processor time of an unbounded loop.
sleep 1
before=$(awk '{print $14 + $15}' "/proc/$window/stat")
sleep 2
after=$(awk '{print $14 + $15}' "/proc/$window/stat")
[ $((after - before)) -le 4 ] || fail "an idle window took $((after - before)) ticks in two seconds"

xdotool mousemove --window "$id" 592 28 click 1
title_becomes recording
kill -9 "$(pgrep -P "$window" -x headway-runner | head -n 1)" 2>/dev/null
sleep 1
kill -0 "$window" 2>/dev/null || fail "the window died with its runner"
echo "the window came up, ran, wrote a figure, rested and outlived its runner"
