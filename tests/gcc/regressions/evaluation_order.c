// sequenced side effects
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int x=1; int f(void){ x=10; return 1; } int *p=&x; int cnt; int inc(void){return ++cnt;}
int id(int a,int b){return a*100+b;} struct S{int a,b;}; struct S gs={1,2}; int ch(void){gs.a=9; return 3;}
int main(void){ int y=({int t=x; t;})+f(); assert(y==2); x=1; int l=5; int r=(l=7,l)+0; assert(r==7); 
 assert((inc()?:9)==1&&cnt==1); assert((0?:inc())==2); char c=0; assert((c?:-1)==-1); double d=0; assert((d?:1)==1.0); char *s=0; assert((s?:"q")[0]=='q'); 
 int a[3]={1,2,3}; int i=0; 
 int v=1; v=v&&(v=0,1); assert(v==1); v=(v=3,v+1)*(1); assert(v==4); int *q=a; *q=4; v=*q+0; q++; assert(*q++==2&&*q==3); q=a; assert(*++q==2); assert((*q)++==2&&*q==3); assert(++*q==4); int k=0; k=k++?1:k; assert(k==1); k=0; if(k++||k++){} assert(k==2); k=0; if(k++&&k++){} assert(k==1); k=1; k&&(k=0)||(k=5); assert(k==5); 
 int z=0; for(int j=0;j<3;j++,z+=j); assert(z==6); z= (1,2,3); assert(z==3); (void)(z?z=1:(z=2)); assert(z==1); z=(z==1)?(z==2)?5:6:7; assert(z==6); 
 struct S t=(inc(),gs); assert(t.a==1); t=cnt?gs:t; assert(t.b==2); assert((cnt>0?gs:t).b==2); assert((t=gs).a==1); int w=!!5+~0; assert(w==0); assert(-(-5)==5); assert(sizeof(inc())==4&&cnt==3);
 unsigned char uc=255; assert(uc++==255&&uc==0); assert(--uc==255); _Bool b=0; assert(b++==0&&b==1&&b++==1&&b==1&&--b==0&&--b==1); float fl=1.5f; assert(fl++==1.5f&&--fl==1.5f); 
 int n=3; n=n---1; assert(n==2); n = n+ +n; assert(n==4); 
 report(); return 0; }
