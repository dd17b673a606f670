// VLAs, parameters, sizeof
#include <assert.h>
#include <alloca.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int s1(int n,int a[n]){int s=0; for(int i=0;i<n;i++) s+=a[i]; return s;} int s2(int n,int m,int a[n][m]){int s=0; for(int i=0;i<n;i++)for(int j=0;j<m;j++) s+=a[i][j]*(i+1); return s+sizeof(a[0]);} int s3(int n,int (*a)[n]){return a[1][1];} int s4(int n,int m,int a[][m+1]){ return a[1][0]; } int s5(int a[static 3],int b[const]){return a[2]+b[0];} int s6(int n,int m,int k,int a[n][m][k]){ return a[1][1][1]+sizeof(a[0])+sizeof(a[0][0]); } int s7(int n, int a[n][3]) { return a[1][2]+sizeof a[0]; } int s8(int n,char a[3][n]){return a[2][1];}
int main(void){ for(int n=1;n<4;n++){ int a[n]; for(int i=0;i<n;i++) a[i]=i; assert(sizeof a==4*n); assert(s1(n,a)==n*(n-1)/2); } int n=2,m=3; int b[n][m]; for(int i=0;i<n;i++)for(int j=0;j<m;j++) b[i][j]=i*10+j; assert(sizeof b==24&&sizeof b[0]==12&&sizeof b[0][0]==4); n=7;m=9; assert(sizeof b==24&&b[1][2]==12&&(char*)(b+1)-(char*)b==12&&&b[1]-&b[0]==1); assert(s2(2,3,b)==3+2*33+12); assert(s3(3,b)==11); assert(s4(2,2,b)==10); int c3[3]={1,2,3}; assert(s5(c3,c3)==4); int d[2][n-4][4]; d[1][1][1]=5; d[1][2][3]=1; assert(s6(2,3,4,d)==5+48+16); int e[n][3]; e[1][2]=8; assert(s7(n,e)==8+12); char f[3][n]; f[2][1]=3; assert(s8(n,f)==3&&sizeof f==21); int *p=alloca(12); p[2]=4; assert(p[2]==4); int k=3; int g[k++]; assert(k==4&&sizeof g==12); unsigned char uc=200; char h[uc]; assert(sizeof h==200); int *q=b[1]; assert(q[1]==11&&*(*(b+1)+2)==12); typeof(b) *pb=&b; (void)pb; for(int i=0;i<2;i++){ char z[i+1]; z[i]=i; if(i==0) continue; assert(z[1]==1);} long long L=2; int w[L][2]; w[1][1]=1; assert(sizeof w==16); report(); return 0; }
