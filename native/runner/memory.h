/*
 * What support.c defines.
 */
#ifndef RIG_RUNNER_MEMORY_H
#define RIG_RUNNER_MEMORY_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *left, const void *right, size_t size);

#endif
