/* What random rows of a file larger than memory are measured against (docs/benchmarks.md): copies rows of a
   file to another one, in the order of a list of positions, on two threads. No checks: it is the speed that
   counts.

   Usage: read_rows HOW DATA DATA_OFFSET ROW_BYTES LIST LIST_OFFSET COUNT OUT [SECONDS]

   Row k of OUT is row LIST[k] of DATA; rows begin at DATA_OFFSET, the positions (int64) at LIST_OFFSET. HOW
   is mapped  a plain mapping random  a mapping with MADV_RANDOM ahead   the same, and MADV_WILLNEED for the
   row 256 positions ahead sorted  positions sorted; DATA read ascending in blocks of 4 MiB; OUT is in memory
   until it is written After SECONDS it gives up. Prints how many rows it has copied. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, AHEAD = 256, READ_BYTES = 4 << 20, WRITE_BYTES = 1 << 20, PAGE = 4096 };

typedef struct {
  int64_t row;
  int64_t position;
} Move;

static int sorted, ahead;
static int data_fd, out_fd;
static const char* data; /* the mapping; row 0 is at data + data_offset */
static int64_t data_offset, row_bytes, count;
static const int64_t* list;
static Move* moves;
static char* result;
static _Atomic int64_t rows_done;
static struct timespec stop;

static void require(int condition, const char* what) {
  if (condition) return;
  perror(what);
  exit(1);
}

static int too_late(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec > stop.tv_sec || (now.tv_sec == stop.tv_sec && now.tv_nsec > stop.tv_nsec);
}

static void write_all(const char* bytes, int64_t n, int64_t offset) {
  while (n > 0) {
    const ssize_t written = pwrite(out_fd, bytes, (size_t)(n < WRITE_BYTES ? n : WRITE_BYTES), offset);
    require(written > 0, "pwrite");
    bytes += written;
    offset += written;
    n -= written;
  }
}

static void advise(int64_t k) {
  const int64_t begin = (data_offset + list[k] * row_bytes) / PAGE * PAGE;
  const int64_t end = data_offset + (list[k] + 1) * row_bytes;
  madvise((void*)(data + begin), (size_t)(end - begin), MADV_WILLNEED);
}

/* Rows first..end-1 of the result in the order of the list, written when a buffer is full. */
static void copy_in_order(int64_t first, int64_t end) {
  const int64_t held = WRITE_BYTES / row_bytes > 0 ? WRITE_BYTES / row_bytes : 1;
  char* buffer = malloc((size_t)(held * row_bytes));
  int64_t written = first;
  int64_t done = 0;
  require(buffer != NULL, "malloc");
  for (int64_t k = first; ahead && k < end && k < first + AHEAD; ++k) advise(k);
  for (int64_t k = first; k < end; ++k) {
    if (ahead && k + AHEAD < end) advise(k + AHEAD);
    memcpy(buffer + (k - written) * row_bytes, data + data_offset + list[k] * row_bytes, (size_t)row_bytes);
    if (k + 1 - written == held || k + 1 == end) {
      write_all(buffer, (k + 1 - written) * row_bytes, written * row_bytes);
      written = k + 1;
    }
    ++done;
    if (k % 16 == 0 && too_late()) break;
  }
  rows_done += done;
  free(buffer);
}

/* Moves first..end-1, sorted by row, to the result in memory. Blocks without rows are not read. */
static void copy_sorted(int64_t first, int64_t end) {
  char* block = malloc((size_t)(READ_BYTES + row_bytes));
  require(block != NULL, "malloc");
  for (int64_t k = first; k < end && !too_late();) {
    const int64_t base = moves[k].row * row_bytes;
    int64_t next = k;
    while (next < end && (moves[next].row + 1) * row_bytes <= base + READ_BYTES) ++next;
    if (next == k) next = k + 1; /* a row longer than a block */
    const int64_t n = (moves[next - 1].row + 1) * row_bytes - base;
    if (n > READ_BYTES + row_bytes) exit(1);
    for (int64_t got = 0; got < n;) {
      const ssize_t part = pread(data_fd, block + got, (size_t)(n - got), data_offset + base + got);
      require(part > 0, "pread");
      got += part;
    }
    rows_done += next - k;
    for (; k < next; ++k) {
      memcpy(result + moves[k].position * row_bytes, block + (moves[k].row * row_bytes - base),
             (size_t)row_bytes);
    }
  }
  free(block);
}

static void* work(void* argument) {
  const int64_t t = (int64_t)(intptr_t)argument;
  const int64_t first = count * t / THREADS;
  const int64_t end = count * (t + 1) / THREADS;
  if (sorted) {
    copy_sorted(first, end);
  } else {
    copy_in_order(first, end);
  }
  return NULL;
}

static void* write_result(void* argument) {
  const int64_t t = (int64_t)(intptr_t)argument;
  const int64_t first = count * row_bytes * t / THREADS;
  const int64_t end = count * row_bytes * (t + 1) / THREADS;
  write_all(result + first, end - first, first);
  return NULL;
}

static void on_threads(void* (*function)(void*)) {
  pthread_t threads[THREADS];
  for (intptr_t t = 0; t < THREADS; ++t) {
    require(pthread_create(&threads[t], NULL, function, (void*)t) == 0, "pthread_create");
  }
  for (int t = 0; t < THREADS; ++t) pthread_join(threads[t], NULL);
}

static const char* map(int fd, int advice) {
  struct stat status;
  require(fd >= 0 && fstat(fd, &status) == 0, "open");
  char* mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
  require(mapped != MAP_FAILED && madvise(mapped, (size_t)status.st_size, advice) == 0, "mmap");
  return mapped;
}

/* By row with a radix sort of 11 bits a pass. */
static void sort_moves(void) {
  Move* other = malloc((size_t)count * sizeof(Move));
  int64_t highest = 0;
  moves = malloc((size_t)count * sizeof(Move));
  require(moves != NULL && other != NULL, "malloc");
  for (int64_t k = 0; k < count; ++k) {
    moves[k] = (Move){list[k], k};
    if (list[k] > highest) highest = list[k];
  }
  for (int shift = 0; highest >> shift > 0; shift += 11) {
    int64_t starts[1 << 11] = {0};
    int64_t sum = 0;
    for (int64_t k = 0; k < count; ++k) ++starts[(moves[k].row >> shift) & 2047];
    for (int d = 0; d < 2048; ++d) {
      const int64_t n = starts[d];
      starts[d] = sum;
      sum += n;
    }
    for (int64_t k = 0; k < count; ++k) other[starts[(moves[k].row >> shift) & 2047]++] = moves[k];
    Move* const swapped = moves;
    moves = other;
    other = swapped;
  }
  free(other);
}

int main(int argc, char** argv) {
  if (argc < 9) return 2;
  const char* how = argv[1];
  sorted = strcmp(how, "sorted") == 0;
  ahead = strcmp(how, "ahead") == 0;
  data_offset = atoll(argv[3]);
  row_bytes = atoll(argv[4]);
  count = atoll(argv[7]);
  clock_gettime(CLOCK_MONOTONIC, &stop);
  stop.tv_sec += argc > 9 ? atoi(argv[9]) : 86400;
  list = (const int64_t*)(map(open(argv[5], O_RDONLY), MADV_NORMAL) + atoll(argv[6]));
  data_fd = open(argv[2], O_RDONLY);
  data = map(data_fd, ahead || strcmp(how, "random") == 0 ? MADV_RANDOM : MADV_NORMAL);
  out_fd = open(argv[8], O_RDWR | O_CREAT | O_TRUNC, 0666);
  require(out_fd >= 0 && posix_fallocate(out_fd, 0, count * row_bytes) == 0, argv[8]);
  if (sorted) {
    result = malloc((size_t)(count * row_bytes));
    require(result != NULL, "malloc");
    sort_moves();
  }
  on_threads(work);
  if (sorted) on_threads(write_result);
  printf("%lld\n", (long long)rows_done);
  return 0;
}
