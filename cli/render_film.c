// SPDX-License-Identifier: Apache-2.0
// Many frames: numbered pictures in a folder, and a film made of them.
//
// The folder holds render.txt: what the pictures were made with, then a line "next 7" before each picture
// is drawn, "done 7" once it is whole, and "again 7" where it is to be made once more. A later call with
// the same settings goes on after them; one with others removes them and begins anew. Only pictures that
// render.txt lists and that have firn's mark (firn_file_check_own) are removed or replaced.
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "render.h"

static const char *const endings[] = {"png", "exr"};

// ---------------------------------------------------------------------------------------- progress

// Where there is no terminal a line now and then tells of a picture that takes long.
void render_progress_show(render_progress *p, double part) {
  double now = cli_seconds(), last = p->shown > p->start ? p->shown : p->start;
  if (p->mode != PROGRESS_AUTO || now - last < (p->live ? 0.1 : 5)) return;
  p->shown = now;
  double spent = now - p->start, ready = p->rendered + part,
         wanted = p->total - p->done + p->rendered;
  char left[32], of[32] = "";
  cli_duration(ready > 0.01 ? spent * (wanted - ready) / ready : -1, left);
  if (p->total > 1) snprintf(of, sizeof of, "%d/%d  ", p->done + 1, p->total);
  if (p->live) putchar('\r');
  printf("frame %d  %s%.0f %%  %s left", p->number, of, 100 * part, left);
  printf(p->live ? "\033[K" : "\n");
  fflush(stdout);
  p->open = p->live;
}

static double seconds_left(const render_progress *p) {
  double spent = cli_seconds() - p->start;
  return p->rendered ? spent / p->rendered * (p->total - p->done) : 0;
}

void render_progress_frame(render_progress *p, const char *path, const firn_render_stats *s) {
  char a[32], b[32];
  p->rendered++;
  if (p->mode == PROGRESS_JSON) {
    printf("{\"event\": \"frame\", \"frame\": %d, \"done\": %d, \"total\": %d, \"file\": ",
           p->number, p->done, p->total);
    cli_json_string(stdout, path);
    printf(
        ", \"particles\": %zu, \"paths\": %llu, \"events\": %llu, \"voxels\": %zu, \"seconds\": ",
        s->particles, (unsigned long long)s->paths, (unsigned long long)s->events, s->voxels);
    cli_json_number(stdout, s->seconds);
    printf(", \"seconds_left\": ");
    cli_json_number(stdout, seconds_left(p));
    printf("}\n");
    fflush(stdout);
  }
  if (p->mode != PROGRESS_AUTO) return;
  if (p->live) printf("\r\033[K");
  p->open = false;
  if (p->total == 1) {
    printf("%s  %s particles  %.1f s\n", path, cli_count((double)s->particles, a), s->seconds);
  } else if (!p->live) {
    printf("frame %d  %d/%d  %s particles  %.2f s  %s left\n", p->number, p->done, p->total,
           cli_count((double)s->particles, a), s->seconds, cli_duration(seconds_left(p), b));
  }
  fflush(stdout);
}

void render_progress_end(render_progress *p) {
  if (p->open) printf("\r\033[K");
  p->open = false;
  fflush(stdout);
}

// ------------------------------------------------------------------------------------ what is there

enum { NUMBERS = 100000 }; // of five digits

typedef struct folder {
  const char *path;
  char settings[8192];
  bool *done;           // [job->count]
  bool any;             // pictures of these settings are there
  bool listed[NUMBERS]; // in render.txt: firn has begun the picture of this number
} folder;

static uint64_t mix(uint64_t h, const void *data, size_t size) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < size; i++) h = (h ^ byte[i]) * 1099511628211u;
  return h;
}

// The next string in quotes of a resolved scene, without them; NULL: no more.
static const char *next_quoted(const char *text, char *out, size_t size) {
  text = strchr(text, '"');
  if (!text) return NULL;
  size_t n = 0;
  for (text++; *text && *text != '"'; text++) {
    if (*text == '\\' && text[1]) text++;
    if (n + 1 < size) out[n++] = *text;
  }
  out[n] = 0;
  return *text ? text + 1 : text;
}

// A scene with the size and age of the files it names: meshes, environment maps.
static uint64_t fingerprint(const char *text) {
  uint64_t h = mix(1469598103934665603u, text, strlen(text));
  char name[RENDER_PATH];
  struct stat info;
  while ((text = next_quoted(text, name, sizeof name))) {
    if (stat(name, &info) != 0 || !S_ISREG(info.st_mode)) continue;
    h = mix(h, &info.st_size, sizeof info.st_size);
    h = mix(h, &info.st_mtim.tv_sec, sizeof info.st_mtim.tv_sec);
    h = mix(h, &info.st_mtim.tv_nsec, sizeof info.st_mtim.tv_nsec);
  }
  return h;
}

static void add(folder *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(folder *f, const char *format, ...) {
  size_t used = strlen(f->settings);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->settings + used, sizeof f->settings - used, format, arguments);
  va_end(arguments);
}

// Everything that changes a picture, in words.
static void describe(const render_job *job, folder *f) {
  const render_arguments *a = job->arguments;
  char *source = realpath(a->source, NULL); // run and run/ are the same
  add(f, "firn %s\nframes of %.4000s\n", firn_version(), source ? source : a->source);
  free(source);
  add(f, "scene %016llx\n",
      (unsigned long long)(job->scene ? fingerprint(firn_scene_resolved_text(job->scene)) : 0));
  firn_render_def r;
  firn_preview_def q;
  if (render_settings(job, 0, &r, &q) != FIRN_OK) return;
  add(f, "%s %dx%d\n", a->preview ? "preview" : "path traced", r.width, r.height);
  if (a->no_fine) add(f, "without fine particles\n");
  if (a->preview)
    add(f, "color %.200s from %.17g to %.17g, map %d\n", a->color ? a->color : "none", q.range[0],
        q.range[1], (int)q.map);
  else
    add(f, "samples %d, denoise %d\n", r.samples, r.denoise);
  for (int c = 0; c < a->cut_count; c++)
    for (int i = 0; i < a->cuts[c].count; i++) {
      const double *n = a->cuts[c].plane[i];
      add(f, "cut %d %.17g %.17g %.17g beyond %.17g\n", c, n[0], n[1], n[2], n[3]);
    }
  if (job->sim) add(f, "animatic\n");
  if (a->turntable)
    add(f, "turntable of %d around frame %.4000s\n", a->turntable,
        *job->temporary ? "0" : job->frame->path);
  const firn_camera_def *c = &r.camera;
  add(f, "camera at %.17g %.17g %.17g, looks at %.17g %.17g %.17g, fov %.17g\n\n", c->eye[0],
      c->eye[1], c->eye[2], c->target[0], c->target[1], c->target[2], c->fov);
}

static void picture_name(const render_job *job, const folder *f, int i, char *path) {
  snprintf(path, RENDER_PATH, "%.4000s/frame_%05d.%s", f->path, job->frame[i].number,
           endings[job->arguments->exr]);
}

static bool is_older(const struct stat *a, const struct stat *b) {
  const struct timespec *x = &a->st_mtim, *y = &b->st_mtim;
  return x->tv_sec != y->tv_sec ? x->tv_sec < y->tv_sec : x->tv_nsec < y->tv_nsec;
}

// A picture counts when render.txt names it, it is there, and its frame is not newer.
static void mark(const render_job *job, folder *f, int number) {
  for (int i = 0; i < job->count; i++) {
    if (job->frame[i].number != number) continue;
    char path[RENDER_PATH];
    struct stat picture, frame;
    picture_name(job, f, i, path);
    // That of a scene was made just now; what it is made of was compared already.
    f->done[i] = stat(path, &picture) == 0 &&
                 (*job->temporary ||
                  (stat(job->frame[i].path, &frame) == 0 && !is_older(&picture, &frame)));
  }
}

// The number in a line as "done 7" of render.txt; -1: another word, or half a line.
static int number_after(const char *word, const char *line) {
  int number;
  char end = 0;
  size_t length = strlen(word);
  if (strncmp(line, word, length) != 0) return -1;
  return sscanf(line + length, " %d%c", &number, &end) == 2 && end == '\n' && number >= 0 ? number
                                                                                          : -1;
}

// Reads which pictures render.txt lists. False: it is there, and firn has not written it.
static bool read_list(folder *f) {
  static const char *const words[] = {"next", "done", "again"};
  char path[RENDER_PATH], line[256];
  struct stat info;
  snprintf(path, sizeof path, "%.4000s/render.txt", f->path);
  if (lstat(path, &info) != 0 || S_ISLNK(info.st_mode)) return true; // a link holds nothing itself
  FILE *file = S_ISREG(info.st_mode) ? fopen(path, "r") : NULL;
  if (!file) return false;
  bool own = info.st_size == 0 || // a power cut
             (fgets(line, sizeof line, file) && strncmp(line, "firn ", 5) == 0 &&
              fgets(line, sizeof line, file) && strncmp(line, "frames of ", 10) == 0);
  while (own && fgets(line, sizeof line, file) && strcmp(line, "\n") != 0) {} // settings
  while (own && fgets(line, sizeof line, file))
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
      int number = number_after(words[i], line);
      if (number >= 0 && number < NUMBERS) f->listed[number] = true;
    }
  fclose(file);
  return own;
}

static bool is_listed(const folder *f, int number) {
  return number < NUMBERS && f->listed[number];
}

static bool refuse_name(const char *path) {
  fprintf(stderr,
          "firn: %s is not a file of this film, which writes or reads one of that name: move it "
          "away, or choose another folder. Nothing was changed\n",
          path);
  return false;
}

static bool is_own(const render_job *job, const char *path) {
  return firn_file_check_own(job->context, path) == FIRN_OK;
}

// Whether render.txt begins with these settings.
static bool has_settings(const folder *f, FILE *file) {
  char before[sizeof f->settings] = "";
  size_t length = strlen(f->settings), got = fread(before, 1, length, file);
  return got == length && memcmp(before, f->settings, length) == 0;
}

// Finished pictures are removed only when that is asked for: they may have taken a night.
static bool keeps_pictures(const render_job *job, const folder *f) {
  char path[RENDER_PATH];
  int pictures = 0;
  snprintf(path, sizeof path, "%.4000s/render.txt", f->path);
  FILE *file = job->arguments->force ? NULL : fopen(path, "r");
  if (!file) return true;
  bool same = has_settings(f, file);
  fclose(file);
  for (int number = 0; number < NUMBERS && !same; number++)
    for (int i = 0; f->listed[number] && i < 2; i++) {
      snprintf(path, sizeof path, "%.4000s/frame_%05d.%s", f->path, number, endings[i]);
      pictures += access(path, F_OK) == 0 && is_own(job, path);
    }
  if (!pictures) return true;
  fprintf(stderr,
          "firn: %s has %d picture%s of other settings, meshes or maps: choose another folder, or "
          "remove them by --force. Nothing was changed\n",
          f->path, pictures, pictures == 1 ? "" : "s");
  return false;
}

// Whether all names that will be written are free or firn's own; tells the first that is not.
static bool check_names(const render_job *job, folder *f) {
  char path[RENDER_PATH], part[RENDER_PATH + 16];
  struct stat info;
  snprintf(path, sizeof path, "%.4000s/render.txt", f->path);
  if (!read_list(f)) return refuse_name(path);
  for (int i = 0; i < job->count; i++) {
    bool listed = is_listed(f, job->frame[i].number);
    picture_name(job, f, i, path);
    snprintf(part, sizeof part, "%s.part", path);
    if (lstat(path, &info) == 0 && !(listed && is_own(job, path))) return refuse_name(path);
    if (lstat(part, &info) == 0 && !S_ISLNK(info.st_mode) && !listed) return refuse_name(part);
  }
  return keeps_pictures(job, f);
}

// Pictures of other settings must not get between those of these: removes what render.txt lists.
static void remove_pictures(const render_job *job, const folder *f) {
  char path[RENDER_PATH], part[RENDER_PATH + 16];
  for (int number = 0; number < NUMBERS; number++)
    for (int i = 0; f->listed[number] && i < 2; i++) {
      snprintf(path, sizeof path, "%.4000s/frame_%05d.%s", f->path, number, endings[i]);
      snprintf(part, sizeof part, "%s.part", path);
      if (is_own(job, path)) unlink(path);
      unlink(part);
    }
}

static FILE *begin_folder(const render_job *job, folder *f) {
  char path[RENDER_PATH], line[256];
  snprintf(path, sizeof path, "%.4000s/render.txt", f->path);
  if (mkdir(f->path, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "firn: cannot make the folder %s: %s\n", f->path, strerror(errno));
    return NULL;
  }
  FILE *file = fopen(path, "r");
  bool same = false, whole = true; // of the last line
  if (file) {
    same = has_settings(f, file);
    while (same && fgets(line, sizeof line, file)) {
      int done = number_after("done", line), again = number_after("again", line);
      whole = strchr(line, '\n') != NULL;
      if (done >= 0) mark(job, f, done);
      for (int i = 0; again >= 0 && i < job->count; i++)
        if (job->frame[i].number == again) f->done[i] = false;
    }
    if (!same && job->arguments->mode == PROGRESS_AUTO)
      printf("%s has pictures of other settings; begins anew\n", f->path);
    if (!same) remove_pictures(job, f);
    fclose(file);
  }
  file = same ? cli_append(path) : cli_create(path);
  if (file && !same) fputs(f->settings, file);
  if (file && !whole) fputs("?\n", file); // a power cut: that line says nothing
  for (int i = 0; i < job->count; i++) {
    if (file && job->arguments->force && f->done[i])
      fprintf(file, "again %d\n", job->frame[i].number);
    f->done[i] = f->done[i] && !job->arguments->force;
    f->any = f->any || f->done[i];
  }
  if (!file || fflush(file) != 0) {
    fprintf(stderr, "firn: cannot write %s: %s\n", path, strerror(errno));
    if (file) fclose(file);
    return NULL;
  }
  return file;
}

// --------------------------------------------------------------------------------------------- film

bool render_has_ffmpeg(void) {
  const char *path = getenv("PATH");
  if (!path) return true; // execlp has places of its own
  for (;;) {
    size_t length = strcspn(path, ":");
    char name[RENDER_PATH];
    struct stat info;
    // An empty part is the folder we are in.
    snprintf(name, sizeof name, "%.*s/ffmpeg", length ? (int)length : 1, length ? path : ".");
    if (stat(name, &info) == 0 && S_ISREG(info.st_mode) && access(name, X_OK) == 0) return true;
    if (!path[length]) return false;
    path += length + 1;
  }
}

// An empty file for ffmpeg to write the film into; part is [RENDER_PATH + 16]. False: there is none,
// and the reason was printed.
static bool begin_film(const char *film, char *part) {
  snprintf(part, RENDER_PATH + 16, "%s.part", film);
  FILE *file = cli_create(part);
  if (!file || fclose(file) != 0) {
    fprintf(stderr, "firn: cannot write %s: %s\n", film, strerror(errno));
    return false;
  }
  return true;
}

// Feeds the pictures to the ffmpeg program. Sizes must be even for the usual colour format, so an odd
// row or column is doubled.
static int make_film(render_job *job, const folder *f, const char *film) {
  int to[2];
  char rate[32], part[RENDER_PATH + 16], target[RENDER_PATH + 32];
  bool timed = job->scene && !job->arguments->turntable;
  double fps = job->arguments->fps > 0 ? job->arguments->fps
               : timed                 ? 1 / firn_scene_frame_seconds(job->scene)
                                       : 24;
  snprintf(rate, sizeof rate, "%.6g", fps / (job->arguments->fps > 0 ? 1 : job->arguments->every));
  if (!begin_film(film, part)) return EXIT_RUN;
  snprintf(target, sizeof target, "file:%s",
           part); // else 12:30.mp4 is a protocol, and -x an option
  if (pipe(to) != 0) {
    fprintf(stderr, "firn: no pipe to ffmpeg: %s\n", strerror(errno));
    return EXIT_RUN;
  }
  pid_t child = fork();
  if (child == 0) {
    dup2(to[0], STDIN_FILENO);
    close(to[0]);
    close(to[1]);
    signal(SIGINT, SIG_IGN); // the parent decides
    execlp("ffmpeg", "ffmpeg", "-v", "error", "-y", "-f", "image2pipe", "-c:v", "png", "-framerate",
           rate, "-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "17",
           "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", target, (char *)NULL);
    _exit(127);
  }
  close(to[0]);
  signal(SIGPIPE, SIG_IGN); // should ffmpeg end early, its exit code says so
  bool good = child > 0;
  for (int i = 0; good && i < job->count && !cli_interrupted(); i++) {
    char path[RENDER_PATH], block[65536];
    picture_name(job, f, i, path);
    FILE *file = fopen(path, "rb");
    for (size_t n; file && good && (n = fread(block, 1, sizeof block, file)) > 0;)
      for (size_t at = 0; good && at < n;) {
        ssize_t written = write(to[1], block + at, n - at);
        good = written > 0 || (written < 0 && errno == EINTR && !cli_interrupted());
        at += written > 0 ? (size_t)written : 0;
      }
    good = good && file;
    if (file) fclose(file);
  }
  if (child > 0 && cli_interrupted()) kill(child, SIGKILL);
  close(to[1]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    if (cli_interrupted()) kill(child, SIGKILL);
  }
  if (cli_interrupted() && (!good || status != 0)) {
    unlink(part);
    if (job->arguments->mode == PROGRESS_AUTO)
      printf("stopped: all pictures are in %s; the same command makes the film of them\n", f->path);
    return EXIT_RUN;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    fprintf(stderr,
            "firn: films need the program ffmpeg, which is not installed (Debian: apt install "
            "ffmpeg). The pictures are in %s; the same command makes the film of them later\n",
            f->path);
    return EXIT_RUN;
  }
  good = good && status == 0 && firn_file_mark_film(job->context, part) == FIRN_OK;
  if (!good || rename(part, film) != 0) {
    unlink(part);
    fprintf(stderr, "firn: ffmpeg could not write %s; the pictures are in %s\n", film, f->path);
    return EXIT_RUN;
  }
  return EXIT_OK;
}

// ---------------------------------------------------------------------------------------------- all

static void report(const render_job *job, const char *what) {
  const render_progress *p = &job->progress;
  char wall[32];
  double spent = cli_seconds() - p->start;
  if (p->mode == PROGRESS_JSON) {
    printf("{\"event\": \"end\", \"frames\": %d, \"rendered\": %d, \"file\": ", p->total,
           p->rendered);
    cli_json_string(stdout, what);
    printf(", \"wall_seconds\": ");
    cli_json_number(stdout, spent);
    printf("}\n");
  }
  if (p->mode != PROGRESS_AUTO) return;
  printf("%s: %d frame%s, %d rendered now in %s\n", what, p->total, p->total == 1 ? "" : "s",
         p->rendered, cli_duration(spent, wall));
}

static int fail_list(const char *path) {
  fprintf(stderr, "firn: cannot write %s/render.txt: %s\n", path, strerror(errno));
  return EXIT_RUN;
}

static int render_all(render_job *job, folder *f, FILE *list, const char *film) {
  render_progress *p = &job->progress;
  char part[RENDER_PATH + 16];
  if (film && !begin_film(film, part)) return EXIT_RUN; // now, not after hours of rendering
  if (film) unlink(part);
  for (int i = 0; i < job->count; i++) {
    if (f->done[i]) continue;
    char path[RENDER_PATH];
    picture_name(job, f, i, path);
    fprintf(list, "next %d\n", job->frame[i].number);
    if (fflush(list) != 0) return fail_list(f->path);
    firn_status status = cli_interrupted() ? FIRN_CANCELLED
                                           : render_picture(job, &job->frame[i], path);
    if (status == FIRN_CANCELLED) {
      render_progress_end(p);
      if (p->mode == PROGRESS_AUTO)
        printf("stopped: %d of %d pictures are in %s; the same command goes on\n", p->done,
               p->total, f->path);
      return EXIT_RUN;
    }
    if (status != FIRN_OK) {
      render_progress_end(p);
      return cli_fail_run(job->context, status, p->mode);
    }
    f->done[i] = true;
    p->done++;
    fprintf(list, "done %d\n", job->frame[i].number);
    render_progress_frame(p, path, &job->stats);
    if (fflush(list) != 0) return fail_list(f->path);
  }
  return EXIT_OK;
}

int render_sequence(render_job *job, const char *folder_path, const char *film) {
  folder *f = calloc(1, sizeof *f);
  bool *done = calloc((size_t)job->count, sizeof *done);
  FILE *list = NULL;
  int code = EXIT_RUN;
  if (f && done) {
    f->path = folder_path;
    f->done = done;
    describe(job, f);
    if (check_names(job, f))
      list = begin_folder(job, f);
    else
      code = EXIT_INPUT;
  }
  if (list) {
    render_progress *p = &job->progress;
    p->total = job->count;
    for (int i = 0; i < job->count; i++) p->done += f->done[i];
    if (f->any && p->mode == PROGRESS_AUTO && p->done < p->total)
      printf("%d of %d pictures are there already\n", p->done, p->total);
    p->start = cli_seconds();
    code = render_all(job, f, list, film);
    if (fclose(list) != 0 && code == EXIT_OK) code = fail_list(folder_path);
    render_progress_end(p);
    if (code == EXIT_OK && film) code = make_film(job, f, film);
    if (code == EXIT_OK) report(job, film ? film : folder_path);
  }
  free(done);
  free(f);
  return code;
}
