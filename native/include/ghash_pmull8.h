/*
 * Htable as pmull8 makes it and code that shares its layout reads it; for C and
 * assembly. In the order in which eight blocks meet them:
 *   POWERS   H^8/x to H^1/x, 16 octets each: the number's high half, its low half
 *   SUMS     the sum of both halves of each, 8 octets each
 */
#ifndef RIG_GHASH_PMULL8_H
#define RIG_GHASH_PMULL8_H

#define PMULL8_POWERS 0
#define PMULL8_SUMS   128

#endif
