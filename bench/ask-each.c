/* The least that a discovery can cost: starts every file of a folder with the word `hook`, one after another,
 * and reads its answer.
 *
 *   ask-each FOLDER
 */
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The length of the answer, or -1. */
static ssize_t ask(char *path) {
  char *words[] = {path, "hook", NULL};
  char answer[4096];
  int ends[2], status;
  ssize_t got, length = 0;
  pid_t pid;
  posix_spawn_file_actions_t files;
  if (pipe(ends) < 0) return -1;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, ends[1], 1);
  posix_spawn_file_actions_addclose(&files, ends[0]);
  posix_spawn_file_actions_addclose(&files, ends[1]);
  int fault = posix_spawn(&pid, path, &files, NULL, words, environ);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  while (fault == 0 && (got = read(ends[0], answer, sizeof answer)) > 0) length += got;
  close(ends[0]);
  if (fault != 0 || waitpid(pid, &status, 0) < 0 || status != 0) return -1;
  return length;
}

int main(int count, char **words) {
  DIR *folder = count == 2 ? opendir(words[1]) : NULL;
  struct dirent *entry;
  char path[4096];
  if (folder == NULL) {
    fputs("usage: ask-each FOLDER\n", stderr);
    return 2;
  }
  while ((entry = readdir(folder)) != NULL) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", words[1], entry->d_name);
    if (ask(path) <= 0) return 1;
  }
  closedir(folder);
  return 0;
}
