// escapes, wide and UTF strings
#include <assert.h>
#include <wchar.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int main(void){ const wchar_t *w=L"\x416""a9"; assert(w[0]==0x416&&w[1]=='a'&&w[2]=='9'&&w[3]==0); assert(sizeof(L"\x416""a9")==16);
 wchar_t z[]=L"\x416" L"abc\u20acf"; assert(sizeof z==28&&z[1]=='a'&&z[4]==0x20ac&&z[5]=='f');
 const char *s="\0a\1b\x7f\377\"\\\'\?\a\b\f\v\e%d\n\t\u20ac"; assert(s[0]==0&&s[1]=='a'&&s[2]==1&&s[4]==0x7f&&s[5]==-1&&s[6]=='"'&&s[7]=='\\'&&s[8]=='\''&&s[9]=='?'&&s[10]==7&&s[14]==27);
 assert(sizeof("a\0b")==4); char q[2]="ab"; assert(q[1]=='b'); char m[2][3]={"ab","c"}; assert(m[1][0]=='c'&&m[1][2]==0&&m[0][1]=='b'); assert("abc"[1]=='b'); assert(*("xyz"+2)=='z'); 
 unsigned short u[]=u"a\u20ac"; assert(sizeof u==6&&u[1]==0x20ac); assert('ab'==24930); assert(L'\u20ac'==0x20ac); assert('\377'==-1); unsigned u32[]=U"\U0001F600x"; assert(u32[0]==0x1F600&&u32[1]=='x'); unsigned short sp[]=u"\U0001F600x"; assert(sizeof sp==8 && sp[0]==0xd83d); report(); return 0; }
