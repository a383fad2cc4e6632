/* Messages between two processes through MPI. Arguments: how many, and their bytes. Sends that many there, each answered by an empty
   one; prints the nanoseconds of each of five rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long count = atol(argv[1]), size = atol(argv[2]);
    char *bytes = malloc(size + 1);
    /* Otherwise all pages would be the same one of the system's, which is always in the cache. */
    memset(bytes, 1, size + 1);
    for (int round = -1; round < 5; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (long i = 0; i < count; i++) {
            if (rank == 0) {
                MPI_Send(bytes, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(bytes, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(bytes, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(bytes, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
            }
        }
        if (rank == 0 && round >= 0) printf("%.0f\n", (MPI_Wtime() - start) * 1e9);
    }
    free(bytes);
    MPI_Finalize();
    return 0;
}
