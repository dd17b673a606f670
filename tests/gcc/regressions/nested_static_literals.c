/* A compound literal inside another one took its name; one that replaces an earlier item kept parts of it. */
unsigned long long checksum = 1;
static void mix(long long value) { checksum = checksum * 31 + (unsigned long long)value; }
#ifdef NATIVE
int printf(const char *, ...);
#endif

struct inner { int a, b; };
struct outer { struct inner *p; int k; struct inner v; };
static struct outer *one = &(struct outer){&(struct inner){1, 2}, 3, {4}};
static struct outer *table[3] = {
    [2] = &(struct outer){(struct inner[]){{5, 6}, {7, 8}}, .v.b = 9},
    [0] = &(struct outer){0},
    [1] = (struct outer[2]){{.p = &(struct inner){10}}, {&(struct inner){.b = 11}, 12}} + 1,
};
static int **twice = &(int *){&(int){13}};
static struct outer replaced = {.v.a = 14, .v = {.b = 15}, .k = 16};
static struct { int n; const char *names[3]; int (*f)(void); } *record = &(typeof(*record)){2, {"ab", [2] = "cd"}, 0};

int main(void) {
    mix(one->p->a * 100 + one->p->b * 10 + one->k + one->v.a);
    mix(table[2]->p[1].a * 100 + table[2]->p[0].b * 10 + table[2]->v.b);
    mix(table[1]->p->b * 100 + table[1][-1].p->a * 10 + table[1]->k);
    mix(**twice + replaced.v.a + replaced.v.b * 10 + replaced.k);
    mix(record->names[0][1] + record->names[2][0] + (record->names[1] == 0));
    one->p->a = 99;
    table[1]->p->a += one->p->a;
    mix(one->p->a + table[1]->p->a + table[2]->p->a);
    for (int i = 0; i < 3; i++) {
        struct outer *local = &(struct outer){&(struct inner){i, i + 1}, i * 2, (struct inner){.b = i}};
        local->p->a += 5;
        mix(local->p->a * 100 + local->p->b * 10 + local->k + local->v.b);
    }
#ifdef NATIVE
    printf("%llx\n", checksum);
#endif
    return 0;
}
