// compound assignment on narrow, mixed, Boolean and float types
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int main(void){ char c=100; c+=100; assert(c==-56); c=-128; c/=-1; assert(c==-128); unsigned char u=200; u*=2; assert(u==144); u=5; u-=10; assert(u==251); u>>=1; assert(u==125); u<<=3; assert(u==232); short s=-1; s>>=1; assert(s==-1); unsigned short us=65535; us*=us; assert(us==1);
 int i=7; i*=1.5; assert(i==10); i+=0.9f; assert(i==10); i/=0.3; assert(i==33); i=16777217; i+=0.0f; assert(i==16777216); float f=1; f+=1e-9; assert(f==1.0f); f*=3; f/=7; assert(f==(float)(3.0f/7)); double d=1; d+=1.0f; d-=1L; assert(d==1); c=10; c*=2.55; assert(c==25);
 long long l=-1; l>>=63; assert(l==-1); unsigned long long ul=1; ul<<=(char)63; assert(ul==0x8000000000000000ULL); i=-1; i/=2u; assert(i==2147483647); i=-7; i%=3; assert(i==-1); i=-7; i/=2; assert(i==-3); i=-1; i>>=31LL; assert(i==-1); i=1; i<<=5ULL; assert(i==32); unsigned x=5; x-=6LL; assert(x==0xffffffff); x=3; x/=-1; assert(x==0); x=10; x%=-3LL; assert(x==1); _Bool b=0; b+=2; assert(b==1); b-=1; assert(b==0); b|=4; assert(b==1); b<<=3; assert(b==1); b^=1; assert(!b); b=0.1; assert(b); b*=0.5; assert(b); 
 c=5; c<<=4; assert(c==80); c<<=1; assert(c==-96); l=5; l*=-1u; assert(l==21474836475LL); i=5; i*=-1LL; assert(i==-5); enum E{A,B=3} e=B; e-=4; assert(e==(enum E)-1); assert(e>0); int a[5]={0}; int *p=a; p+=3; p-=1u; p+=(char)-1; assert(p==a+1); unsigned long ui=-1; p+=ui; assert(p==a); long double ld=1; ld+=1; ld/=3; f=0; f-=ld; i=5; i-=-3.7L; assert(i==8);
 report(); return 0; }
