// plain char is signed
#include <assert.h>
#include <limits.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
char gc=0xff; unsigned char tab[256]; 
int main(void){ char c=gc; assert(c==-1&&(unsigned char)c==255&&c>>1==-1); int i=c; assert(i==-1); unsigned u=c; assert(u==UINT_MAX); tab[(unsigned char)c]=7; assert(tab[255]==7); short s=c; unsigned short us=c; assert(s==-1&&us==65535); long l=c; unsigned long ul=c; assert(l==-1&&ul==ULONG_MAX); float f=c; assert(f==-1); c='\x80'; assert(c==-128&&-c==128); c=-c; assert(c==-128); c+=255; assert(c==127); signed char sc=c*c; assert(sc==1); if(c=='\177'); else assert(0); assert(CHAR_MIN==-128); switch(c){case 127: break; default: assert(0);} _Bool b=c; assert(b==1); int arr[3]={1,2,3}; char ix=1; assert(arr[ix]==2&&ix[arr]==2); char x='a'+1; assert(x=='b'&&sizeof('a')==4&&sizeof x==1); unsigned long long ull=(char)-1; assert(ull==ULLONG_MAX); assert((unsigned char)300+(signed char)200==44-56); assert((short)70000==4464&&(unsigned short)-1==65535&&(int)3000000000u<0&&(int)4294967297LL==1&&(unsigned)-1LL==UINT_MAX&&(long long)-1u==4294967295LL); unsigned ui=INT_MAX; ui++; int ii=ui; assert(ii==INT_MIN); ii--; assert(ii==INT_MAX); long long a=INT_MAX; a*=INT_MAX; assert(a==4611686014132420609LL); unsigned x1=65535; assert(x1*x1==4294836225u&&x1*x1*x1!=0); int sh=-16; assert(sh>>2==-4&&(unsigned)sh>>28==15&&sh<<2==-64&&sh/4==-4&&sh%3==-1); report(); return 0; }
