// gcc sign-extends a pointer that is cast to a wider integer
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int main(void){ void *p=(void*)-1L; long long x=(long long)p; unsigned long long y=(unsigned long long)p; assert(x==-1); assert(y==-1ULL); assert((long long)(char*)0x80000000UL == (sizeof(void*)==4 ? -2147483648LL : 0x80000000LL)); report(); return 0; }
