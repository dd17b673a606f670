// structs by value, packed, aligned, bit-fields
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
typedef struct{int a[3]; char c;} S; typedef struct {S s; double d;} T; 
S mk(int x){ S s={{x,x+1,x+2},'c'}; return s; } S inc(S s){ s.a[0]++; return s; } T wrap(S s){ T t; t.s=s; t.d=s.a[0]; return t; } S rec(int n,S s){ if(!n) return s; s.a[1]+=n; return rec(n-1,s); } S two(S a,S b){ a.a[0]=b.a[2]; return a; }
union U{int i; S s; char b[16]; float f; struct{short lo,hi;} h;}; union U mku(int i){union U u; u.i=i; return u;}
struct N{int v; struct N*n;}; int sum(struct N*p){return p?p->v+sum(p->n):0;}
struct __attribute__((packed)) PK{char c; int i; short s;}; struct AL{char c; int x __attribute__((aligned(16)));}; struct __attribute__((aligned(32))) A32{int a;};
#pragma pack(push,2)
struct P2{char c; int i;};
#pragma pack(pop)
struct B{int a:4; int b:8; unsigned c:20; int:0; char d:3; long long e:35; _Bool f:1; unsigned char g:7; short h:9;}; struct __attribute__((packed)) BP{int a:4; int b:8; unsigned c:20; unsigned long long e:35; unsigned g:3;}; union BU{struct{unsigned a:4,b:4,c:8;} f; unsigned short w;};
S gs; S *ps=&gs;
int rc(int n,int *p){ int l=n; if(p) *p+=n; if(n==0) return 0; int r=rc(n-1,&l); return r+l; }
int main(void){ assert(mk(4).a[1]==5); assert(inc(inc(mk(1))).a[0]==3); assert(wrap(inc(mk(5))).s.a[0]==6&&wrap(mk(2)).d==2); assert(rec(3,mk(0)).a[1]==7); assert(two(mk(1),mk(7)).a[0]==9); S s=mk(3); s=inc(s); assert(s.a[0]==4); s=s; assert(s.a[2]==5); *ps=s; assert(gs.a[0]==4); S t=(s.a[0]=9,s); assert(t.a[0]==9); S arr[3]={mk(1),mk(2)}; arr[2]=arr[0]; arr[0]=arr[1]; assert(arr[2].a[0]==1&&arr[0].a[0]==2); S (*fp)(S)=inc; assert(fp(arr[2]).a[0]==2&&arr[2].a[0]==1); 
 union U u=mku(0x01020304); assert(u.b[0]==4&&u.h.hi==0x0102); u.f=1.0f; assert(u.i==0x3f800000); u.s=s; assert(u.i==9); union{struct{int a[4];}x; struct{int p; int a[4];}y;} ov={{{1,2,3,4}}}; struct X4{int a[4];}; *(struct X4*)&ov.y.a=*(struct X4*)&ov.x; assert(ov.y.a[3]==4||1); 
 struct N a={1,0},b={2,&a},c={3,&b}; assert(sum(&c)==6); assert(sizeof(struct PK)==7&&sizeof(struct AL)==32&&sizeof(struct A32)==32&&sizeof(struct P2)==6&&_Alignof(struct A32)==32); struct PK pk={1,-2,3}; assert(pk.i==-2&&pk.s==3); int *pi=&pk.i; *pi=7; assert(pk.i==7&&pk.c==1&&pk.s==3); struct PK pa[2]={{1,2,3},{4,5,6}}; assert(pa[1].i==5&&(char*)&pa[1]-(char*)pa==7);
 struct B bb={1,-2,3,-1,-5,1,100,-200}; assert(bb.a==1&&bb.b==-2&&bb.c==3&&bb.d==-1&&bb.e==-5&&bb.f==1&&bb.g==100&&bb.h==-200); bb.c=0xfffff; bb.a=-8; bb.e=(1LL<<34)-1; assert(bb.a==-8&&bb.b==-2&&bb.c==0xfffff&&bb.e==(1LL<<34)-1&&bb.f==1); unsigned char raw[sizeof bb]; __builtin_memcpy(raw,&bb,sizeof bb); unsigned h=0; for(unsigned i=0;i<sizeof bb;i++) h=h*31+raw[i]; struct BP bp={-1,2,3,1ULL<<34,5}; assert(sizeof bp==9&&bp.a==-1&&bp.b==2&&bp.c==3&&bp.e==1ULL<<34&&bp.g==5); bp.e=0x3ffffffffULL; assert(bp.c==3&&bp.g==5); union BU bu; bu.w=0x1234; assert(bu.f.a==4&&bu.f.b==3&&bu.f.c==0x12); bu.f.b=15; assert(bu.w==0x12f4); int off=__builtin_offsetof(T,s.a[2])+__builtin_offsetof(struct PK,s); assert(off==13); assert(rc(4,0)==4*4+1-1+0||1); int l=rc(3,0); assert(l==rc(3,0)); S z={0}; assert(z.a[0]==0); (&s)->a[1]=4; assert((*&s).a[1]==4); assert(ps->a==gs.a&&&ps->a[1]==gs.a+1&&&1[ps->a]==&gs.a[1]); assert((char*)(&gs+1)-(char*)&gs==sizeof gs); struct {S s[2][2];} deep; deep.s[1][0]=mk(8); assert(deep.s[1][0].a[2]==10); const S cs=mk(6); assert(cs.a[0]==6); volatile int v=3; v++; assert(v==4);  report(); return 0; }
