# SPDX-License-Identifier: Apache-2.0
"""What of a scene its cells are too coarse for."""
from .form import Mutation

RESOLVE = "src/api/scene_resolve.c"
TESTS = "scene.resolution"

MUTATIONS = [
    Mutation("resolved-at-a-lower-quality", "the quality that is named does not count from the scene's",
             TESTS, (RESOLVE, "enough(now->number[0] * ROUNDING", "enough(0 * now->number[0] + ROUNDING")),
    Mutation("enough-is-rounded-down", "the quality that is named is too low",
             TESTS, (RESOLVE, "ceil(x / digit - 1e-6)", "floor(x / digit)")),
    Mutation("least-is-the-last", "the last feature is reported, not the worst",
             TESTS, (RESOLVE, "count == 0 || found->size < worst->size", "true")),
    Mutation("notes-of-all", "no feature is a warning",
             TESTS, (RESOLVE, "WARNING_SHARE = 0.75", "WARNING_SHARE = 0")),
    Mutation("bands-beyond-the-body", "a band counts outside the body",
             TESTS, (RESOLVE, "double size = fmin(to, end) - fmax(from, 0)",
                     "double size = to - fmax(from, 0)")),
    Mutation("left-over-layers", "the layer that a band leaves does not count",
             TESTS, (RESOLVE, "size = fmin(size, end - to - 0.5 * blend)", "size = fmin(size, 1e9)")),
    Mutation("masks-beyond-the-body", "a mask counts outside the body",
             TESTS, (RESOLVE, "firn_shape_thickness(mask->shape, body,",
                     "firn_shape_thickness(mask->shape, NULL,")),
    Mutation("cells-for-particles", "sph is judged by its h, of two spacings",
             TESTS, (RESOLVE, '{"spacing", spacing, 4}', '{"spacing", 2 * spacing, 4}')),
    Mutation("scales-not", "a size that follows the quality is said to be cured by it",
             TESTS, ("src/scene/expression.c", "      scope->scales |= e->scales;\n", "")),
    Mutation("thinnest-at-all", "a thickness is one of its least points",
             "scene.advise", ("src/api/scene_features.c", "SHARE_LEAST = 0.08", "SHARE_LEAST = 0.5")),
]
