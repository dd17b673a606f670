// __label__: the same name in several blocks
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
#define M(v) ({ __label__ out; int r=1; if (v) goto out; r=2; out: r; })
int main(void){ int a=M(0); int b=M(1); int c=M(0); assert(a==2); assert(b==1); assert(c==2); report(); return 0; }
