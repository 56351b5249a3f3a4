// SPDX-License-Identifier: Apache-2.0
#include "cache/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cache/archive_seal.h"
#include "cache/copy.h"

enum { MARK = 16 }; // digits
static const char no_mark[] = "----------------";

// ------------------------------------------------------------------------------------------ the list

// The place of a name, or where it belongs.
static size_t place_of(const firn_record *r, const char *name) {
  size_t low = 0, high = r->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (strcmp(r->entry[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const firn_record_entry *firn_record_find(const firn_record *r, const char *name) {
  size_t at = place_of(r, name);
  return at < r->count && strcmp(r->entry[at].name, name) == 0 ? &r->entry[at] : NULL;
}

static firn_status make_room(firn_record *r) {
  if (r->count < r->capacity) return FIRN_OK;
  size_t wanted = r->capacity ? 2 * r->capacity : 64;
  firn_record_entry *grown = firn_resize(r->context, r->entry, r->capacity * sizeof *r->entry,
                                         wanted * sizeof *r->entry, "list of files");
  if (!grown) return FIRN_ERROR_MEMORY;
  r->entry = grown;
  r->capacity = wanted;
  return FIRN_OK;
}

firn_status firn_record_add(firn_record *r, const char *name) {
  size_t at = place_of(r, name), size = strlen(name) + 1;
  if (at < r->count && strcmp(r->entry[at].name, name) == 0) {
    r->entry[at].marked = false;
    return FIRN_OK;
  }
  if (strchr(name, '\n'))
    return firn_fail(r->context, FIRN_ERROR_ARGUMENT,
                     "%s/%s: the name has a line end, and cannot be listed; rename the file",
                     r->folder, name);
  FIRN_TRY(make_room(r));
  char *copy = firn_alloc(r->context, size, "list of files");
  if (!copy) return FIRN_ERROR_MEMORY;
  memcpy(copy, name, size);
  memmove(r->entry + at + 1, r->entry + at, (r->count - at) * sizeof *r->entry);
  r->entry[at] = (firn_record_entry){.name = copy};
  r->count++;
  return FIRN_OK;
}

firn_status firn_record_add_numbered(firn_record *r, const char *prefix, int number) {
  char name[64];
  snprintf(name, sizeof name, "%.40s%05d.hdf", prefix, number);
  return firn_record_add(r, name);
}

static void drop_at(firn_record *r, size_t at) {
  firn_free(r->context, r->entry[at].name, strlen(r->entry[at].name) + 1);
  r->count--;
  memmove(r->entry + at, r->entry + at + 1, (r->count - at) * sizeof *r->entry);
}

void firn_record_drop(firn_record *r, const char *name) {
  size_t at = place_of(r, name);
  if (at < r->count && strcmp(r->entry[at].name, name) == 0) drop_at(r, at);
}

void firn_record_reset(firn_record *r) {
  while (r->count) drop_at(r, r->count - 1);
  r->from.frame = r->next.frame = r->of_frame = -1;
}

void firn_record_free(firn_record *r) {
  if (!r->context) return;
  firn_record_reset(r);
  firn_free(r->context, r->entry, r->capacity * sizeof *r->entry);
  *r = (firn_record){0};
}

// ------------------------------------------------------------------------------------------- reading

static bool read_hex(const char *text, uint64_t *value) {
  char digits[MARK + 1] = "", *end;
  if (strspn(text, "0123456789abcdef") < MARK) return false;
  memcpy(digits, text, MARK);
  *value = strtoull(digits, &end, 16);
  return !*end;
}

static bool read_origin(const char *text, firn_record_origin *out) {
  char *end;
  long frame = strtol(text, &end, 10);
  if (end == text || *end != ' ' || frame < 0 || frame > 99999) return false;
  out->frame = (int)frame;
  return snprintf(out->folder, sizeof out->folder, "%s", end + 1) < (int)sizeof out->folder;
}

static firn_status read_line(firn_record *r, const char *line, bool *good) {
  uint64_t mark = 0;
  *good = true;
  if (strncmp(line, "from ", 5) == 0) {
    *good = read_origin(line + 5, &r->from);
  } else if (strncmp(line, "next ", 5) == 0) {
    *good = read_origin(line + 5, &r->next);
  } else if (strncmp(line, "of ", 3) == 0) {
    char *end;
    r->of_frame = (int)strtol(line + 3, &end, 10);
    *good = *end == ' ' && read_hex(end + 1, &r->of_mark);
  } else {
    bool marked = read_hex(line, &mark);
    *good = (marked || strncmp(line, no_mark, MARK) == 0) && line[MARK] == ' ';
    if (!*good) return FIRN_OK;
    FIRN_TRY(firn_record_add(r, line + MARK + 1));
    firn_record_entry *e = &r->entry[place_of(r, line + MARK + 1)];
    e->marked = marked;
    e->mark = mark;
  }
  return FIRN_OK;
}

// Where the last line begins, if it has the sum of all before; NULL: it has not.
static char *check_sum(char *text, size_t size) {
  static const char word[] = "sum ";
  size_t length = strlen(word) + MARK + 1;
  uint64_t sum;
  if (size < length || strlen(text) != size) return NULL;
  char *last = text + size - length;
  bool good = last > text && last[-1] == '\n' && strncmp(last, word, strlen(word)) == 0 &&
              read_hex(last + strlen(word), &sum) && text[size - 1] == '\n' &&
              sum == firn_seal_hash(text, (size_t)(last - text));
  return good ? last : NULL;
}

static firn_status read_text(firn_record *r, char *text, size_t size) {
  char head[64], *stop = check_sum(text, size);
  snprintf(head, sizeof head, "firn %s\n", r->kind);
  r->state = FIRN_RECORD_BROKEN;
  if (!stop || strncmp(text, head, strlen(head)) != 0) return FIRN_OK;
  for (char *line = text + strlen(head), *end; line < stop; line = end + 1) {
    bool good;
    end = strchr(line, '\n');
    *end = 0;
    FIRN_TRY(read_line(r, line, &good));
    if (good) continue;
    firn_record_reset(r);
    return FIRN_OK;
  }
  r->state = FIRN_RECORD_FOUND;
  return FIRN_OK;
}

firn_status firn_record_read(firn_context *context, const char *folder, const char *kind,
                             firn_record *out) {
  char path[FIRN_PATH_SIZE], *text;
  size_t size;
  struct stat info;
  *out = (firn_record){
      .context = context, .kind = kind, .from.frame = -1, .next.frame = -1, .of_frame = -1};
  FIRN_TRY(firn_path_format(context, out->folder, "%s", folder));
  FIRN_TRY(firn_path_format(context, path, "%s/" FIRN_RECORD_FILE, folder));
  if (lstat(path, &info)) return FIRN_OK;
  out->state = FIRN_RECORD_BROKEN;
  if (!S_ISREG(info.st_mode)) return FIRN_OK;
  firn_status status = firn_file_get(context, path, &text, &size);
  if (status != FIRN_OK) return status == FIRN_ERROR_MEMORY ? status : FIRN_OK;
  status = read_text(out, text, size);
  firn_free(context, text, size + 1);
  if (status != FIRN_OK) firn_record_free(out);
  return status;
}

// ------------------------------------------------------------------------------------------- writing

static size_t print_origin(char *at, size_t room, const char *word, const firn_record_origin *o) {
  return o->frame < 0 ? 0 : (size_t)snprintf(at, room, "%s %d %s\n", word, o->frame, o->folder);
}

static size_t print_all(const firn_record *r, char *text, size_t room) {
  size_t n = (size_t)snprintf(text, room, "firn %s\n", r->kind);
  n += print_origin(text + n, room - n, "from", &r->from);
  n += print_origin(text + n, room - n, "next", &r->next);
  if (r->of_frame >= 0)
    n += (size_t)snprintf(text + n, room - n, "of %d %016" PRIx64 "\n", r->of_frame, r->of_mark);
  for (size_t i = 0; i < r->count; i++) {
    const firn_record_entry *e = &r->entry[i];
    char mark[MARK + 1];
    snprintf(mark, sizeof mark, "%016" PRIx64, e->mark);
    n += (size_t)snprintf(text + n, room - n, "%s %s\n", e->marked ? mark : no_mark, e->name);
  }
  uint64_t sum = firn_seal_hash(text, n);
  return n + (size_t)snprintf(text + n, room - n, "sum %016" PRIx64 "\n", sum);
}

firn_status firn_record_write(firn_record *r) {
  char path[FIRN_PATH_SIZE];
  struct stat info;
  size_t room = 200 + strlen(r->from.folder) + strlen(r->next.folder);
  for (size_t i = 0; i < r->count; i++) room += strlen(r->entry[i].name) + MARK + 3;
  FIRN_TRY(firn_path_format(r->context, path, "%s/" FIRN_RECORD_FILE, r->folder));
  char *text = firn_alloc(r->context, room, "list of files");
  if (!text) return FIRN_ERROR_MEMORY;
  if (lstat(path, &info) == 0 && S_ISFIFO(info.st_mode)) unlink(path); // it holds nothing
  firn_status status = firn_file_put(r->context, path, text, print_all(r, text, room));
  firn_free(r->context, text, room);
  return status;
}

static firn_status remove_file(const firn_record *r, const char *name, const char *more) {
  char path[FIRN_PATH_SIZE];
  FIRN_TRY(firn_path_format(r->context, path, "%s/%s%s", r->folder, name, more));
  // EISDIR: a folder has the name, and is not firn's.
  if (unlink(path) && errno != ENOENT && errno != ENOTDIR && errno != EISDIR)
    return firn_file_fail(r->context, "remove", path, errno);
  return FIRN_OK;
}

firn_status firn_record_unlink(firn_record *r) {
  return remove_file(r, FIRN_RECORD_FILE, "");
}

// --------------------------------------------------------------------------------------------- marks

static bool ends_with(const char *name, const char *end) {
  size_t n = strlen(name), m = strlen(end);
  return n >= m && strcmp(name + n - m, end) == 0;
}

// Files of runs and refinements grow, or are written again and again; those of others are written at once.
static bool has_mark(const firn_record *r, const char *name) {
  bool grows = strcmp(r->kind, "run") == 0 || strcmp(r->kind, "refine") == 0;
  return !grows || strchr(name, '/') ||
         (!ends_with(name, ".csv") && !ends_with(name, ".jsonl") && !ends_with(name, ".series"));
}

// The mark of a file as it is; FIRN_ERROR_FORMAT or FIRN_ERROR_IO: it has none.
static firn_status read_mark(const firn_record *r, const char *name, uint64_t *mark) {
  char path[FIRN_PATH_SIZE];
  firn_file_mark whole;
  FIRN_TRY(firn_path_format(r->context, path, "%s/%s", r->folder, name));
  if (ends_with(name, ".hdf") && !strchr(name, '/')) return firn_seal_sum(r->context, path, mark);
  FIRN_TRY(firn_file_sum(r->context, path, &whole));
  *mark = whole.sum;
  return FIRN_OK;
}

firn_status firn_record_mark(firn_record *r, const char *name) {
  size_t at = place_of(r, name);
  if (at == r->count || strcmp(r->entry[at].name, name) != 0 || !has_mark(r, name)) return FIRN_OK;
  firn_status status = read_mark(r, name, &r->entry[at].mark);
  r->entry[at].marked = status == FIRN_OK;
  return status;
}

static bool is_there(const firn_record *r, const char *name) {
  char path[FIRN_PATH_SIZE];
  struct stat info;
  return firn_path_format(r->context, path, "%s/%s", r->folder, name) == FIRN_OK &&
         lstat(path, &info) == 0;
}

bool firn_record_has_files(const firn_record *r) {
  for (size_t i = 0; i < r->count; i++)
    if (is_there(r, r->entry[i].name)) return true;
  return false;
}

firn_status firn_record_settle(firn_record *r) {
  for (size_t i = r->count; i-- > 0;) {
    firn_status status = FIRN_OK;
    if (!is_there(r, r->entry[i].name))
      drop_at(r, i);
    else if (!r->entry[i].marked)
      status = firn_record_mark(r, r->entry[i].name);
    if (status == FIRN_ERROR_MEMORY) return status;
  }
  return FIRN_OK;
}

// How a file begins: its first bytes, with a 0 after them.
enum { HEAD = 4096 };
static firn_status read_head(const firn_record *r, const char *name, char head[HEAD],
                             size_t *size) {
  char path[FIRN_PATH_SIZE];
  int fd;
  FIRN_TRY(firn_path_format(r->context, path, "%s/%s", r->folder, name));
  FIRN_TRY(firn_file_open(r->context, path, &fd, size));
  *size = *size < HEAD - 1 ? *size : HEAD - 1;
  int error = firn_file_read_at(fd, head, *size, 0);
  close(fd);
  head[*size] = 0;
  return error ? firn_file_fail(r->context, "read", path, error) : FIRN_OK;
}

// Nothing, or what a power cut may leave.
static bool is_blank(const char *head, size_t size) {
  size_t i = 0;
  while (i < size && !head[i]) i++;
  return i == size;
}

// Whether a file without a mark holds what firn writes into those of its name, be it damaged.
static firn_status has_words(const firn_record *r, const char *name, bool *has) {
  static const struct {
    const char *end, *words[2]; // of a table both, of others one
  } known[] = {{".csv", {"frame", "time"}},
               {".jsonl", {"\"event\"", "\"at\""}},
               {".series", {"\"file", "\"name\""}},
               {FIRN_PART_SUFFIX, {"firn run", "firn refine"}}};
  char head[HEAD];
  size_t size;
  FIRN_TRY(read_head(r, name, head, &size));
  *has = is_blank(head, size);
  if (*has) return FIRN_OK;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!ends_with(name, known[i].end)) continue;
    int found = (strstr(head, known[i].words[0]) != NULL) +
                (strstr(head, known[i].words[1]) != NULL);
    *has = found > (i == 0);
  }
  return FIRN_OK;
}

// Whether a file without a good seal was a frame or a checkpoint: it begins as HDF5 does, but for some bits.
static firn_status was_archive(const firn_record *r, const char *name, bool *was) {
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  char head[HEAD];
  size_t size;
  int wrong = 0;
  FIRN_TRY(read_head(r, name, head, &size));
  *was = is_blank(head, size);
  if (*was) return FIRN_OK;
  for (size_t i = 0; i < sizeof signature; i++)
    wrong += __builtin_popcount((unsigned char)head[i] ^ signature[i]);
  *was = size >= sizeof signature && wrong <= 8;
  return FIRN_OK;
}

// Whether the half of a list that a killed process has left is that.
static firn_status is_own_part(const firn_record *r, const char *name, bool *is) {
  char path[FIRN_PATH_SIZE];
  struct stat info;
  FIRN_TRY(firn_path_format(r->context, path, "%s/%s", r->folder, name));
  *is = lstat(path, &info) != 0;
  return !*is && S_ISREG(info.st_mode) ? has_words(r, name, is) : FIRN_OK;
}

// Whether the file with the name of an entry is the one that was listed. Fails where it cannot be
// read: that says nothing of whose it is.
static firn_status is_listed_file(const firn_record *r, const firn_record_entry *e, bool *is) {
  char path[FIRN_PATH_SIZE];
  struct stat info;
  uint64_t mark;
  *is = true;
  FIRN_TRY(firn_path_format(r->context, path, "%s/%s", r->folder, e->name));
  if (lstat(path, &info) || S_ISLNK(info.st_mode)) return FIRN_OK; // a link holds nothing itself
  *is = S_ISREG(info.st_mode);
  if (!*is) return FIRN_OK;
  if (!has_mark(r, e->name)) return has_words(r, e->name, is);
  if (!e->marked || !info.st_size) return FIRN_OK;
  firn_status status = read_mark(r, e->name, &mark);
  if (status == FIRN_ERROR_FORMAT) return was_archive(r, e->name, is);
  *is = false;
  for (size_t i = 0; status == FIRN_OK && i < r->count; i++) // or a copy of another that is listed
    *is = *is || (r->entry[i].marked && r->entry[i].mark == mark);
  return status;
}

firn_status firn_record_owns(const firn_record *r, const char *name, bool *owns) {
  char stem[FIRN_PATH_SIZE];
  *owns = false;
  const firn_record_entry *e = firn_record_find(r, name);
  if (e) return is_listed_file(r, e, owns);
  if (!ends_with(name, FIRN_PART_SUFFIX)) return FIRN_OK;
  FIRN_TRY(firn_path_format(r->context, stem, "%.*s",
                            (int)(strlen(name) - strlen(FIRN_PART_SUFFIX)), name));
  if (strcmp(stem, FIRN_RECORD_FILE) == 0) return is_own_part(r, name, owns);
  *owns = firn_record_find(r, stem) != NULL;
  return FIRN_OK;
}

firn_status firn_record_check_name(const firn_record *r, const char *name, const char *more) {
  char path[FIRN_PATH_SIZE];
  struct stat info;
  bool owns;
  FIRN_TRY(firn_path_format(r->context, path, "%s/%s", r->folder, name));
  if (lstat(path, &info)) return FIRN_OK;
  FIRN_TRY(firn_record_owns(r, name, &owns));
  if (owns) return FIRN_OK;
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "%s is not a file of this %s, which writes or reads one of that name: move it "
                   "away, or choose another folder%s",
                   path, r->kind, more);
}

// ------------------------------------------------------------------------------------------ removing

// Removes the folders between this one and a file, from the innermost on, while they are empty.
static firn_status remove_folders(const firn_record *r, const char *name) {
  char path[FIRN_PATH_SIZE];
  FIRN_TRY(firn_path_format(r->context, path, "%s/%s", r->folder, name));
  for (char *slash; (slash = strrchr(path, '/')) && slash > path + strlen(r->folder);) {
    *slash = 0;
    if (rmdir(path)) break;
  }
  return FIRN_OK;
}

// Names are not trusted to stay within the folder.
static bool is_within(const char *name) {
  return *name && *name != '/' && strncmp(name, "../", 3) != 0 && !strstr(name, "/../");
}

firn_status firn_record_remove(firn_record *r, const char *name) {
  bool owns;
  FIRN_TRY(firn_record_owns(r, name, &owns));
  if (owns && is_within(name)) {
    FIRN_TRY(remove_file(r, name, ""));
    FIRN_TRY(remove_file(r, name, FIRN_PART_SUFFIX));
    FIRN_TRY(remove_folders(r, name));
  }
  firn_record_drop(r, name);
  return FIRN_OK;
}

firn_status firn_record_remove_all(firn_record *r, firn_record_choice choice, const void *user) {
  for (size_t i = r->count; i-- > 0;) {
    char name[FIRN_PATH_SIZE];
    if (!choice(user, r->entry[i].name)) continue;
    FIRN_TRY(firn_path_format(r->context, name, "%s", r->entry[i].name));
    FIRN_TRY(firn_record_remove(r, name));
  }
  return FIRN_OK;
}

firn_status firn_record_remove_parts(const firn_record *r) {
  for (size_t i = 0; i < r->count; i++)
    if (is_within(r->entry[i].name)) FIRN_TRY(remove_file(r, r->entry[i].name, FIRN_PART_SUFFIX));
  return FIRN_OK;
}
