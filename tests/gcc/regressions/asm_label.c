// a declaration renamed by asm
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int realf(int x){ return x+1; } int renamed(int) __asm__("realf");
int main(void){ assert(renamed(3)==4); report(); return 0; }
