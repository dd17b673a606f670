// designators through anonymous members
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
struct S{int a; union{int b; char c;}; struct{int d; struct {int e,f;};};} g={.a=1,.b=2,.d=3,.f=5}; 
int main(void){ struct S l={.e=4,6,.c=3,.a=9}; assert(g.a==1&&g.b==2&&g.d==3&&g.e==0&&g.f==5); assert(l.e==4&&l.f==6&&l.c==3&&l.a==9&&l.d==0); g.b=7; assert(g.c==7); struct S m={1,{2},{3,{4,5}}}; assert(m.f==5&&m.b==2); struct S n={1,2,3,4,5}; assert(n.f==5); report(); return 0; }
