/* Exchanges two paths for as long as its parent lives: the attacker of the race tests. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

int main(int count, char **args) {
  pid_t parent = getppid();
  if (count != 3) return 2;
  for (unsigned long turn = 0; turn % 1024 != 0 || getppid() == parent; turn++) {
    if (syscall(SYS_renameat2, AT_FDCWD, args[1], AT_FDCWD, args[2], RENAME_EXCHANGE) && errno != ENOENT) {
      perror("renameat2");
      return 1;
    }
  }
  return 0;
}
