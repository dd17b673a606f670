// tables of tables of labels
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int run2(int i){ static void *const t[2][2]={{&&a,&&b},{&&c,&&a}}; void *const*p=t[i]; int r=0; goto *p[1]; a: return r+1; b: return r+2; c: return 3; }
int run3(int i){ const void *l=i?&&x:&&y; goto *l; x: return 1; y: return 2; }
int main(void){ assert(run2(0)==2&&run2(1)==1); assert(run3(1)==1&&run3(0)==2); report(); return 0; }
