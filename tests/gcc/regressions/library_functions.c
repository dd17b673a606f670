// string.h, stdlib.h, ctype.h
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <limits.h>
#include <errno.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int cmp(const void*a,const void*b){return *(int*)a-*(int*)b;}
int main(void){ char b[32]; assert(strlen("abc")==3); strcpy(b,"hello"); assert(!strcmp(b,"hello")&&strcmp(b,"help")<0&&strcmp("b","a")>0&&strcmp("\xff","a")>0); strcat(b," w"); assert(strlen(b)==7); strncpy(b,"xy",5); assert(b[1]=='y'&&b[2]==0&&b[4]==0&&b[5]==' '); strncat(b,"abc",2); assert(!strcmp(b,"xyab")); assert(strncmp("abc","abd",2)==0&&strncmp("abc","abd",3)<0); assert(strchr("abc",'b')[0]=='b'&&strchr("abc",'z')==0&&*strchr("abc",0)==0); assert(!strcmp(strrchr("a/b/c",'/'),"/c")); assert(!strcmp(strstr("hello","ll"),"llo")&&strstr("a","b")==0&&*strstr("abc","")=='a'); assert(memcmp("ab\0c","ab\0d",4)<0); int n=5; memset(b,7,n); assert(b[4]==7); memset(b,0x1ff,3); assert(b[0]==-1); memmove(b+1,b,n); assert(b[1]==-1&&b[5]==7); char c[4]="abc"; memcpy(b,c,n-1); assert(!strcmp(b,"abc")); assert(memchr("abc",'c',3)&&!memchr("abc",'d',3)); assert(strspn("aab","a")==2&&strcspn("aab","b")==2); assert(*strpbrk("xyz","zy")=='y'); char tk[]="a,b;c"; char*t=strtok(tk,",;"); assert(t[0]=='a'); t=strtok(0,",;"); assert(t[0]=='b'); t=strtok(0,",;"); assert(*t=='c'&&!strtok(0,",;")); char*d=strdup("dup"); assert(!strcmp(d,"dup")); free(d); assert(strcasecmp("AbC","aBc")==0); assert(strnlen("abc",2)==2);
 assert(atoi("-12x")==-12&&atoi("  +7")==7&&atol("99")==99&&strtol("0x1f",0,0)==31&&strtol("077",0,0)==63&&strtoul("-1",0,10)==ULONG_MAX); char*e; assert(strtol("12ab",&e,10)==12&&*e=='a'); errno=0; assert(strtol("99999999999999999999",0,10)==LONG_MAX&&errno==ERANGE); errno=0; assert(strtol("-99999999999999999999",0,10)==LONG_MIN); assert(strtoull("18446744073709551615",0,10)==ULLONG_MAX); assert(strtol("z",0,36)==35); assert(strtol("9223372036854775807",0,10)==LONG_MAX); assert(strtoll("-9223372036854775808",0,10)==LLONG_MIN); assert(strtol("08",&e,0)==0&&*e=='8'); assert(strtol("0x",&e,16)==0&&*e=='x');
 assert(abs(-3)==3&&labs(-4L)==4&&llabs(-5LL)==5&&div(7,-2).rem==1&&div(7,-2).quot==-3); int a[6]={5,3,9,1,3,0}; qsort(a,6,4,cmp); assert(a[0]==0&&a[1]==1&&a[2]==3&&a[5]==9); int k=5; assert(*(int*)bsearch(&k,a,6,4,cmp)==5); k=4; assert(!bsearch(&k,a,6,4,cmp)); int*p=malloc(4*sizeof*p); p[3]=1; p=realloc(p,8*sizeof*p); assert(p[3]==1); free(p); p=calloc(3,4); assert(!p[0]&&!p[2]); free(p); free(0); assert(isdigit('5')&&!isdigit('a')&&isalpha('z')&&isspace('\t')&&toupper('a')=='A'&&tolower('Z')=='z'&&isxdigit('f')&&isupper('A')&&!isupper('a')&&ispunct('!')&&isalnum('0')&&isprint(' ')&&!isprint('\n')&&iscntrl(0)&&isgraph('x')&&!isgraph(' ')&&isblank(' ')); assert(RAND_MAX>=32767); int r=rand(); assert(r>=0); report(); return 0; }
