# SPDX-License-Identifier: Apache-2.0
"""Files: what a run may replace, trust and read."""
from .form import Mutation

MUTATIONS = [
    Mutation("checkpoint-without-memory", "the solver's own state is not saved",
             "cache.checkpoint",
             ("src/solver/mpm/mpm.c", 'FIRN_TRY(visitor->blob(visitor->user, "mpm_memory", &m->memory, '
              "sizeof m->memory));", "")),
    Mutation("resume-trusts-rows", "a digit that was changed in a table goes unnoticed",
             "cache.run",
             ("src/api/run_sums.c", "r->table[t].wanted == found :",
              "r->table[t].wanted == found || r->frame >= 0 :")),
    Mutation("resume-trusts-names", "a frame under another's name goes unnoticed",
             "cache.run",
             ("src/api/run_check.c", "if (f->frame != number) {", "if (f->frame < 0) {")),
    Mutation("resume-forgets-rows", "rows that are missing at the end go unnoticed",
             "cache.run",
             ("src/api/run_check.c", "covered = newest - 1;", "covered = -1;"),
             ("src/api/run_check.c", "if (checkpoint > covered) covered", "if (checkpoint < -1) covered")),
    Mutation("overwrites-unasked", "a run replaces what is there without being told to",
             "cache.run",
             ("src/api/run_begin.c", "if (r->def->overwrite) return firn_run_begin_fresh(r, c);",
              "if (!r->def->resume) return firn_run_begin_fresh(r, c);")),
    Mutation("files-not-compared", "a mesh that was changed since is gone on with",
             "cache.run",
             ("src/api/run_files.c", "return a->size == b->size && a->sum == b->sum;",
              "return a->size == b->size;")),
    Mutation("file-through-a-link", "a temporary file is opened where a link may stand",
             "cache.file",
             ("src/cache/file.c", """\
  if (unlink(part) && errno != ENOENT) return firn_file_fail(context, "replace", part, errno);
  *fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
""", "  *fd = open(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);\n")),
    Mutation("file-of-another", "whatever has the temporary name is renamed",
             "cache.file",
             ("src/cache/file.c", "if (!is_own(part, fd)) {", "if (!is_own(part, fd) && fd < 0) {")),
    Mutation("table-through-a-link", "rows are added behind a link",
             "cache.file",
             ("src/cache/file.c", "O_RDWR | O_NOFOLLOW | O_NONBLOCK", "O_RDWR | O_NONBLOCK")),
    Mutation("png-of-any-size", "memory is asked for on the word of a header",
             "base.png",
             ("src/base/png.c", "/ DEFLATE_MOST > s->size)",
              "/ DEFLATE_MOST > s->size + (UINT64_MAX >> 1))")),
    Mutation("array-of-any-size", "memory is asked for on the word of a dataset",
             "cache.archive",
             ("src/cache/archive_read.c", "return announced <= 1032.0 * (double)stored + 1032;",
              "return announced >= 0 || stored;")),
    Mutation("table-of-any-size", "rows without cells cost memory",
             "cache.folder",
             ("src/cache/table.c", "t->columns > t->size / (t->room - 1)",
              "t->columns > SIZE_MAX / (t->room - 1)")),
]
