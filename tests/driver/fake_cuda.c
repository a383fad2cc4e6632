// A driver and a run-time compiler for tests: devices whose memory is the host's and whose kernels do nothing. What they are, and what
// goes wrong, stands in FAKE_CUDA, words with numbers: `devices=2 version=11080 memory=1000000 peer=0 fail=NAME:CODE`, where every call of
// NAME gives CODE; `fail=NAME:CODE:N` only from the Nth one on. With `report` a line on standard error says at the end what was called how often.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef uint64_t u64;
enum { NO_MEMORY = 2, INVALID = 1, PEER_ENABLED = 704, ALREADY_REGISTERED = 712, NOT_REGISTERED = 713, NOT_FOUND = 500, NOT_SUPPORTED = 801 };

static long setting(const char *name, long otherwise) {
    const char *text = getenv("FAKE_CUDA");
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%s=", name);
    const char *found = text ? strstr(text, wanted) : NULL;
    return found ? atol(found + strlen(wanted)) : otherwise;
}

// How often what was called.
static struct { const char *name; long count; } calls[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void report(void) {
    fprintf(stderr, "fake cuda:");
    for (int i = 0; i < 64 && calls[i].name; i++) fprintf(stderr, " %s=%ld", calls[i].name, calls[i].count);
    fprintf(stderr, "\n");
}

// Counts a call; what it shall fail with.
static int call(const char *name) {
    static int watched = -1;
    static const char *fail;
    if (watched < 0) {
        const char *text = getenv("FAKE_CUDA");
        fail = text ? strstr(text, "fail=") : NULL;
        watched = fail || (text && strstr(text, "report"));
        if (text && strstr(text, "report")) atexit(report);
    }
    if (!watched) return 0;
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < 63 && calls[i].name && strcmp(calls[i].name, name)) i++;
    calls[i].name = name;
    long count = ++calls[i].count;
    pthread_mutex_unlock(&lock);
    size_t length = strlen(name);
    if (!fail || strncmp(fail + 5, name, length) || fail[5 + length] != ':') return 0;
    char *end;
    long code = strtol(fail + 6 + length, &end, 10);
    return *end != ':' || count >= atol(end + 1) ? (int)code : 0;
}
#define CALL() do { int failed = call(__func__); if (failed) return failed; } while (0)

int cuInit(unsigned flags) { CALL(); return 0; }
int cuDriverGetVersion(int *version) { *version = setting("version", 13000); return 0; }
int cuDeviceGetCount(int *count) { CALL(); *count = setting("devices", 2); return 0; }
int cuDeviceGet(int *device, int ordinal) { CALL(); *device = ordinal; return 0; }
int cuDeviceGetName(char *name, int length, int device) { snprintf(name, length, "Fake %d", device); return 0; }
static long memory(void) { return setting("memory", 1L << 40); }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = memory(); return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    switch (attribute) {
    case 1: case 2: case 3: *value = 1024; break; // threads of a block, and along x and y
    case 4: *value = 64; break;
    case 5: *value = 2147483647; break; // blocks along x
    case 6: case 7: *value = 65535; break;
    case 8: *value = 49152; break; // shared memory
    case 16: *value = 4; break; // multiprocessors
    case 75: *value = 9; break; // capability
    case 76: *value = 0; break;
    case 89: case 91: case 95: *value = setting("teams", 0); break; // managed and registered memory, cooperative launches
    case 97: *value = 232448; break; // shared memory on request
    default: *value = 0;
    }
    return 0;
}
int cuDeviceGetP2PAttribute(int *value, int attribute, int a, int b) { CALL(); *value = 0; return 0; }
int cuDeviceCanAccessPeer(int *can, int a, int b) { CALL(); *can = setting("peer", 1); return 0; }
static char contexts[16];
int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) { return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { CALL(); *context = &contexts[device]; return 0; }
int cuCtxSetCurrent(void *context) { CALL(); return 0; }
int cuCtxGetStreamPriorityRange(int *least, int *greatest) { if (least) *least = 0; *greatest = -5; return 0; }
int cuCtxSynchronize(void) { CALL(); return 0; }
int cuCtxEnablePeerAccess(void *peer, unsigned flags) { CALL(); return 0; }

static const char *names[] = {"CUDA_SUCCESS", "CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_OUT_OF_MEMORY"};
int cuGetErrorName(int code, const char **text) {
    *text = code < 3 ? names[code] : code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : code == 46 ? "CUDA_ERROR_DEVICE_UNAVAILABLE" : "CUDA_ERROR_UNKNOWN";
    return 0;
}
int cuGetErrorString(int code, const char **text) { *text = code == 700 ? "an illegal memory access was encountered" : "the fake fails"; return 0; }

// Memory that was given out, so that wrong addresses show.
struct Piece { u64 start, bytes; int kind; struct Piece *next; };
enum { DEVICE, PINNED, REGISTERED, MANAGED };
static struct Piece *pieces;
static u64 used;
static void add(u64 start, u64 bytes, int kind) {
    struct Piece *piece = malloc(sizeof *piece);
    *piece = (struct Piece){start, bytes, kind, pieces};
    pieces = piece;
}
static int take(u64 start, int kind, u64 *bytes) {
    for (struct Piece **at = &pieces; *at; at = &(*at)->next) {
        struct Piece *piece = *at;
        if (piece->start != start || piece->kind != kind) continue;
        *at = piece->next;
        *bytes = piece->bytes;
        free(piece);
        return 1;
    }
    return 0;
}
static int inside(u64 start, u64 bytes, int kind) {
    pthread_mutex_lock(&lock);
    int found = 0;
    for (struct Piece *piece = pieces; piece && !found; piece = piece->next)
        found = piece->kind == kind && start >= piece->start && start + bytes <= piece->start + piece->bytes;
    pthread_mutex_unlock(&lock);
    return found;
}
static int allocate(u64 *address, u64 bytes, int kind) {
    if (!bytes) return INVALID;
    pthread_mutex_lock(&lock);
    int full = kind == DEVICE && used + bytes > (u64)memory();
    if (kind == DEVICE && !full) used += bytes;
    pthread_mutex_unlock(&lock);
    if (full) return NO_MEMORY;
    void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) return NO_MEMORY;
    *address = (u64)made;
    pthread_mutex_lock(&lock);
    add(*address, bytes, kind);
    pthread_mutex_unlock(&lock);
    return 0;
}
static int release(u64 address, int kind) {
    u64 bytes = 0;
    pthread_mutex_lock(&lock);
    int found = take(address, kind, &bytes);
    if (found && kind == DEVICE) used -= bytes;
    pthread_mutex_unlock(&lock);
    if (!found) return INVALID;
    if (kind != REGISTERED) munmap((void *)address, bytes);
    return 0;
}
int cuMemAlloc_v2(u64 *address, size_t bytes) { CALL(); return allocate(address, bytes, DEVICE); }
int cuMemFree_v2(u64 address) { CALL(); return release(address, DEVICE); }
int cuMemAllocManaged(u64 *address, size_t bytes, unsigned flags) { CALL(); return allocate(address, bytes, MANAGED); }
int cuMemPrefetchAsync_v2(u64 address, size_t bytes, long long location, unsigned flags, void *stream) {
    CALL();
    return inside(address, bytes, MANAGED) ? 0 : INVALID;
}
int cuCtxGetLimit(size_t *value, int limit) { *value = 1024; return 0; }
int cuCtxSetLimit(int limit, size_t value) { CALL(); return 0; }
int cuMemHostAlloc(void **address, size_t bytes, unsigned flags) { CALL(); return allocate((u64 *)address, bytes, PINNED); }
int cuMemFreeHost(void *address) { CALL(); return release((u64)address, PINNED); }
int cuMemGetInfo_v2(size_t *free, size_t *total) { *total = memory(); *free = memory() - used; return 0; }
int cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags) {
    CALL();
    u64 start = (u64)address;
    pthread_mutex_lock(&lock);
    int taken = 0;
    for (struct Piece *piece = pieces; piece; piece = piece->next)
        taken |= piece->kind == REGISTERED && start < piece->start + piece->bytes && piece->start < start + bytes;
    if (!taken) add(start, bytes, REGISTERED);
    pthread_mutex_unlock(&lock);
    return taken ? ALREADY_REGISTERED : 0;
}
int cuMemHostUnregister(void *address) { CALL(); return release((u64)address, REGISTERED) ? NOT_REGISTERED : 0; }

static int copy(u64 target, u64 source, u64 bytes) { memcpy((void *)target, (void *)source, bytes); return 0; }
int cuMemcpyHtoD_v2(u64 target, const void *source, size_t bytes) {
    CALL();
    return inside(target, bytes, DEVICE) ? copy(target, (u64)source, bytes) : INVALID;
}
int cuMemcpyHtoDAsync_v2(u64 target, const void *source, size_t bytes, void *stream) {
    CALL();
    return inside(target, bytes, DEVICE) ? copy(target, (u64)source, bytes) : INVALID;
}
int cuMemcpyDtoHAsync_v2(void *target, u64 source, size_t bytes, void *stream) {
    CALL();
    return inside(source, bytes, DEVICE) ? copy((u64)target, source, bytes) : INVALID;
}
int cuMemcpyDtoDAsync_v2(u64 target, u64 source, size_t bytes, void *stream) {
    CALL();
    if (source < target + bytes && target < source + bytes) return INVALID;
    return inside(target, bytes, DEVICE) && inside(source, bytes, DEVICE) ? copy(target, source, bytes) : INVALID;
}
int cuMemcpyPeerAsync(u64 target, void *to, u64 source, void *from, size_t bytes, void *stream) {
    CALL();
    return inside(target, bytes, DEVICE) && inside(source, bytes, DEVICE) ? copy(target, source, bytes) : INVALID;
}
int cuMemsetD8Async(u64 target, unsigned char value, size_t bytes, void *stream) {
    CALL();
    if (!inside(target, bytes, DEVICE)) return INVALID;
    // New memory is zero.
    if (value || bytes < 1 << 20) memset((void *)target, value, bytes);
    else madvise((void *)target, bytes, MADV_DONTNEED);
    return 0;
}

static char thing;
int cuStreamCreate(void **stream, unsigned flags) { *stream = &thing; return 0; }
int cuStreamDestroy_v2(void *stream) { return 0; }
int cuStreamQuery(void *stream) { CALL(); return 0; }
int cuStreamSynchronize(void *stream) { CALL(); return 0; }
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) { CALL(); return 0; }
int cuStreamWriteValue32_v2(void *stream, u64 address, uint32_t value, unsigned flags) {
    CALL();
    __atomic_store_n((uint32_t *)address, value, __ATOMIC_RELEASE);
    return 0;
}
int cuEventCreate(void **event, unsigned flags) { *event = &thing; return 0; }
int cuEventDestroy_v2(void *event) { return 0; }
int cuEventQuery(void *event) { CALL(); return 0; }
int cuEventRecord(void *event, void *stream) { CALL(); return 0; }
int cuEventSynchronize(void *event) { CALL(); return 0; }
int cuEventElapsedTime_v2(float *milliseconds, void *start, void *end) { *milliseconds = 0.001f; return 0; }

int cuModuleLoadData(void **module, const void *image) { CALL(); *module = &thing; return 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) { CALL(); *function = &thing; return 0; }
// Kernels here have no variables.
int cuModuleGetGlobal_v2(u64 *address, size_t *bytes, void *module, const char *name) { return NOT_FOUND; }
int cuFuncGetAttribute(int *value, int attribute, void *function) { *value = attribute == 0 ? 1024 : 0; return 0; }
int cuFuncSetAttribute(void *function, int attribute, int value) { CALL(); return 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared) { *blocks = threads > 0 ? 2048 / threads : 0; return 0; }
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty, unsigned tz, unsigned shared, void *stream, void **parameters, void **extra) { CALL(); return 0; }
int cuLaunchCooperativeKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty, unsigned tz, unsigned shared, void *stream, void **parameters) { CALL(); return 0; }
// Only the kernel that reads behind others is launched so: to where, from where, the size of a word, how many, and what says that they are there.
int cuLaunchKernelEx(const void *config, void *function, void **parameters, void **extra) {
    CALL();
    memcpy(*(void **)parameters[0], *(void **)parameters[1], (size_t)*(uint32_t *)parameters[2] * *(uint32_t *)parameters[3]);
    __atomic_store_n(*(uint32_t **)parameters[4], 1, __ATOMIC_RELEASE);
    return 0;
}

// The run-time compiler.
int nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 0; return 0; }
int nvrtcGetNumSupportedArchs(int *count) { *count = 1; return 0; }
int nvrtcGetSupportedArchs(int *all) { *all = 90; return 0; }
int nvrtcCreateProgram(void **program, const char *text, const char *name, int headers, const char *const *contents, const char *const *names) { *program = &thing; return 0; }
int nvrtcCompileProgram(void *program, int count, const char *const *options) { CALL(); return 0; }
int nvrtcDestroyProgram(void **program) { return 0; }
int nvrtcGetProgramLogSize(void *program, size_t *size) { *size = 1; return 0; }
int nvrtcGetProgramLog(void *program, char *log) { *log = 0; return 0; }
int nvrtcGetCUBINSize(void *program, size_t *size) { *size = 4; return 0; }
int nvrtcGetCUBIN(void *program, char *code) { memcpy(code, "fake", 4); return 0; }
int nvrtcGetPTXSize(void *program, size_t *size) { *size = 5; return 0; }
int nvrtcGetPTX(void *program, char *code) { memcpy(code, "fake", 5); return 0; }

// Memory of other processes and textures are a matter of real devices.
int cuMemGetAddressRange_v2(u64 *start, size_t *bytes, u64 address) { return NOT_SUPPORTED; }
int cuIpcOpenMemHandle_v2(u64 *address, struct { char reserved[64]; } handle, unsigned flags) { return NOT_SUPPORTED; }
int cuIpcGetMemHandle(void *handle, u64 address) { return NOT_SUPPORTED; }
int cuArray3DCreate_v2(void **array, const void *descriptor) { return NOT_SUPPORTED; }
int cuArrayDestroy(void *array) { return NOT_SUPPORTED; }
int cuMemcpy3D_v2(const void *copy) { return NOT_SUPPORTED; }
int cuTexObjectCreate(u64 *texture, const void *resource, const void *sampler, const void *view) { return NOT_SUPPORTED; }
int cuTexObjectDestroy(u64 texture) { return NOT_SUPPORTED; }
