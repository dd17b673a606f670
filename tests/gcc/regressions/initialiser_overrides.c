// later initialisers replace earlier ones, also in unions
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
struct P{int x,y;}; struct P k={1,2};
union V{int i; char c;} u={.i=0x01020304,.c=5};
struct {struct P p; int z;} g={.p={1,2},.p.x=7}; int a[2][2]={[0]={1,2},[0][1]=5}; char s[]={[0]='a',[0]='b'}; struct {char t[4];} st={.t="abc",.t[1]='x'}; int over[3]={[0 ... 2]=1,[1]=2};
int main(void){ assert(u.i==5); assert(g.p.x==7&&g.p.y==2); assert(a[0][0]==1&&a[0][1]==5); assert(st.t[0]=='a'&&st.t[1]=='x'&&st.t[2]=='c'); assert(over[0]==1&&over[1]==2&&over[2]==1);
 int k3=3; struct {struct P p; int z;} l={.p={k3,2},.p.x=7,.z=k3}; assert(l.p.x==7&&l.p.y==2); report(); return 0; }
