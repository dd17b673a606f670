#ifndef DRYSTONE_SETJMP_H
#define DRYSTONE_SETJMP_H

#include <drystone_types.h>

struct __jmp_buf_tag {
#ifdef __LP64__
  long __registers[8];
#else
  int __registers[6];
#endif
  int __mask_was_saved;
  sigset_t __saved_mask;
};
typedef struct __jmp_buf_tag jmp_buf[1];
typedef struct __jmp_buf_tag sigjmp_buf[1];

int setjmp(jmp_buf) __attribute__((__returns_twice__));
int _setjmp(jmp_buf) __attribute__((__returns_twice__));
int sigsetjmp(sigjmp_buf, int) __attribute__((__returns_twice__));
_Noreturn void longjmp(jmp_buf, int);
_Noreturn void _longjmp(jmp_buf, int);
_Noreturn void siglongjmp(sigjmp_buf, int);

#endif
