/*
 * The forked child: runs scripts and notes what went wrong. The batch is trusted, since
 * rig/runner/encode.py refuses what does not fit.
 */
#include "child.h"

#include "frames.h"
#include "garbage.h"
#include "machine.h"
#include "memory.h"
#include "platform.h"
#include "signals.h"
#include "stack.h"
#include "system.h"
#include "timing.h"
#include "watch.h"

enum { TICKS = 4 }; /* of the timer, in a script's budget */
enum { NOTED_CONSTANT = 1, NOTED_BELOW = 2, NOTED_ABOVE = 4 };

/* An alias has its owner's address and no canaries. content and expected lie in the batch;
   NULL is seeded garbage, or nothing to compare with. */
struct buffer {
    uint8_t *address;
    uint64_t size;
    struct garbage garbage;
    uint32_t below, above; /* canary bytes that have room */
    const uint8_t *content, *expected;
    uint32_t flags, alias;
    int noted; /* one finding of a kind is enough */
};

static const struct run *run;
static struct garbage script_garbage;
static struct buffer buffers[SLOT_COUNT];
static uint32_t buffer_count;
static uint8_t before[ARGUMENT_LIMIT][KEPT_LIMIT]; /* what kept arguments held */
static uint64_t results[CALL_LIMIT];
static uint32_t result_count, phase;
static int damaged;

/* -------- events -------- */

void note(const struct event *event, const void *data) {
    struct event *noted = (struct event *)(control->event_area + control->event_bytes);
    if (control->last_failed != control->script) control->failed++;
    control->last_failed = control->script;
    if (control->events == EVENT_LIMIT) {
        control->unreported++;
        return;
    }
    *noted = *event;
    noted->script = control->script;
    noted->step = control->step;
    memcpy(noted + 1, data, event->data);
    control->event_bytes += sizeof *event + ((event->data + 7u) & ~7u);
    control->events++;
}

void note_register(unsigned which, uint64_t expected, uint64_t actual) {
    const struct event event = {
        .kind = EVENT_REGISTER, .which = which, .expected = expected, .actual = actual};
    if (expected != actual) note(&event, NULL);
}

/* At the first byte of a buffer that is not what it should be. */
static void note_bytes(enum event_kind kind, const struct buffer *b, uint64_t offset,
                       uint8_t expected) {
    const struct event event = {.kind = kind,
                                .buffer = (uint32_t)(b - buffers),
                                .data = b->size < ACTUAL_LIMIT ? b->size : ACTUAL_LIMIT,
                                .offset = (int64_t)offset,
                                .expected = expected,
                                .actual = b->address[offset]};
    note(&event, b->address);
}

static void note_canary(const struct buffer *b, enum side side, int64_t offset, uint8_t expected) {
    const struct event event = {.kind = EVENT_CANARY,
                                .buffer = (uint32_t)(b - buffers),
                                .which = side,
                                .offset = offset,
                                .expected = expected,
                                .actual = b->address[offset]};
    note(&event, NULL);
    damaged = 1;
}

_Noreturn void end_child(enum state state) {
    if (state == CRASHED || state == TIMED_OUT) control->ran++;
    control->state = state;
    exit_process(0);
}

/* -------- bytes -------- */

static void fill_garbage(uint8_t *to, uint64_t size, struct garbage garbage) {
    uint64_t offset = 0;
    for (; offset + 8 <= size; offset += 8) {
        const uint64_t word = garbage_word(garbage, offset / 8);
        memcpy(to + offset, &word, 8);
    }
    for (; offset < size; offset++) to[offset] = garbage_byte(garbage, offset);
}

/* The offset of the first byte that is not the garbage; size if there is none. */
static uint64_t garbage_differs(const uint8_t *bytes, uint64_t size, struct garbage garbage) {
    uint64_t offset = 0, word;
    for (; offset + 8 <= size; offset += 8) {
        memcpy(&word, bytes + offset, 8);
        if (word != garbage_word(garbage, offset / 8)) break;
    }
    while (offset < size && bytes[offset] == garbage_byte(garbage, offset)) offset++;
    return offset;
}

static uint64_t bytes_differ(const uint8_t *left, const uint8_t *right, uint64_t size) {
    uint64_t offset = 0;
    if (memcmp(left, right, size) == 0) return size;
    while (left[offset] == right[offset]) offset++;
    return offset;
}

/* -------- buffers -------- */

/* AT_END where this RUN takes the opposite side of every buffer. */
static uint32_t flipped;

static struct garbage below_garbage(const struct buffer *b) { return garbage_part(b->garbage, 0); }
static struct garbage above_garbage(const struct buffer *b) { return garbage_part(b->garbage, 1); }

/* The rule of place() in rig/runner/placement.py. */
static void place(struct buffer *b, const struct wire_buffer *wire) {
    const uint64_t start = ARENA + (uint64_t)(b - buffers) * SPAN + PAGE;
    const uint64_t end = start + SLOT_CAPACITY;
    uint64_t address = start + wire->skew;
    if (b->flags & AT_END)
        address = ((end - wire->size) & ~(uint64_t)(wire->align - 1)) - wire->skew;
    b->address = (uint8_t *)(uintptr_t)address;
    b->below = address - start < CANARY ? address - start : CANARY;
    b->above = end - address - wire->size < CANARY ? end - address - wire->size : CANARY;
}

static const void *take(const uint8_t **from, uint64_t size) {
    const uint8_t *taken = *from;
    *from += (size + 7) & ~7ull;
    return taken;
}

static void open_buffer(struct buffer *b, const uint8_t **from) {
    const struct wire_buffer *wire = take(from, sizeof *wire);
    *b = (struct buffer){.size = wire->size,
                         .garbage = garbage_part(script_garbage, (uint64_t)(b - buffers)),
                         .flags = wire->flags ^ flipped,
                         .alias = wire->alias};
    if (wire->flags & HAS_CONTENT) b->content = take(from, wire->size);
    if (wire->flags & HAS_EXPECTED) b->expected = take(from, wire->size);
    if (!(wire->flags & IS_ALIAS)) place(b, wire);
}

/* -------- read-only views -------- */

static uint32_t open_views; /* slots of this script */

static uint64_t view_of(uint64_t slot) { return ARENA + READ_ONLY_VIEW + slot * SPAN + PAGE; }

int open_view(uint64_t address) {
    const uint64_t slot = (address - view_of(0)) / SPAN;
    if (slot >= SLOT_COUNT || address - view_of(slot) >= SLOT_CAPACITY) return 0;
    if (open_views & 1u << slot) return 0;
    open_views |= 1u << slot;
    return !is_error(protect_memory(view_of(slot), SLOT_CAPACITY, READABLE | WRITABLE));
}

static void close_views(void) {
    for (uint64_t slot = 0; open_views; open_views &= ~(1u << slot++))
        if (open_views & 1u << slot) protect_memory(view_of(slot), SLOT_CAPACITY, READABLE);
}

/* Where a call finds a buffer; `kept` if it may only read it. */
static uint64_t seen_at(const struct buffer *b, int kept) {
    const int read_only = run->request.flags & RUN_READ_ONLY && (kept || b->flags & IS_CONSTANT);
    return (uintptr_t)b->address + (read_only ? READ_ONLY_VIEW : 0);
}

/* -------- their content -------- */

static void fill_owner(const struct buffer *b) {
    fill_garbage(b->address - b->below, b->below, below_garbage(b));
    fill_garbage(b->address + b->size, b->above, above_garbage(b));
    if (b->content) memcpy(b->address, b->content, b->size);
    else fill_garbage(b->address, b->size, b->garbage);
}

static void fill_alias(struct buffer *b) {
    b->address = buffers[b->alias].address;
    if (b->content) memcpy(b->address, b->content, b->size);
}

/* Owners first: an alias may stand before the buffer whose memory it is. */
static void open_buffers(uint32_t count, const uint8_t **from) {
    buffer_count = count;
    for (uint32_t i = 0; i < count; i++) open_buffer(&buffers[i], from);
    for (uint32_t i = 0; i < count; i++)
        if (!(buffers[i].flags & IS_ALIAS)) fill_owner(&buffers[i]);
    for (uint32_t i = 0; i < count; i++)
        if (buffers[i].flags & IS_ALIAS) fill_alias(&buffers[i]);
}

/* -------- checks -------- */

static void check_constant(struct buffer *b) {
    if (!(b->flags & IS_CONSTANT) || b->noted & NOTED_CONSTANT) return;
    const uint64_t offset = b->content ? bytes_differ(b->address, b->content, b->size)
                                       : garbage_differs(b->address, b->size, b->garbage);
    if (offset == b->size) return;
    b->noted |= NOTED_CONSTANT;
    note_bytes(EVENT_CONSTANT, b, offset,
               b->content ? b->content[offset] : garbage_byte(b->garbage, offset));
}

/* The nearest changed byte below is the last one. */
static void check_below(struct buffer *b) {
    const struct garbage garbage = below_garbage(b);
    const uint8_t *canary = b->address - b->below;
    if (b->noted & NOTED_BELOW || garbage_differs(canary, b->below, garbage) == b->below) return;
    uint64_t offset = b->below - 1;
    while (canary[offset] == garbage_byte(garbage, offset)) offset--;
    b->noted |= NOTED_BELOW;
    note_canary(b, SIDE_START, (int64_t)offset - b->below, garbage_byte(garbage, offset));
}

static void check_above(struct buffer *b) {
    const struct garbage garbage = above_garbage(b);
    const uint64_t offset = garbage_differs(b->address + b->size, b->above, garbage);
    if (b->noted & NOTED_ABOVE || offset == b->above) return;
    b->noted |= NOTED_ABOVE;
    note_canary(b, SIDE_END, (int64_t)(b->size + offset), garbage_byte(garbage, offset));
}

static void check_buffers(void) {
    for (struct buffer *b = buffers; b < buffers + buffer_count; b++) {
        check_constant(b);
        check_below(b);
        check_above(b);
    }
}

static void check_expected(void) {
    for (const struct buffer *b = buffers; b < buffers + buffer_count; b++) {
        if (!b->expected) continue;
        const uint64_t offset = bytes_differ(b->address, b->expected, b->size);
        if (offset < b->size) note_bytes(EVENT_VALUE, b, offset, b->expected[offset]);
    }
}

static void check_return(const struct wire_step *step, uint64_t result) {
    if (!step->return_bits) return;
    const uint64_t mask = UINT64_MAX >> (64 - step->return_bits);
    const struct event event = {.kind = EVENT_RETURN,
                                .expected = step->returns & mask,
                                .actual = result & mask};
    if (event.expected != event.actual) note(&event, NULL);
}

/* -------- traps -------- */

static uint32_t passed_count;

static int steps_by_traps(void) { return STEPS_BY_TRAPS && run->request.flags & RUN_STEP; }

/* Whether a trap is of use after its first hit. */
static int is_followed(const struct trap *trap) {
    if (steps_by_traps()) return 1;
    return run->request.flags & RUN_BRANCHES && trap->wire.kind != TRAP_PLAIN &&
           (trap->directions | trap->wire.proven) != BOTH_WAYS;
}

/* The text is flushed by who plants. */
static void plant_trap(struct trap *trap) {
    uint8_t *at = traps.base + trap->wire.offset;
    memcpy(trap->original, at, trap->wire.size);
    memcpy(at, trap_bytes(trap->wire.size), trap->wire.size);
    trap->planted = 1;
}

static void plant_again(struct trap *trap) {
    plant_trap(trap);
    flush_text(traps.base + trap->wire.offset, trap->wire.size);
}

void lift_trap(struct trap *trap) {
    uint8_t *at = traps.base + trap->wire.offset;
    memcpy(at, trap->original, trap->wire.size);
    flush_text(at, trap->wire.size);
    trap->planted = 0;
}

/* Where no child of this RUN has been: what an earlier one hit stays counted. */
static void plant_traps(void) {
    for (struct trap *trap = traps.all; trap < traps.all + traps.count; trap++) {
        trap->passes = trap->planted = 0;
        if (!trap->hit || is_followed(trap)) plant_trap(trap);
    }
    flush_text(traps.base, traps.size);
}

void replant_trap(struct trap *trap) {
    if (!trap->planted && is_followed(trap)) plant_again(trap);
}

/* For a new script: traps that rest stand up again. */
static void rearm_traps(void) {
    while (passed_count) {
        struct trap *trap = &traps.all[traps.passed[--passed_count]];
        trap->passes = 0;
        replant_trap(trap);
    }
}

/* A call came back: so what it passed, watched or not by then, has gone every way that is due. */
static void record_due(void) {
    for (uint32_t i = 0; i < passed_count; i++) {
        struct trap *trap = &traps.all[traps.passed[i]];
        trap->directions |= trap->wire.due;
    }
}

struct trap *take_trap(uint64_t pc, const struct signal_context *context) {
    const uint64_t offset = pc - (uintptr_t)traps.base;
    if (!(run->request.flags & TRAPPING) || offset >= traps.size) return NULL;
    if (!traps.numbers[offset]) return NULL;
    struct trap *trap = &traps.all[traps.numbers[offset] - 1];
    if (!trap->planted) return NULL;
    if (!trap->hit) {
        traps.order[control->hits++] = (uint32_t)offset;
        if (run->request.flags & RUN_FRAMES) record_frame((uint32_t)offset, context);
    }
    trap->hit = 1;
    if (!is_followed(trap)) lift_trap(trap);
    return trap;
}

/* Counts a pass; whether the trap has another before it. */
static int may_pass(struct trap *trap) {
    if (!trap->passes) traps.passed[passed_count++] = (uint32_t)(trap - traps.all);
    if (trap->passes < PASS_LIMIT) trap->passes++;
    return steps_by_traps() || (trap->passes < PASS_LIMIT && is_followed(trap));
}

void record_direction(struct trap *trap, enum direction direction) {
    trap->directions |= direction;
    if (!may_pass(trap)) lift_trap(trap);
}

static void note_target(uint32_t offset, uint64_t target) {
    for (uint32_t i = 0; i < control->targets; i++)
        if (targets[i].target == target && targets[i].offset == offset) return;
    if (control->targets < TARGET_LIMIT)
        targets[control->targets++] = (struct wire_target){target, offset, 0};
}

void record_target(struct trap *trap, uint64_t target) {
    if (run->request.flags & RUN_BRANCHES) note_target(trap->wire.offset, target);
    if (!may_pass(trap)) {
        if (trap->planted) lift_trap(trap);
    } else if (!trap->planted) {
        plant_again(trap);
    }
}

/* -------- steps -------- */

static uint64_t call(uint64_t target, unsigned convention, const struct argument *arguments,
                     unsigned count) {
    stack_watch(convention == CONVENTION_MS ? 0 : RED_ZONE);
    watch_call();
    const uint64_t result = machine_call(target, convention, arguments, count, phase++ % 4);
    stack_end();
    watch_end();
    record_due();
    machine_check();
    return result;
}

static uint64_t target_of(const struct wire_step *step) {
    if (step->target == TARGET_TABLE)
        return ((const uintptr_t *)(uintptr_t)TABLE)[step->value];
    return step->target == TARGET_RESULT ? (uintptr_t)results[step->value] : step->value;
}

static struct argument pointer_to(uint64_t address) {
    return (struct argument){(uintptr_t)address, WORD_BITS};
}

/* A word has garbage in the bits of its register that the caller need not extend it to. */
static struct argument argument_of(const struct wire_argument *wire, unsigned position) {
    switch (wire->kind) {
    case ARGUMENT_POINTER:
        return pointer_to(seen_at(&buffers[wire->index], wire->kept) + wire->value);
    case ARGUMENT_TABLE:
        return pointer_to((uintptr_t)((const uintptr_t *)(uintptr_t)TABLE + wire->value));
    case ARGUMENT_RESULT: return pointer_to(results[wire->index]);
    case ARGUMENT_NULL: return pointer_to(0);
    }
    if (wire->bits == 64) return (struct argument){wire->value, 64};
    const unsigned bits = wire->bits < EXTENDED_BITS ? EXTENDED_BITS : wire->bits;
    const uint64_t value = wire->value & UINT64_MAX >> (64 - bits);
    return (struct argument){value | garbage_word(script_garbage, position) << bits, WORD_BITS};
}

static void check_kept(const struct wire_argument *wire, const uint8_t *held) {
    struct buffer *b = &buffers[wire->index];
    if (!wire->kept || b->noted & NOTED_CONSTANT) return;
    const uint64_t offset = bytes_differ(b->address, held, b->size);
    if (offset == b->size) return;
    b->noted |= NOTED_CONSTANT;
    note_bytes(EVENT_CONSTANT, b, offset, held[offset]);
}

static void run_call(const struct wire_step *step, const uint8_t **from) {
    struct argument arguments[ARGUMENT_LIMIT];
    const struct wire_argument *wire = take(from, step->arguments * sizeof *wire);
    for (unsigned i = 0; i < step->arguments; i++) {
        const struct buffer *b = &buffers[wire[i].index];
        arguments[i] = argument_of(&wire[i], i);
        if (wire[i].kept) memcpy(before[i], b->address, b->size);
    }
    const uint64_t result = call(target_of(step), step->size, arguments, step->arguments);
    results[result_count++] = result;
    check_return(step, result);
    check_buffers();
    for (unsigned i = 0; i < step->arguments; i++) check_kept(&wire[i], before[i]);
}

static void point(const struct wire_step *step) {
    const uintptr_t address = (uintptr_t)seen_at(&buffers[step->returns], 0);
    memcpy(buffers[step->size].address + step->value, &address, sizeof address);
}

static void run_steps(uint32_t count, const uint8_t **from) {
    result_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct wire_step *step = take(from, sizeof *step);
        control->step = (int32_t)i;
        if (step->kind == STEP_CALL) run_call(step, from);
        else if (step->kind == STEP_POINT) point(step);
        else if (step->kind == STEP_WATCH) watch_memory(step->value, step->size);
        else if (step->kind == STEP_LATER)
            watch_later(step->returns, step->value, take(from, step->size), step->size);
        else memcpy((void *)(uintptr_t)step->value, take(from, step->size), step->size);
    }
}

/* -------- timing -------- */

static void add_word(struct timed_call *timed, struct argument argument) {
    const int two = argument.bits > WORD_BITS;
    if (two) timed->count += timed->count % PAIR_WORDS;
    timed->words[timed->count++] = (uintptr_t)argument.value;
    if (two) timed->words[timed->count++] = (uintptr_t)(argument.value >> 32);
}

static void take_timed(struct timed_call *timed, const struct wire_step *step,
                       const struct wire_argument *wire) {
    *timed = (struct timed_call){.target = (uintptr_t)target_of(step), .convention = step->size};
    for (unsigned i = 0; i < step->arguments; i++) add_word(timed, argument_of(&wire[i], i));
}

/* The calls from the step `timed_from` on, as the script has just made them. */
static void time_steps(uint32_t count, const uint8_t *from) {
    static struct timed_call timed[TIMED_LIMIT];
    unsigned calls = 0;
    for (uint32_t i = 0; i < count && calls < TIMED_LIMIT; i++) {
        const struct wire_step *step = take(&from, sizeof *step);
        if (step->kind == STEP_WRITE) take(&from, step->size);
        if (step->kind != STEP_CALL) continue;
        const struct wire_argument *wire = take(&from, step->arguments * sizeof *wire);
        if (i >= run->request.timed_from) take_timed(&timed[calls++], step, wire);
    }
    time_calls(timed, calls, run->request.repeats, &control->elapsed_ns, &control->empty_ns);
}

/* -------- scripts -------- */

/* Brings every script of a batch onto one path. */
static void run_prologue(uint64_t length) {
    const uint8_t *from = run->writes;
    const struct run_request *request = &run->request;
    for (uint32_t i = 0; i < request->writes; i++) {
        const struct wire_write *write = take(&from, sizeof *write);
        memcpy((void *)(uintptr_t)write->address, take(&from, write->size), write->size);
    }
    uintptr_t *table = (uintptr_t *)(uintptr_t)TABLE;
    for (uint32_t i = 0; i < TABLE_WORDS; i++)
        table[i] = i < request->table_words ? (uintptr_t)run->table[i] : 0;
    const struct argument arguments[] = {pointer_to(TABLE), pointer_to(length)};
    if (request->select) call(request->select, CONVENTION_OWN, arguments, 2);
}

static void run_script(uint32_t index) {
    const uint8_t *from = run->batch + ((const uint64_t *)run->batch)[1 + index];
    const struct wire_script *script = take(&from, sizeof *script);
    control->script = index;
    control->step = STEP_SELECT;
    script_garbage = garbage_part(garbage_from(run->request.seed), script->number);
    phase = (uint32_t)garbage_word(script_garbage, ~0ull) % 4;
    close_views();
    watch_nothing();
    rearm_traps();
    run_prologue(script->length);
    open_buffers(script->buffers, &from);
    const uint8_t *steps = from;
    run_steps(script->steps, &from);
    check_expected();
    if (run->request.flags & RUN_TIMED) time_steps(script->steps, steps);
    control->ran++;
}

/* -------- time -------- */

void log_step(uint64_t pc, const struct signal_context *context) {
    extern const char __executable_start, etext;
    if (pc >= (uintptr_t)&__executable_start && pc < (uintptr_t)&etext) return;
    if (run->request.flags & RUN_BELOW) stack_step(pc, machine_sp(context));
    watch_step();
    control->steps++;
    if (control->traced > TRACE_WORDS - REGISTER_LIMIT) return;
    uint64_t *at = trace + control->traced;
    *at = pc;
    control->traced += run->request.flags & RUN_REGISTERS ? machine_registers(context, at) : 1;
}

int budget_spent(void) {
    static uint32_t last_script = UINT32_MAX, ticks;
    if (control->script != last_script) ticks = 0;
    last_script = control->script;
    return ++ticks > TICKS;
}

static void start_clock(uint64_t budget_us) {
    const int virtual = 1;
    const uint64_t million = 1000000, tick = budget_us / TICKS ? budget_us / TICKS : 1;
    const long seconds = (long)(tick / million), rest = (long)(tick % million);
    const long timer[] = {seconds, rest, seconds, rest};
    system_call(CALL_SETITIMER, virtual, (long)timer, 0, 0, 0, 0);
}

/* The pipes are closed: what a variant does by itself must not reach the protocol. */
static void leave_parent(void) {
    const int parent_death_signal = 1;
    system_call(CALL_PRCTL, parent_death_signal, SIGNAL_KILL, 0, 0, 0, 0);
    system_call(CALL_CLOSE, 0, 0, 0, 0, 0, 0);
    system_call(CALL_CLOSE, 1, 0, 0, 0, 0, 0);
}

static void nothing(void) {}

/* A script with a buffer and a call. */
void rehearse(void) {
    static struct {
        uint64_t count, offset;
        struct wire_script script;
        struct wire_buffer buffer;
        uint64_t content, expected;
        struct wire_step step;
        struct wire_argument argument;
    } batch = {.count = 1,
               .offset = offsetof(__typeof__(batch), script),
               .script = {.buffers = 1, .steps = 1},
               .buffer = {.size = 8, .flags = HAS_CONTENT | HAS_EXPECTED | AT_END, .align = 1},
               .step = {.kind = STEP_CALL, .arguments = 1},
               .argument = {.kind = ARGUMENT_POINTER, .bits = 64, .kept = 1}};
    const struct run rehearsal = {.request = {.table_words = 0}, .batch = (const uint8_t *)&batch};
    batch.step.value = (uintptr_t)nothing;
    run = &rehearsal;
    machine_prepare(0, 0);
    run_script(0);
}

_Noreturn void run_child(const struct run *given, uint32_t first) {
    const struct run_request *request = &given->request;
    run = given;
    control->script = first;
    control->step = STEP_SELECT;
    leave_parent();
    catch_signals();
    flipped = request->flags & RUN_FLIP ? AT_END : 0;
    control->uppers = (uint32_t)machine_prepare(request->seed, request->flags);
    if (request->flags & TRAPPING) plant_traps();
    start_clock(request->budget_us);
    for (uint32_t i = first; i < request->first + request->count; i++) {
        run_script(i);
        if (damaged) end_child(DAMAGED); /* the rest in a fresh one */
        if (request->flags & RUN_STOP_AT_FIRST && control->failed) break;
    }
    end_child(FINISHED);
}
