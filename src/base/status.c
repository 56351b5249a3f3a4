// SPDX-License-Identifier: Apache-2.0
#include <firn/firn.h>

const char *firn_status_name(firn_status status) {
  switch (status) {
#define NAME(name, text)                                                                           \
  case name: return #name;
    FIRN_STATUS_LIST(NAME)
#undef NAME
  case FIRN_STATUS_COUNT: break;
  }
  return "unknown status";
}

const char *firn_status_text(firn_status status) {
  switch (status) {
#define TEXT(name, text)                                                                           \
  case name: return text;
    FIRN_STATUS_LIST(TEXT)
#undef TEXT
  case FIRN_STATUS_COUNT: break;
  }
  return "unknown status";
}

#define TOKEN_TEXT(token) #token
#define VERSION_TEXT(major, minor, patch)                                                          \
  TOKEN_TEXT(major) "." TOKEN_TEXT(minor) "." TOKEN_TEXT(patch)

const char *firn_version(void) {
  return VERSION_TEXT(FIRN_VERSION_MAJOR, FIRN_VERSION_MINOR, FIRN_VERSION_PATCH);
}

const char *firn_precision(void) {
#ifdef FIRN_DOUBLE
  return "double";
#else
  return "float";
#endif
}
