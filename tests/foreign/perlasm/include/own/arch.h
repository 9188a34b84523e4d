/* What the assembly and the C of this project agree on. */
#ifndef OWN_ARCH_H
#define OWN_ARCH_H

#ifndef OWN_ASM
#error OWN_ASM says that there is assembly
#endif
#define OWN_WORD unsigned int
#define OWN_HIDDEN __attribute__((visibility("hidden")))

#endif
