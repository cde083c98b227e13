// What out_of_memory.py compares gathers and scatters along axis 0 with: the same work in plain C, for square
// arrays of four-byte elements in NPY files with headers of 128 bytes.
//
//     columns gather|replace|add DATA INDICES UPDATES|- OUT N MIB
//
// A tile of columns of data, of MIB at most and of whole pages of the file, is read into memory; all rows of
// the other operands are read for it, a piece of each row, 256 rows ahead of where they are used; two
// threads. A row of an array begins HEAD elements after a page. Rows here begin with pages: the first HEAD
// elements of row r of a tile are the last ones of row r - 1 of the array, before the first row its header.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HEAD = 32, PAGE = 1024, BLOCK = 64, AHEAD = 256, THREADS = 2 };

static long n, first, width;  // elements of a row; the first column of the tile, and how many
static int data, indices, updates, out, adds;
static float* tile;
static int* index_block;
static float* update_block;
static atomic_long next_block;
static pthread_barrier_t barrier;

static long offset(long row) {
  return (row * n + first) * 4;
}
// Bytes of a row of the tile: few of row n.
static long bytes(long row) {
  const long left = (n * n + HEAD) * 4 - offset(row);
  return row > n || left < 0 ? 0 : left < width * 4 ? left : width * 4;
}
static void need(int file, long row) {
  if (bytes(row) > 0) posix_fadvise(file, offset(row), bytes(row), POSIX_FADV_WILLNEED);
}
static void get(int file, long row, void* to) {
  if (row == 0)
    for (long i = 0; i < AHEAD; ++i) need(file, i);
  need(file, row + AHEAD);
  if (pread(file, to, bytes(row), offset(row)) != bytes(row)) perror("pread"), exit(1);
}
static void put(long row, const void* from) {
  if (pwrite(out, from, bytes(row), offset(row)) != bytes(row)) perror("pwrite"), exit(1);
}
// Columns of a row that are no part of a header, and those of the array's row before.
static long begin_of(long row) {
  return first == 0 && row == 0 ? HEAD : 0;
}
static long head_of(void) {
  return first == 0 ? HEAD : 0;
}

static void* load(void* unused) {
  for (long b; (b = atomic_fetch_add(&next_block, 1)) * BLOCK <= n;)
    for (long row = b * BLOCK; row < (b + 1) * BLOCK && row <= n; ++row) get(data, row, tile + row * width);
  return unused;
}

static void* store(void* unused) {
  for (long b; (b = atomic_fetch_add(&next_block, 1)) * BLOCK <= n;)
    for (long row = b * BLOCK; row < (b + 1) * BLOCK && row <= n; ++row) put(row, tile + row * width);
  return unused;
}

static void* gather(void* unused) {
  int* const index = malloc(width * 4);
  float* const made = malloc(width * 4);
  for (long b; (b = atomic_fetch_add(&next_block, 1)) * BLOCK <= n;) {
    for (long row = b * BLOCK; row < (b + 1) * BLOCK && row <= n; ++row) {
      get(indices, row, index);
      long c = begin_of(row);
      memcpy(made, tile, c * 4);
      for (; c < head_of() && c < bytes(row) / 4; ++c) made[c] = tile[(index[c] + 1L) * width + c];
      for (const long end = bytes(row) / 4; c < end; ++c) {
        if (c + 32 < end) __builtin_prefetch(tile + (long)index[c + 32] * width + c + 32);
        made[c] = tile[(long)index[c] * width + c];
      }
      put(row, made);
    }
  }
  free(index);
  free(made);
  return unused;
}

// Both threads read each block, half of the rows each, and apply it, half of the columns each: updates keep
// their order.
static void* scatter(void* number) {
  const long me = (long)number;
  for (long block = 0; block <= n; block += BLOCK) {
    const long end = block + BLOCK < n + 1 ? block + BLOCK : n + 1;
    for (long row = block + me; row < end; row += THREADS) {
      get(indices, row, index_block + (row - block) * width);
      get(updates, row, update_block + (row - block) * width);
    }
    pthread_barrier_wait(&barrier);
    for (long row = block; row < end; ++row) {
      const int* const index = index_block + (row - block) * width;
      const float* const update = update_block + (row - block) * width;
      const long last =
          width * (me + 1) / THREADS < bytes(row) / 4 ? width * (me + 1) / THREADS : bytes(row) / 4;
      for (long c = me == 0 ? begin_of(row) : width * me / THREADS; c < last; ++c) {
        if (c + 32 < last) __builtin_prefetch(tile + (long)index[c + 32] * width + c + 32, 1);
        float* const at = tile + (index[c] + (c < head_of() ? 1L : 0L)) * width + c;
        *at = adds ? *at + update[c] : update[c];
      }
    }
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

static void run(void* (*work)(void*)) {
  pthread_t threads[THREADS];
  next_block = 0;
  for (long i = 0; i < THREADS; ++i) pthread_create(threads + i, NULL, work, (void*)i);
  for (long i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
}

int main(int count, char** words) {
  if (count != 8) return 2;
  const int gathers = strcmp(words[1], "gather") == 0;
  adds = strcmp(words[1], "add") == 0;
  data = open(words[2], O_RDONLY);
  indices = open(words[3], O_RDONLY);
  updates = gathers ? -1 : open(words[4], O_RDONLY);
  out = open(words[5], O_RDWR | O_CREAT | O_TRUNC, 0666);
  n = atol(words[6]);
  const long most = (atol(words[7]) << 20) / ((n + 1) * 4) / PAGE * PAGE;  // columns of a tile
  if (data < 0 || indices < 0 || out < 0 || n % PAGE != 0 || most == 0) return 2;
  if (posix_fallocate(out, 0, (n * n + HEAD) * 4) != 0) return 1;
  const int files[] = {data, indices, updates};
  for (int i = 0; i < 3; ++i) posix_fadvise(files[i], 0, 0, POSIX_FADV_RANDOM);
  tile = mmap(NULL, (n + 1) * most * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(tile, (n + 1) * most * 4, MADV_HUGEPAGE);
  index_block = malloc(BLOCK * most * 4);
  update_block = malloc(BLOCK * most * 4);
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (first = 0; first < n; first += width) {
    width = most < n - first ? most : n - first;
    run(load);
    run(gathers ? gather : scatter);
    if (!gathers) run(store);
  }
  return 0;
}
