// initialisers of all kinds
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
struct P{int x,y;}; struct Q{struct P a[2]; char s[4]; union{int i; char c[4];} u; int b1:3,:2,b2:5; struct P*p; int (*fn)(void); double d;};
int one(void){return 1;}
struct P gp={3,4};
struct Q g={1,2,3,4,"ab",{0x01020304},-1,7,&gp,one,1.5};
struct Q g2={.a[1].y=5,.s={'x'},.u.c={1,2},.b2=-3,.fn=one,.p=&g.a[1]};
struct Q g3[2]={[1]={.a={{1},{.y=2}}},[0].d=2};
int arr[]={1,[5]=6,7,[2]=3}; int m[2][3]={1,2,3,4}; int m2[][2]={{1},{2,3},4}; int m3[2][2][2]={{1,2,3},{{4},5}}; char strs[][5]={"ab",{"cd"},{'e','f'}}; char *sp[]={"x",[3]="y"}; 
struct F{int n; int d[];} fl={2,{7,8}}; struct F2{int n; struct P d[];} fl2={1,{{1,2},{3,4}}};
int *ip=&arr[2]; int *ip2=arr+3; char *cp=(char*)&gp+sizeof(int); int diff=&arr[4]-&arr[1]; long addr=(long)&gp; int *lit=(int[]){5,6,7}; struct P *lp=&(struct P){8,9}; int sz=sizeof arr/sizeof*arr; const int cn=4; int *np=0; _Bool gb=5; _Bool gb2=0.5; float gf=1; double gd=1/3; char gc=300; unsigned char guc=-1; int gi=2.9; long long gll=-1; unsigned long long gull=-1; int tern=1?2:3; int cast=(char)200; enum{E1=5,E2,E3=E1*2}; int en=E3+E2; float fneg=-1.5e3f; int logic=1&&0||!0; unsigned shift=1u<<31; int flt=(int)(1.5*2); int cmp=1.0<2; void *vp=(void*)0x1234; int *self=(int*)&self; char nested[2][2][3]={{"ab","c"},{"d"}}; 
union U{char c; int i; struct P p;} u1={1}, u2={.p={5,6}}, u3={.i=-1}; struct {int a; struct {int b,c;} d[2]; int e;} el={1,2,3,4,5,6}; struct{int:4; int a; int:0; int b;} un={1,2}; struct E{} em={}; struct {int a; struct E e; int b;} wem={1,{},2}; int empty[3]={}; int sc={5}; char sb[]={"hey"}; struct P pa[2]={{.y=1},{.x=2}}; struct {char a; short b; long long c; char d;} pad={1,2,3,4};
int t; int t; int t=4; static int st; extern int ex; int ex=9; extern int inc[]; int inc[3]={1,2,3};
struct Q cpy;
int main(void){ assert(g.a[1].y==4&&g.s[1]=='b'&&g.s[3]==0&&g.u.c[0]==4&&g.b1==-1&&g.b2==7&&g.p->y==4&&g.fn()==1&&g.d==1.5);
 assert(g2.a[0].x==0&&g2.a[1].y==5&&g2.s[0]=='x'&&g2.s[1]==0&&g2.u.c[1]==2&&g2.b2==-3&&g2.fn()==1&&g2.p->x==3); assert(g3[1].a[0].x==1&&g3[1].a[1].y==2&&g3[0].d==2);
 assert(sz==7&&arr[5]==6&&arr[6]==7&&arr[2]==3&&arr[1]==0); assert(m[1][0]==4&&m[1][1]==0); assert(sizeof m2==24&&m2[2][0]==4&&m2[0][1]==0&&m2[1][1]==3); assert(m3[0][1][0]==3&&m3[0][1][1]==0&&m3[1][0][0]==4&&m3[1][1][0]==5); assert(sizeof strs==15&&strs[1][1]=='d'&&strs[2][1]=='f'); assert(sp[3][0]=='y'&&sp[1]==0); assert(fl.d[1]==8&&fl2.d[1].x==3); assert(*ip==3&&ip2==arr+3&&*(int*)cp==4&&diff==3&&addr==(long)&gp&&lit[2]==7&&lp->y==9); assert(gb==1&&gb2==1&&gf==1&&gd==0&&gc==44&&guc==255&&gi==2&&gll==-1&&gull==-1ULL&&tern==2&&cast==-56&&en==16&&fneg==-1500&&logic==1&&shift==0x80000000&&flt==3&&cmp==1&&(long)vp==0x1234&&(void*)self==&self); assert(nested[0][1][0]=='c'&&nested[1][0][0]=='d'&&nested[1][1][0]==0); assert(u1.c==1&&u1.p.y==0&&u2.p.y==6&&u3.i==-1&&u3.p.y==0); assert(el.d[1].b==4&&el.d[1].c==5&&el.e==6); assert(un.a==1&&un.b==2); assert(wem.b==2&&empty[2]==0&&sc==5&&sizeof sb==4&&pa[0].y==1&&pa[1].x==2&&pad.c==3&&pad.d==4); assert(t==4&&ex==9&&inc[2]==3&&st==0);
 { int k=3; struct Q lg={k,k+1,k+2,k+3,"ab",{k},-1,7,&gp,one,k/2.0}; assert(lg.a[1].y==6&&lg.s[1]==98&&lg.s[2]==0&&lg.u.i==3&&lg.b1==-1&&lg.b2==7&&lg.p->y==4&&lg.fn()==1&&lg.d==1.5); struct Q h={.a[1]={k},.b2=k,.a[0].y=k}; assert(h.a[1].x==3&&h.a[1].y==0&&h.a[0].y==3&&h.b2==3&&h.s[0]==0&&h.d==0); struct Q arr2[2]={lg,[1]=h}; assert(arr2[0].a[1].y==6&&arr2[1].b2==3); struct {struct P p; int z;} w={gp,5}; assert(w.p.y==4&&w.z==5); struct {struct P p[2]; int z;} w2={gp,k,k,9}; assert(w2.p[0].x==3&&w2.p[1].y==3&&w2.z==9); int a[]={k,[3]=k,[1]=2}; assert(sizeof a==16&&a[3]==3&&a[2]==0&&a[1]==2); char s[10]="abc"; assert(s[9]==0&&s[2]=='c'); char s2[]={'a',k}; assert(sizeof s2==2&&s2[1]==3); int mm[2][3]={{k},{[2]=k}}; assert(mm[0][0]==3&&mm[0][2]==0&&mm[1][2]==3); struct P over={.x=1,.x=2}; assert(over.x==2); struct P q={.x=1,2}; assert(q.y==2); int o[3]={1,2,3,[0]=9}; assert(o[0]==9&&o[2]==3); union U lu={.p={k,k}}; assert(lu.p.y==3); struct {int a:3,b:7; unsigned long long c:40; _Bool d:1;} bf={k,-k,1ULL<<38,k}; assert(bf.a==3&&bf.b==-3&&bf.c==1ULL<<38&&bf.d==1); struct P *lp2=&(struct P){k,k*2}; assert(lp2->y==6); int *li=(int[]){k,k,[4]=5}; assert(li[4]==5&&li[3]==0); assert(((struct P){1,2}).y==2); assert((int){7}==7); char (*ps)[3]=&(char[3]){"hi"}; assert((*ps)[1]=='i'); assert(sizeof((int[]){1,2,3})==12); const char *cs=(const char[]){"lit"}; assert(cs[2]=='t'); for(int i=0;i<3;i++){ int z[3]={i}; assert(z[0]==i&&z[1]==0); z[1]=9; static int cnt=5; cnt++; if(i==2)assert(cnt==8);} struct Q zz={0}; zz.b1=1; cpy=zz; assert(cpy.b1==1); wchar: ; __WCHAR_TYPE__ wc[]=L"hi"; assert(wc[1]=='i'&&sizeof wc==12); int (*fa[2])(void)={one,&one}; assert(fa[1]()==1); int neg[3]={[1 ... 2]=-k}; assert(neg[2]==-3&&neg[0]==0); struct{struct{int a;}; union{int b; float f;};} an={{k},{k}}; assert(an.a==3&&an.b==3); }
 report(); return 0; }
