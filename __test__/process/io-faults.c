// Preloaded into a process, makes chosen writes and syncs below one folder fail, as a failing or full disk does (T3).
//   cc -shared -fPIC -O1 -o io-faults.so io-faults.c -ldl
//   LD_PRELOAD=io-faults.so IO_FAULTS_FOLDER=/some/folder/ IO_FAULTS_CONTROL=/some/file node …
// The control file holds the fields of `struct control` and is shared memory: whoever writes it is in charge.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { WRITES = 1, SYNCS = 2, TRUNCATIONS = 4 };

/** What the call gives instead of an error: a part of what was asked for. */
enum { SHORT_WRITE = -1 };

struct control {
  /** Which calls count, as a sum of the values above; 0 = none fails. */
  int32_t kinds;
  /** Calls that succeed before the first failure. */
  int32_t skip;
  /** Calls that fail then. */
  int32_t times;
  /** `errno` of a failure, or SHORT_WRITE. */
  int32_t error;
  /** Failures so far. */
  int32_t failed;
};

static struct control *control;
static const char *folder;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("IO_FAULTS_CONTROL");
  folder = getenv("IO_FAULTS_FOLDER");
  int fd = path && folder ? open(path, O_RDWR) : -1;
  if (fd < 0) return;
  void *shared = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (shared != MAP_FAILED) control = shared;
  close(fd);
}

/** Whether this call fails; sets `errno` then. */
static int fails(int fd, int kind) {
  if (!control || !(__atomic_load_n(&control->kinds, __ATOMIC_SEQ_CST) & kind)) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (strncmp(path, folder, strlen(folder)) != 0) return 0;
  if (__atomic_sub_fetch(&control->skip, 1, __ATOMIC_SEQ_CST) >= 0) return 0;
  if (__atomic_sub_fetch(&control->times, 1, __ATOMIC_SEQ_CST) < 0) return 0;
  __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
  errno = control->error;
  return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define WRITE(name, parameters, arguments)                         \
  ssize_t name parameters {                                        \
    if (fails(fd, WRITES)) {                                       \
      if (control->error != SHORT_WRITE) return -1;                \
      size = size > 1 ? size / 2 : size;                           \
    }                                                              \
    return NEXT(name) arguments;                                   \
  }

WRITE(write, (int fd, const void *bytes, size_t size), (fd, bytes, size))
WRITE(pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at))
WRITE(pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at))

int fsync(int fd) { return fails(fd, SYNCS) ? -1 : NEXT(fsync)(fd); }
int fdatasync(int fd) { return fails(fd, SYNCS) ? -1 : NEXT(fdatasync)(fd); }
int ftruncate(int fd, off_t size) { return fails(fd, TRUNCATIONS) ? -1 : NEXT(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { return fails(fd, TRUNCATIONS) ? -1 : NEXT(ftruncate64)(fd, size); }
