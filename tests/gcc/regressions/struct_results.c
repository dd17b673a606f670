// structs as arguments and results
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
struct A{int v[5];}; struct B{struct A a; struct A *p;}; struct A f(struct A a,struct A *q){ q->v[0]=99; a.v[1]+=q->v[1]; return a; } struct B g(struct A a){ struct B b; b.a=a; b.p=0; a.v[0]=-1; return b; } int cnt; struct A next(void){ struct A a={{cnt++}}; return a; } struct A arr[3]; int idx; int ni(void){ return idx++; } typedef struct{struct{int x;}i;}W; W w(int x){ W r={{x}}; return r; }
struct A chain(struct A a,int n){ if(n==0) return a; struct A b=chain(a,n-1); b.v[0]+=a.v[0]; a=b; return a; }
int main(void){ struct A x={{1,2,3,4,5}}; struct A y=f(x,&x); assert(x.v[0]==99&&y.v[0]==1&&y.v[1]==4); x=f(x,&x); assert(x.v[0]==99); struct B b=g(x); assert(b.a.v[0]==99); arr[ni()]=next(); arr[ni()]=next(); assert(arr[0].v[0]==0&&arr[1].v[0]==1&&idx==2); assert(w(3).i.x==3); struct A z=next(),zz=next(); assert(z.v[0]==2&&zz.v[0]==3); for(int i=0;i<3;i++){ struct A t=next(); assert(t.v[0]==4+i);} assert(chain((struct A){{2}},3).v[0]==8); struct A *pa=&arr[1]; *pa=*pa; *pa=(struct A){{pa->v[0]+5}}; assert(arr[1].v[0]==6); struct A q[2]={next(),x}; assert(q[1].v[0]==99&&q[0].v[0]==7); b.a=b.a; b=(struct B){.a=next(),.p=&b.a}; assert(b.p->v[0]==8); int v=next().v[0]+next().v[0]; assert(v==19); (next()); assert(cnt==12); report(); return 0; }
