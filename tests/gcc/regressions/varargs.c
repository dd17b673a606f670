// variable arguments of all types
#include <assert.h>
#include <stdarg.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
typedef struct{int a,b,c;} S; typedef struct{char c;} C1; typedef struct{double d; long double l;} L; struct __attribute__((aligned(16))) A16{int x;};
int vsum(int n, va_list ap){ int s=0; while(n--) s+=va_arg(ap,int); return s; }
int sum(int n,...){ va_list ap; va_start(ap,n); int r=vsum(n,ap); va_end(ap); return r; }
int vp(int n, va_list *ap){ int s=0; while(n--) s+=va_arg(*ap,int); return s; }
int part(int n,...){ va_list ap; va_start(ap,n); int r=vp(2,&ap); r=r*100+va_arg(ap,int); va_end(ap); return r; }
int all(int n,...){ va_list ap,bp; va_start(ap,n); va_copy(bp,ap); for(int k=0;k<2;k++){ 
#define G(t) va_arg(*(k?&bp:&ap),t)
 if(k==0){ assert((char)va_arg(ap,int)==-3); assert(va_arg(ap,unsigned)==0xffffffffu); assert(va_arg(ap,long)==-5); assert(va_arg(ap,long long)==1LL<<40); assert(va_arg(ap,double)==1.5); assert(va_arg(ap,double)==2.5); assert(va_arg(ap,long double)==3.5L); S s=va_arg(ap,S); assert(s.c==3); assert(va_arg(ap,C1).c=='z'); assert(*va_arg(ap,char*)=='q'); assert(va_arg(ap,int(*)(int,...))==sum); L l=va_arg(ap,L); assert(l.d==1&&l.l==2); assert(va_arg(ap,struct A16).x==77); assert(va_arg(ap,int)==9); assert(va_arg(ap,void*)==0); assert(va_arg(ap,unsigned long long)==5);}
 else { assert(va_arg(bp,int)==-3); assert(va_arg(bp,unsigned)==0xffffffffu);} } va_end(bp); va_end(ap); return n; }
struct H{va_list ap;}; int hs(int n,...){ struct H h; va_start(h.ap,n); int a=va_arg(h.ap,int); int b=va_arg(h.ap,int); va_end(h.ap); return a*10+b; }
int fwd(int n,...){ va_list ap; va_start(ap,n); int x=va_arg(ap,int); int r=sum(2,x,va_arg(ap,int)); va_end(ap); return r; }
S rs(int n,...){ va_list ap; va_start(ap,n); S s=va_arg(ap,S); va_end(ap); s.a+=n; return s; }

int none(int a,...){ return a; }
int main(void){ assert(sum(3,1,2,3)==6&&sum(0)==0); assert(part(0,1,2,3)==303); S s={1,2,3}; C1 c={'z'}; L l={1,2}; struct A16 a16={77}; char ch=-3; short sh=7; float f=1.5f; assert(all(4,ch,-1,-5L,1LL<<40,f,2.5,3.5L,s,c,"q",sum,l,a16,9,(void*)0,5ULL)==4); assert(hs(0,3,4)==34); assert(fwd(0,5,6)==11); assert(rs(2,s).a==3); int (*fp)(int,...)=sum; assert(fp(2,4,5)==9); assert(sum(2,sum(1,3),sum(2,1,1))==5); assert(none(3,s,1.0)==3); report(); return 0; }
