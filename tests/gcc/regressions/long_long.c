// 64-bit arithmetic in both data models
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
long long f(long long a,int b,long long c){ return a/b+c%7; } unsigned long long g(unsigned long long x){ return x>>33|x<<31; } long long arr[3]={-1,1LL<<40,5}; int idx(long long i){ return (int)arr[i]; } 
int main(void){ assert(f(1LL<<40,3,-50)==366503875925LL-1); assert(g(0x123456789abcdef0ULL)==(0x123456789abcdef0ULL>>33|0x123456789abcdef0ULL<<31)); assert(idx(2)==5&&arr[1LL]>>40==1); long l=-1; unsigned long ul=l; assert(sizeof l==4?ul==0xffffffffUL:ul+1==0); long long x=l; assert(x==-1); x=ul; assert(sizeof l==4?x==4294967295LL:x==-1); unsigned u=3000000000u; x=u; assert(x==3000000000LL); x=(int)u; assert(x==-1294967296); assert((l<u)==(sizeof l==8)); assert(2147483648>0&&sizeof 2147483648==8&&sizeof(2147483648u)==4&&sizeof 0xffffffff==4&&sizeof 4294967295==8); assert((sizeof(long)==4)==(0x7fffffffL+1<0)); assert(-1L<(unsigned char)1); long sh=1; sh<<=sizeof(long)*8-1; assert(sh<0); assert((long)1e9==1000000000L); long long y=0x7fffffffffffffffLL; y++; assert(y<0); assert((int)(y>>32)==(-2147483647-1)); assert(!!(1LL<<40)&&((1LL<<40)?1:0)&&!!(int)(1LL<<40)==0); if(1LL<<40); else assert(0); assert(((1LL<<40)&&1)==1); x=5; x-=10u; assert(x==-5); x=5; x*=0x80000000; assert(x==10737418240LL); u=5; u-=10LL; assert(u==4294967291u); long long q=-7; assert(q/2==-3&&q%2==-1&&q>>1==-4&&(unsigned long long)q>>60==15&&(q&0xff)==0xf9&&~q==6&&-q==7&&q*q==49); switch(q){case -7: break; default: assert(0);} double d=q; assert(d==-7); char c=q; assert(c==-7); _Bool b=1LL<<40; assert(b==1); report(); return 0; }
