// SPDX-License-Identifier: Apache-2.0
#ifndef FIRN_STATUS_H
#define FIRN_STATUS_H

// Every function that can fail returns one of these; FIRN_OK is zero. The sentence that says what
// went wrong, and with which object, field and value, is kept in the context
// (firn_context_message). The text in this list is the generic one.
#define FIRN_STATUS_LIST(X)                                                                        \
  X(FIRN_OK, "ok")                                                                                 \
  X(FIRN_ERROR_ARGUMENT, "an argument is out of range")                                            \
  X(FIRN_ERROR_STATE, "the call does not fit the state of the object")                             \
  X(FIRN_ERROR_MEMORY, "out of memory")                                                            \
  X(FIRN_ERROR_NONFINITE, "the simulation produced a value that is not finite")                    \
  X(FIRN_ERROR_STEP, "the time step fell below its minimum")                                       \
  X(FIRN_ERROR_DOMAIN, "a particle left the addressable domain")                                   \
  X(FIRN_ERROR_UNSUPPORTED, "not supported by this build or machine")                              \
  X(FIRN_ERROR_IO, "a file could not be read or written")                                          \
  X(FIRN_ERROR_FORMAT, "a file does not hold what was expected")                                   \
  X(FIRN_ERROR_SCENE, "the scene is not valid")                                                    \
  X(FIRN_CANCELLED, "cancelled by the caller")

typedef enum firn_status {
#define FIRN_STATUS_ENUM(name, text) name,
  FIRN_STATUS_LIST(FIRN_STATUS_ENUM)
#undef FIRN_STATUS_ENUM
      FIRN_STATUS_COUNT
} firn_status;

#endif
