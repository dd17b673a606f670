// the value of a range designator is evaluated once
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int k; int g(void){ return ++k; }
int main(void){ int a[3]={[0 ... 2]=g()}; assert(k==1); assert(a[0]==1&&a[2]==1); report(); return 0; }
