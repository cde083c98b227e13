/* What `run` is measured against (docs/benchmarks.md): creates N files of 144 bytes each in a folder, under another
   name first, and renames them, as any program does that never leaves a partial file. Usage: tiny_files FOLDER N */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  char content[144];
  char temporary[4096];
  char name[4096];
  if (argc != 3) return 2;
  memset(content, 'x', sizeof content);
  for (int i = 0; i < atoi(argv[2]); ++i) {
    snprintf(temporary, sizeof temporary, "%s/.%d.tmp", argv[1], i);
    snprintf(name, sizeof name, "%s/%d.npy", argv[1], i);
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0 || write(fd, content, sizeof content) != (ssize_t)sizeof content || close(fd) != 0 ||
        rename(temporary, name) != 0) {
      perror(name);
      return 1;
    }
  }
  return 0;
}
