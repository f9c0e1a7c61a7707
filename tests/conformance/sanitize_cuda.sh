#!/usr/bin/env bash
# The conformance suite's CUDA cases under compute-sanitizer: memcheck, racecheck and initcheck, one after the other.
#   sanitize_cuda.sh RUNNER CONFORMANCE_TEST
# Exits with status 77 (skipped) and the reason if there is no GPU or no compute-sanitizer.
set -euo pipefail

runner=$1
suite=$2
sanitizer=$(command -v compute-sanitizer || true)
for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
    if [[ -z $sanitizer && -n $folder && -x $folder/bin/compute-sanitizer ]]; then
        sanitizer=$folder/bin/compute-sanitizer
    fi
done

why=$("$runner" devices | sed -n 's/^cuda *not available: //p')
if [[ $why ]]; then
    echo "skipped: $why"
    exit 77
fi
if [[ -z $sanitizer ]]; then
    echo "skipped: compute-sanitizer is not installed"
    exit 77
fi
# Only one tool can use CUPTI, and the sanitizer needs it: take times from events.
export HEADWAY_CUDA_TIMES=events
for tool in memcheck racecheck initcheck; do
    echo "compute-sanitizer --tool $tool"
    "$sanitizer" --tool "$tool" --error-exitcode 1 "$suite" '--gtest_filter=*cuda_*'
done
