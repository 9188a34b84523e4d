/*
 * The runner: maps images, keeps batches, and forks a child for each RUN. It speaks frames
 * (protocol.h) on stdin and stdout and ends when its input does.
 */
#include "child.h"
#include "frames.h"
#include "machine.h"
#include "memory.h"
#include "platform.h"
#include "system.h"

enum { REGIONS = 256, BATCHES = 4096, PATCHES = 256, PATCHED_BYTES = 1 << 16 };

struct region {
    uint64_t address, size;
    int protection;
};

struct patch {
    uint64_t address;
    uint32_t size, saved; /* where in patched_bytes the original is */
};

struct batch {
    const uint8_t *bytes;
    uint64_t size;
};

/* A request: an address or identifier, then the rest. */
struct payload {
    uint8_t *bytes;
    uint64_t size;
};

struct control *control;
struct traps traps;
uint64_t *trace;
struct wire_target *targets;

static struct region regions[REGIONS];
static unsigned region_count;
static struct patch patches[PATCHES];
static unsigned patch_count, patched_size;
static uint8_t patched_bytes[PATCHED_BYTES];
static struct batch batches[BATCHES];
static const uintptr_t *auxiliary; /* pairs of type and value; type 0 ends them */

/* -------- frames -------- */

static void send(const void *bytes, uint64_t size) {
    const uint8_t *from = bytes;
    while (size) {
        const long sent = system_call(CALL_WRITE, 1, (long)from, (long)size, 0, 0, 0);
        if (sent == -ERROR_INTERRUPTED) continue;
        if (sent <= 0) exit_process(1);
        from += sent, size -= (uint64_t)sent;
    }
}

static void receive(void *bytes, uint64_t size) {
    uint8_t *to = bytes;
    while (size) {
        const long got = system_call(CALL_READ, 0, (long)to, (long)size, 0, 0, 0);
        if (got == -ERROR_INTERRUPTED) continue;
        if (got <= 0) exit_process(0);
        to += got, size -= (uint64_t)got;
    }
}

static void reply_header(uint32_t status, uint64_t size) {
    const struct frame_header header = {status, 0, size};
    send(&header, sizeof header);
}

static void reply(uint32_t status, const void *bytes, uint64_t size) {
    reply_header(status, size);
    send(bytes, size);
}

static void reply_status(uint32_t status) { reply_header(status, 0); }

/* -------- memory of images -------- */

static const struct region *region_of(uint64_t address, uint64_t size) {
    for (const struct region *r = regions; r < regions + region_count; r++)
        if (address - r->address <= r->size && size <= r->size - (address - r->address)) return r;
    return NULL;
}

static uint32_t map(const uint64_t *words) {
    const struct region region = {words[0], words[1], (int)words[2]};
    if (region_count == REGIONS) return STATUS_ROOM;
    const long got = map_memory(region.address, region.size, region.protection, PRIVATE);
    if (is_error(got)) return (uint32_t)-got;
    regions[region_count++] = region;
    return STATUS_OK;
}

/* Read-only memory is opened for the write, and only for it. */
static uint32_t write_bytes(uint64_t address, const void *bytes, uint64_t size) {
    const struct region *r = region_of(address, size);
    if (!r) return STATUS_ADDRESS;
    const int closed = !(r->protection & WRITABLE);
    if (closed) protect_memory(r->address, r->size, READABLE | WRITABLE);
    memcpy((void *)(uintptr_t)address, bytes, size);
    flush_text((const void *)(uintptr_t)address, size);
    if (closed) protect_memory(r->address, r->size, r->protection);
    return STATUS_OK;
}

static void read_bytes(uint64_t address, uint64_t size) {
    const struct region *r = region_of(address, size);
    if (!r || !(r->protection & READABLE)) reply_status(STATUS_ADDRESS);
    else reply(STATUS_OK, (const void *)(uintptr_t)address, size);
}

static uint32_t patch(uint64_t address, const void *bytes, uint64_t size) {
    if (patch_count == PATCHES || size > PATCHED_BYTES - patched_size) return STATUS_ROOM;
    const struct region *r = region_of(address, size);
    if (!r || !(r->protection & READABLE)) return STATUS_ADDRESS;
    memcpy(patched_bytes + patched_size, (const void *)(uintptr_t)address, size);
    patches[patch_count++] = (struct patch){address, (uint32_t)size, patched_size};
    patched_size += (unsigned)size;
    return write_bytes(address, bytes, size);
}

/* Last first: patches may overlap. */
static uint32_t restore(void) {
    while (patch_count) {
        const struct patch *p = &patches[--patch_count];
        write_bytes(p->address, patched_bytes + p->saved, p->size);
    }
    patched_size = 0;
    return STATUS_OK;
}

/* -------- traps -------- */

static void forget_traps(void) {
    if (!traps.size) return;
    unmap_memory(traps.all, traps.size * sizeof *traps.all);
    unmap_memory(traps.numbers, traps.size * sizeof *traps.numbers);
    unmap_memory(traps.order, traps.size * sizeof *traps.order);
    unmap_memory(traps.passed, traps.size * sizeof *traps.passed);
    traps = (struct traps){0};
}

static void *map_anywhere(uint64_t size, int sharing) {
    const long got = map_memory(0, size, READABLE | WRITABLE, sharing);
    return is_error(got) ? NULL : (void *)got;
}

static void add_trap(const struct wire_trap *wire) {
    if (traps.numbers[wire->offset]) return;
    traps.all[traps.count].wire = *wire;
    traps.numbers[wire->offset] = (uint32_t)++traps.count;
}

/* Room for a trap at every byte costs nothing until it is touched. */
static uint32_t set_traps(uint64_t base, uint64_t size, const struct wire_trap *wire,
                          uint64_t count) {
    if (!size || !region_of(base, size)) return STATUS_ADDRESS;
    for (uint64_t i = 0; i < count; i++) {
        if (!trap_bytes(wire[i].size)) return STATUS_TRAP_SIZE;
        if (wire[i].offset >= size || size - wire[i].offset < wire[i].size) return STATUS_ADDRESS;
    }
    forget_traps();
    traps = (struct traps){.base = (uint8_t *)(uintptr_t)base,
                           .size = size,
                           .all = map_anywhere(size * sizeof *traps.all, SHARED),
                           .numbers = map_anywhere(size * sizeof *traps.numbers, SHARED),
                           .order = map_anywhere(size * sizeof *traps.order, SHARED),
                           .passed = map_anywhere(size * sizeof *traps.passed, SHARED)};
    if (!traps.all || !traps.numbers || !traps.order || !traps.passed) return STATUS_ROOM;
    for (uint64_t i = 0; i < count; i++) add_trap(&wire[i]);
    return STATUS_OK;
}

/* -------- batches -------- */

/* The payload's own mapping becomes the batch, read-only so that no variant can reach it. */
static uint32_t keep_batch(uint64_t identifier, struct payload *payload) {
    if (identifier >= BATCHES) return STATUS_ROOM;
    if (batches[identifier].bytes || payload->size < 16) return STATUS_BATCH;
    protect_memory((uintptr_t)payload->bytes, payload->size, READABLE);
    batches[identifier] = (struct batch){payload->bytes, payload->size};
    payload->bytes = NULL;
    return STATUS_OK;
}

static uint32_t drop_batch(uint64_t identifier) {
    if (identifier >= BATCHES || !batches[identifier].bytes) return STATUS_BATCH;
    unmap_memory(batches[identifier].bytes, batches[identifier].size);
    batches[identifier] = (struct batch){0};
    return STATUS_OK;
}

/* -------- running -------- */

/* The child was ended by nobody that left word: an exit, or a signal from outside. */
static void note_death(int status) {
    const int signal = status & 0x7f;
    const struct event killed = {.kind = EVENT_CRASH, .which = (uint32_t)signal,
                                 .address = NO_ADDRESS};
    const struct event ended = {.kind = EVENT_EXIT, .actual = (uint32_t)status >> 8 & 0xff};
    note(signal ? &killed : &ended, NULL);
    control->ran++;
}

/* Runs one child to its end; its CPU time in nanoseconds. */
static uint64_t run_one(const struct run *run, uint32_t first) {
    struct {
        long user_s, user_us, system_s, system_us, rest[14];
    } usage = {0};
    int status = 0;
    control->state = RUNNING;
    const long child = fork_process();
    if (child == 0) run_child(run, first);
    while (system_call(CALL_WAIT4, child, (long)&status, 0, (long)&usage, 0, 0) ==
           -ERROR_INTERRUPTED) {
    }
    if (control->state == RUNNING) {
        note_death(status);
        control->state = CRASHED;
    }
    const uint64_t seconds = (uint64_t)(usage.user_s + usage.system_s);
    return (seconds * 1000000 + (uint64_t)(usage.user_us + usage.system_us)) * 1000;
}

static uint64_t run_all(const struct run *run) {
    const struct run_request *request = &run->request;
    uint32_t crashes = 0, timeouts = 0;
    uint64_t cpu_ns = 0;
    while (control->ran < request->count) {
        cpu_ns += run_one(run, request->first + control->ran);
        if (control->state == FINISHED) break;
        if (request->flags & RUN_STOP_AT_FIRST && control->failed) break;
        if (control->state == TIMED_OUT && ++timeouts >= request->timeout_limit) break;
        if (control->state != TIMED_OUT && ++crashes >= request->crash_limit) break;
    }
    return cpu_ns;
}

static uint32_t count_branches(void) {
    uint32_t count = 0;
    for (uint64_t i = 0; i < traps.count; i++) count += traps.all[i].directions != 0;
    return count;
}

static void send_branches(void) {
    for (const struct trap *trap = traps.all; trap < traps.all + traps.count; trap++) {
        const struct wire_branch branch = {trap->wire.offset, trap->directions};
        if (trap->directions) send(&branch, sizeof branch);
    }
}

static void reply_run(uint64_t cpu_ns, int branches) {
    const struct run_reply head = {
        .ran = control->ran, .failed = control->failed, .events = control->events,
        .unreported = control->unreported, .hits = control->hits,
        .branches = branches ? count_branches() : 0, .cpu_ns = cpu_ns, .steps = control->steps,
        .traced = control->traced, .targets = control->targets,
        .frame_bytes = control->frame_bytes,
        .uppers = control->uppers,
        .elapsed_ns = control->elapsed_ns,
        .empty_ns = control->empty_ns};
    const uint64_t order_bytes = control->hits * sizeof *traps.order;
    const uint64_t branch_bytes = head.branches * sizeof(struct wire_branch);
    const uint64_t target_bytes = head.targets * sizeof *targets;
    reply_header(STATUS_OK, sizeof head + control->event_bytes + 8 * head.traced + order_bytes +
                                branch_bytes + target_bytes + head.frame_bytes);
    send(&head, sizeof head);
    send(control->event_area, control->event_bytes);
    send(trace, 8 * head.traced);
    send(traps.order, order_bytes);
    if (branches) send_branches();
    send(targets, target_bytes);
    send(frames, head.frame_bytes);
}

static void clear_control(uint32_t flags) {
    memset(control, 0, offsetof(struct control, event_area));
    control->last_failed = UINT32_MAX;
    if (!(flags & TRAPPING)) return;
    for (uint64_t i = 0; i < traps.count; i++) traps.all[i].hit = traps.all[i].directions = 0;
}

static int batch_holds(const struct run_request *request) {
    if (request->batch >= BATCHES || !batches[request->batch].bytes) return 0;
    const uint64_t scripts = *(const uint64_t *)(batches[request->batch].bytes + 8);
    return request->first <= scripts && request->count <= scripts - request->first;
}

static uint32_t refusal(const struct payload *payload) {
    const struct run_request *request = (const struct run_request *)payload->bytes;
    if (request->table_words > TABLE_WORDS) return STATUS_ROOM;
    if (payload->size < sizeof *request + request->table_words * 8) return STATUS_LENGTH;
    if (request->flags & TRAPPING && !traps.size) return STATUS_TRAPS;
    if (request->flags & (RUN_BRANCHES | RUN_FRAMES) && !(request->flags & RUN_COVERAGE))
        return STATUS_TRAPS;
    return batch_holds(request) ? STATUS_OK : STATUS_BATCH;
}

static void run_batch(const struct payload *payload) {
    const struct run_request *request = (const struct run_request *)payload->bytes;
    const uint64_t *table = (const uint64_t *)(request + 1);
    const uint32_t status = refusal(payload);
    if (status) return reply_status(status);
    const struct run run = {*request, batches[request->batch].bytes + 8, table,
                            (const uint8_t *)(table + request->table_words)};
    clear_control(request->flags);
    const uint64_t cpu_ns = run_all(&run);
    reply_run(cpu_ns, request->flags & RUN_BRANCHES);
}

/* -------- operations -------- */

static void answer_cpuid(const uint32_t *words) {
    uint32_t answer[4];
    if (!machine_cpuid(words[0], words[1], answer)) reply_status(STATUS_CPU);
    else reply(STATUS_OK, answer, sizeof answer);
}

static void answer_xgetbv(uint64_t index) {
    uint64_t value;
    if (!machine_xgetbv((uint32_t)index, &value)) reply_status(STATUS_CPU);
    else reply(STATUS_OK, &value, sizeof value);
}

const uintptr_t *auxiliary_word(uint64_t type) {
    const uintptr_t *pair = auxiliary;
    while (*pair && *pair != type) pair += 2;
    return *pair ? pair + 1 : NULL;
}

static void answer_auxiliary(uint64_t type) {
    const uintptr_t *word = auxiliary_word(type);
    const uint64_t value = word ? *word : 0;
    if (!word) reply_status(STATUS_AUXILIARY);
    else reply(STATUS_OK, &value, sizeof value);
}

static uint64_t smallest(uint32_t operation) {
    static const uint8_t sizes[] = {[OP_MAP] = 24,  [OP_WRITE] = 8, [OP_READ] = 16,
                                    [OP_CPUID] = 8, [OP_XGETBV] = 8, [OP_TRAPS] = 16,
                                    [OP_BATCH] = 8, [OP_DROP] = 8,
                                    [OP_RUN] = sizeof(struct run_request), [OP_PATCH] = 8,
                                    [OP_AUXILIARY] = 8};
    return operation < sizeof sizes ? sizes[operation] : 0;
}

static void answer(uint32_t operation, struct payload *payload) {
    const uint64_t *words = (const uint64_t *)payload->bytes;
    const uint64_t rest = payload->size - 8;
    if (payload->size < smallest(operation)) return reply_status(STATUS_LENGTH);
    switch (operation) {
    case OP_MAP: return reply_status(map(words));
    case OP_WRITE: return reply_status(write_bytes(words[0], words + 1, rest));
    case OP_READ: return read_bytes(words[0], words[1]);
    case OP_CPUID: return answer_cpuid((const uint32_t *)words);
    case OP_XGETBV: return answer_xgetbv(words[0]);
    case OP_TRAPS:
        return reply_status(
            set_traps(words[0], words[1], (const struct wire_trap *)(words + 2),
                      (rest - 8) / sizeof(struct wire_trap)));
    case OP_BATCH: return reply_status(keep_batch(words[0], payload));
    case OP_DROP: return reply_status(drop_batch(words[0]));
    case OP_RUN: return run_batch(payload);
    case OP_PATCH: return reply_status(patch(words[0], words + 1, rest));
    case OP_RESTORE: return reply_status(restore());
    case OP_AUXILIARY: return answer_auxiliary(words[0]);
    }
    reply_status(STATUS_OPERATION);
}

/* Payloads are shared memory: fork need not copy page tables of what a batch takes. */
static void serve_one(void) {
    struct frame_header header;
    receive(&header, sizeof header);
    struct payload payload = {NULL, header.length};
    if (header.length && !(payload.bytes = map_anywhere(header.length, SHARED)))
        exit_process(2);
    receive(payload.bytes, payload.size);
    answer(header.code, &payload);
    if (payload.bytes) unmap_memory(payload.bytes, payload.size);
}

/* Each slot, and its read-only view: the same memory of no file twice. */
static int map_slots(void) {
    int failed = 0;
    const long memory = system_call(CALL_MEMFD_CREATE, (long)"slots", 0, 0, 0, 0, 0);
    failed |= is_error(memory) || is_error(resize_file(memory, SLOT_COUNT * SLOT_CAPACITY));
    for (uint64_t i = 0; i < SLOT_COUNT; i++) {
        const struct part slot = {memory, i * SLOT_CAPACITY};
        const uint64_t address = ARENA + i * SPAN + PAGE;
        failed |= is_error(map_part(address, SLOT_CAPACITY, READABLE | WRITABLE, slot));
        failed |= is_error(map_part(address + READ_ONLY_VIEW, SLOT_CAPACITY, READABLE, slot));
    }
    return failed;
}

static void map_fixed_places(void) {
    int failed = map_slots();
    failed |= is_error(map_memory(TABLE, PAGE, READABLE | WRITABLE, PRIVATE));
    failed |= is_error(map_memory(STACK, STACK_SIZE, READABLE | WRITABLE, PRIVATE));
    control = map_anywhere(sizeof *control, SHARED);
    trace = map_anywhere(TRACE_WORDS * sizeof *trace, SHARED);
    targets = map_anywhere(TARGET_LIMIT * sizeof *targets, SHARED);
    frames = map_anywhere(FRAME_ROOM, SHARED);
    if (failed || !control || !trace || !targets || !frames) exit_process(2);
}

/* `stack` is as the kernel leaves it: the count of arguments, these, 0, the environment, 0, the
   auxiliary vector. */
_Noreturn void runner_main(const uintptr_t *stack) {
    const struct hello hello = {PROTOCOL_MAGIC, PROTOCOL_VERSION, ARCHITECTURE,
                                sizeof(void *), PAGE,             0};
    auxiliary = stack + 1 + *stack + 1;
    while (*auxiliary++) {
    }
    map_fixed_places();
    rehearse();
    reply(STATUS_OK, &hello, sizeof hello);
    for (;;) serve_one();
}
