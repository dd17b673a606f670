// typeof operands are no array sizes
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int main(void){ int n=5; char a[3]={9,9,9}; typeof(a[0]) b[n]; assert(sizeof b==5); typeof(a) c[n]; assert(sizeof c==15); int k[2]={1,2}; typeof(k[n-4]) d[n][n+1]; assert(sizeof d == 5*6*4); d[4][5]=3; d[0][0]=1; assert(d[4][5]==3 && sizeof d[0]==24); report(); return 0; }
