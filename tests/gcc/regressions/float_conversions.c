// conversions between floats and integers
#include <assert.h>
#include <limits.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
float f; double d; long long ll; unsigned long long ull; unsigned u; int i;
int main(void){ i=16777217; f=i; assert(f==16777216.0f); u=4294967295u; f=u; assert(f==4294967296.0f); d=u; assert(d==4294967295.0); ll=9007199254740993LL; d=ll; assert(d==9007199254740992.0); ull=9223372036854775809ULL; d=ull; assert(d==9223372036854775808.0); ull=18446744073709549569ULL; d=ull; assert(d==18446744073709549568.0||d==18446744073709551616.0); ull=0xFFFFFF7FFFFFFFFFULL; f=ull; assert(f==18446742974197923840.0f); ll=-9223372036854775807LL; f=ll; assert(f==-9223372036854775808.0f); d=-0.9; u=d; assert(u==0); d=4294967295.9; u=d; assert(u==UINT_MAX); d=-2147483648.9; i=d; assert(i==INT_MIN); d=2147483647.9; i=d; assert(i==INT_MAX); f=9.2233714871e18f; ll=f; assert(ll==9223371487098961920LL); d=1.8446744073709549e19; ull=d; assert(ull==18446744073709549568ULL); d=0.1; f=d; assert(f==0.1f&&(double)f!=0.1); d=1e-320; assert(d>0&&d/2>0&&d*1e300*1e10>0); f=1e-45f; assert(f>0&&f/2==0); f=3.4e38f; assert(f*10>f&&f*10==1/0.0f); d=1e308; assert(d*10==1/0.0); d=0.5; assert((int)(d+0.49999999999999994)==0||1); f=0.1f; assert(f*f!=0.01f||1); assert(0.1+0.2!=0.3&&0.1f+0.2f==0.3f); f=16777216.0f; assert(f+1==f); d=f+1; assert(d==16777216.0); d=(double)f+1; assert(d==16777217.0); i=7; assert(i/2*2.0==6&&i/2.0*2==7); assert((float)i/2==3.5f); f=i; f/=2; f=f*f-f; assert(f==8.75f); d=i=3.7; assert(d==3); char c=d*1.5; assert(c==4); _Bool b=0.0; assert(!b); b=-0.0; assert(!b); b=0.0/0.0; assert(b); short s=-3.99f; assert(s==-3); unsigned char uc=254.99; assert(uc==254); d=-7.5; i=(int)d%3; assert(i==-1); assert((1.0f==1)&&(0.5<1u)&&(-1<0.5)&&(-0.5<0u==1)); double nan=0.0/0.0,inf=1e300*1e300; assert(!(nan<=nan)&&!(nan>nan)&&nan!=nan&&inf==inf&&-inf<inf&&inf-inf!=inf-inf); assert((nan?1:2)==1&&!nan==0); report(); return 0; }
