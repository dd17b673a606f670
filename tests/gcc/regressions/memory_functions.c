// memcpy, memset, memmove and relatives
#define _GNU_SOURCE
#include <strings.h>
#include <assert.h>
#include <string.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
struct S{int n; char b[20];}; char *p; int n=4;
int main(void){ struct S a={1,"hello"},b; memcpy(&b,&a,sizeof a); assert(!strcmp(b.b,"hello")); memset(&a,0,sizeof a); assert(a.b[0]==0); memmove(b.b+1,b.b,5); char buf[10]; memset(buf,'x',sizeof buf-1); buf[9]=0; assert(strlen(buf)==9); assert(memcmp(buf,"xxxx",n)==0); p=memcpy(buf,"ab",3); assert(p==buf&&buf[1]=='b'); p=strcpy(buf,"q")+1; *p++='r'; *p=0; assert(!strcmp(buf,"qr")); int i[4]={1,2,3,4}; memcpy(i,i+2,8); assert(i[1]==4); memset(i,-1,n*sizeof*i); assert(i[3]==-1); memcpy(i,"",0); assert(*(char*)memset(buf,n,1)==4); (void)memcpy; int k=0; memset(&i[k++],0,4); assert(k==1&&i[0]==0&&i[1]==-1); assert(strcat(strcpy(buf,"a"),"b")==buf&&!strcmp(buf,"ab")); __builtin_memcpy(buf,"zz",2); assert(buf[1]=='z'); bcopy("yy",buf,2); bzero(buf+1,1); assert(buf[0]=='y'&&!buf[1]); assert(*(char*)mempcpy(buf,"abc",2)==buf[2]&&*stpcpy(buf,"ab")==0); report(); return 0; }
