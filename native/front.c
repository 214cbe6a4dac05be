/*
 * The program that agents start for each call: it asks the resident server, or executes the full program.
 *
 * The launcher (~/.kodelet/hookctl) names this program in its first line, so the system starts it with the path of the
 * launcher as its first argument, before those of the agent. The launcher is a shell script as well, whose lines say which
 * variables the full program gets under other names, and what the full program is.
 *
 * What is promised:
 *   - Whatever fails before the server was told to begin: the full program answers, with the same input.
 *   - Once it was told to begin, the hooks may have run. Then no other program answers: without a complete answer this one
 *     prints nothing and fails, and a fail-closed line of the agent's settings blocks the call.
 *   - A server serves only callers that it cannot be told apart from: see `describe`.
 *
 * To the server, each number with 4 bytes in the order of the machine: the length of the rest and the process number;
 * then the description, the working directory, the arguments, the environment and stdin, each after its length. From the
 * server: `a` (accepted) or `n` (not served); after the reply `g` (go) any number of `h` (still there), then `x`, the exit
 * code and, each after its length, stdout and stderr. After `g` a byte with the number of a signal that has come ends the hooks.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#define MTIME(s) (s).st_mtim
#else
#define MTIME(s) (s).st_mtimespec
#endif
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

enum { FAILED = 1, BLOCKED = 2, CANNOT_START = 127, ANSWER_MS = 500, SILENT_MS = 20000, MOST_WORDS = 8, MOST_LOADERS = 32, MOST_DESCRIPTORS = 1024 };
/* Tells the full program to start a server for later calls. */
#define STARTS_SERVER "HOOKCTL_RESIDENT"
#define LAUNCHER "/.kodelet/hookctl"
/* As packages/sdk/serve/socket.ts has it: no server listens on a longer one. */
enum { LONGEST_SOCKET = 103 };
enum { LAUNCHER_BYTES = 1 << 16, STDIN_BYTES = 1 << 20, ANSWER_BYTES = 64 << 20 };

#ifdef __APPLE__
/* With this section the system ignores DYLD_…, which would load a library of somebody else into this program. */
__attribute__((used, section("__RESTRICT,__restrict"))) static const char restricted = 1;
#endif

extern char **environ;

static char launcher_text[LAUNCHER_BYTES + 1];
static char *program[MOST_WORDS + 1];
static char *loaders[MOST_LOADERS + 1];

/* Bytes that grow. Out of memory is a failure like any other. */
struct bytes {
  char *data;
  size_t length, room;
};

static int append(struct bytes *to, const void *data, size_t length) {
  if (to->length + length > to->room) {
    size_t room = 2 * (to->length + length) + 4096;
    char *grown = realloc(to->data, room);
    if (grown == NULL) return 0;
    to->data = grown;
    to->room = room;
  }
  if (length > 0) memcpy(to->data + to->length, data, length);
  to->length += length;
  return 1;
}

static int append_number(struct bytes *to, size_t number) {
  uint32_t four = (uint32_t)number;
  return append(to, &four, sizeof four);
}

static int append_part(struct bytes *to, const void *data, size_t length) {
  return append_number(to, length) && append(to, data, length);
}

static int append_text(struct bytes *to, const char *text) { return append(to, text, strlen(text)); }

/* Writes everything; false if that fails. The other side may have made it one that does not wait. */
static int write_all(int to, const char *data, size_t length) {
  while (length > 0) {
    ssize_t count = write(to, data, length);
    if (count < 0 && errno == EAGAIN) poll(&(struct pollfd){to, POLLOUT, 0}, 1, -1);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return 0;
    data += count;
    length -= (size_t)count;
  }
  return 1;
}

/* --- the launcher --- */

/* Reads words in apostrophes, in which '\'' stands for one, up to `"$@"`. Returns the number of words, or 0. */
static int read_words(char *from) {
  int count = 0;
  while (*from == '\'' && count < MOST_WORDS) {
    char *to = ++from;
    program[count++] = to;
    for (; *from != '\0'; from++) {
      if (*from != '\'') *to++ = *from;
      else if (strncmp(from, "'\\''", 4) == 0) *to++ = '\'', from += 3;
      else break;
    }
    if (strncmp(from, "' ", 2) != 0) return 0;
    *to = '\0';
    from += 2;
  }
  return strncmp(from, "\"$@\"", 4) == 0 ? count : 0;
}

/* Reads what the full program is, and which variables it gets under other names. */
static int read_launcher(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC), count = 0;
  ssize_t length = file < 0 ? -1 : read(file, launcher_text, LAUNCHER_BYTES);
  if (file >= 0) close(file);
  if (length <= 0) return 0;
  launcher_text[length] = '\0';
  for (char *line = launcher_text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    *end = '\0';
    char *name = strncmp(line, "case ${", 7) == 0 ? line + 7 : NULL, *after = name == NULL ? NULL : strchr(name, '+');
    if (after != NULL && count < MOST_LOADERS) *after = '\0', loaders[count++] = name;
    if (strncmp(line, "exec ", 5) == 0) return read_words(line + 5) > 0;
  }
  return 0;
}

/* --- the full program --- */

static void hand_over(const char *name) {
  char kept[128];
  const char *value = getenv(name);
  if (value == NULL) return;
  snprintf(kept, sizeof kept, "HOOKCTL_KEPT_%s", name);
  setenv(kept, value, 1);
  unsetenv(name);
}

/* Passes on what was read of stdin, and then the rest, until one of the two ends is closed. */
static void feed(int to, const struct bytes *read_before) {
  char rest[65536];
  struct pollfd ends[] = {{0, POLLIN, 0}, {to, 0, 0}};
  int is_open = write_all(to, read_before->data, read_before->length);
  while (is_open && (poll(ends, 2, -1) >= 0 || errno == EINTR) && ends[1].revents == 0) {
    ssize_t count = read(0, rest, sizeof rest);
    is_open = count < 0 ? errno == EINTR || errno == EAGAIN : count > 0 && write_all(to, rest, (size_t)count);
  }
}

/*
 * Gives stdin again, with what was read of it in front; false if that fails. The process that does so is not the child of the
 * full program, and has none of its outputs: who reads the answer waits until they are closed.
 */
static int give_again(const struct bytes *read_before) {
  int ends[2], status = -1;
  if (read_before->length == 0) return 1;
  if (pipe(ends) != 0) return 0;
  pid_t child = fork();
  if (child == 0) {
    pid_t feeder = fork();
    if (feeder != 0) _exit(feeder < 0);
    for (int other = 1; other < MOST_DESCRIPTORS; other++)
      if (other != ends[1]) close(other);
    feed(ends[1], read_before);
    _exit(0);
  }
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  int is_given = status == 0 && dup2(ends[0], 0) == 0;
  close(ends[0]);
  close(ends[1]);
  return is_given;
}

static int execute(char **arguments, const struct bytes *read_before) {
  int words = 0, count = 0;
  while (program[words] != NULL) words++;
  while (arguments[count] != NULL) count++;
  char **all = calloc((size_t)(words + count) + 1, sizeof *all);
  if (all == NULL) return CANNOT_START;
  memcpy(all, program, (size_t)words * sizeof *all);
  memcpy(all + words, arguments, (size_t)count * sizeof *all);
  for (int index = 0; loaders[index] != NULL; index++) hand_over(loaders[index]);
  if (give_again(read_before)) execv(all[0], all);
  fprintf(stderr, "hookctl: %s: %s\n", all[0], strerror(errno));
  return CANNOT_START;
}

/* --- who calls --- */

static int has_prefix(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static int by_text(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

/* Variables that decide what the server itself is and finds; hooks get those of the caller. */
static int decides(const char *variable) {
  static const char *const prefixes[] = {"HOME=", "PATH=", "SHELL=", "XDG_", "LD_", "DYLD_", "NODE_", "GIT_", "OPENSSL_", "GCONV_PATH=", "TZ", "LANG", "LC_"};
  for (size_t index = 0; index < sizeof prefixes / sizeof *prefixes; index++)
    if (has_prefix(variable, prefixes[index])) return 1;
  return 0;
}

static int describe_file(struct bytes *to, const char *name, const char *path) {
  struct stat stats = {0};
  char line[PATH_MAX + 256];
  int is_there = stat(path, &stats) == 0;
  snprintf(line, sizeof line, "%s %s %d %llu %llu %u %lld %lld.%ld\n", name, path, is_there, (unsigned long long)stats.st_dev,
           (unsigned long long)stats.st_ino, (unsigned)stats.st_uid, S_ISREG(stats.st_mode) ? (long long)stats.st_size : 0,
           S_ISREG(stats.st_mode) ? (long long)MTIME(stats).tv_sec : 0, S_ISREG(stats.st_mode) ? (long)MTIME(stats).tv_nsec : 0);
  return append_text(to, line);
}

#ifdef __linux__
/* What hooks inherit beside limits: capabilities, seccomp filters, processors, and the order in which memory is freed. */
static int describe_rights(struct bytes *to) {
  static const char *const names[] = {"Cap", "Seccomp", "Cpus_allowed:", "Mems_allowed:"};
  static const char *const paths[] = {"/proc/self/status", "/proc/self/oom_score_adj"};
  char text[8192];
  for (size_t path = 0; path < 2; path++) {
    int file = open(paths[path], O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    if (length < 0) return 0;
    text[length] = '\0';
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
      int is_told = path == 1;
      *end = '\0';
      for (size_t name = 0; name < sizeof names / sizeof *names; name++) is_told = is_told || has_prefix(line, names[name]);
      if (is_told && !(append_text(to, "\n") && append_text(to, line))) return 0;
    }
  }
  return 1;
}
#endif

/* All by which a caller can be told from another: user, build, root folder, home, namespaces, limits, deciding variables. */
static int describe(struct bytes *to) {
  char text[PATH_MAX + 64];
  const char *script = program[1] == NULL ? program[0] : program[1], *home = getenv("HOME");
  int is_whole = append_text(to, "hookctl 1\n") && describe_file(to, "runtime", program[0]) && describe_file(to, "script", script);
  snprintf(text, sizeof text, "%.*s/../dist/hot.cjs", (int)(strrchr(script, '/') == NULL ? 0 : strrchr(script, '/') - script), script);
  is_whole = is_whole && describe_file(to, "code", text) && describe_file(to, "root", "/") && describe_file(to, "home", home == NULL ? "" : home);
  gid_t groups[256];
  int count = getgroups(256, groups);
  if (count < 0) return 0;
  mode_t mask = umask(077);
  umask(mask);
  snprintf(text, sizeof text, "user %u %u mask %o nice %d groups", (unsigned)getuid(), (unsigned)getgid(), (unsigned)mask,
           getpriority(PRIO_PROCESS, 0));
  is_whole = is_whole && append_text(to, text);
  for (int index = 0; index < count; index++) snprintf(text, sizeof text, " %u", (unsigned)groups[index]), is_whole = is_whole && append_text(to, text);
  for (int limit = 0; limit < RLIM_NLIMITS; limit++) {
    struct rlimit values = {0, 0};
    getrlimit(limit, &values);
    /* Node raises it for itself and its hooks. */
    if (limit == RLIMIT_NOFILE) values.rlim_cur = 0;
    snprintf(text, sizeof text, "\nlimit %d %llu %llu", limit, (unsigned long long)values.rlim_cur, (unsigned long long)values.rlim_max);
    is_whole = is_whole && append_text(to, text);
  }
#ifdef __linux__
  static const char *const spaces[] = {"cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"};
  for (size_t index = 0; index < sizeof spaces / sizeof *spaces; index++) {
    char link[64], path[64];
    snprintf(path, sizeof path, "/proc/self/ns/%s", spaces[index]);
    ssize_t length = readlink(path, link, sizeof link);
    /* Older systems lack some of them, but none lacks this one, unless nothing can be read here. */
    if (length < 0 && strcmp(spaces[index], "mnt") == 0) return 0;
    is_whole = is_whole && append_text(to, "\n") && append(to, link, length < 0 ? 0 : (size_t)length);
  }
  is_whole = is_whole && describe_rights(to);
#endif
  size_t variables = 0;
  while (environ[variables] != NULL) variables++;
  char **sorted = malloc((variables + 1) * sizeof *sorted);
  if (sorted == NULL) return 0;
  memcpy(sorted, environ, variables * sizeof *sorted);
  qsort(sorted, variables, sizeof *sorted, by_text);
  for (size_t index = 0; index < variables; index++)
    if (decides(sorted[index])) is_whole = is_whole && append_text(to, "\n") && append_text(to, sorted[index]);
  free(sorted);
  return is_whole && append_text(to, "\n");
}

/*
 * The socket of the server with this description, beside the launcher: the line that the agent registered names the launcher,
 * so no variable leads to another server. The name only finds the server, which compares the description itself.
 */
static int place(struct sockaddr_un *address, const char *launcher, const struct bytes *description) {
  uint64_t hash = 14695981039346656037u;
  for (size_t index = 0; index < description->length; index++) hash = (hash ^ (unsigned char)description->data[index]) * 1099511628211u;
  address->sun_family = AF_UNIX;
  int folder = (int)(strrchr(launcher, '/') - launcher);
  int length = snprintf(address->sun_path, sizeof address->sun_path, "%.*s/resident/%016llx", folder, launcher, (unsigned long long)hash);
  return length > 0 && length <= LONGEST_SOCKET;
}

/* True if nobody else can have put the socket there: also root uses its own server only. */
static int is_private(const char *path) {
  char folder[sizeof((struct sockaddr_un *)0)->sun_path];
  struct stat stats;
  snprintf(folder, sizeof folder, "%s", path);
  *strrchr(folder, '/') = '\0';
  return lstat(folder, &stats) == 0 && S_ISDIR(stats.st_mode) && stats.st_uid == geteuid() && (stats.st_mode & 077) == 0;
}

static int is_own(int server) {
#ifdef __linux__
  struct ucred peer;
  socklen_t length = sizeof peer;
  return getsockopt(server, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
#else
  uid_t user;
  gid_t group;
  return getpeereid(server, &user, &group) == 0 && user == geteuid();
#endif
}

/* --- the server --- */

static int send_all(int server, const char *data, size_t length) {
  while (length > 0) {
    ssize_t count = send(server, data, length, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    data += count;
    length -= (size_t)count;
  }
  return 1;
}

/* False if the server is gone, or says nothing for too long. */
static int receive(int server, void *data, size_t length, int patience_ms) {
  for (char *to = data; length > 0;) {
    struct pollfd ready = {server, POLLIN, 0};
    int found = poll(&ready, 1, patience_ms);
    if (found < 0 && errno == EINTR) continue;
    ssize_t count = found <= 0 ? 0 : recv(server, to, length, 0);
    if (count <= 0) return 0;
    to += count;
    length -= (size_t)count;
  }
  return 1;
}

static char *receive_part(int server, uint32_t *length) {
  if (!receive(server, length, sizeof *length, SILENT_MS) || *length > ANSWER_BYTES) return NULL;
  char *data = malloc((size_t)*length + 1);
  return data != NULL && receive(server, data, *length, SILENT_MS) ? data : NULL;
}

/* The exit code of a call that has begun and gets no answer. A registration that is not fail-closed lets the call pass. */
static int unanswered_code(char **arguments) {
  for (; *arguments != NULL; arguments++)
    if (strcmp(*arguments, "--fail-closed") == 0) return BLOCKED;
  return FAILED;
}

/* The server that answers. */
static int answering;

/* The server ends the hooks, and its answer says so. */
static void pass_signal(int number) {
  int before = errno;
  char one = (char)number;
  send(answering, &one, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  errno = before;
}

/* The answer, which is passed on only if it is complete. */
static int pass_answer(int server, int unanswered) {
  char kind = 'h';
  unsigned char code;
  uint32_t out_length, err_length;
  /* Nobody may read stderr any more, and no other program is executed. */
  signal(SIGPIPE, SIG_IGN);
  answering = server;
  signal(SIGHUP, pass_signal);
  signal(SIGINT, pass_signal);
  signal(SIGTERM, pass_signal);
  while (kind == 'h')
    if (!receive(server, &kind, 1, SILENT_MS)) return unanswered;
  if (kind != 'x' || !receive(server, &code, 1, SILENT_MS)) return unanswered;
  char *out = receive_part(server, &out_length), *err = out == NULL ? NULL : receive_part(server, &err_length);
  if (err == NULL) return unanswered;
  write_all(2, err, err_length);
  if (!write_all(1, out, out_length)) return unanswered;
  /* Agents let a call pass with most other codes. */
  return code != 0 && unanswered == BLOCKED ? BLOCKED : code;
}

static int append_all(struct bytes *to, char **words) {
  struct bytes joined = {0};
  int is_whole = 1;
  for (; *words != NULL; words++) is_whole = is_whole && append(&joined, *words, strlen(*words) + 1);
  is_whole = is_whole && append_part(to, joined.data, joined.length);
  free(joined.data);
  return is_whole;
}

static int append_request(struct bytes *to, const struct bytes *description, char **arguments, const struct bytes *input) {
  char folder[PATH_MAX];
  int is_whole = getcwd(folder, sizeof folder) != NULL && append_number(to, 0) && append_number(to, (size_t)getpid()) &&
                 append_part(to, description->data, description->length) && append_part(to, folder, strlen(folder)) &&
                 append_all(to, arguments) && append_all(to, environ) && append_part(to, input->data, input->length);
  if (!is_whole) return 0;
  uint32_t rest = (uint32_t)(to->length - sizeof rest);
  memcpy(to->data, &rest, sizeof rest);
  return 1;
}

/* Returns the exit code, or -1 if the full program has to answer. `*is_missing`: there is no server. */
static int ask(const struct sockaddr_un *address, const struct bytes *request, char **arguments, int *is_missing) {
  const struct timeval limit = {0, ANSWER_MS * 1000};
  int server = -1, result = -1;
  char reply = 'n';
  if ((server = socket(AF_UNIX, SOCK_STREAM, 0)) < 0) return -1;
  fcntl(server, F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE
  setsockopt(server, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
  setsockopt(server, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  errno = 0;
  if (!is_private(address->sun_path) || connect(server, (const struct sockaddr *)address, sizeof *address) != 0) {
    *is_missing = errno == ENOENT || errno == ECONNREFUSED;
    goto end;
  }
  if (!is_own(server) || !send_all(server, request->data, request->length)) goto end;
  if (!receive(server, &reply, 1, ANSWER_MS) || reply != 'a' || !send_all(server, "g", 1)) goto end;
  result = pass_answer(server, unanswered_code(arguments));
end:
  close(server);
  return result;
}

/* --- the call --- */

static int is_device(int descriptor) {
  struct stat stats;
  return fstat(descriptor, &stats) != 0 || S_ISCHR(stats.st_mode);
}

/*
 * True for a call of an agent that a server may answer: one whose home directory is that of the launcher, in which no
 * terminal takes part. A hook that calls hookctl has variables of it.
 */
static int may_ask(const char *launcher, char **arguments) {
  const char *home = getenv("HOME");
  size_t length = home == NULL ? 0 : strlen(home);
  if (length == 0 || strncmp(launcher, home, length) != 0 || strcmp(launcher + length, LAUNCHER) != 0) return 0;
  if (arguments[0] == NULL || strcmp(arguments[0], "bridge") != 0) return 0;
#ifdef __linux__
  /* A program that may gain no privileges may be held by more than can be compared, such as Landlock. */
  if (prctl(PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L) != 0) return 0;
#endif
  if (getuid() != geteuid() || getgid() != getegid()) return 0;
  /* A closed stderr would be the number of the socket. */
  if (is_device(0) || is_device(1) || fcntl(2, F_GETFD) < 0 || isatty(2)) return 0;
  for (char **variable = environ; *variable != NULL; variable++)
    if (has_prefix(*variable, "HOOKCTL_")) return 0;
  return 1;
}

/* Milliseconds of a clock that never runs backwards. */
static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads stdin to its end; false if it is long or slow: the full program knows what to do then. */
static int read_input(struct bytes *input) {
  char chunk[65536];
  for (long until = now_ms() + ANSWER_MS, left = ANSWER_MS; left > 0 && input->length <= STDIN_BYTES; left = until - now_ms()) {
    struct pollfd ready = {0, POLLIN, 0};
    if (poll(&ready, 1, (int)left) <= 0) return 0;
    ssize_t count = read(0, chunk, sizeof chunk);
    if (count == 0) return 1;
    if (count < 0 || !append(input, chunk, (size_t)count)) return 0;
  }
  return 0;
}

/* One call of 256 is answered by the full program, whatever the server is: who replaces the server is found out. */
static int is_sample(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return ((unsigned)now.tv_usec ^ (unsigned)getpid()) % 256 == 0;
}

int main(int count, char **words) {
  struct bytes description = {0}, input = {0}, request = {0};
  struct sockaddr_un address = {0};
  int is_missing = 0;
  unsetenv(STARTS_SERVER);
  if (count < 2 || strchr(words[1], '/') == NULL || !read_launcher(words[1])) {
    fprintf(stderr, "hookctl: %s is no launcher: hookctl install writes it\n", count < 2 ? "this" : words[1]);
    return CANNOT_START;
  }
  char **arguments = words + 2;
  int is_asked_where = arguments[0] != NULL && strcmp(arguments[0], "--resident-place") == 0;
  if (!is_asked_where && !may_ask(words[1], arguments)) return execute(arguments, &input);
  if (!describe(&description) || !place(&address, words[1], &description)) return execute(arguments, &input);
  if (is_asked_where) return printf("%s\n", address.sun_path) > 0 && fwrite(description.data, description.length, 1, stdout) == 1 ? 0 : 1;
  if (is_sample() || !read_input(&input)) return execute(arguments, &input);
  if (!append_request(&request, &description, arguments, &input)) return execute(arguments, &input);
  int code = ask(&address, &request, arguments, &is_missing);
  if (code >= 0) return code;
  if (is_missing) setenv(STARTS_SERVER, words[1], 1);
  return execute(arguments, &input);
}
