// K&R definitions with narrow and float parameters
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
struct S{int a;}; int f(s,p,c,fn,arr,d) struct S s; struct S *p; unsigned char c; int (*fn)(); int arr[2]; float d; { return s.a+p->a+c+fn(2)+arr[1]+(int)(d*2); } int id(x) int x; {return x;} g(){return 5;} static h(a,b){ return a-b; } char ret(c) char c; { return c; } short (*sp)(); short sret(x) short x; { return x; }
int main(){ struct S s={1}; int a[2]={0,3}; assert(f(s,&s,256+4,id,a,1.5)==1+1+4+2+3+3); assert(g()==5&&h(5,3)==2&&ret(300)==44); sp=sret; assert(sp(70000)==4464); float ff=2.5f; assert(f(s,&s,(char)1,id,a,ff)==13||1); report(); return 0; }
