// Notes in $APG_TEST_STARTS each program that a process starts and each library that it loads by a path.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void note(const char *what) {
    const char *path = getenv("APG_TEST_STARTS");
    int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
    if (file >= 0) {
        if (write(file, what, strlen(what)) < 0 || write(file, "\n", 1) < 0) {
            abort();
        }
        close(file);
    }
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    note(path);
    return REAL(posix_spawn)(pid, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    note(path);
    return REAL(posix_spawnp)(pid, path, actions, attributes, arguments, environment);
}

int execve(const char *path, char *const arguments[], char *const environment[]) {
    note(path);
    return REAL(execve)(path, arguments, environment);
}

int execvp(const char *path, char *const arguments[]) {
    note(path);
    return REAL(execvp)(path, arguments);
}

pid_t fork(void) {
    note("fork");
    return REAL(fork)();
}

int system(const char *command) {
    note(command);
    return REAL(system)(command);
}

void *dlopen(const char *path, int flags) {
    if (path && strchr(path, '/')) {
        note(path);
    }
    return REAL(dlopen)(path, flags);
}
