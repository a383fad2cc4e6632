// A CUDA run-time compiler that writes the number of its process to $APG_TEST_COMPILED when it compiles, and then does what
// $APG_TEST_COMPILER says: nothing ("none"), never end ("hang"), take memory without end ("fill"), end by a fault ("crash").

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int thing;

int nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 0; return 0; }
int nvrtcGetNumSupportedArchs(int *count) { *count = 1; return 0; }
int nvrtcGetSupportedArchs(int *all) { *all = 90; return 0; }
int nvrtcCreateProgram(void **program, const char *text, const char *name, int headers, const char *const *contents, const char *const *names) { *program = &thing; return 0; }
int nvrtcDestroyProgram(void **program) { return 0; }

int nvrtcCompileProgram(void *program, int count, const char *const *options) {
    const char *mode = getenv("APG_TEST_COMPILER");
    FILE *file = fopen(getenv("APG_TEST_COMPILED"), "a");
    fprintf(file, "%d\n", getpid());
    fclose(file);
    while (strcmp(mode, "hang") == 0) {
        pause();
    }
    while (strcmp(mode, "fill") == 0) {
        char *memory = malloc(1 << 26);
        if (!memory) {
            abort();
        }
    }
    if (strcmp(mode, "crash") == 0) {
        abort();
    }
    return 0;
}

static const char LOG[] = "ptxas info    : Compiling entry function 'K_Main' for 'sm_90'\nptxas info    : Used 40 registers\n";
int nvrtcGetProgramLogSize(void *program, size_t *size) { *size = sizeof LOG; return 0; }
int nvrtcGetProgramLog(void *program, char *log) { memcpy(log, LOG, sizeof LOG); return 0; }
int nvrtcGetCUBINSize(void *program, size_t *size) { *size = 4; return 0; }
int nvrtcGetCUBIN(void *program, char *code) { memcpy(code, "fake", 4); return 0; }
int nvrtcGetPTXSize(void *program, size_t *size) { *size = 12; return 0; }
int nvrtcGetPTX(void *program, char *code) { memcpy(code, ".version 9\n", 12); return 0; }
