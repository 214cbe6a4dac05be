/* Starts one program so many times, one after another, and prints what it used. A line for each start: time until it ended in
 * microseconds, exit code. Then one for all: CPU in microseconds, peak memory in KiB; and of both the part of what the program
 * left running; last the CPU that the first start and what it left running had used before the second.
 *
 *   measure file|pipe|session COUNT STDIN PROGRAM [ARGUMENT...]
 *
 * A program of its own, because Node cannot read the resource usage of a child. It is small on purpose: a child
 * inherits the peak memory of what started it. CPU is user + system time of the program and of each descendant that
 * was waited for; on Linux also of those whose parent exited before them, such as the processes in a sandbox. The
 * program's stderr goes to /dev/null, and its stdout: in a session it is read, as an agent does, what the first start leaves
 * running gets time to begin, and is ended after the last.
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

/* A model takes longer than this between two calls. */
enum { PAUSE_MS = 500, MOST_LEFT = 64 };

/* What one start used, or many together. */
struct usage {
  long cpu_us, peak_kib;
};

static void die(const char *what) {
  perror(what);
  exit(125);
}

static long microseconds(struct timeval t) { return t.tv_sec * 1000000L + t.tv_usec; }

static long microseconds_of(clockid_t clock) {
  struct timespec t = {0, 0};
  clock_gettime(clock, &t);
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

static void add(struct usage *to, const struct rusage *usage) {
  to->cpu_us += microseconds(usage->ru_utime) + microseconds(usage->ru_stime);
  if (peak_kib(usage) > to->peak_kib) to->peak_kib = peak_kib(usage);
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

/* Nobody may read the input any more. Unlike a signal that is ignored, one with a handler is nothing that a program inherits. */
static void on_closed_pipe(int number) { (void)number; }

/* The processes that the program left running; none where orphans are not adopted. */
static int left_running(pid_t *pids) {
  int count = 0;
  FILE *list = fopen("/proc/thread-self/children", "r");
  while (list != NULL && count < MOST_LEFT && fscanf(list, "%d", &pids[count]) == 1) count++;
  if (list != NULL) fclose(list);
  return count;
}

static long cpu_of_left(void) {
  long sum = 0;
#ifdef __linux__
  pid_t pids[MOST_LEFT];
  clockid_t clock;
  for (int index = left_running(pids) - 1; index >= 0; index--)
    if (clock_getcpuclockid(pids[index], &clock) == 0) sum += microseconds_of(clock);
#endif
  return sum;
}

static void end_left(void) {
  pid_t pids[MOST_LEFT];
  for (int index = left_running(pids) - 1; index >= 0; index--) kill(pids[index], SIGTERM);
}

/* `output` is -1 for /dev/null. */
static pid_t start(char **words, int input, int output) {
  posix_spawn_file_actions_t files;
  pid_t pid;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, 0);
  if (output < 0) posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  else posix_spawn_file_actions_adddup2(&files, output, 1);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  if (posix_spawnp(&pid, words[0], &files, NULL, words, environ) != 0) die(words[0]);
  posix_spawn_file_actions_destroy(&files);
  return pid;
}

/* Written after the start, as a caller does. A program that leaves without reading it all is no fault. */
static void feed(int from, int to) {
  char chunk[65536];
  ssize_t got;
  while ((got = read(from, chunk, sizeof chunk)) > 0)
    for (ssize_t sent = 0, n; sent < got; sent += n)
      if ((n = write(to, chunk + sent, got - sent)) < 0) return;
}

static void open_pipe(int *ends) {
  if (pipe(ends) < 0) die("pipe");
  for (int end = 0; end < 2; end++) fcntl(ends[end], F_SETFD, FD_CLOEXEC);
}

/* One start. Adds what it used, and returns its exit code. */
static int call(char **words, const char *path, int is_file, int is_read, struct usage *used) {
  int input[2], output[2] = {-1, -1}, status;
  char answer[65536];
  struct rusage usage;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) die(path);
  if (!is_file) open_pipe(input);
  if (is_read) open_pipe(output);
  pid_t pid = start(words, is_file ? file : input[0], output[1]);
  if (is_read) close(output[1]);
  if (!is_file) {
    close(input[0]);
    feed(file, input[1]);
    close(input[1]);
  }
  close(file);
  while (is_read && read(output[0], answer, sizeof answer) > 0) continue;
  if (is_read) close(output[0]);
  if (wait4(pid, &status, 0, &usage) < 0) die("wait4");
  add(used, &usage);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char **words) {
  struct usage calls = {0, 0}, left = {0, 0};
  struct rusage usage;
  long first_us = 0;
  if (count < 5) {
    fputs("usage: measure file|pipe|session COUNT STDIN PROGRAM [ARGUMENT...]\n", stderr);
    return 125;
  }
  int is_file = strcmp(words[1], "file") == 0, is_session = strcmp(words[1], "session") == 0;
  adopt_orphans();
  hide_descriptors();
  signal(SIGPIPE, on_closed_pipe);
  for (int number = 0; number < atoi(words[2]); number++) {
    long started = microseconds_of(CLOCK_MONOTONIC);
    int code = call(words + 4, words[3], is_file, is_session, &calls);
    printf("%ld %d\n", microseconds_of(CLOCK_MONOTONIC) - started, code);
    if (number > 0 || !is_session) continue;
    if (cpu_of_left() > 0) usleep(PAUSE_MS * 1000);
    first_us = calls.cpu_us + cpu_of_left();
  }
  if (is_session) end_left();
  while (wait4(-1, NULL, 0, &usage) > 0) add(&left, &usage);
  printf("%ld %ld %ld %ld %ld\n", calls.cpu_us + left.cpu_us, calls.peak_kib > left.peak_kib ? calls.peak_kib : left.peak_kib,
         left.cpu_us, left.peak_kib, first_us);
  return 0;
}
