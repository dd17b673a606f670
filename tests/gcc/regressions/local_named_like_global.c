// a global used before a local of the same name
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int x=1; 
int get(void){return x;} 
int main(void){ x=5; int before=x; int x=2; assert(x==2); assert(before==5); assert(get()==5);  report(); return 0; }
