// SPDX-License-Identifier: Apache-2.0
// Every header that solvers and renderers on a GPU share with those on the CPU, and a call on the
// device of each of its functions: what compiles here is device code. headers.py holds this file
// complete and compiles it.
#include "base/random.h"
#include "geometry/level_set_sample.h"
#include "geometry/noise.h"
#include "geometry/sdf.h"
#include "grid/block_map.h"
#include "grid/reach.h"
#include "material/law.h"
#include "math/bspline.h"
#include "math/jacobi.h"
#include "math/random_lane.h"
#include "math/row.h"
#include "math/sph_kernel.h"
#include "math/spline.h"
#include "math/vec3.h"
#include "render/fade.h"
#include "render/phase.h"
#include "render/ray.h"
#include "render/trace_walk.h"
#include "solver/mpm/kernels.h"
#include "world/cell_key.h"
#include "world/contact.h"
#include "world/drag.h"
#include "world/morton.h"
#include "world/pose.h"
#include "world/quaternion.h"
// What a GPU solver sees of its house, on the host.
#include "grid/grid.h"
#include "solver/solver.h"

// An argument that no compiler knows: a pointer to the memory, or what lies there.
template <class T> struct argument {
  static __device__ T from(void *memory) { return *static_cast<T *>(memory); }
};
template <class T> struct argument<T *> {
  static __device__ T *from(void *memory) { return static_cast<T *>(memory); }
};

template <auto F, class... A> __device__ void call(void (*)(A...), void *memory) {
  F(argument<A>::from(memory)...);
}
template <auto F, class R, class... A> __device__ void call(R (*)(A...), void *memory) {
  *static_cast<R *>(memory) = F(argument<A>::from(memory)...);
}
template <auto... F> __device__ void call_all(void *memory) {
  (call<F>(F, memory), ...);
}
#define DEVICE(name, ...)                                                                          \
  __global__ void name(void *memory) {                                                             \
    call_all<__VA_ARGS__>(memory);                                                                 \
  }

// What kernels take by value.
__global__ void views(mpm_view step, firn_level_set set, firn_walk_view walk, double *out) {
  const size_t i = threadIdx.x;
  const double x[3] = {double(step.x[0][i]), double(step.x[1][i]), double(step.x[2][i])};
  out[i] = firn_level_set_sample(&set, x, nullptr) + walk.g;
  step.node_v[i] += step.dt * step.gravity[i % 3] * mpm_nodes_are_near(&step, i);
}

DEVICE(base_random, firn_philox4x32, firn_uniform)
DEVICE(math_real, firn_real_is_finite, firn_real_is_positive, firn_sqrt, firn_exp, firn_log,
       firn_expm1, firn_log1p, firn_floor, firn_abs, firn_min, firn_max)
DEVICE(geometry_level_set_sample, firn_level_set_locate, firn_level_set_interpolate,
       firn_level_set_corner_at, firn_level_set_node_at, firn_level_set_sample_far,
       firn_level_set_sample, firn_level_set_velocity)
DEVICE(geometry_noise, firn_noise_hash, firn_noise_gradient, firn_noise3, firn_noise3_octaves,
       firn_noise3_octaves_slope)
DEVICE(geometry_sdf, firn_sdf_dot, firn_sdf_length, firn_sdf_direction, firn_sdf_across,
       firn_sdf_plane, firn_sdf_sphere, firn_sdf_box, firn_sdf_round_cone, firn_sdf_try,
       firn_sdf_clamp, firn_sdf_frustum, firn_sdf_torus, firn_sdf_revolve, firn_sdf_unrevolve,
       firn_sdf_ellipsoid, firn_sdf_extrude)
DEVICE(grid_block_map, firn_block_map_find)
DEVICE(grid_reach, firn_grid_offset, firn_giver_make, firn_giver_block, firn_giver_offset)
DEVICE(math_lane_scalar, lane_zero, lane_set1, lane_load, lane_loadu, lane_store, lane_storeu,
       lane_fma, lane_fnma, lane_min, lane_max, lane_abs, lane_neg, lane_copysign, lane_sqrt,
       lane_rcp, lane_rsqrt, lane_floor, lane_round, lane_lt, lane_le, lane_gt, lane_ge, lane_eq,
       lane_ne, lane_select, lmask_and, lmask_or, lmask_not, lmask_any, lmask_all, lmask_none,
       lmask_bits, lane_mask_first, lane_to_ilane, ilane_to_lane, ilane_set1, ilane_load,
       ilane_loadu, ilane_store, ilane_storeu, ilane_add, ilane_mul, ilane_xor, ilane_and,
       ilane_select, ilane_negative, ilane_gather, ilane_gather16, lane_gather, lane_transpose)
DEVICE(math_lane, lane_clamp, lane_hsum, lane_hmin, lane_hmax)
DEVICE(math_lane_math, lane_exp, lane_expm1, lane_log, lane_log1p, lane_log_near)
DEVICE(math_svd_lane, firn_lane_rotate, firn_lane_eigen_step, firn_lane_eigen,
       firn_lane_eigen_compose, firn_lane_column_dot, firn_lane_svd_order, firn_lane_svd,
       firn_lane_polar)
DEVICE(material_corotated_lane, firn_corotated_volume, firn_corotated_energy, firn_corotated_stress,
       firn_corotated_confined, firn_corotated_differential, firn_corotated_project,
       firn_corotated_differential_psd)
DEVICE(material_params, firn_law_params_set1, firn_law_params_gather, firn_law_params_vary,
       firn_material_row_at)
DEVICE(material_elastic, firn_elastic_principal, firn_elastic_energy, firn_elastic_differential,
       firn_elastic_differential_psd, firn_elastic_hardening, firn_elastic_confined)
DEVICE(material_sand, firn_sand_principal, firn_sand_energy, firn_sand_slope,
       firn_sand_differential_frame, firn_sand_differential, firn_sand_differential_psd,
       firn_sand_hardening, firn_sand_confined)
DEVICE(material_snow, firn_snow_hard, firn_snow_principal, firn_snow_energy, firn_snow_differential,
       firn_snow_differential_psd, firn_snow_hardening, firn_snow_confined)
DEVICE(math_sym3_lane, firn_sym3_root, firn_sym3_decompose, firn_sym3_compose)
DEVICE(material_law, firn_law_principal, firn_law_energy_principal, firn_law_differential,
       firn_law_hardening, firn_law_confined, firn_law_stretch_of, firn_law_return_closed,
       firn_law_return_jacobi, firn_law_return, firn_law_stretch, firn_law_energy, firn_law_push,
       firn_law_ln_volume, firn_law_cut)
DEVICE(math_bspline, firn_bspline_cubic_base, firn_bspline_quadratic_base, firn_bspline_cubic,
       firn_bspline_cubic_double, firn_bspline_quadratic, firn_bspline_quadratic_double)
DEVICE(math_jacobi, firn_jacobi)
DEVICE(math_random_lane, lane_random_bits, lane_unit, lane_uniform, lane_circle)
DEVICE(math_sph_kernel, firn_sph_kernel, firn_sph_slope)
DEVICE(math_spline, firn_cubic_spline)
DEVICE(math_vec3, firn_finite3, firn_vec3_make, firn_vec3_add, firn_vec3_sub, firn_vec3_scale,
       firn_vec3_dot, firn_vec3_cross, firn_vec3_norm, firn_vec3_unit)
DEVICE(render_fade, firn_fade)
DEVICE(render_phase, firn_phase_hg, firn_phase_hg_cosine)
DEVICE(render_vec, firn_v3_add, firn_v3_sub, firn_v3_mul, firn_v3_scale, firn_v3_mix, firn_v3_dot,
       firn_v3_cross, firn_v3_unit, firn_clamp01, firn_smoothstep, firn_scramble, firn_noise)
DEVICE(render_ray, firn_ray_at, firn_axes_about)
DEVICE(solver_mpm_view_h, mpm_smaller, mpm_stiffness_per, mpm_arena_reals, mpm_nodes_are_solved,
       mpm_is_stiff, mpm_patch_reals, mpm_box_meets, mpm_channel_reals, mpm_spread_of)
DEVICE(world_cell_key, firn_cell_key, firn_cell_at, firn_cell_step, firn_cell_find)
DEVICE(world_contact, firn_contact_resolve)
DEVICE(world_drag, firn_drag_coefficient, firn_drag_rate, firn_drag_factor)
DEVICE(world_morton, firn_morton_spread, firn_morton_squeeze, firn_morton, firn_morton_decode)
DEVICE(world_pose, firn_pose_velocity, firn_pose_into, firn_pose_turn)
DEVICE(world_quaternion, firn_cross, firn_quaternion_multiply, firn_quaternion_conjugate,
       firn_quaternion_rotate, firn_quaternion_exp, firn_quaternion_log, firn_quaternion_matrix)
