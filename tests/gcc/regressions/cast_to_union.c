// GNU cast to union
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
union U{int i; double d; char c[8];}; int f(union U u){return u.i;}
int main(void){ int v=5; union U u=(union U)v; assert(u.i==5); assert(f((union U)7)==7); u=(union U)2.5; assert(u.d==2.5); report(); return 0; }
