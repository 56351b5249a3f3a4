// SPDX-License-Identifier: Apache-2.0
// Instruction sets, and the floating-point mode of workers.
#include "base/isa.h"

#include <fenv.h>
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static void the_best_set_is_the_last_that_is_available(void **state) {
  (void)state;
  firn_isa best = firn_isa_best();
  assert_int_not_equal(best, FIRN_ISA_AUTO);
  assert_true(firn_isa_available(best));
  for (int isa = FIRN_ISA_SCALAR; isa <= FIRN_ISA_AVX512; isa++)
    if (firn_isa_available((firn_isa)isa)) assert_true(isa <= (int)best);
  assert_true(firn_isa_available(FIRN_ISA_AUTO));
  assert_true(firn_isa_available(FIRN_ISA_SCALAR));
  assert_false(firn_isa_available((firn_isa)99));
}

static void sets_have_names(void **state) {
  (void)state;
  assert_string_equal(firn_isa_name(FIRN_ISA_AUTO), "auto");
  assert_string_equal(firn_isa_name(FIRN_ISA_SCALAR), "scalar");
  assert_string_equal(firn_isa_name(FIRN_ISA_AVX2), "avx2");
  assert_string_equal(firn_isa_name(FIRN_ISA_AVX512), "avx512");
  assert_string_equal(firn_isa_name((firn_isa)99), "unknown");
}

#if defined(__x86_64__)
// Whether the kernel lists a flag, which it does if both processor and kernel support it.
static bool listed(const char *flags, const char *flag) {
  char word[32];
  snprintf(word, sizeof word, " %s ", flag);
  return strstr(flags, word) != NULL;
}

static void available_sets_are_those_the_kernel_lists(void **state) {
  (void)state;
  static char line[1 << 14];
  FILE *file = fopen("/proc/cpuinfo", "r");
  bool found = false;
  while (file && !found && fgets(line, sizeof line, file)) found = !strncmp(line, "flags", 5);
  if (file) fclose(file);
  if (!found) skip();
  char *end = strchr(line, '\n');
  if (end) *end = ' ';
  bool avx2 = listed(line, "avx2") && listed(line, "fma");
  bool avx512 = avx2 && listed(line, "avx512f") && listed(line, "avx512dq") &&
                listed(line, "avx512bw") && listed(line, "avx512vl");
  // An emulator may offer less than the kernel it runs on, never more.
  if (firn_isa_available(FIRN_ISA_AVX2)) assert_true(avx2);
  if (firn_isa_available(FIRN_ISA_AVX512)) assert_true(avx512);
  print_message("kernel: avx2 %d avx512 %d, firn: %s\n", avx2, avx512,
                firn_isa_name(firn_isa_best()));
}

enum { FLUSH = 0x8040 };

// Valgrind keeps neither bit: nothing to see there.
static bool mode_is_emulated(void) {
  unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | FLUSH);
  bool kept = (_mm_getcsr() & FLUSH) == FLUSH;
  _mm_setcsr(mode);
  return !kept;
}

// Denormal results and denormal operands. Volatile keeps the compiler from working it out itself.
static bool denormals_are_flushed(void) {
  volatile float small = FLT_MIN, denormal = FLT_TRUE_MIN, half = 0.5f, huge = 0x1p100f;
  volatile double small2 = DBL_MIN;
  volatile float result = small * half, product = denormal * huge;
  volatile double result2 = small2 * 0.5;
  bool flushed = result == 0.0f && product == 0.0f && result2 == 0.0;
  bool kept = result > 0.0f && product > 0.0f && result2 > 0.0;
  assert_true(flushed != kept); // all or none
  return flushed;
}

static void workers_flush_denormals_and_give_the_mode_back(void **state) {
  (void)state;
  if (mode_is_emulated()) skip();
  const unsigned before = _mm_getcsr() & ~0x3fu; // without the sticky exception flags
  assert_false(denormals_are_flushed());
  unsigned outer = firn_fp_enter();
  assert_true(denormals_are_flushed());
  unsigned inner = firn_fp_enter();
  firn_fp_leave(inner);
  assert_true(denormals_are_flushed()); // leaving the inner one does not end the outer one
  firn_fp_leave(outer);
  assert_false(denormals_are_flushed());
  assert_int_equal(_mm_getcsr() & ~0x3fu, before);
}

static void the_callers_own_mode_survives(void **state) {
  (void)state;
  if (mode_is_emulated()) skip();
  fenv_t environment;
  fegetenv(&environment);
  fesetround(FE_UPWARD);
  unsigned upward = _mm_getcsr() & ~0x3fu;
  unsigned mode = firn_fp_enter();
  assert_int_equal(_mm_getcsr() & 0x6000, 0); // to nearest, as on every other thread
  firn_fp_leave(mode);
  unsigned after = _mm_getcsr() & ~0x3fu;
  fesetenv(&environment);
  assert_int_equal(after, upward);

  // A caller that flushes already still does so afterwards.
  unsigned own = _mm_getcsr();
  _mm_setcsr(own | FLUSH);
  firn_fp_leave(firn_fp_enter());
  bool flushed = denormals_are_flushed();
  _mm_setcsr(own);
  assert_true(flushed);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_best_set_is_the_last_that_is_available),
    cmocka_unit_test(sets_have_names),
#if defined(__x86_64__)
    cmocka_unit_test(available_sets_are_those_the_kernel_lists),
    cmocka_unit_test(workers_flush_denormals_and_give_the_mode_back),
    cmocka_unit_test(the_callers_own_mode_survives),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
