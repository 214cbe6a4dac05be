/* Fails chosen system calls of the program that it is preloaded into. FAULT is "<number> <errno>": the number-th call
 * that concerns a path below one of FAULT_ROOTS (with a colon between them), or a new process, pipe or program, fails. With FAULT_COUNT the calls are only
 * counted, into that file. Everything else is passed on. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int seen;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void tell(const char *name, const char *path) {
  const char *file = getenv("FAULT_COUNT");
  char line[4200];
  if (file == NULL) return;
  int length = snprintf(line, sizeof line, "%s %s\n", name, path);
  int out = NEXT(open)(file, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (out < 0) return;
  if (NEXT(write)(out, line, (size_t)length) < 0) abort();
  close(out);
}

/* The number is shared with children made by fork, up to the program that they start. */
static int fails(const char *name, const char *path) {
  const char *fault = getenv("FAULT");
  int number = 0, error = 0;
  seen++;
  tell(name, path);
  if (fault == NULL || sscanf(fault, "%d %d", &number, &error) != 2 || seen != number) return 0;
  errno = error;
  return 1;
}

static int concerns(const char *path) {
  const char *root = getenv("FAULT_ROOTS");
  while (root != NULL && path != NULL && *root != 0) {
    size_t length = strcspn(root, ":");
    if (strncmp(path, root, length) == 0) return 1;
    root += length + (root[length] == ':');
  }
  return 0;
}

static int concerns_fd(int fd, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return concerns(path);
}

#define OPEN(name)                                             \
  int name(const char *path, int flags, ...) {                 \
    va_list rest;                                              \
    va_start(rest, flags);                                     \
    mode_t mode = (mode_t)va_arg(rest, int);                   \
    va_end(rest);                                              \
    if (concerns(path) && fails(#name, path)) return -1;       \
    return NEXT(name)(path, flags, mode);                      \
  }
OPEN(open)
OPEN(open64)

#define ON_FD(type, name, declared, passed)                              \
  type name declared {                                                   \
    char path[4096];                                                     \
    if (concerns_fd(fd, path, sizeof path) && fails(#name, path)) return -1; \
    return NEXT(name) passed;                                            \
  }
ON_FD(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size))
ON_FD(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size))
ON_FD(ssize_t, pread64, (int fd, void *to, size_t size, off64_t at), (fd, to, size, at))
ON_FD(ssize_t, pwrite64, (int fd, const void *from, size_t size, off64_t at), (fd, from, size, at))

int access(const char *path, int mode) {
  return concerns(path) && fails("access", path) ? -1 : NEXT(access)(path, mode);
}
int mkdir(const char *path, mode_t mode) { return concerns(path) && fails("mkdir", path) ? -1 : NEXT(mkdir)(path, mode); }
int rename(const char *from, const char *to) { return concerns(to) && fails("rename", to) ? -1 : NEXT(rename)(from, to); }
char *realpath(const char *path, char *out) {
  return concerns(path) && fails("realpath", path) ? NULL : NEXT(realpath)(path, out);
}
int scandir64(const char *path, struct dirent64 ***list, int (*filter)(const struct dirent64 *),
              int (*order)(const struct dirent64 **, const struct dirent64 **)) {
  return concerns(path) && fails("scandir64", path) ? -1 : NEXT(scandir64)(path, list, filter, order);
}
DIR *opendir(const char *path) { return concerns(path) && fails("opendir", path) ? NULL : NEXT(opendir)(path); }
pid_t fork(void) { return fails("fork", "") ? -1 : NEXT(fork)(); }
int execvp(const char *file, char *const argv[]) {
  return concerns(file) && fails("execvp", file) ? -1 : NEXT(execvp)(file, argv);
}
int socketpair(int domain, int type, int protocol, int fds[2]) {
  return fails("socketpair", "") ? -1 : NEXT(socketpair)(domain, type, protocol, fds);
}

/* Node asks for a file's state by this door. */
long syscall(long number, ...) {
  va_list rest;
  long a[6];
  va_start(rest, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_statx && concerns((const char *)a[1]) && fails("statx", (const char *)a[1])) return -1;
  return NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
