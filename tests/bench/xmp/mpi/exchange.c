/* ../exchange.c by hand: the same exchanges by messages of MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define P 64
#define ROUNDS 7
#define M 2048

static int rank, size, up, down, count;

static double *planes(long elements) {
    double *all = calloc((count + 2) * elements, sizeof *all);
    for (int i = 0; i < count; i++)
        for (long j = 0; j < elements; j++) all[(i + 1) * elements + j] = rank * count + i;
    return all;
}

static void exchange(double *below, double *above, double *first, double *last, int elements) {
    MPI_Request requests[4];
    MPI_Irecv(below, elements, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(above, elements, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(first, elements, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(last, elements, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void reflect(double *all, long elements) {
    exchange(all, all + (count + 1) * elements, all + elements, all + count * elements, elements);
}

/* Columns, which are packed. */
static void reflect_columns(double *all, int lines, double *buffer) {
    int width = count + 2;
    double *first = buffer, *last = buffer + lines, *below = buffer + 2 * lines, *above = buffer + 3 * lines;
    for (int i = 0; i < lines; i++) first[i] = all[i * width + 1], last[i] = all[i * width + count];
    exchange(below, above, first, last, lines);
    if (up != MPI_PROC_NULL)
        for (int i = 0; i < lines; i++) all[i * width] = below[i];
    if (down != MPI_PROC_NULL)
        for (int i = 0; i < lines; i++) all[i * width + count + 1] = above[i];
}

#define BEST(best, times, code) \
    for (int round = 0; round < ROUNDS; round++) { \
        MPI_Barrier(MPI_COMM_WORLD); \
        double start = MPI_Wtime(); \
        for (int n = 0; n < times; n++) { code; } \
        MPI_Barrier(MPI_COMM_WORLD); \
        double seconds = (MPI_Wtime() - start) / times; \
        if (seconds < best) best = seconds; \
    }

static void report(const char *what, double seconds, double own) {
    double sum = 0;
    MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s %.9f %.1f\n", what, seconds, sum);
}

static double sum_of(const double *all, long elements, long before, long behind) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        int x = rank * count + i;
        if (x > 0 && x < P - 1) sum += all[i * elements + before] + all[(i + 2) * elements + behind];
    }
    return sum;
}

static void report_planes(const char *what, int side, int times) {
    long elements = (long)side * side;
    double best = 1e9, *all = planes(elements);
    BEST(best, times, reflect(all, elements))
    report(what, best, sum_of(all, elements, 3 * side + 3, elements - 1));
    free(all);
}

static void report_columns(void) {
    int width = count + 2;
    double best = 1e9, sum = 0, *all = calloc(1024 * width, sizeof *all), *buffer = calloc(4 * 1024, sizeof *buffer);
    for (int j = 0; j < 1024; j++)
        for (int i = 0; i < count; i++) all[j * width + i + 1] = rank * count + i;
    BEST(best, 200, reflect_columns(all, 1024, buffer))
    for (int i = 0; i < count; i++) {
        int x = rank * count + i;
        if (x > 0 && x < P - 1) sum += all[1023 * width + i] + all[7 * width + i + 2];
    }
    report("reflect-column-8-KiB", best, sum);
    free(all), free(buffer);
}

static void report_transposition(void) {
    long part = M / size, block = part * part;
    double *rows = malloc(part * M * sizeof *rows), *turned = malloc(part * M * sizeof *turned);
    double *packed = malloc(part * M * sizeof *packed), best = 1e9, sum = 0;
    int *counts = malloc(size * sizeof *counts), *starts = malloc(size * sizeof *starts);
    for (int i = 0; i < size; i++) counts[i] = block, starts[i] = i * block;
    for (long i = 0; i < part; i++)
        for (long j = 0; j < M; j++) rows[i * M + j] = rank * part + i + 2.0 * j;
    memset(turned, 0, part * M * sizeof *turned);
    memset(packed, 0, part * M * sizeof *packed);
    BEST(best, 1, {
        for (long to = 0; to < size; to++)
            for (long i = 0; i < part; i++)
                memcpy(packed + to * block + i * part, rows + i * M + to * part, part * sizeof *rows);
        MPI_Alltoallv(packed, counts, starts, MPI_DOUBLE, turned, counts, starts, MPI_DOUBLE, MPI_COMM_WORLD);
    })
    for (long i = 0; i < part; i++) sum += turned[5 * part + i] + turned[(M - 3) * part + i];
    report("gmove-rows-to-columns-32-MiB", best, sum);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    count = P / size;
    report_planes("reflect-2-KiB", 16, 500);
    report_planes("reflect-32-KiB", 64, 200);
    report_planes("reflect-1152-KiB", 384, 20);
    report_columns();
    report_transposition();
    MPI_Finalize();
    return 0;
}
