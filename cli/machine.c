// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "cli.h"

enum { REPEATS = 7, THREADS_MOST = 256 };

typedef double (*fma_fn)(void);

typedef struct {
  pthread_barrier_t *barrier;
  char *from, *to; // a slice each, [size]
  size_t size;
  fma_fn fma;
  double sink;             // keeps the arithmetic alive
  double seconds[REPEATS]; // of each repeat, as this thread saw it
} worker;

// ------------------------------------------------------------------------------------- copying

static void *copy_worker(void *user) {
  worker *w = user;
  memset(w->from, 1, w->size); // first touch: pages lie near the core that uses them
  memset(w->to, 2, w->size);
  for (int i = 0; i < REPEATS; i++) {
    pthread_barrier_wait(w->barrier);
    double start = cli_seconds();
    memcpy(w->to, w->from, w->size);
    pthread_barrier_wait(w->barrier);
    w->seconds[i] = cli_seconds() - start;
  }
  return NULL;
}

// --------------------------------------------------------------------------- multiply and add

enum { CHAINS = 12, ROUNDS = 500000 }; // enough independent chains to hide the latency

// One function a width: CHAINS values x = x a + b that stay finite; their sum is returned so that
// nothing is optimised away.
#define DEFINE_FMA(name, attributes, real, lanes, vector, set1, fma)                               \
  attributes static double name(void) {                                                            \
    vector x[CHAINS], a = set1((real)0.999), b = set1((real)0.001);                                \
    for (int c = 0; c < CHAINS; c++) x[c] = set1((real)c);                                         \
    for (int r = 0; r < ROUNDS; r++) {                                                             \
      _Pragma("GCC unroll 12")                                                                     \
      for (int c = 0; c < CHAINS; c++) x[c] = fma(x[c], a, b);                                     \
    }                                                                                              \
    real lane[lanes];                                                                              \
    double sum = 0;                                                                                \
    for (int c = 0; c < CHAINS; c++) {                                                             \
      memcpy(lane, &x[c], sizeof lane);                                                            \
      for (int l = 0; l < (lanes); l++) sum += (double)lane[l];                                    \
    }                                                                                              \
    return sum;                                                                                    \
  }

#if defined(__x86_64__)
// The baseline has no fused instruction: a multiplication and an addition.
#define MULADD_PS(x, a, b) _mm_add_ps(_mm_mul_ps(x, a), b)
#define MULADD_PD(x, a, b) _mm_add_pd(_mm_mul_pd(x, a), b)
#define AVX2               __attribute__((target("avx2,fma")))
#define AVX512             __attribute__((target("avx512f")))
DEFINE_FMA(fma_base_float, , float, 4, __m128, _mm_set1_ps, MULADD_PS)
DEFINE_FMA(fma_base_double, , double, 2, __m128d, _mm_set1_pd, MULADD_PD)
DEFINE_FMA(fma_avx2_float, AVX2, float, 8, __m256, _mm256_set1_ps, _mm256_fmadd_ps)
DEFINE_FMA(fma_avx2_double, AVX2, double, 4, __m256d, _mm256_set1_pd, _mm256_fmadd_pd)
DEFINE_FMA(fma_avx512_float, AVX512, float, 16, __m512, _mm512_set1_ps, _mm512_fmadd_ps)
DEFINE_FMA(fma_avx512_double, AVX512, double, 8, __m512d, _mm512_set1_pd, _mm512_fmadd_pd)
#else
#define ITSELF(x)       (x)
#define MULADD(x, a, b) ((x) * (a) + (b))
DEFINE_FMA(fma_base_float, , float, 1, float, ITSELF, MULADD)
DEFINE_FMA(fma_base_double, , double, 1, double, ITSELF, MULADD)
#endif

// The function of an instruction set and how many lanes it has.
static fma_fn fma_choose(firn_isa isa, bool single, int *lanes) {
#if defined(__x86_64__)
  if (isa == FIRN_ISA_AVX512) {
    *lanes = single ? 16 : 8;
    return single ? fma_avx512_float : fma_avx512_double;
  }
  if (isa == FIRN_ISA_AVX2) {
    *lanes = single ? 8 : 4;
    return single ? fma_avx2_float : fma_avx2_double;
  }
  *lanes = single ? 4 : 2;
#else
  (void)isa;
  *lanes = 1;
#endif
  return single ? fma_base_float : fma_base_double;
}

static void *fma_worker(void *user) {
  worker *w = user;
  for (int i = 0; i < REPEATS; i++) {
    pthread_barrier_wait(w->barrier);
    double start = cli_seconds();
    w->sink += w->fma();
    pthread_barrier_wait(w->barrier);
    w->seconds[i] = cli_seconds() - start;
  }
  return NULL;
}

// ----------------------------------------------------------------------------------- together

// Runs one worker a thread and returns the time of the best repeat; 0 if threads cannot start.
static double run_workers(worker *workers, int threads, void *(*function)(void *)) {
  pthread_t ids[THREADS_MOST];
  pthread_barrier_t barrier;
  if (pthread_barrier_init(&barrier, NULL, (unsigned)threads) != 0) return 0;
  int started = 0;
  for (; started < threads; started++) {
    workers[started].barrier = &barrier;
    if (pthread_create(&ids[started], NULL, function, &workers[started]) != 0) break;
  }
  if (started < threads) { // the ones that wait for the others would wait for ever
    for (int i = 0; i < started; i++) {
      pthread_cancel(ids[i]);
      pthread_join(ids[i], NULL);
    }
    return 0;
  }
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  pthread_barrier_destroy(&barrier);
  double best = workers[0].seconds[0];
  for (int i = 1; i < REPEATS; i++)
    if (workers[0].seconds[i] < best) best = workers[0].seconds[i];
  return best;
}

static double measure_copy(worker *workers, int threads) {
  long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  double room = (double)pages * (double)page / 8;
  size_t total = room < 256e6 ? (size_t)room : (size_t)256e6;
  size_t slice = total / (size_t)threads / 4096 * 4096;
  if (slice == 0) return 0;
  char *memory = aligned_alloc(4096, 2 * slice * (size_t)threads);
  if (!memory) return 0;
  for (int i = 0; i < threads; i++) {
    workers[i].size = slice;
    workers[i].from = memory + 2 * slice * (size_t)i;
    workers[i].to = workers[i].from + slice;
  }
  double seconds = run_workers(workers, threads, copy_worker);
  free(memory);
  return seconds > 0 ? 2 * (double)slice * threads / seconds : 0;
}

machine machine_measure(int threads, firn_isa isa) {
  machine m = {0};
  if (threads > THREADS_MOST) threads = THREADS_MOST;
  worker *workers = calloc((size_t)threads, sizeof *workers);
  if (!workers) return m;
  m.copy = measure_copy(workers, threads);
  int lanes;
  fma_fn fma = fma_choose(isa, strcmp(firn_precision(), "float") == 0, &lanes);
  for (int i = 0; i < threads; i++) workers[i].fma = fma;
  double seconds = run_workers(workers, threads, fma_worker);
  if (seconds > 0) m.flops = 2.0 * lanes * CHAINS * ROUNDS * threads / seconds;
  free(workers);
  return m;
}
