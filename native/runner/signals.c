#include "signals.h"

#include "child.h"
#include "machine.h"
#include "system.h"

typedef void handler(int, const struct signal_info *, struct signal_context *);

/* The kernel's struct sigaction. The mask is two words of 32 bits, as one of 64 would be
   aligned to 8 on arm. */
struct signal_action {
    handler *handler;
    unsigned long flags;
    void (*restorer)(void);
    uint32_t mask[2];
};

/* The address means something only where the kernel raised the signal for a fault, and not
   for a general protection fault (BY_KERNEL). */
static uint64_t fault_address(int signal, const struct signal_info *info) {
    if (signal != SIGNAL_SEGV && signal != SIGNAL_BUS) return NO_ADDRESS;
    return info->code > 0 && info->code != BY_KERNEL ? (uintptr_t)info->address : NO_ADDRESS;
}

static void report(enum event_kind kind, int signal, const struct signal_info *info,
                   const struct signal_context *context) {
    uint64_t words[REGISTER_LIMIT];
    unsigned count = machine_registers(context, words);
    count += machine_fault(context, words + count);
    const struct event event = {.kind = kind,
                                .which = (uint32_t)signal,
                                .data = count * sizeof *words,
                                .address = fault_address(signal, info)};
    note(&event, words);
}

/* A write to what the call may only read is recorded, and done after all. SIGBUS is a matter of
   alignment, of loads too. */
static void on_fault(int signal, const struct signal_info *info, struct signal_context *context) {
    const uint64_t address = fault_address(signal, info);
    if (signal == SIGNAL_SEGV && address != NO_ADDRESS && open_view(address))
        return report(EVENT_WRITE, signal, info, context);
    report(EVENT_CRASH, signal, info, context);
    end_child(CRASHED);
}

static void on_trap(int signal, const struct signal_info *info, struct signal_context *context) {
    if (!machine_trap(info, context)) on_fault(signal, info, context);
}

static void on_tick(int signal, const struct signal_info *info, struct signal_context *context) {
    if (!budget_spent()) return;
    report(EVENT_TIMEOUT, signal, info, context);
    end_child(TIMED_OUT);
}

static void catch_signal(int signal, handler *handler) {
    const unsigned long with_info = 4, restorer = 0x04000000, on_stack = 0x08000000;
    const unsigned long restart = 0x10000000;
    const struct signal_action action = {handler, with_info | restorer | on_stack | restart,
                                         machine_restorer, {UINT32_MAX, UINT32_MAX}};
    system_call(CALL_SIGACTION, signal, (long)&action, 0, sizeof action.mask, 0, 0);
}

void catch_signals(void) {
    static uint8_t stack[128 << 10];
    static const int faults[] = {SIGNAL_ILL, SIGNAL_ABRT, SIGNAL_BUS,
                                 SIGNAL_FPE, SIGNAL_SEGV, SIGNAL_SYS};
    const struct {
        void *base;
        int flags;
        size_t size;
    } alternate = {stack, 0, sizeof stack};
    const uint32_t none[2] = {0, 0};
    system_call(CALL_SIGALTSTACK, (long)&alternate, 0, 0, 0, 0, 0);
    for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) catch_signal(faults[i], on_fault);
    catch_signal(SIGNAL_TRAP, on_trap);
    catch_signal(SIGNAL_VTALRM, on_tick);
    const int set_mask = 2;
    system_call(CALL_SIGPROCMASK, set_mask, (long)&none, 0, sizeof none, 0, 0);
}
