// aliases of functions and variables
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int c; int impl(int x){ c++; return x+1; } int ali(int) __attribute__((alias("impl"))); int gv=5; extern int gal __attribute__((alias("gv")));
int main(void){ assert(ali(3)==4); assert(c==1); gv=6; assert(gal==6); report(); return 0; }
