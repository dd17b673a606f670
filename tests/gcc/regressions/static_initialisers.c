// tentative, incomplete, address and float initialisers
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
typedef int T[]; T a={1,2},b={1,2,3}; extern int late[]; int use(void){ return late[2]; } int late[]={4,5,6}; static int sfwd[3]; int *psf=sfwd+1; static int sfwd[3]={1,2,3}; extern int z; int z; int z; struct N{struct N*l,*r; int v;} n1,n2={&n1,0,2},n1={&n2,&n1,1}; const char *const strs[]={"a","bc",0}; static const struct{const char*n; int (*f)(int); unsigned fl:4; } tab[]={{"x",0,3},{.n="y",.fl=20}}; int mat[][3]={[2]={1},[0]={[1]=5}}; char cc[2][2]={{'a','b'},"cd"}; long double ld=1.5L; _Bool bb[3]={1,5,0}; float fa[]={1,2.5,-3}; struct {char c; struct{short s; double d;} i; char e[3];} mix={'q',{7,2.5},"ab"}; unsigned long long ull[]={~0ULL,1ULL<<63}; int *np[3]={[1]=&late[1]}; void *vv=&vv; int neg=-(1<<30)-(1<<30); int sh=-8>>1; unsigned mod=-7%3u; int rem=-7%3; double dd=1.0/3+1; float ff=0.1+0.2; int cond=sizeof(int)==4?10:20; int ptrcmp=&late[1]>&late[0]; char *past="hello"+2; char (*pa)[6]=&"hello"; int (*parr)[3]=&late; struct N *pn=&(struct N){.v=8}; int **pp=&(int*){&z}; 
int main(void){ assert(sizeof a==8&&sizeof b==12&&use()==6&&*psf==2&&n1.l->v==2&&n2.l->r==&n1); assert(strs[1][1]=='c'&&!strs[2]&&tab[1].n[0]=='y'&&tab[1].fl==4&&tab[0].fl==3); assert(mat[2][0]==1&&mat[0][1]==5&&sizeof mat==36); assert(cc[0][1]=='b'&&cc[1][1]=='d'&&ld==1.5L&&bb[1]==1&&fa[2]==-3&&mix.i.d==2.5&&mix.e[1]=='b'&&ull[0]+1==0&&*np[1]==5&&vv==&vv); assert(neg==(-2147483647-1)&&sh==-4&&mod==(-7%3u)&&rem==-1&&dd>1.3&&ff==(float)(0.1+0.2)&&cond==10&&ptrcmp==1&&past[0]=='l'&&(*pa)[4]=='o'&&(*parr)[0]==4&&pn->v==8&&*pp==&z); report(); return 0; }
