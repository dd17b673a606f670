// labels in a static table and in the function are numbered alike
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int main(void){ static void *t[]={&&a,&&b,&&c}; int r=0; void *p=&&c; int i=0; goto *t[i];
a: r=r*10+1; i=1; goto *t[i];
b: r=r*10+2; goto *p;
c: r=r*10+3; assert(r==123); report(); return 0; }
