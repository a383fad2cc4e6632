/* The few functions of MPI that apg needs, as functions of one binary interface: MPIs differ in theirs. */
#include <mpi.h>
#if defined(OPEN_MPI) && OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdlib.h>

static MPI_Comm communicator;

enum { TAG = 1 };

int apg_mpi_open(int *rank, int *size, int *is_serialized)
{
    int level, code;
    if ((code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level)) != MPI_SUCCESS) return code;
    *is_serialized = level >= MPI_THREAD_SERIALIZED;
    if ((code = MPI_Comm_dup(MPI_COMM_WORLD, &communicator)) != MPI_SUCCESS) return code;
    if ((code = MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN)) != MPI_SUCCESS) return code;
    if ((code = MPI_Comm_rank(communicator, rank)) != MPI_SUCCESS) return code;
    return MPI_Comm_size(communicator, size);
}

int apg_mpi_close(void) { return MPI_Finalize(); }

void apg_mpi_version(char *text, int room)
{
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0, i;
    MPI_Get_library_version(version, &length);
    for (i = 0; i + 1 < room && i < length && version[i] != '\n' && version[i] != ','; i++)
        text[i] = version[i] == '\t' ? ' ' : version[i];
    text[i] = 0;
}

void apg_mpi_error(int code, char *text, int room)
{
    char message[MPI_MAX_ERROR_STRING];
    int length = 0, i;
    MPI_Error_string(code, message, &length);
    for (i = 0; i + 1 < room && i < length; i++) text[i] = message[i];
    text[i] = 0;
}

int apg_mpi_knows_cuda(void)
{
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
    return MPIX_Query_cuda_support();
#else
    return 0;
#endif
}

static int begin(int code, MPI_Request *request, void **handle)
{
    if (code != MPI_SUCCESS) free(request), request = NULL;
    *handle = request;
    return code;
}

int apg_mpi_send(const void *bytes, int count, int to, void **handle)
{
    MPI_Request *request = malloc(sizeof *request);
    if (!request) return MPI_ERR_NO_MEM;
    return begin(MPI_Isend(bytes, count, MPI_BYTE, to, TAG, communicator, request), request, handle);
}

int apg_mpi_barrier(void **handle)
{
    MPI_Request *request = malloc(sizeof *request);
    if (!request) return MPI_ERR_NO_MEM;
    return begin(MPI_Ibarrier(communicator, request), request, handle);
}

/* Sets *is_done, and frees the handle then. */
int apg_mpi_test(void *handle, int *is_done)
{
    MPI_Request *request = handle;
    int code = MPI_Test(request, is_done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) *is_done = 1;
    if (*is_done) free(request);
    return code;
}

/* Sets *message to a message that has come, with its sender and length, or to NULL. */
int apg_mpi_probe(void **message, int *from, int *count)
{
    MPI_Message found, *kept;
    MPI_Status status;
    int has_come = 0, code;
    *message = NULL;
    code = MPI_Improbe(MPI_ANY_SOURCE, TAG, communicator, &has_come, &found, &status);
    if (code != MPI_SUCCESS || !has_come) return code;
    if ((code = MPI_Get_count(&status, MPI_BYTE, count)) != MPI_SUCCESS) return code;
    if (!(kept = malloc(sizeof *kept))) return MPI_ERR_NO_MEM;
    *kept = found;
    *from = status.MPI_SOURCE;
    *message = kept;
    return MPI_SUCCESS;
}

/* Begins to receive a message that was found, and frees its handle. */
int apg_mpi_receive(void *message, void *bytes, int count, void **handle)
{
    MPI_Request *request = malloc(sizeof *request);
    int code;
    if (!request) return MPI_ERR_NO_MEM;
    code = begin(MPI_Imrecv(bytes, count, MPI_BYTE, message, request), request, handle);
    free(message);
    return code;
}
