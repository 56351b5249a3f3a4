// SPDX-License-Identifier: Apache-2.0
// What `make torture` loads before a program: calls of its own for those that change files or ask for
// memory, which count and, when it is time, kill the process, fail, or say that the disk is full. Only
// files below one folder matter. Not a test; scripts/torture says what it is for.
//
//   TORTURE_ROOT    that folder
//   TORTURE_BOARD   a file of sizeof(board) bytes, where the driver reads what was counted
//   TORTURE_ACT     kill, fail or full; absent: only count
//   TORTURE_CALL    which calls: a name of `names` below, or change: all that change files
//   TORTURE_AT      act at that one, counted from 1; for full: bytes that may be written
//   TORTURE_TIMES   fail so many calls, from that one on (1)
//   TORTURE_ERRNO   what they fail with
//   TORTURE_MEMORY  whose memory counts: a part of the name of a library
#define _GNU_SOURCE // RTLD_NEXT, dl_iterate_phdr

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

typedef enum call {
  OPEN,
  CREATE,
  MKDIR,
  WRITE,
  FSYNC,
  RENAME,
  UNLINK,
  TRUNCATE,
  CLOSE,
  READ,
  LIST,
  MEMORY,
  CALLS
} call;
static const char *const names[CALLS] = {"open",   "create",   "mkdir", "write", "fsync", "rename",
                                         "unlink", "truncate", "close", "read",  "list",  "memory"};
enum { CHANGE = CALLS, NONE = CALLS + 1, FDS = 1024 };

// Shared with the driver, which reads it as a row of numbers.
typedef struct board {
  uint64_t calls[CALLS]; // made so far
  uint64_t changes;      // of those that change files
  uint64_t bytes;        // written
  uint64_t acted;        // how often
} board;

static board *tally;
static struct {
  const char *root;
  size_t root_length;
  enum { COUNT, KILL, FAIL, FULL } act;
  int call; // of call, or CHANGE
  uint64_t at, times;
  int error;
  struct {
    uintptr_t from, to;
  } memory[8]; // code whose memory counts
  int memory_count;
} plan;
static bool ours[FDS]; // descriptors of files below the root

// ------------------------------------------------------------------------------------------ beginning

static int note_object(struct dl_phdr_info *info, size_t size, void *user) {
  (void)size;
  if (!strstr(info->dlpi_name, user)) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    if (h->p_type != PT_LOAD || !(h->p_flags & PF_X) || plan.memory_count == 8) continue;
    plan.memory[plan.memory_count].from = info->dlpi_addr + h->p_vaddr;
    plan.memory[plan.memory_count++].to = info->dlpi_addr + h->p_vaddr + h->p_memsz;
  }
  return 0;
}

static uint64_t number(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void begin(void) {
  const char *how = getenv("TORTURE_ACT"), *which = getenv("TORTURE_CALL");
  const char *path = getenv("TORTURE_BOARD"), *memory = getenv("TORTURE_MEMORY");
  plan.root = getenv("TORTURE_ROOT");
  if (!plan.root || !path) return;
  plan.root_length = strlen(plan.root);
  plan.call = which && strcmp(which, "change") == 0 ? CHANGE : NONE;
  for (int i = 0; which && i < CALLS; i++)
    if (strcmp(which, names[i]) == 0) plan.call = i;
  plan.at = number("TORTURE_AT", 0);
  plan.times = number("TORTURE_TIMES", 1);
  plan.error = (int)number("TORTURE_ERRNO", EIO);
  if (how) plan.act = *how == 'k' ? KILL : strcmp(how, "full") == 0 ? FULL : FAIL;
  if (memory) dl_iterate_phdr(note_object, (void *)(uintptr_t)memory);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  void *board_memory = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd < 0 || board_memory == MAP_FAILED) abort();
  close(fd);
  tally = board_memory;
}

// dlsym's answer as a function, asked for once.
#define REAL(name)                                                                                 \
  (*({                                                                                             \
    static __typeof__(&name) real_;                                                                \
    if (!real_) *(void **)&real_ = dlsym(RTLD_NEXT, #name);                                        \
    &real_;                                                                                        \
  }))

// ----------------------------------------------------------------------------------------- when to act

static bool below(const char *path) {
  return tally && path && strncmp(path, plan.root, plan.root_length) == 0;
}

static bool mine(int fd) {
  return tally && fd >= 0 && fd < FDS && ours[fd];
}

static int keep(int fd, bool is_ours) {
  if (fd >= 0 && fd < FDS) ours[fd] = is_ours;
  return fd;
}

static bool is_due(uint64_t made) {
  if (plan.act == KILL) return made == plan.at;
  return plan.act == FAIL && made >= plan.at && made - plan.at < plan.times;
}

// Counts a call; whether it is one to act upon.
static bool due(call c) {
  uint64_t made = __atomic_add_fetch(&tally->calls[c], 1, __ATOMIC_RELAXED);
  bool changes = c != OPEN && c < CLOSE, now = plan.call == (int)c && is_due(made);
  if (changes) {
    made = __atomic_add_fetch(&tally->changes, 1, __ATOMIC_RELAXED);
    now = now || (plan.call == CHANGE && is_due(made));
  }
  if (now) tally->acted++;
  return now;
}

// A call that is to be killed or to fail: true with errno set where it fails.
static bool act(call c) {
  if (!due(c)) return false;
  if (plan.act == KILL) raise(SIGKILL);
  errno = plan.error;
  return true;
}

// How much of a write may be done: less than all where it is the last one, or the disk is full.
static size_t allow(size_t size, bool *last) {
  *last = due(WRITE);
  if (*last && plan.act == KILL) return size / 2;
  if (plan.act == FULL) {
    uint64_t left = plan.at > tally->bytes ? plan.at - tally->bytes : 0;
    if (left < size) {
      tally->acted++;
      size = left;
      *last = left == 0;
    }
    if (*last) plan.error = ENOSPC;
  }
  return size;
}

static ssize_t wrote(ssize_t done, bool last) {
  if (last && plan.act == KILL) raise(SIGKILL);
  if (done > 0) tally->bytes += (uint64_t)done;
  return done;
}

// ------------------------------------------------------------------------------------------ the calls

static int open_as(int (*real)(int, const char *, int, ...), int folder, const char *path,
                   int flags, va_list arguments) {
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(arguments, int) : 0;
  bool is_ours = below(path);
  if (is_ours && act(OPEN)) return -1;
  if (is_ours && flags & O_CREAT && act(CREATE)) return -1;
  return keep(real(folder, path, flags, mode), is_ours);
}

#define OPEN_AT(name)                                                                              \
  int name(int fd, const char *file, int oflag, ...) {                                             \
    va_list arguments;                                                                             \
    va_start(arguments, oflag);                                                                    \
    int opened = open_as(REAL(openat), fd, file, oflag, arguments);                                \
    va_end(arguments);                                                                             \
    return opened;                                                                                 \
  }
#define OPEN_PATH(name)                                                                            \
  int name(const char *file, int oflag, ...) {                                                     \
    va_list arguments;                                                                             \
    va_start(arguments, oflag);                                                                    \
    int opened = open_as(REAL(openat), AT_FDCWD, file, oflag, arguments);                          \
    va_end(arguments);                                                                             \
    return opened;                                                                                 \
  }
OPEN_AT(openat)
OPEN_AT(openat64)
OPEN_PATH(open)
OPEN_PATH(open64)

int creat(const char *file, mode_t mode) {
  return open(file, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

// Streams of files that are ours come to the calls below, too, by a cookie that is their descriptor.
static ssize_t read_stream(void *cookie, char *buf, size_t size) {
  return read((int)(intptr_t)cookie, buf, size);
}

static ssize_t write_stream(void *cookie, const char *buf, size_t size) {
  return write((int)(intptr_t)cookie, buf, size);
}

static int seek_stream(void *cookie, off64_t *offset, int whence) {
  *offset = lseek((int)(intptr_t)cookie, *offset, whence);
  return *offset < 0 ? -1 : 0;
}

static int close_stream(void *cookie) {
  return close((int)(intptr_t)cookie);
}

FILE *fdopen(int fd, const char *modes) {
  static const cookie_io_functions_t calls = {read_stream, write_stream, seek_stream, close_stream};
  return mine(fd) ? fopencookie((void *)(intptr_t)fd, modes, calls) : REAL(fdopen)(fd, modes);
}

// Of streams that the C library opens itself only opening counts, and what others write to their descriptors,
// as C++'s library does.
#define FOPEN(name)                                                                                \
  FILE *name(const char *filename, const char *modes) {                                            \
    bool is_ours = below(filename);                                                                \
    if (is_ours && (act(OPEN) || (*modes != 'r' && act(CREATE)))) return NULL;                     \
    FILE *file = REAL(name)(filename, modes);                                                      \
    if (file) keep(fileno(file), is_ours);                                                         \
    return file;                                                                                   \
  }
FOPEN(fopen)
FOPEN(fopen64)

int fclose(FILE *stream) {
  keep(fileno(stream), false);
  return REAL(fclose)(stream);
}

int mkdir(const char *path, mode_t mode) {
  return below(path) && act(MKDIR) ? -1 : REAL(mkdir)(path, mode);
}

DIR *opendir(const char *name) {
  return below(name) && act(LIST) ? NULL : REAL(opendir)(name);
}

int rename(const char *old, const char *new) {
  return below(new) && act(RENAME) ? -1 : REAL(rename)(old, new);
}

int unlink(const char *name) {
  return below(name) && act(UNLINK) ? -1 : REAL(unlink)(name);
}

int rmdir(const char *path) {
  return below(path) && act(UNLINK) ? -1 : REAL(rmdir)(path);
}

int link(const char *from, const char *to) {
  return below(to) && act(CREATE) ? -1 : REAL(link)(from, to);
}

ssize_t write(int fd, const void *buf, size_t n) {
  bool last = false;
  if (!mine(fd)) return REAL(write)(fd, buf, n);
  n = allow(n, &last);
  if (last && plan.act != KILL) return errno = plan.error, -1;
  return wrote(REAL(write)(fd, buf, n), last);
}

#define PWRITE(name)                                                                               \
  ssize_t name(int fd, const void *buf, size_t n, off_t offset) {                                  \
    bool last = false;                                                                             \
    if (!mine(fd)) return REAL(pwrite)(fd, buf, n, offset);                                        \
    n = allow(n, &last);                                                                           \
    if (last && plan.act != KILL) return errno = plan.error, -1;                                   \
    return wrote(REAL(pwrite)(fd, buf, n, offset), last);                                          \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t writev(int fd, const struct iovec *iovec, int count) {
  ssize_t sum = 0;
  if (!mine(fd)) return REAL(writev)(fd, iovec, count);
  for (int i = 0; i < count; i++) {
    ssize_t done = write(fd, iovec[i].iov_base, iovec[i].iov_len);
    if (done < 0) return sum ? sum : -1;
    sum += done;
    if ((size_t)done < iovec[i].iov_len) break;
  }
  return sum;
}

ssize_t read(int fd, void *buf, size_t nbytes) {
  return mine(fd) && act(READ) ? -1 : REAL(read)(fd, buf, nbytes);
}

#define PREAD(name)                                                                                \
  ssize_t name(int fd, void *buf, size_t nbytes, off_t offset) {                                   \
    return mine(fd) && act(READ) ? -1 : REAL(pread)(fd, buf, nbytes, offset);                      \
  }
PREAD(pread)
PREAD(pread64)

int fsync(int fd) {
  return mine(fd) && act(FSYNC) ? -1 : REAL(fsync)(fd);
}

int fdatasync(int fildes) {
  return mine(fildes) && act(FSYNC) ? -1 : REAL(fdatasync)(fildes);
}

#define FTRUNCATE(name)                                                                            \
  int name(int fd, off_t length) {                                                                 \
    return mine(fd) && act(TRUNCATE) ? -1 : REAL(ftruncate)(fd, length);                           \
  }
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

// Closed it is in any case, as with Linux.
int close(int fd) {
  bool failed = mine(fd) && act(CLOSE);
  int error = errno;
  keep(fd, false);
  int done = REAL(close)(fd);
  if (failed) errno = error;
  return failed ? -1 : done;
}

// --------------------------------------------------------------------------------------------- memory

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static bool starve(const void *caller) {
  for (int i = 0; tally && i < plan.memory_count; i++) {
    if ((uintptr_t)caller >= plan.memory[i].from && (uintptr_t)caller < plan.memory[i].to)
      return act(MEMORY);
  }
  return false;
}
#define STARVE() starve(__builtin_return_address(0))

void *malloc(size_t size) {
  return STARVE() ? NULL : __libc_malloc(size);
}

void *calloc(size_t nmemb, size_t size) {
  return STARVE() ? NULL : __libc_calloc(nmemb, size);
}

void *realloc(void *ptr, size_t size) {
  return STARVE() ? NULL : __libc_realloc(ptr, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return STARVE() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memptr, size_t alignment, size_t size) {
  void *p = STARVE() ? NULL : __libc_memalign(alignment, size);
  if (p) *memptr = p;
  return p ? 0 : ENOMEM;
}
