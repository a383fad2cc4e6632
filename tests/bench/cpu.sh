#!/usr/bin/env bash
# Kernels on a CPU place beside C++ with OpenMP, on the same threads. Usage: tests/bench/cpu.sh APG [THREADS]
set -eu
apg=$1
threads=${2:-$(nproc)}
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"${CXX:-c++}" -O3 -march=native -fopenmp -fno-math-errno -o "$out/kernels" tests/bench/cpu/kernels.cpp
for round in 1 2; do
    "$apg" run tests/bench/kernels.x10 --accels none --release --threads "$threads" -- cpu
    OMP_NUM_THREADS=$threads "$out/kernels"
done
