// promotions and assignments of bit-fields
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
struct S{unsigned long long y:3; long long z:7; unsigned w:3; int i:5; _Bool b:1; unsigned f:32; unsigned char c:4; unsigned short h:16; unsigned long l:31; unsigned long m:32;} s;
int main(void){ s.y=5; assert(s.y-6<0); assert(-s.y<0); s.y>>=1; assert(s.y==2);
 s.w=5; assert(s.w-6<0); s.w/=-2; assert(s.w==6); assert((s.w=5)-6<0); assert((0,s.w)-8<0); s.w=0;s.w--; assert(s.w==7); assert(~s.w<0); assert((s.w+=3)==2); assert((s.w=9)==1); 
 s.i=15; s.i++; assert(s.i==-16); assert(--s.i==15); assert((s.i=31)==-1); s.i=10; s.i*=3; assert(s.i==-2);
 s.f=0; assert(s.f-1>0); s.f--; assert(s.f==0xffffffffu); s.c=15; s.c++; assert(s.c==0); assert(s.c-1<0); s.h=65535; assert(s.h+1==65536); s.l=0; assert(s.l-1<0); s.m=0; assert(s.m-1>0);
 s.b=5; assert(s.b==1); s.b=0.5; assert(s.b==1); s.b--; assert(s.b==0); s.b++; s.b++; assert(s.b==1); assert(s.b-2<0); s.b+=-1; assert(s.b==0); s.b=(void*)&s; assert(s.b);
 s.z=-64; s.z>>=2; assert(s.z==-16); s.z-=49; assert(s.z==63); s.y=3; s.y+=2.9; assert(s.y==5); s.i=-5; s.i/=2u; assert(s.i==(((unsigned)-5/2u)&31 ? (int)(((unsigned)-5/2u)<<27)>>27 : 0));
 report(); return 0; }
