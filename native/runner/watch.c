#include "watch.h"

#include "child.h"
#include "memory.h"

static struct {
    uint8_t *at, *held; /* as it was after the last step */
    uint64_t size;
} watched[WATCH_LIMIT];

static struct {
    uint64_t steps, address, size;
    const void *bytes;
} later[LATER_LIMIT];

static uint8_t held[WATCH_BYTES];
static uint64_t held_bytes, passed;
static unsigned watched_count, later_count;

void watch_nothing(void) {
    watched_count = later_count = 0;
    held_bytes = 0;
}

void watch_memory(uint64_t address, uint64_t size) {
    watched[watched_count].at = (uint8_t *)(uintptr_t)address;
    watched[watched_count].held = held + held_bytes;
    watched[watched_count++].size = size;
    held_bytes += size;
}

void watch_later(uint64_t steps, uint64_t address, const void *bytes, uint64_t size) {
    later[later_count].steps = steps;
    later[later_count].address = address;
    later[later_count].size = size;
    later[later_count++].bytes = bytes;
}

static void hold(void) {
    for (unsigned i = 0; i < watched_count; i++)
        memcpy(watched[i].held, watched[i].at, watched[i].size);
}

/* From the first changed byte to the last, in pieces that an event holds. */
static void note_changes(const uint8_t *at, const uint8_t *before, uint64_t size) {
    while (size && at[size - 1] == before[size - 1]) size--;
    for (uint64_t i = 0; i < size;) {
        if (at[i] == before[i]) {
            i++;
            continue;
        }
        const uint64_t left = size - i, piece = left < ACTUAL_LIMIT ? left : ACTUAL_LIMIT;
        const struct event event = {.kind = EVENT_CHANGED,
                                    .data = (uint32_t)piece,
                                    .offset = (int64_t)passed,
                                    .address = (uintptr_t)(at + i)};
        note(&event, at + i);
        i += piece;
    }
}

static void look(void) {
    int changed = 0;
    for (unsigned i = 0; i < watched_count; i++) {
        if (!memcmp(watched[i].at, watched[i].held, watched[i].size)) continue;
        note_changes(watched[i].at, watched[i].held, watched[i].size);
        changed = 1;
    }
    if (changed) hold();
}

void watch_call(void) {
    passed = 0;
    hold();
}

void watch_step(void) {
    int due = 0;
    look();
    for (unsigned i = 0; i < later_count; i++) {
        if (later[i].steps != passed) continue;
        memcpy((void *)(uintptr_t)later[i].address, later[i].bytes, later[i].size);
        due = 1;
    }
    if (due) hold(); /* what comes from outside is no change of the call's */
    passed++;
}

void watch_end(void) { look(); }
