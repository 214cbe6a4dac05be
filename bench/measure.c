/* Starts one program and prints what it used: CPU and time in microseconds, peak memory in KiB, exit code.
 *
 *   measure file|pipe STDIN PROGRAM [ARGUMENT...]
 *
 * A program of its own, because Node cannot read the resource usage of a child. It is small on purpose: a child
 * inherits the peak memory of what started it. CPU is user + system time of the program and of each descendant that
 * was waited for; on Linux also of those whose parent exited before them, such as the processes in a sandbox. The
 * program's stdout and stderr go to /dev/null.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

extern char **environ;

static void die(const char *what) {
  perror(what);
  exit(125);
}

static long microseconds(struct timeval t) { return t.tv_sec * 1000000L + t.tv_usec; }

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

/* macOS counts bytes where Linux counts KiB. */
static long peak_kib(const struct rusage *usage) {
#ifdef __APPLE__
  return usage->ru_maxrss / 1024;
#else
  return usage->ru_maxrss;
#endif
}

/* A program may look at what else its caller left open, so there is nothing but 0, 1 and 2, wherever this runs. */
static void hide_descriptors(void) {
  for (int descriptor = 3; descriptor < 1024; descriptor++) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

static void adopt_orphans(void) {
#ifdef __linux__
  prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
}

static pid_t start(char **words, int input) {
  posix_spawn_file_actions_t files;
  pid_t pid;
  hide_descriptors();
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  if (posix_spawnp(&pid, words[0], &files, NULL, words, environ) != 0) die(words[0]);
  posix_spawn_file_actions_destroy(&files);
  return pid;
}

/* Written after the start, as a caller does. A program that leaves without reading it all is no fault. */
static void feed(int from, int to) {
  char chunk[65536];
  ssize_t got;
  signal(SIGPIPE, SIG_IGN);
  while ((got = read(from, chunk, sizeof chunk)) > 0)
    for (ssize_t sent = 0, n; sent < got; sent += n)
      if ((n = write(to, chunk + sent, got - sent)) < 0) return;
}

int main(int count, char **words) {
  int ends[2], status;
  struct rusage usage;
  pid_t pid;
  if (count < 4) {
    fputs("usage: measure file|pipe STDIN PROGRAM [ARGUMENT...]\n", stderr);
    return 125;
  }
  adopt_orphans();
  int file = open(words[2], O_RDONLY);
  if (file < 0) die(words[2]);
  long started = now();
  if (strcmp(words[1], "pipe") == 0) {
    if (pipe(ends) < 0) die("pipe");
    pid = start(words + 3, ends[0]);
    close(ends[0]);
    feed(file, ends[1]);
    close(ends[1]);
  } else {
    pid = start(words + 3, file);
  }
  if (waitpid(pid, &status, 0) < 0) die("waitpid");
  long ended = now();
  while (wait(NULL) > 0) continue;
  if (getrusage(RUSAGE_CHILDREN, &usage) < 0) die("getrusage");
  printf("%ld %ld %ld %d\n", microseconds(usage.ru_utime) + microseconds(usage.ru_stime), ended - started, peak_kib(&usage),
         WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return 0;
}
