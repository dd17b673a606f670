// qualified types, typedefs of arrays and functions, anonymous members
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
struct S{volatile int a; const int b; int *restrict p; _Atomic int c;}; typedef const volatile struct S CS; int arr[2]={1,2}; static CS g={1,2,arr,3}; typedef int I3[3]; typedef I3 M[2]; const M cm={{1,2,3},{4,5,6}}; int fa(const I3 a){return a[2];} int fm(M m){ return m[1][2]; } typedef struct T T; struct T{T*self; int v;}; T t={&t,5}; typedef int FN(int); FN fn,*fp=fn; int fn(int x){return x+1;} typedef struct{FN*f[2];} V; V v={{fn,fn}}; struct O{struct I{int q;}i; enum{R,G}e;}; struct I out={4}; int ge=G; union{struct{int a;}; struct{char b;};}an={{5}}; struct{int a; union{int b; struct{short c,d;};}; int e;} an2={1,{0x20003},4}; 
int main(void){ struct S s={1,2,arr,4}; s.a++; s.c++; assert(s.a==2&&s.b==2&&s.p[1]==2&&s.c==5); assert(g.a==1&&g.p[0]==1&&g.c==3); assert(cm[1][1]==5&&fa(cm[0])==3); assert(fm((int(*)[3])cm)==6); assert(t.self->self->v==5&&fp(1)==2&&v.f[1](3)==4&&(*v.f[0])(1)==2); assert(out.q==4&&ge==1); assert(an.b==5&&an2.c==3&&an2.d==2&&an2.e==4); an2.d=9; assert(an2.b==0x90003); const int *pc=&arr[0]; int *const cp=&arr[1]; *cp=7; assert(arr[1]==7&&*pc==1); volatile int vi=0; vi+=2; while(vi--); assert(vi==-1); register int r=3; assert(r==3); const struct S *ps=&s; assert(ps->a==2); I3 x={1},*px=&x; (*px)[1]=8; assert(x[1]==8); report(); return 0; }
