#!/usr/bin/env bash
# Everything that needs a GPU, in one run: examples, whole programs, sanitizers, and kernels beside hand-written CUDA.
# Usage: tests/bench/gpu.sh APG [SAMPLES]   APG is the command, SAMPLES a folder with X10's CUDA samples.
# APG_C_SUITES: checkouts of suites of C programs, separated by colons; C_SUITE: the built driver (tests/c-suite).
# Needs nvcc for the peers and compute-sanitizer for the checks; with two GPUs also NCCL, whose folder $NCCL may name.
set -u
apg=$1
samples=${2:-}
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
section() { printf '\n== %s\n' "$*"; }
try() { # NAME COMMAND...: says whether it succeeded, with the end of its output
    local name=$1
    shift
    if timeout 120 "$@" >"$out/log" 2>&1; then printf 'ok      %s\n' "$name"; else printf 'FAILED  %s (status %s)\n' "$name" "$?"; failed=1; fi
    tail -n "${LINES_SHOWN:-3}" "$out/log" | sed 's/^/        /'
}

section "machine"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
"$apg" doctor
"$apg" places --places 2

section "examples and samples on the GPU"
programs=(examples/hello.x10 examples/mass_sqrt.x10 examples/shared_memory.x10 examples/constant_memory.x10 examples/kmeans.x10)
[ -n "$samples" ] && programs+=("$samples"/CUDATopology.x10 "$samples"/CUDAKernelTest.x10 "$samples"/CUDABlackScholes.x10 "$samples"/CUDA3DFD.x10 "$samples"/CUDAMatMul.x10)
for program in "${programs[@]}"; do
    LINES_SHOWN=4 try "$program" "$apg" run "$program" --accels all
    LINES_SHOWN=1 try "$program, 4 places" "$apg" run "$program" --accels all --places 4
done

section "messages between slots"
for program in examples/ping_pong.x10 examples/cannon.x10 examples/nbody_slots.x10 examples/mandelbrot.x10; do
    LINES_SHOWN=4 try "$program" "$apg" run "$program" --accels all
    LINES_SHOWN=1 try "$program, 4 places" "$apg" run "$program" --accels all --places 4
done

section "C with target regions"
for program in examples/c/devices/*.c; do
    LINES_SHOWN=1 try "$program" "$apg" run "$program" --accels all -lm
done
for program in tests/c-programs/*.c; do
    LINES_SHOWN=1 try "$program" "$apg" run "$program" --accels all -lm -- word
done

section "C with parallel regions"
for program in examples/c/*.c; do
    LINES_SHOWN=1 try "$program" "$apg" run "$program" --accels all --parallel device -lm
done

# Suites of others, by their paths: what the system's compiler passes and apg on the GPU does not is in the records.
for folder in $(echo "${APG_C_SUITES:-}" | tr : ' '); do
    suite=examples
    [ -e "$folder/src/ompts-c.conf" ] && suite=validation
    [ -e "$folder/micro-benchmarks" ] && suite=dataracebench
    [ -e "$folder/tests/XMP" ] && continue
    section "$suite, parallel regions on the GPU"
    "${C_SUITE:-target/debug/c-suite}" "$suite" "$folder" --apg "$apg" --parallel device --accels 0 --threads 64 --jobs 8 \
        --timeout 30 --record "$out/$suite-parallel-gpu.json" 2>"$out/log" || true
    cat "$out/$suite-parallel-gpu.json"
    tests/c-suite/compare.py "tests/c-suite/$suite-parallel-gpu.json" "$out/$suite-parallel-gpu.json" || failed=1
done

section "C with XcalableMP"
for program in examples/xmp/*_accelerators.c tests/c-programs/xmp/*.c; do
    for places in 1 2 4; do
        LINES_SHOWN=1 try "$program, $places places" "$apg" run "$program" --accels all --places "$places" -lm
    done
done
bench=tests/bench/xmp
nvcc -O3 -std=c++17 -arch=native -o "$out/nbody" $bench/cuda/nbody.cu && nvcc -O3 -std=c++17 -arch=native -o "$out/reflect" $bench/cuda/reflect.cu || failed=1
for gpus in 1 2 4; do
    [ "$gpus" -le "$(nvidia-smi -L | wc -l)" ] || continue
    LINES_SHOWN=1 try "N-body by hand, $gpus GPUs" "$out/nbody" "$gpus"
    LINES_SHOWN=1 try "N-body, $gpus GPUs" "$apg" run $bench/accelerators/nbody.c --accels all --places "$gpus" -O3 -lm
done
if [ "$(nvidia-smi -L | wc -l)" -ge 2 ]; then
    LINES_SHOWN=5 try "planes by peer copies" "$out/reflect"
    LINES_SHOWN=7 try "planes by reflect" "$apg" run $bench/accelerators/reflect.c --accels all --places 2 -O3 -lm
fi

section "profile"
LINES_SHOWN=30 try "profile of examples/kmeans.x10" "$apg" run examples/kmeans.x10 --accels all --profile "$out/trace.json"
python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["traceEvents"]), "events")' "$out/trace.json" || failed=1

section "whole programs on the GPU"
for program in tests/programs/*.x10 tests/gpu/*.x10; do
    status=$(sed -n 's|^// status: ||p' "$program")
    # What never ends by itself is interrupted after so many seconds.
    seconds=$(sed -n 's|^// interrupt: ||p' "$program")
    read -ra options < <(sed -n 's|^// options: ||p' "$program") || true
    read -ra arguments < <(sed -n 's|^// args: ||p' "$program") || true
    if [ -n "$seconds" ]; then
        status=124
        timeout --signal INT --kill-after 20 "$seconds" "$apg" run "$program" --accels all >"$out/found" 2>"$out/log"
    else
        timeout 120 "$apg" run "$program" --accels all "${options[@]}" -- "${arguments[@]}" >"$out/found" 2>"$out/log"
    fi
    found=$?
    # What waits for other places has nothing to wait for at one.
    places=$(sed -n 's|^// places: \([0-9]*\).*|\1|p' "$program")
    [ -n "$places" ] && [ "$places" -gt 1 ] && continue
    sorted=cat
    grep -q '^// sorted' "$program" && sorted=sort
    said=yes
    while IFS= read -r text; do grep -qF -- "$text" "$out/log" || said=no; done < <(sed -n 's|^// stderr: ||p' "$program")
    if [ "$found" = "${status:-0}" ] && [ $said = yes ] && cmp -s <($sorted "$out/found") <(sed 's/@PLACES@/1/' "${program%.x10}.out" | $sorted); then
        echo "ok      $program"
    else
        echo "FAILED  $program (status $found)"
        failed=1
        diff <($sorted "$out/found") <($sorted "${program%.x10}.out") | head -n 5
        head -n 5 "$out/log"
    fi
done

section "two programs on one GPU"
"$apg" run examples/kmeans.x10 --accels 0 >"$out/first" 2>&1 &
first=$!
try "the second of two" "$apg" run tests/programs/kernel_algorithms.x10 --accels 0
if wait "$first"; then echo "ok      the first of two"; else echo "FAILED  the first of two"; failed=1; fi

if command -v compute-sanitizer >/dev/null; then
    section "compute-sanitizer"
    checked=(examples/mass_sqrt.x10 examples/shared_memory.x10 examples/constant_memory.x10 tests/programs/kernels.x10 tests/programs/kernel_{atomics,warps,functions,forms,algorithms}.x10 examples/ping_pong.x10 tests/programs/slots_collectives.x10)
    [ -n "$samples" ] && checked+=("$samples"/CUDAKernelTest.x10)
    for program in "${checked[@]}"; do
        "$apg" build "$program" -o "$out/program"
        for tool in memcheck racecheck synccheck; do
            LINES_SHOWN=1 try "$tool $program" env X10RT_ACCELS=ALL compute-sanitizer --tool "$tool" --error-exitcode 9 "$out/program"
        done
    done
    "$apg" build examples/kmeans.x10 -o "$out/program"
    for tool in memcheck racecheck synccheck; do
        LINES_SHOWN=1 try "$tool examples/kmeans.x10" env X10RT_ACCELS=ALL compute-sanitizer --tool "$tool" --error-exitcode 9 "$out/program" -p 20000 -i 3
    done
fi

if command -v nvcc >/dev/null; then
    section "beside hand-written CUDA"
    for name in launch black_scholes kernels classics methods copy kmeans; do
        nvcc -O3 -std=c++17 -arch=native -o "$out/$name" "tests/bench/cuda/$name.cu"
    done
    "$apg" run tests/bench/launch.x10 --accels 0 --release
    "$out/launch"
    nvcc -O3 -arch=native -o "$out/slot_flag" tests/bench/cuda/slot_flag.cu && "$out/slot_flag"
    "$apg" run tests/bench/slot_latency.x10 --accels 0 --release
    "$apg" run tests/bench/slot_applications.x10 --accels 0 --release
    # The processor time of a mailbox while its kernel computes, in ticks once a second.
    "$apg" build tests/bench/slot_idle.x10 --release -o "$out/slot_idle"
    X10RT_ACCELS=0 "$out/slot_idle" &
    while sleep 1 && [ -d /proc/$! ]; do
        for thread in /proc/$!/task/*; do
            [ "$(cat "$thread/comm")" = apg-slots0 ] && awk '{print "apg-slots0:", $14 + $15, "ticks"}' "$thread/stat"
        done
    done
    for n in 4000000 64000000; do
        "$apg" run tests/bench/black_scholes.x10 --accels 0 --release -- "$n"
        "$out/black_scholes" "$n"
    done
    "$apg" run tests/bench/kernels.x10 --accels 0 --release
    "$out/kernels"
    "$apg" run tests/bench/kernels.x10 --accels 0 --release --checks none
    nvcc -O3 -std=c++17 -arch=native -o "$out/target_regions" tests/bench/cuda/target_regions.cu
    for round in 1 2; do
        "$apg" run tests/bench/target_regions.c --accels 0 -O2 -lm
        "$apg" run tests/bench/parallel_regions.c --accels 0 --parallel device -O2 -lm
        "$out/target_regions"
    done
    "$apg" run tests/bench/region_cost.c --accels 0 --parallel device -O2
    nvcc -O3 -std=c++17 -arch=native -o "$out/multiply" tests/bench/cuda/multiply.cu -lcublas
    for round in 1 2; do
        "$apg" run tests/bench/multiply.x10 --accels 0 --release
        "$out/multiply"
    done
    for round in 1 2; do
        "$apg" run tests/bench/classics.x10 --accels 0 --release
        "$out/classics"
        "$apg" run tests/bench/methods.x10 --accels 0 --release
        "$out/methods"
    done
    for points in 2000000 4000000; do
        for clusters in 100 400; do
            LINES_SHOWN=2 try "k-means" "$apg" run examples/kmeans.x10 --accels 0 --release -- -p "$points" -k "$clusters" -i 50
            "$out/kmeans" "$points" "$clusters" 50
        done
    done
    "$apg" run tests/bench/copy.x10 --accels 0 --release
    "$out/copy"
    nvcc -O3 -arch=native -o "$out/pieces" tests/bench/cuda/pieces.cu -lcuda && "$out/pieces"
    if [ "$(nvidia-smi --list-gpus | wc -l)" -gt 1 ]; then
        export LD_LIBRARY_PATH="${NCCL:+$NCCL/lib:}${LD_LIBRARY_PATH:-}"
        nvcc -O3 -arch=native ${NCCL:+-I"$NCCL/include"} -o "$out/collectives" tests/bench/cuda/collectives.cu ${NCCL:+-L"$NCCL/lib"} -l:libnccl.so.2
        nvcc -O3 -arch=native -o "$out/slot_peer" tests/bench/cuda/slot_peer.cu && "$out/slot_peer"
        "$apg" run tests/bench/slot_latency.x10 --accels all --release
        "$apg" run tests/bench/slot_barrier.x10 --accels all --release
        "$apg" run tests/bench/collectives.x10 --accels all --release
        "$out/collectives"
    fi
fi
exit "$failed"
