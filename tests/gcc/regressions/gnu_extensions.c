// typeof, statement expressions, kernel-style lists
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int f(int x,int y){ return x*10+y; } 
#define max(a,b) ({ typeof(a) _a=(a); typeof(b) _b=(b); _a>_b?_a:_b; })
#define swap(a,b) do { typeof(a) t_=(a); (a)=(b); (b)=t_; } while(0)
#define ARRAY_SIZE(a) (sizeof(a)/sizeof((a)[0])+sizeof(char[1-2*__builtin_types_compatible_p(typeof(a),typeof(&(a)[0]))])-1)
#define likely(x) __builtin_expect(!!(x),1)
#define BUG_ON(c) ((void)sizeof(char[1-2*!!(c)]))
#define min_t(t,a,b) ({ t __x=(a); t __y=(b); __x<__y?__x:__y; })
struct list{struct list*n,*p;}; 
#define INIT(x) {&(x),&(x)}
struct list head=INIT(head); struct item{int v; struct list l;}; 
#define entry(ptr,type,m) ({ const typeof(((type*)0)->m)*__m=(ptr); (type*)((char*)__m-__builtin_offsetof(type,m)); })
#define for_each(pos,h,m) for(pos=entry((h)->n,typeof(*pos),m); &pos->m!=(h); pos=entry(pos->m.n,typeof(*pos),m))
void add(struct list*x,struct list*h){ h->n->p=x; x->n=h->n; x->p=h; h->n=x; }
int main(void){ int a=3,b=5; assert(max(a++,b++)==5&&a==4&&b==6); swap(a,b); assert(a==6&&b==4); int arr[7]; assert(ARRAY_SIZE(arr)==7); if(likely(a>0)) BUG_ON(0); assert(min_t(unsigned,-1,5)==5); struct item i1={1},i2={2}; add(&i1.l,&head); add(&i2.l,&head); struct item*p; int s=0; for_each(p,&head,l) s=s*10+p->v; assert(s==21); assert(f(({int z=1; z++; z;}),max(1,2))==22); int x=0; assert((x?:7)==7); int z[0]; struct{int n; char d[0];} zz; assert(sizeof z==0&&sizeof zz==4); typeof(int*) q=&a; *q=9; assert(a==9); switch(a){ case 5 ... 9: break; default: assert(0);} void *vp=arr; vp++; assert((char*)vp-(char*)arr==1); assert(0b101==5); assert(({ int r; if(a) r=1; else r=2; r; })==1); unsigned long fl=1UL<<3|1UL<<5; assert(__builtin_ffsl(fl)==4); case_range: ; int m[]={[2]=1,2}; assert(sizeof m==16); report(); return 0; }
