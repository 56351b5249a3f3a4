// SPDX-License-Identifier: Apache-2.0
// Structs that may grow have no gap at their ends: a bool that is added behind makes each of them longer, so that
// an older library sees it (context.h). The compiler holds this; what is added here comes last below.
#include <stddef.h>

#include <firn/firn.h>

#define ENDS(type, last)                                                                           \
  _Static_assert(offsetof(type, last) + sizeof(((type *)0)->last) == sizeof(type),                 \
                 #type ": what comes last is another, or leaves a gap for which to reserve bytes")

ENDS(firn_checkpoint_info, reserved);
ENDS(firn_collider_def, reserved);
ENDS(firn_collider_force, angular);
ENDS(firn_collider_state, reserved_2);
ENDS(firn_context_def, stop_user);
ENDS(firn_curves_def, reserved);
ENDS(firn_emitter_def, max_count);
ENDS(firn_export_def, event_user);
ENDS(firn_field_info, doc);
ENDS(firn_fill_def, reserved);
ENDS(firn_fine_def, density);
ENDS(firn_fine_step_def, sim);
ENDS(firn_flip_def, reference_h);
ENDS(firn_folder_verdict, resume);
ENDS(firn_force_def, reserved);
ENDS(firn_force_sums, work);
ENDS(firn_heat_def, young);
ENDS(firn_impulse_def, shape);
ENDS(firn_material_def, softening_length);
ENDS(firn_measure, reserved);
ENDS(firn_measure_def, inside);
ENDS(firn_mesh_def, reserved);
ENDS(firn_mesh_report, edges);
ENDS(firn_mpm_def, reference_h);
ENDS(firn_output_def, reserved);
ENDS(firn_part_def, motion);
ENDS(firn_particles_def, cohesion);
ENDS(firn_pieces, dust_mass);
ENDS(firn_pieces_def, mass);
ENDS(firn_plot_curve, reserved);
ENDS(firn_plot_def, axis);
ENDS(firn_points_def, temperature);
ENDS(firn_preview_def, reserved_2);
ENDS(firn_profile, iterations);
ENDS(firn_refine_def, event_user);
ENDS(firn_removal_def, id_count);
ENDS(firn_render_def, reserved);
ENDS(firn_render_stats, camera);
ENDS(firn_run_def, pictures);
ENDS(firn_scene_error, reserved);
ENDS(firn_sequence_def, reserved);
ENDS(firn_sheet_def, label);
ENDS(firn_sim_def, settings);
ENDS(firn_sink_def, stop);
ENDS(firn_sph_def, reference_spacing);
ENDS(firn_stat_info, doc);
ENDS(firn_step, bound);
ENDS(firn_sums, temperature_max);
ENDS(firn_variation_def, seed);
ENDS(firn_view, temperature);
ENDS(firn_wind_def, seed);
ENDS(firn_window_def, reserved);

int main(void) {
  return 0;
}
