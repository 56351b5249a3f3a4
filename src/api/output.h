// SPDX-License-Identifier: Apache-2.0
// Questions to a firn_output_def, whose zeros mean defaults.
#ifndef FIRN_API_OUTPUT_H
#define FIRN_API_OUTPUT_H

#include "base/context.h"

// Fails with what is wrong: a number out of range, a field that the simulation does not have.
firn_status firn_output_check(firn_context *context, const firn_output_def *def,
                              const firn_sim *sim);

bool firn_output_is_packed(const firn_output_def *def);
bool firn_output_has_frame(const firn_output_def *def, int frame);
bool firn_output_has_checkpoint(const firn_output_def *def, int frame);
bool firn_output_has_field(const firn_output_def *def, const firn_field_info *info);

#endif
