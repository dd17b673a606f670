// tables, casts, K&R, unions of function pointers
#include <assert.h>
#include <stdlib.h>
#include <string.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
typedef int (*F)(int); int a(int x){return x+1;} int b(int x){return x*2;} static F tab[]={a,b,&a,*b}; struct O{F f; struct O*n; int (*g)(struct O*,int);}; int meth(struct O*o,int k){return o->f(k);} F pick(int i){return tab[i];} int apply(F f,int x){return f(x);} int apply2(int f(int),int x){return (*f)(x)+(**f)(x)+f(x);} void vf(void){} int knr(); int knr(x,y) int x,y; {return x-y;} 
struct R{int a[4];}; struct R mkr(int x){struct R r={{x,x,x,x}}; return r;} struct R (*rp)(int)=mkr; long long ll(long long x){return x<<1;} float fl(float x){return x/2;} void *vp(void*p){return p;} _Bool bo(int x){return x;} char ch(int x){return x;} unsigned char (*chp)(int)=(void*)ch;
int main(void){ for(int i=0;i<4;i++) assert(tab[i](5)==(i%2?10:6)); struct O o={a,0,meth}; o.n=&o; assert(o.n->n->g(&o,3)==4); assert(pick(1)(4)==8); assert(apply(b,3)==6&&apply2(a,1)==6); assert(knr(5,3)==2); F f=0; assert(!f&&f==0); f=a; assert(f&&f==&a&&f!=b&&*f==a); int (*k)()=knr; assert(k(9,4)==5); assert(rp(3).a[2]==3); assert((1?a:b)(1)==2); F (*pp)(int)=pick; assert(pp(0)(1)==2); long long (*lp)(long long)=ll; assert(lp(1LL<<40)==1LL<<41); float(*fp)(float)=fl; assert(fp(3)==1.5f); void*(*vpp)(void*)=vp; assert(vpp(&o)==&o); _Bool(*bp)(int)=bo; assert(bp(256)==1); assert(bo(0.5)==0); assert(ch(200)==-56); int (*arr2[2][2])(int)={{a,b},{b,a}}; assert(arr2[1][0](4)==8); void *raw=(void*)a; assert(((F)raw)(1)==2); unsigned long ad=(unsigned long)b; assert(((F)ad)(4)==8); union{F f; void*p;} u; u.p=(void*)b; assert(u.f(2)==4); 
 size_t (*sl)(const char*)=strlen; assert(sl("abc")==3); report(); return 0; }
