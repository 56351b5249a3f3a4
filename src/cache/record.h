// SPDX-License-Identifier: Apache-2.0
// The list of the files that a run, a refinement or a sweep has written into its folder:
// firn-files.txt. firn removes and replaces only files of this list, so nothing that another
// program, a person or another run has put into the folder is lost.
//
//   firn run                            or: firn refine, firn sweep
//   from 4 /home/me/trunk               of a branch: frame and folder that it began with
//   next 4 /home/me/trunk               the same of a branch that is still to begin
//   of 0 0123456789abcdef               of a refinement: number and mark of its first source frame
//   0123456789abcdef frame_00000.hdf    a mark and a name, by name
//   ---------------- stats.csv          a file without a mark: it grows, or is written just now
//   sum 0123456789abcdef                of all lines before
//
// A name is listed before its file appears: a process that is killed leaves no file that the list
// lacks. The mark tells the listed file from another of the same name: of frames and checkpoints it
// is the sum of their seal, of other files a hash of their bytes.
#ifndef FIRN_CACHE_RECORD_H
#define FIRN_CACHE_RECORD_H

#include <stdint.h>

#include "cache/file.h"

#define FIRN_RECORD_FILE "firn-files.txt"

typedef struct firn_record_entry {
  char *name; // relative to the folder
  bool marked;
  uint64_t mark;
} firn_record_entry;

typedef struct firn_record_origin {
  int frame; // < 0: there is none
  char folder[FIRN_PATH_SIZE];
} firn_record_origin;

typedef enum firn_record_state {
  FIRN_RECORD_NONE,   // there is no list
  FIRN_RECORD_BROKEN, // there is one, and it is not as firn wrote it, or of another kind
  FIRN_RECORD_FOUND
} firn_record_state;

typedef struct firn_record {
  firn_context *context;
  char folder[FIRN_PATH_SIZE];
  const char *kind;         // "run", "refine", "sweep"
  firn_record_state state;  // as it was read
  firn_record_entry *entry; // [count], ascending by name
  size_t count, capacity;
  firn_record_origin from, next; // of a branch
  int of_frame;                  // of a refinement; < 0: none
  uint64_t of_mark;
} firn_record;

// Reads the list of a folder, which may have none; to be freed. Fails only for want of memory, and
// where the path is too long.
firn_status firn_record_read(firn_context *context, const char *folder, const char *kind,
                             firn_record *out);
void firn_record_free(firn_record *record);
// Empties the list in memory, and keeps folder and kind.
void firn_record_reset(firn_record *record);

const firn_record_entry *firn_record_find(const firn_record *record, const char *name);
// Lists a name without a mark, also one that was listed.
firn_status firn_record_add(firn_record *record, const char *name);
// The same for the numbered file of a prefix.
firn_status firn_record_add_numbered(firn_record *record, const char *prefix, int number);
// Sets the mark of a listed file as the file is now; a name that is not listed, or has no mark, is
// passed over.
firn_status firn_record_mark(firn_record *record, const char *name);
// Drops the names that have no file, and sets marks that are missing where the file can be read.
firn_status firn_record_settle(firn_record *record);
// Takes a name off the list.
void firn_record_drop(firn_record *record, const char *name);
// Writes the list into the folder.
firn_status firn_record_write(firn_record *record);
// Whether any listed file is there.
bool firn_record_has_files(const firn_record *record);
// Removes the list's own file.
firn_status firn_record_unlink(firn_record *record);

// Whether a file of the folder may be removed or replaced: it is listed, and nothing shows that
// another file has taken its name. <name>.part of a listed name may be; so may a name that has no
// file. Fails where the file cannot be read.
firn_status firn_record_owns(const firn_record *record, const char *name, bool *owns);
// Whether the name may be written: it has no file, or one that the list owns. FIRN_ERROR_STATE
// otherwise, with a message that ends in `more`.
firn_status firn_record_check_name(const firn_record *record, const char *name, const char *more);
// Removes a listed file, its .part, and the folders below this one that are empty then; takes the
// name off the list. A file that the list does not own stays.
firn_status firn_record_remove(firn_record *record, const char *name);
// The same for all names that are chosen.
typedef bool (*firn_record_choice)(const void *user, const char *name);
firn_status firn_record_remove_all(firn_record *record, firn_record_choice choice,
                                   const void *user);
// Removes <name>.part of the listed names: a killed process has left them.
firn_status firn_record_remove_parts(const firn_record *record);

#endif
