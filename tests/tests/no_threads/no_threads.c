// Fault injection: no thread can be started while the file $APG_TEST_NO_THREADS is there.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    const char *flag = getenv("APG_TEST_NO_THREADS");
    if (flag && access(flag, F_OK) == 0) {
        return EAGAIN;
    }
    if (!create) {
        create = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
    }
    return create(thread, attributes, start, argument);
}
