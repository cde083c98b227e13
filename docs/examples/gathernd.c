/* gathernd.c: GatherND of ONNX opset 11, of NPY files and with 64-bit indices */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct array {
  char dtype[16]; /* "<f4" */
  int rank;
  long shape[32], count, width; /* elements, and the bytes of each */
  char *bytes;
};

static void refuse(const char *why) {
  fprintf(stderr, "%s\n", why);
  exit(1);
}

static long product(long a, long b) {
  if (b != 0 && a > (1L << 40) / b) refuse("too large");
  return a * b;
}

static struct array load(const char *path) {
  struct array a = {.count = 1};
  char start[10], header[1000] = "", *at, *end;
  FILE *file = fopen(path, "rb");
  if (!file || fread(start, 1, 10, file) != 10) refuse("cannot read an operand");
  if (fread(header, 1, (unsigned char)start[8] + 256 * start[9], file) == 0) refuse("no header");
  sscanf(strstr(header, "'descr':"), "'descr': '%15[^']", a.dtype);
  a.width = atol(a.dtype + 2);
  for (at = strchr(strstr(header, "'shape':"), '(') + 1;; at = end + strspn(end, ", ")) {
    long size = strtol(at, &end, 10);
    if (end == at) break;
    a.count = product(a.count, a.shape[a.rank++] = size);
  }
  a.bytes = malloc(a.count * a.width + 1);
  if ((long)fread(a.bytes, a.width, a.count, file) != a.count) refuse("an operand is too short");
  fclose(file);
  return a;
}

static void save(const char *path, const struct array *a) {
  char shape[500] = "", header[600];
  for (int i = 0; i < a->rank; ++i) sprintf(shape + strlen(shape), "%ld, ", a->shape[i]);
  int length = sprintf(header, "{'descr': '%s', 'fortran_order': False, 'shape': (%s)}\n", a->dtype, shape);
  FILE *file = fopen(path, "wb");
  if (!file) refuse("cannot write the result");
  fprintf(file, "\x93NUMPY\x01%c%c%c%s", 0, length % 256, length / 256, header);
  fwrite(a->bytes, a->width, a->count, file);
  if (fclose(file) != 0) refuse("cannot write the result");
}

int main(int argc, char **argv) {
  if (argc != 4) refuse("usage: gathernd DATA INDICES OUTPUT");
  struct array data = load(argv[1]), indices = load(argv[2]), out = data;
  long depth = indices.rank == 0 ? 0 : indices.shape[indices.rank - 1], rows = 1, row = data.width;
  if (depth < 1 || depth > data.rank) refuse("index tuples are as long as data has dimensions, or shorter");
  if (strcmp(indices.dtype, "<i8") != 0) refuse("indices are int64");
  out.rank = 0;
  for (int i = 0; i < indices.rank - 1; ++i)
    rows = product(rows, out.shape[out.rank++] = indices.shape[i]);
  for (int i = (int)depth; i < data.rank; ++i)
    row = product(row, out.shape[out.rank++] = data.shape[i]);
  out.count = product(rows, row) / data.width;
  if (!(out.bytes = malloc(rows * row + 1))) refuse("too large");
  const long long *index = (const long long *)indices.bytes;
  for (long r = 0; r < rows; ++r) {
    long offset = 0;
    for (long i = 0; i < depth; ++i, ++index) {
      if (*index < -data.shape[i] || *index >= data.shape[i]) refuse("an index is out of range");
      offset = offset * data.shape[i] + *index + (*index < 0 ? data.shape[i] : 0);
    }
    memcpy(out.bytes + r * row, data.bytes + offset * row, row);
  }
  save(argv[3], &out);
  return 0;
}
