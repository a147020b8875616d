/* Cuts a mounted ext4 or XFS off from its device at once, as a power cut does: nothing is flushed. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>

#define GOINGDOWN _IOR('X', 125, uint32_t)
#define WITHOUT_FLUSH 2

int main(int count, char **args) {
  uint32_t flags = WITHOUT_FLUSH;
  int fd = count == 2 ? open(args[1], O_RDONLY) : -1;
  if (fd < 0 || ioctl(fd, GOINGDOWN, &flags)) {
    perror("goingdown");
    return 1;
  }
  return 0;
}
