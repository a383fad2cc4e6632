/* The few functions of MPI that apg needs, as functions of one binary interface: MPIs differ in theirs. */
#include <mpi.h>
#if defined(OPEN_MPI) && OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdlib.h>

static MPI_Comm communicator;

/* Tags: of messages that fit into posted buffers, and of those whose receive is posted once they are announced. */
enum { SHORT = 1, LONG = 2 };

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

/* Whether the library reads and writes memory of CUDA devices in this run. */
int apg_mpi_knows_cuda(void)
{
#if defined(MPIX_GPU_SUPPORT_CUDA)
    /* MPICH and what is made of it. */
    int is_supported = 0;
    return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is_supported) == MPI_SUCCESS && is_supported;
#elif defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
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

/* Begins to send bytes; *handle is NULL if that is done already. */
int apg_mpi_send(const void *bytes, int count, int to, int is_long, void **handle)
{
    MPI_Request request, *kept;
    int is_done = 0, code;
    *handle = NULL;
    code = MPI_Isend(bytes, count, MPI_BYTE, to, is_long ? LONG : SHORT, communicator, &request);
    if (code != MPI_SUCCESS) return code;
    if ((code = MPI_Test(&request, &is_done, MPI_STATUS_IGNORE)) != MPI_SUCCESS || is_done) return code;
    if (!(kept = malloc(sizeof *kept))) return MPI_ERR_NO_MEM;
    *kept = request;
    *handle = kept;
    return MPI_SUCCESS;
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

/* Makes a persistent receive of a short message from any process, and starts it. */
int apg_mpi_post(void *bytes, int room, void **handle)
{
    MPI_Request *request = malloc(sizeof *request);
    int code;
    *handle = NULL;
    if (!request) return MPI_ERR_NO_MEM;
    code = MPI_Recv_init(bytes, room, MPI_BYTE, MPI_ANY_SOURCE, SHORT, communicator, request);
    if (code == MPI_SUCCESS) code = MPI_Start(request);
    return begin(code, request, handle);
}

/* Whether a posted receive has a message: sets *from, negative if not, and *count. */
int apg_mpi_arrival(void *handle, int *from, int *count)
{
    MPI_Status status;
    int has_come = 0, code;
    *from = -1;
    code = MPI_Test(handle, &has_come, &status);
    if (code != MPI_SUCCESS || !has_come) return code;
    if ((code = MPI_Get_count(&status, MPI_BYTE, count)) != MPI_SUCCESS) return code;
    *from = status.MPI_SOURCE;
    return MPI_SUCCESS;
}

/* Starts a posted receive again, whose message was read. */
int apg_mpi_restart(void *handle) { return MPI_Start(handle); }

/* Ends a posted receive that no message has come for. */
int apg_mpi_withdraw(void *handle)
{
    MPI_Request *request = handle;
    int code = MPI_Cancel(request);
    if (code == MPI_SUCCESS) code = MPI_Wait(request, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS) code = MPI_Request_free(request);
    free(request);
    return code;
}

/* Begins to receive a long message. */
int apg_mpi_receive(void *bytes, int count, int from, void **handle)
{
    MPI_Request *request = malloc(sizeof *request);
    *handle = NULL;
    if (!request) return MPI_ERR_NO_MEM;
    return begin(MPI_Irecv(bytes, count, MPI_BYTE, from, LONG, communicator, request), request, handle);
}
