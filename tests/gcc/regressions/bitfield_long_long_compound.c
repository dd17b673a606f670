// narrow bit-fields of long types promote to int
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
struct S{unsigned long long y:3; } s;
int main(void){ s.y=5; s.y/=-2; assert(s.y==((5/-2)&7)); s.y=7; s.y%=-4; assert(s.y==3); report(); return 0; }
