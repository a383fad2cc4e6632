/* An MPI with the standard's binary interface for tests: a job of two processes, of which this is number 0, and whatever it sends to
 * number 1 comes back from there. It has an accelerator, too, whose memory this process can neither read nor write: only the library can, at
 * another address. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OTHER = 15, DEVICE_BYTES = 256 << 20 };
typedef struct { int source, tag, error, internal[5]; } Status;
typedef struct Message { int tag, count; char *bytes; struct Message *next; } Message;
typedef struct { int tag, room, is_persistent, is_active, is_receive; char *memory; int count; } Request;

static Message *first, **last = &first;
static char *device, *device_alias;
static int device_sends, device_receives;

/* The accelerator's memory: the first call makes it. */
uint64_t fake_device(void)
{
    if (!device) {
        int file = memfd_create("device", 0);
        if (ftruncate(file, DEVICE_BYTES)) abort();
        device = mmap(NULL, DEVICE_BYTES, PROT_NONE, MAP_SHARED, file, 0);
        device_alias = mmap(NULL, DEVICE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (device == MAP_FAILED || device_alias == MAP_FAILED) abort();
    }
    return (uint64_t)device;
}
static int is_device(const void *at) { return device && (char *)at >= device && (char *)at < device + DEVICE_BYTES; }
/* What is at an address of the accelerator. */
char *fake_device_bytes(uint64_t at) { return device_alias + ((char *)at - device); }
/* How many messages were sent from the accelerator, and received into it. */
void fake_device_messages(int *sends, int *receives) { *sends = device_sends, *receives = device_receives; }

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *given) { return *given = wanted, 0; }
int MPI_Finalize(void) { return 0; }
int MPI_Get_library_version(char *text, int *length) { strcpy(text, "Fake MPI"); return *length = 8, 0; }
int MPI_Error_string(int code, char *text, int *length) { strcpy(text, "fake"); return *length = 4, 0; }
int MPI_Comm_dup(void *of, void **made) { return *made = of, 0; }
int MPI_Comm_set_errhandler(void *communicator, void *handler) { return 0; }
int MPI_Comm_rank(void *communicator, int *rank) { return *rank = 0, 0; }
int MPI_Comm_size(void *communicator, int *size) { return *size = 2, 0; }
int MPI_Comm_get_info(void *communicator, void **info) { return *info = communicator, 0; }
int MPI_Info_get_string(void *info, const char *key, int *length, char *text, int *is_set)
{
    const char *kinds = "system,mpi,cuda:device";
    *is_set = !strcmp(key, "mpi_memory_alloc_kinds");
    if (*is_set && *length > (int)strlen(kinds)) strcpy(text, kinds);
    return *length = strlen(kinds) + 1, 0;
}
int MPI_Info_free(void **info) { return *info = NULL, 0; }
int MPI_Ibarrier(void *communicator, void **request) { return *request = calloc(1, sizeof(Request)), 0; }

int MPI_Isend(const void *bytes, int count, void *type, int to, int tag, void *communicator, void **request)
{
    Message *message = malloc(sizeof *message);
    if (to != 1) return OTHER;
    if (is_device(bytes)) device_sends++, bytes = fake_device_bytes((uint64_t)bytes);
    *message = (Message){tag, count, memcpy(malloc(count + 1), bytes, count), NULL};
    *last = message;
    last = &message->next;
    *request = calloc(1, sizeof(Request));
    return 0;
}
static Request *receive(void *memory, int room, int tag, int is_persistent)
{
    Request *made = malloc(sizeof *made);
    *made = (Request){tag, room, is_persistent, !is_persistent, 1, memory, 0};
    return made;
}
int MPI_Irecv(void *memory, int room, void *type, int from, int tag, void *communicator, void **request)
{
    if (from != 1) return OTHER;
    return *request = receive(memory, room, tag, 0), 0;
}
int MPI_Recv_init(void *memory, int room, void *type, int from, int tag, void *communicator, void **request)
{
    return *request = receive(memory, room, tag, 1), 0;
}
int MPI_Start(void **request) { return ((Request *)*request)->is_active = 1, 0; }
int MPI_Test(void **request, int *is_done, Status *status)
{
    Request *asked = *request;
    *is_done = 1;
    if (asked->is_receive) {
        Message **at = &first, *found;
        while (*at && (*at)->tag != asked->tag) at = &(*at)->next;
        found = *at;
        *is_done = asked->is_active && found;
        if (!*is_done) return 0;
        if (found->count > asked->room) return OTHER;
        char *memory = asked->memory;
        if (is_device(memory)) device_receives++, memory = fake_device_bytes((uint64_t)memory);
        memcpy(memory, found->bytes, found->count);
        if (status) *status = (Status){1, found->tag, 0, {found->count}};
        asked->is_active = 0;
        *at = found->next;
        if (!*at) last = at;
        free(found->bytes);
        free(found);
    }
    if (!asked->is_persistent) free(asked), *request = NULL;
    return 0;
}
int MPI_Wait(void **request, Status *status) { return 0; }
int MPI_Get_count(const Status *status, void *type, int *count) { return *count = status->internal[0], 0; }
int MPI_Cancel(void **request) { return 0; }
int MPI_Request_free(void **request) { free(*request); return *request = NULL, 0; }
