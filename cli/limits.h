// SPDX-License-Identifier: Apache-2.0
// What this machine has to give: memory and disk.
#ifndef FIRN_CLI_LIMITS_H
#define FIRN_CLI_LIMITS_H

// Bytes that a process may hold: the machine's memory, or less where its control group or ulimit says
// so. what, which may be NULL, takes which of them it is.
double limits_memory(const char **what);
// Bytes of memory that are free for use now, limits_memory at most.
double limits_memory_free(void);

// Bytes free on the disk on which folder lies, or would lie once it is made; nan: not known.
double limits_disk(const char *folder);

#endif
