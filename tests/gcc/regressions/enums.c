// enumerations, packed, signed, in bit-fields
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
enum A{a0,a1=5,a2}; enum B{b0=-3,b1}; enum __attribute__((packed)) P{p0,p1=200}; enum __attribute__((packed)) Q{q0=-1,q1=100}; enum Big{g0=0x100000000LL}; enum U{u0=0xfffffffe,u1}; struct {enum A a:3; enum B b:3; enum P p; enum Q q; unsigned char c;} s; enum A arr[]={a2,a1}; enum A f(enum B b){ return b<0?a1:a2; }
int main(void){ enum A x=a1; x++; assert(x==a2&&x-10<0==0); enum B y=b0; assert(y<0&&y+2<0); assert(sizeof(enum P)==1&&sizeof(enum Q)==1&&sizeof(enum Big)==8); s.a=a2; s.b=b0; s.p=p1; s.q=q0; assert(s.a==6&&s.b==-3&&s.p==200&&s.q==-1); s.a=7; assert(s.a==7); enum P p=p1; p+=100; assert(p==44); enum Q q=q1; q+=100; assert(q<0); assert(u1==0xffffffffu&&u1>0); enum U u=u1; u++; assert(u==0); assert(g0>>32==1); enum Big bg=g0; assert(bg==1LL<<32); assert(f(b0)==a1&&f(3)==a2&&arr[0]==6); enum A m=-1; assert(m>0); assert((enum B)-1<0); assert(~a0==-1&&sizeof a0==4); switch(x){case a0: case a1: assert(0); case a2:;} enum {l1=a2+1,l2=sizeof(int),l3='z'}; assert(l1==7&&l2==4&&l3==122); int i=x+y; assert(i==3); unsigned uu=1; assert((b0<uu)==0); assert((a0-1<uu)==0&&(a0-1)<0); _Bool bb=a2; assert(bb); float fl=b0; assert(fl==-3); x=(enum A)2.9; assert(x==2); report(); return 0; }
