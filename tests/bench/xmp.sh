#!/usr/bin/env bash
# Programs with XcalableMP beside the same programs by hand in C with MPI, both optimised for this machine. Prints the seconds of each and
# their ratio (above 1: slower than MPI), and fails where the results differ.
# Usage: tests/bench/xmp.sh APG [PLACES [MPICC MPIRUN]]
# PREFIX (environment) stands in front of both, as in PREFIX='chrt -r 10'.
set -eu
apg=$(realpath "$1")
places=${2:-2}
mpicc=${3:-mpicc}
mpirun=${4:-mpirun}
# The programs by hand divide all sizes evenly; the least one, which divides the others, is that of the planes of the exchanges.
case $places in
    1 | 2 | 4 | 8 | 16 | 32 | 64) ;;
    *)
        echo "xmp.sh: $places places do not divide the 64 planes of the exchanges: use 1, 2, 4, 8, 16, 32 or 64" >&2
        exit 2
        ;;
esac
cd "$(dirname "$0")/xmp"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# Open MPI refuses to run as root, or more processes than CPUs, unless asked to.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
best() { # the least seconds of each line, over all rounds
    awk '!($1 in best) { order[++count] = $1; best[$1] = $2 } $2 < best[$1] { best[$1] = $2 } { check[$1] = $3 }
        END { for (i = 1; i <= count; i++) print order[i], best[order[i]], check[order[i]] }' "$1"
}
for program in laplace stencil nbody exchange; do
    "$apg" build "$program.c" --release -lm -o "$out/$program.xmp"
    "$mpicc" -O3 -march=native -o "$out/$program.mpi" "mpi/$program.c" -lm
    for round in 1 2 3; do
        X10_NPLACES=$places ${PREFIX:-} "$out/$program.xmp" >> "$out/xmp"
        ${PREFIX:-} "$mpirun" -n "$places" "$out/$program.mpi" >> "$out/mpi"
    done
done
best "$out/xmp" > "$out/xmp.best"
best "$out/mpi" > "$out/mpi.best"
printf '%-32s %14s %14s %7s\n' what xmp mpi ratio
join "$out/xmp.best" "$out/mpi.best" --nocheck-order |
    awk '{ printf "%-32s %12.2f us %12.2f us %7.2f\n", $1, $2 * 1e6, $4 * 1e6, $2 / $4
        difference = $3 - $5; if (difference < 0) difference = -difference
        scale = $5 < 0 ? -$5 : $5
        if (difference > 1e-6 * scale + 1e-9) { print "  the results differ: " $3 " and " $5; wrong = 1 } } END { exit wrong }'
