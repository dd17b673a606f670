// __builtin_types_compatible_p with typeof operands
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int main(void){ int x=7; char *p=0; assert(__builtin_types_compatible_p(typeof(x),int)==1); assert(__builtin_types_compatible_p(typeof(x),typeof(p))==0);
 assert(__builtin_types_compatible_p(typeof(x),long)==0); assert(__builtin_types_compatible_p(int, typeof(&x))==0);
 assert(__builtin_types_compatible_p(typeof(*p),char)==1);assert(__builtin_types_compatible_p(typeof(p),char*)==1);report(); return 0; }
