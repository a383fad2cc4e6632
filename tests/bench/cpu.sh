#!/usr/bin/env bash
# Kernels on a CPU place beside C++ with OpenMP, on the same threads. Usage: tests/bench/cpu.sh APG [THREADS]
set -eu
apg=$1
threads=${2:-$(nproc)}
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for peer in kernels classics black_scholes; do
    "${CXX:-c++}" -O3 -march=native -fopenmp -fno-math-errno -o "$out/$peer" "tests/bench/cpu/$peer.cpp"
done
for round in 1 2; do
    for program in kernels classics; do
        "$apg" run "tests/bench/$program.x10" --accels none --release --threads "$threads" cpu
        OMP_NUM_THREADS=$threads "$out/$program"
    done
    "$apg" run tests/bench/black_scholes.x10 --accels none --release --threads "$threads" 1000000
    OMP_NUM_THREADS=$threads "$out/black_scholes" 1000000
done
