// SPDX-License-Identifier: Apache-2.0
// What a run has written: the frames and checkpoints of its folder, and its tables.
#ifndef FIRN_FOLDER_H
#define FIRN_FOLDER_H

#include <firn/context.h>

#ifdef __cplusplus
extern "C" {
#endif

// Texts live as long as what they come from.
typedef struct firn_folder firn_folder;

// Looks at the folder of a run; a path that is a file gives one with this frame alone. There may be
// no frames in it.
FIRN_API firn_status firn_folder_open(firn_context *context, const char *path, firn_folder **out);
FIRN_API void firn_folder_close(firn_folder *folder); // NULL is allowed

FIRN_API const char *firn_folder_path(const firn_folder *folder); // "." for a file without any
// The path of scene.yaml; NULL: there is none.
FIRN_API const char *firn_folder_scene(const firn_folder *folder);

// frame_%05d.hdf or checkpoint_%05d.hdf, in the order of their numbers; i is from 0 to count - 1.
// Where there is none, of no folder (NULL) or beyond the last: -1 and NULL.
typedef enum firn_folder_kind { FIRN_FOLDER_FRAME, FIRN_FOLDER_CHECKPOINT } firn_folder_kind;
FIRN_API int firn_folder_count(const firn_folder *folder, firn_folder_kind kind);
FIRN_API int firn_folder_number(const firn_folder *folder, firn_folder_kind kind, int i);
FIRN_API const char *firn_folder_file(const firn_folder *folder, firn_folder_kind kind, int i);

// Leaves of the frames first to last, both included, and of these first, first + every and so on. A
// negative last is the last there is. FIRN_ERROR_ARGUMENT where none is left, and the message says
// which there are; for an every below 1 too, where all stay.
FIRN_API firn_status firn_folder_select(firn_folder *folder, int first, int last, int every);

// ------------------------------------------------------------------------------------------- checking

// Hears of a thing that is wrong, in a sentence that names the file.
typedef void (*firn_fault_fn)(void *user, const char *text);
typedef struct firn_folder_verdict {
  int frames, checkpoints; // that are there
  double bytes;            // of both
  int faults;              // things that are wrong
  int resumes_after;       // the frame that a resume goes on after; -1: it is refused, or begins
  char resume[1024];       // what a resume would do, and why
} firn_folder_verdict;

// Checks what a run has left as a resume does, and changes nothing: frames and checkpoints byte by
// byte, by their seals, their numbers against their names, and the rows of the tables against both.
// FIRN_OK: it could be checked, whatever was found; FIRN_ERROR_STATE: a run is writing into it now.
// fault may be NULL.
FIRN_API firn_status firn_folder_verify_sized(firn_context *context, const char *path,
                                              firn_fault_fn fault, void *user,
                                              firn_folder_verdict *out, size_t size);
static inline firn_status firn_folder_verify(firn_context *context, const char *path,
                                             firn_fault_fn fault, void *user,
                                             firn_folder_verdict *out) {
  return firn_folder_verify_sized(context, path, fault, user, out, sizeof *out);
}

// ------------------------------------------------------------------------------------------ own files

// The list firn-files.txt of a folder into which a program writes files of its own beside others of
// the user's (docs/cache.md, "Only its own files"): only listed files are replaced. kind says what
// keeps the list, as "sweep"; runs and refinements keep theirs themselves. Names are relative to
// the folder; a name without a file is fine. FIRN_ERROR_STATE: a file of one of the names is not
// listed, or was changed since, or the list is of another kind; the message names the file, and
// nothing was changed.
FIRN_API firn_status firn_folder_check_own(firn_context *context, const char *folder,
                                           const char *kind, const char *const *name, int count);
// The same, and lists the names: call it before the files are written ...
FIRN_API firn_status firn_folder_begin_own(firn_context *context, const char *folder,
                                           const char *kind, const char *const *name, int count);
// ... and this afterwards: it marks the files as they are, and drops names that have none.
FIRN_API firn_status firn_folder_end_own(firn_context *context, const char *folder,
                                         const char *kind);

// A single file under a name of the user's. Pictures and curves that firn writes, and films that a
// program marks here once they are whole, hold a mark. Another program that changes the file loses
// it, unless it keeps the texts of a PNG or EXR file. FIRN_OK: there is no file of that name, or
// one with the mark; of a name that ends in .part, one that begins as such a file.
// FIRN_ERROR_STATE: there is another, which the message names. The functions that write pictures
// and curves replace any file: ask first.
FIRN_API firn_status firn_file_check_own(firn_context *context, const char *path);
// Adds the mark to an MP4 film, as a box that players skip.
FIRN_API firn_status firn_file_mark_film(firn_context *context, const char *path);

// --------------------------------------------------------------------------------------------- tables

// A CSV file as columns of numbers: stats.csv, colliders.csv, probes.csv.
typedef struct firn_table firn_table;

// where: only rows whose cell `name` is this; NULL: all, which must have one name, if any. Half a
// last row, of a run that was killed or still goes on, is left out.
FIRN_API firn_status firn_table_open(firn_context *context, const char *path, const char *where,
                                     firn_table **out);
FIRN_API void firn_table_close(firn_table *table); // NULL is allowed

FIRN_API size_t firn_table_rows(const firn_table *table);
FIRN_API int firn_table_columns(const firn_table *table);
FIRN_API const char *firn_table_name(const firn_table *table, int column);
// [rows], nan where a cell is empty or no number; NULL: there is no such column.
FIRN_API const double *firn_table_column(const firn_table *table, const char *name);

#ifdef __cplusplus
}
#endif

#endif
