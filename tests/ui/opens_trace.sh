#!/bin/sh
# Opens traces from disk in the window: complete, cut off, and of another program. A file that is not a trace gives one
# sentence.
#
#     opens_trace.sh HEADWAY
set -u
headway=$1
fail() {
    echo "FAILED: $1"
    exit 1
}
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd -- "$folder" || exit 1
"$headway" run increment --device simulated --set n=200 --trace ours.json.gz >/dev/null 2>&1 || fail "no trace was written"
gzip -dc ours.json.gz | head -c 20000 >cut.json
cat >theirs.json <<'END'
[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":5,"args":{"correlation":3}},
 {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":2,"args":{"correlation":3}}]
END
if ! "$headway" --offscreen 640x480 --do frames:1 >said 2>&1; then
    grep -q 'OpenGL' said && exit 77
    fail "no window here: $(cat said)"
fi
for file in ours.json.gz cut.json theirs.json; do
    point=hover-op:0,1
    [ "$file" = cut.json ] && point=frames:1  # the trace is cut where no op may have run yet
    "$headway" "$file" --offscreen 1280x720 --do "$point" --do key:c --do frames:3 --do picture:picture.png \
        >said 2>&1 || fail "$file: $(cat said)"
    [ -s picture.png ] || fail "$file: no picture"
done
echo '{"traceEvents": 3}' >none.json
said=$("$headway" none.json --offscreen 640x480 --do frames:1 2>&1)
[ $? -eq 2 ] || fail "none.json: $said"
case $said in
    *none.json*"no events"*) ;;
    *) fail "none.json: $said" ;;
esac
echo "traces are shown"
