// SPDX-License-Identifier: Apache-2.0
// A team of threads, and as much of what gcc expects of an OpenMP library as firn's loops use.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // CPU_COUNT
#endif
#include "base/team.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

// A cpu_set_t has room for 1024; a kernel that may have more refuses it.
int firn_team_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online >= 1 && online <= INT_MAX ? (int)online : 1;
}

void firn_team_init(firn_team *team, int threads, firn_team_worker *worker) {
  *team = (firn_team){.most = threads, .count = 1, .worker = worker};
}

#if !FIRN_OWN_TEAM

void firn_team_end(firn_team *team) {
  (void)team;
}

#else

#include <linux/futex.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#if defined(__x86_64__)
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() __asm__ volatile("" ::: "memory")
#endif

// Some 50 microseconds.
enum { SPINS = 1000 };
static const double PATIENCE = 1e-3; // s

// Where a thread stands. In no region, or in one within another, a thread is a team by itself.
typedef struct seat {
  firn_team *next; // of the region about to begin
  firn_team *team; // NULL: alone
  int number;
  unsigned loops, singles; // begun in this region
  firn_team_loop *loop;
} seat;

static _Thread_local seat own;
static _Thread_local long taken; // times that this thread had lost its core when it last looked

// --------------------------------------------------------------------------------------- waiting

static void futex(unsigned *word, int what, unsigned value) {
  syscall(SYS_futex, word, what | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static unsigned look(const unsigned *word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Waits for which it is remembered that a thread of the team has lost its core to somebody else.
enum { CROWDED = 256 };

// Whether others want the cores of the team.
static bool is_crowded(firn_team *team) {
  struct rusage usage;
  long before = taken;
  if (getrusage(RUSAGE_THREAD, &usage) == 0) taken = usage.ru_nivcsw;
  if (taken != before) __atomic_store_n(&team->crowded, CROWDED, __ATOMIC_RELAXED);
  if (__atomic_load_n(&team->crowded, __ATOMIC_RELAXED) <= 0) return false;
  __atomic_sub_fetch(&team->crowded, 1, __ATOMIC_RELAXED);
  return true;
}

// Waits and s after which it is judged whether the workers are worth it, and s of spells without them. A core that is
// gone for some milliseconds now and then is no reason to do without them.
enum { WAITS = 16 };
static const double WHILE = 0.02, SHORTEST = 0.02, LONGEST = 2;

// A team of n is slower than its caller alone where that one waits for more than 1 - 1/n of the time: its
// workers get no cores, or loops are too short for them. Then they are left out for a while, for longer
// when that was so the last time as well. It changes no result.
static void judge(firn_team *team, double began) {
  double end = now();
  team->regions += end - began;
  if (team->waits < WAITS || team->regions < WHILE) return;
  if (team->waited * team->count > team->regions * (team->count - 1)) {
    team->alone = team->alone > 0 ? 2 * team->alone : SHORTEST;
    if (team->alone > LONGEST) team->alone = LONGEST;
    team->until = end + team->alone;
  } else {
    team->alone = 0;
  }
  team->regions = team->waited = 0;
  team->waits = 0;
}

// Until a word is another than this. Whoever is waited for may need this core, and giving it up by
// sched_yield would cost a thread of low priority its next turns, too.
static void wait_for(firn_team *team, unsigned *word, unsigned value) {
  for (int i = 0; i < SPINS; i++) {
    if (look(word) != value) return;
    PAUSE();
  }
  for (double end = is_crowded(team) ? 0 : now() + PATIENCE; now() < end;) {
    for (int i = 0; i < 20; i++) {
      if (look(word) != value) return;
      PAUSE();
    }
  }
  __atomic_add_fetch(&team->sleepers, 1, __ATOMIC_SEQ_CST);
  while (look(word) == value) futex(word, FUTEX_WAIT, value);
  __atomic_sub_fetch(&team->sleepers, 1, __ATOMIC_SEQ_CST);
}

static void wait_while(firn_team *team, unsigned *word, unsigned value) {
  if (own.number > 0 || look(word) != value) {
    wait_for(team, word, value);
    return;
  }
  double began = now();
  wait_for(team, word, value);
  team->waited += now() - began;
  team->waits++;
}

// After a word has changed, in sequence with the count of those who sleep.
static void wake(firn_team *team, unsigned *word) {
  if (__atomic_load_n(&team->sleepers, __ATOMIC_SEQ_CST)) futex(word, FUTEX_WAKE, INT32_MAX);
}

// For what is waited for a moment only, unless a thread has lost its core or is some loops behind: a try after so many.
static void pause_or_nap(int tries) {
  if (tries < SPINS)
    PAUSE();
  else
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

static void lock(firn_team *team) {
  for (int i = 0; __atomic_exchange_n(&team->lock.is, 1, __ATOMIC_ACQUIRE);) {
    for (; look(&team->lock.is); i++) pause_or_nap(i);
  }
}

static void unlock(firn_team *team) {
  __atomic_store_n(&team->lock.is, 0, __ATOMIC_RELEASE);
}

// --------------------------------------------------------------------------------------- threads

typedef struct place {
  firn_team *team;
  int number;
  unsigned region; // the last before it came
} place;

// Does the part of a worker in the region, if nobody does.
static void take_part(firn_team *team, int number) {
  if (!__atomic_exchange_n(&team->worker[number - 1].offered, 0, __ATOMIC_ACQ_REL)) return;
  own = (seat){.team = team, .number = number};
  team->work(team->data);
  if (__atomic_sub_fetch(&team->working.is, 1, __ATOMIC_SEQ_CST) == 0)
    wake(team, &team->working.is);
}

static void *work(void *user) {
  place at;
  memcpy(&at, user, sizeof at);
  firn_team *team = at.team;
  __atomic_store_n(&team->working.is, 0, __ATOMIC_SEQ_CST); // it has read where it stands
  wake(team, &team->working.is);
  for (unsigned seen = at.region;; seen++) {
    wait_for(team, &team->region.is, seen);
    seen = look(&team->region.is) - 1; // it may have missed some
    if (__atomic_load_n(&team->over, __ATOMIC_ACQUIRE)) return NULL;
    take_part(team, at.number);
  }
}

// As many as can be had. Signals are for the host's threads.
static void start_workers(firn_team *team) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (; team->count < team->most; team->count++) {
    place at = {team, team->count, team->region.is};
    pthread_t thread;
    team->working.is = 1;
    if (pthread_create(&thread, NULL, work, &at) != 0) {
      team->most = team->count;
      break;
    }
    team->worker[team->count - 1].thread = thread;
    wait_for(team, &team->working.is, 1);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void firn_team_end(firn_team *team) {
  __atomic_store_n(&team->over, true, __ATOMIC_RELEASE);
  __atomic_add_fetch(&team->region.is, 1, __ATOMIC_SEQ_CST);
  wake(team, &team->region.is);
  for (int i = 0; i < team->count - 1; i++) pthread_join(team->worker[i].thread, NULL);
}

int firn_team_of(const firn_context *context) {
  own.next = (firn_team *)&context->team;
  return context->threads;
}

// --------------------------------------------------------------------------------------- regions

void firn_team_GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
void firn_team_GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags) {
  firn_team *team = own.next;
  (void)flags;
  own.next = NULL;
  double began = now();
  bool alone = own.team || !team || threads <= 1 || team->busy || began < team->until;
  if (!alone && team->count < team->most) start_workers(team);
  const seat before = own;
  if (alone || team->count == 1) {
    own = (seat){0};
    fn(data);
    own = before;
    return;
  }
  team->busy = true;
  team->work = fn;
  team->data = data;
  team->singles = team->arrived.is = 0;
  team->working.is = (unsigned)team->count - 1;
  for (int i = 1; i < team->count; i++)
    __atomic_store_n(&team->worker[i - 1].offered, 1, __ATOMIC_RELEASE);
  __atomic_add_fetch(&team->region.is, 1, __ATOMIC_SEQ_CST);
  wake(team, &team->region.is);
  own = (seat){.team = team};
  fn(data);
  // Had there been a barrier, all would have begun: what nobody has taken yet can be done in any order.
  for (int i = 1; i < team->count; i++) take_part(team, i);
  own = (seat){.team = team}; // the caller again, whose waits are judged
  for (unsigned left; (left = look(&team->working.is)) != 0;)
    wait_while(team, &team->working.is, left);
  own = before;
  team->busy = false;
  judge(team, began);
}

int firn_team_omp_get_thread_num(void);
int firn_team_omp_get_thread_num(void) {
  return own.number;
}

int firn_team_omp_get_num_threads(void);
int firn_team_omp_get_num_threads(void) {
  return own.team ? own.team->count : 1;
}

void firn_team_GOMP_barrier(void);
void firn_team_GOMP_barrier(void) {
  firn_team *team = own.team;
  if (!team) return;
  unsigned round = look(&team->round.is);
  if (__atomic_add_fetch(&team->arrived.is, 1, __ATOMIC_ACQ_REL) < (unsigned)team->count) {
    wait_while(team, &team->round.is, round);
    return;
  }
  __atomic_store_n(&team->arrived.is, 0, __ATOMIC_RELAXED);
  __atomic_add_fetch(&team->round.is, 1, __ATOMIC_SEQ_CST);
  wake(team, &team->round.is);
}

// Whether this thread is the first at a block for one.
bool firn_team_GOMP_single_start(void);
bool firn_team_GOMP_single_start(void) {
  unsigned before = own.singles++;
  return !own.team || __atomic_compare_exchange_n(&own.team->singles, &before, before + 1, false,
                                                  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void firn_team_GOMP_atomic_start(void);
void firn_team_GOMP_atomic_start(void) {
  if (own.team) lock(own.team);
}

void firn_team_GOMP_atomic_end(void);
void firn_team_GOMP_atomic_end(void) {
  if (own.team) unlock(own.team);
}

// ----------------------------------------------------------------------------------------- loops

typedef unsigned long long wide;

// The next portion; false where there is none.
static bool next(wide *from, wide *to) {
  firn_team_loop *loop = own.loop;
  if (!loop) return false;
  size_t i = __atomic_fetch_add(&loop->next, loop->chunk, __ATOMIC_RELAXED);
  if (i >= loop->count) return false;
  size_t end = loop->count - i < loop->chunk ? loop->count : i + loop->chunk;
  *from = loop->first + i * loop->step;
  *to = loop->first + end * loop->step;
  return true;
}

#define BEING_MADE UINT_MAX // no region has so many loops

// The first to come makes a loop. Threads may be some loops ahead of others, where nobody waits at their
// ends: a place is used again when all are through with what it held.
static bool begin(wide first, wide step, size_t count, size_t chunk, wide *from, wide *to) {
  firn_team *team = own.team;
  own.loop = NULL;
  if (!team) { // all at once
    *from = first;
    *to = first + count * step;
    return count > 0;
  }
  unsigned number = ++own.loops, is;
  firn_team_loop *loop = &team->loop[number % FIRN_TEAM_LOOPS];
  for (int i = 0; (is = look(&loop->number)) != number; i++) {
    if (is == 0 && __atomic_compare_exchange_n(&loop->number, &is, BEING_MADE, false,
                                               __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      loop->first = first;
      loop->step = step;
      loop->count = count;
      loop->chunk = chunk;
      loop->next = 0;
      loop->left = 0;
      __atomic_store_n(&loop->number, number, __ATOMIC_RELEASE);
      break;
    }
    pause_or_nap(i);
  }
  own.loop = loop;
  return next(from, to);
}

void firn_team_GOMP_loop_end_nowait(void);
void firn_team_GOMP_loop_end_nowait(void) {
  firn_team_loop *loop = own.loop;
  if (!loop) return;
  own.loop = NULL;
  if (__atomic_add_fetch(&loop->left, 1, __ATOMIC_ACQ_REL) == (unsigned)own.team->count)
    __atomic_store_n(&loop->number, 0, __ATOMIC_RELEASE);
}

void firn_team_GOMP_loop_end(void);
void firn_team_GOMP_loop_end(void) {
  firn_team_GOMP_loop_end_nowait();
  firn_team_GOMP_barrier();
}

bool firn_team_GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, wide first, wide end, wide step,
                                                        wide chunk, wide *from, wide *to);
bool firn_team_GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, wide first, wide end, wide step,
                                                        wide chunk, wide *from, wide *to) {
  wide span = up ? end - first : first - end, stride = up ? step : 0 - step;
  bool some = up ? first < end : first > end;
  return begin(first, step, some ? (span - 1) / stride + 1 : 0, chunk, from, to);
}

bool firn_team_GOMP_loop_ull_nonmonotonic_dynamic_next(wide *from, wide *to);
bool firn_team_GOMP_loop_ull_nonmonotonic_dynamic_next(wide *from, wide *to) {
  return next(from, to);
}

bool firn_team_GOMP_loop_nonmonotonic_dynamic_start(long first, long end, long step, long chunk,
                                                    long *from, long *to);
bool firn_team_GOMP_loop_nonmonotonic_dynamic_start(long first, long end, long step, long chunk,
                                                    long *from, long *to) {
  bool up = step > 0, some = up ? first < end : first > end;
  wide span = up ? (wide)end - (wide)first : (wide)first - (wide)end, a, b;
  wide stride = up ? (wide)step : 0 - (wide)step;
  if (!begin((wide)first, (wide)step, some ? (span - 1) / stride + 1 : 0, (size_t)chunk, &a, &b))
    return false;
  *from = (long)a;
  *to = (long)b;
  return true;
}

bool firn_team_GOMP_loop_nonmonotonic_dynamic_next(long *from, long *to);
bool firn_team_GOMP_loop_nonmonotonic_dynamic_next(long *from, long *to) {
  wide a, b;
  if (!next(&a, &b)) return false;
  *from = (long)a;
  *to = (long)b;
  return true;
}

#endif
