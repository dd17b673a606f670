// pointer arithmetic and punning
#include <assert.h>
#include <stdint.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
struct L{int pad; struct L*next; int data;}; 
#define container_of(p,t,m) ((t*)((char*)(p)-__builtin_offsetof(t,m)))
int main(void){ int a[10]; for(int i=0;i<10;i++) a[i]=i; int *p=a+3,*q=&a[7]; assert(q-p==4&&p<q&&p!=q&&p[-1]==2&&*(p+2)==5&&2[p]==5); assert((char*)q-(char*)p==16); struct L l={1,0,5}; int *pd=&l.data; assert(container_of(pd,struct L,data)==&l); void *v=a; v=(char*)v+4; assert(*(int*)v==1); v+=4; assert(*(int*)v==2); uintptr_t u=(uintptr_t)&a[2]; assert(*(int*)(u+4)==3); int **pp=&p; **pp=77; assert(a[3]==77); unsigned char*b=(unsigned char*)&a[1]; assert(b[0]==1&&b[1]==0); *(short*)&a[1]=-1; assert(a[1]==65535); long long ll=0x1122334455667788LL; assert(*((unsigned char*)&ll+1)==0x77&&*(int*)&ll==0x55667788); float f=1.0f; assert(*(unsigned*)&f==0x3f800000); double d; *(long long*)&d=0x3ff8000000000000LL; assert(d==1.5); int m[3][4]; int (*r)[4]=m; r++; (*r)[2]=9; assert(m[1][2]==9&&*(*(m+1)+2)==9&&(int*)m+6==&m[1][2]); const char*s="abc"; while(*s++); assert(s[-2]=='c'); p=0; assert(!p&&p==0&&(p||1)); p=&a[9]+1; assert(p==a+10&&p-a==10); char*e=(char*)&a[10]; assert(e-(char*)a==40); intptr_t ip=-1; p=(int*)ip; assert((intptr_t)p==-1); assert((int)(uintptr_t)(void*)5==5); _Bool isn=p; assert(isn); int x=1,y=2; int *sel=x<y?&x:&y; *sel=10; assert(x==10); int *arr[2]={&x,&y}; *arr[1]=20; assert(y==20); struct L n1={0,0,1},n2={0,&n1,2}; int sum=0; for(struct L*i=&n2;i;i=i->next) sum+=i->data; assert(sum==3); unsigned idx=2; assert(a[idx-1+0]==65535&&*(a+10-idx)==8); char ci=-1; assert((a+5)[ci]==4); report(); return 0; }
