// long double arithmetic and layout
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
long double g=1.25L; long double f(long double a,int b){ return a*b; } struct S{char c; long double l; char d;} s={1,2.5L,3}; union{long double l; unsigned char b[sizeof(long double)];} u;
int main(void){ assert(f(g,4)==5.0L); s.l+=1; assert(s.l==3.5L&&s.d==3); assert(sizeof(struct S)==(sizeof(long)==8?48:20)); u.l=1.0L; assert(u.b[9]==0x3f&&u.b[8]==0xff&&u.b[7]==0x80&&u.b[0]==0); long double t=1.0L/3; double d=t; assert((long double)d!=t); assert((float)t==1.0f/3); assert((long long)9223372036854775807.0L==9223372036854775807LL); assert((unsigned long long)1.8446744073709551615e19L==~0ULL); long double big=1e4000L; assert(big*big>big); assert((double)big>1e308); int i=g; assert(i==1); g++; g--; --g; assert(g==0.25L); assert(-g<0&&!!g&&(_Bool)g); s=(struct S){1}; assert(s.l==0); long double a[2]={1,2}; a[1]/=3; assert(a[1]*3!=2||1); assert(sizeof(1?1.0L:1)==sizeof(long double)); report(); return 0; }
