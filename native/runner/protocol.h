/*
 * What the runner and Python (rig/runner) must agree on: operations, layouts, limits.
 * Little-endian; addresses are of 64 bits on every architecture; every record is a multiple
 * of 8 bytes, and its fields stand where every ABI aligns them. A change here is a change of
 * PROTOCOL_VERSION. Where things stand in memory is the platform's (platform.h).
 */
#ifndef RIG_RUNNER_PROTOCOL_H
#define RIG_RUNNER_PROTOCOL_H

#include <stdint.h>

#define PROTOCOL_MAGIC 0x52474952u
#define PROTOCOL_VERSION 11u

#define PAGE 4096ull
#define SLOT_COUNT 16u
#define SLOT_CAPACITY (4ull << 20)
#define SPAN (SLOT_CAPACITY + 2 * PAGE)
#define CANARY 64u
#define READ_ONLY_VIEW (128ull << 20) /* so far above a slot its memory is once more */

#define TABLE_WORDS 128u
#define STACK_SIZE (1ull << 20)
#define TRACE_WORDS (1ull << 22)
#define ARGUMENT_LIMIT 16u
#define CALL_LIMIT 4096u
#define KEPT_LIMIT 16384u
#define ACTUAL_LIMIT 4096u
#define EVENT_LIMIT 256u
#define TARGET_LIMIT (1u << 16)
#define FRAME_STACK 8192u
#define FRAME_ROOM (32u << 20)
#define TIMED_LIMIT 64u
#define WATCH_LIMIT 8u          /* pieces of memory that a script watches, */
#define WATCH_BYTES (256u << 10) /* of all together */
#define LATER_LIMIT 512u
#define PASS_LIMIT 256u /* of one jump in one script, before its trap rests */

enum operation {
    OP_MAP = 1, /* address, size, protection */
    OP_WRITE,   /* address, bytes */
    OP_READ,    /* address, size -> bytes */
    OP_CPUID,   /* u32 leaf, u32 subleaf -> eax ebx ecx edx */
    OP_XGETBV,  /* index -> value */
    OP_TRAPS,   /* base, size, struct wire_trap */
    OP_BATCH,   /* identifier, batch */
    OP_DROP,    /* identifier */
    OP_RUN,     /* struct run_request, table words, writes -> struct run_reply, ... */
    OP_PATCH,   /* address, bytes */
    OP_RESTORE, /* nothing */
    OP_AUXILIARY, /* type -> value, as the kernel gave it to the process */
};

/* A status below 1000 is the kernel's errno. */
enum status {
    STATUS_OK = 0,
    STATUS_OPERATION = 1001,
    STATUS_ADDRESS,
    STATUS_BATCH,
    STATUS_LENGTH,
    STATUS_ROOM,
    STATUS_CPU,
    STATUS_TRAPS,
    STATUS_TRAP_SIZE,
    STATUS_AUXILIARY,
};

struct frame_header {
    uint32_t code; /* operation or status */
    uint32_t reserved;
    uint64_t length;
};

struct hello {
    uint32_t magic, version, architecture, word_bytes, page_bytes, reserved;
};

enum run_flag {
    RUN_COVERAGE = 1,
    RUN_STOP_AT_FIRST = 2,
    RUN_STEP = 4, /* on ARM by traps, and so with RUN_COVERAGE */
    RUN_FLIP = 8,
    RUN_BRANCHES = 16, /* with RUN_COVERAGE: directions and targets of jumps */
    RUN_REGISTERS = 32, /* with RUN_STEP: the registers at each step instead of its PC */
    RUN_FRAMES = 64, /* with RUN_COVERAGE: registers and stack at first hits */
    RUN_READ_ONLY = 128, /* calls find what they may not change in its read-only view */
    RUN_CLEAN_UPPERS = 256, /* vectors are clean above 128 bits before calls, and must be behind */
    RUN_BELOW = 512, /* with RUN_STEP: what is written below the stack pointer */
    RUN_TIMED = 1024, /* of one script: its last calls once more, `repeats` times, by the clock */
};

enum trap_kind { TRAP_PLAIN, TRAP_CONDITIONAL, TRAP_INDIRECT };
enum direction { TAKEN = 1, NOT_TAKEN = 2, BOTH_WAYS = 3 };

/* An instruction start of the text under coverage. Of a conditional jump, the directions that
   a hit at their target proves, and those that it must have gone before the call returns.
   `size` is the trap's own in bytes: 1 on x86, 4 on ARM, 2 in Thumb text. */
struct wire_trap {
    uint32_t offset;
    uint8_t kind, proven, due, size;
};

/* Followed by `table_words` words, a pointer of the architecture each in the table, and `writes` of struct wire_write with their bytes. */
struct run_request {
    uint32_t batch, first, count, flags;
    uint64_t seed, budget_us;
    uint32_t crash_limit, timeout_limit;
    uint32_t timed_from, reserved; /* the step of the first call that is timed */
    uint64_t repeats;
    uint64_t select;
    uint32_t table_words, writes;
};

struct wire_write {
    uint64_t address, size;
};

/* Followed by the events, then `traced` words of 64 bits, then `hits` u32 text offsets, then
   `branches` of struct wire_branch, then `targets` of struct wire_target, then `frame_bytes` of
   struct wire_frame. The words are a PC for each step, or its registers in the order of
   rig/architectures.py. */
struct run_reply {
    uint32_t ran, failed, events, unreported, hits, branches;
    uint64_t cpu_ns, steps, traced, targets, frame_bytes;
    uint64_t uppers; /* whether the CPU tells of RUN_CLEAN_UPPERS */
    uint64_t elapsed_ns, empty_ns; /* RUN_TIMED: of all repeats; with functions that do nothing */
};

struct wire_branch {
    uint32_t offset, directions;
};

struct wire_target {
    uint64_t target;
    uint32_t offset, reserved;
};

/* What an unwinder finds at a first hit, and must come to: `returned`, where the call comes back.
   Followed by the `registers` as of a step, then d8-d15 where there are such; by as many of
   `kept`, in the order of rig/architectures.py, as the caller had them; by `bytes` of the stack
   from `stack` on, padded to 8. Of a stack of more than FRAME_STACK bytes, or elsewhere, there are none. */
struct wire_frame {
    uint32_t offset, script;
    uint64_t returned, stack;
    uint32_t registers, kept, bytes, reserved;
};

/* A batch: u64 count, u64 offset of each script from the batch's start, scripts. */
struct wire_script {
    uint64_t length, number;
    uint32_t buffers, steps;
};

enum buffer_flag { HAS_CONTENT = 1, HAS_EXPECTED = 2, IS_CONSTANT = 4, AT_END = 8, IS_ALIAS = 16 };

/* Followed by content and expected bytes where the flags say so, each padded to 8. */
struct wire_buffer {
    uint32_t size, flags, align, skew, alias, reserved;
};

enum step_kind { STEP_CALL, STEP_WRITE, STEP_POINT, STEP_WATCH, STEP_LATER };
/* Of a function; of another architecture's no one takes notice. */
enum convention { CONVENTION_OWN, CONVENTION_MS };
enum target_kind { TARGET_ADDRESS, TARGET_TABLE, TARGET_RESULT };
enum argument_kind {
    ARGUMENT_WORD,
    ARGUMENT_POINTER,
    ARGUMENT_TABLE,
    ARGUMENT_RESULT,
    ARGUMENT_NULL,
};

/* A call: `value` is the target, `size` the convention; `arguments` records follow; a result of more bits than a
   register comes in two. A write: `value` is the address; `size` bytes follow, padded to 8. A
   point: buffer `size` gets the address of buffer `returns` at its offset `value`. With RUN_STEP,
   a watch: `size` bytes at `value` are watched in the calls that follow; a later: as a write, but
   while a call that follows runs, before its step number `returns`. */
struct wire_step {
    uint8_t kind, target, return_bits, arguments;
    uint32_t size;
    uint64_t value, returns;
};

struct wire_argument {
    uint8_t kind, bits;
    uint16_t kept; /* a pointer: the call must leave its buffer, KEPT_LIMIT bytes at most, as it is */
    uint32_t index; /* of the buffer or the call */
    uint64_t value; /* of the word, the pointer's offset, or the entry of the table */
};

enum event_kind {
    EVENT_VALUE = 1,
    EVENT_RETURN,
    EVENT_CONSTANT,
    EVENT_CANARY,
    EVENT_REGISTER,
    EVENT_STACK,
    EVENT_CRASH,
    EVENT_EXIT,
    EVENT_TIMEOUT,
    EVENT_WRITE,  /* into a read-only view; the call went on */
    EVENT_UPPERS, /* `actual` as XINUSE has them: 4 above 128 bits, 64 above 256 */
    EVENT_BELOW,  /* `address` is the PC of the write, `offset` its distance */
    EVENT_CHANGED, /* watched memory, `data` bytes of it at `address`, after `offset` steps of a call */
};

enum side { SIDE_START, SIDE_END };

#define STEP_SELECT (-1)
#define NO_ADDRESS UINT64_MAX

/* Followed by `data` bytes, padded to 8. `which` is a side, a register or a signal. Of a crash,
   a timeout and a write the data are the registers, words of 64 bits. */
struct event {
    uint32_t kind;
    int32_t step;
    uint32_t script, buffer, which, data;
    int64_t offset;
    uint64_t expected, actual, address;
};

#endif
