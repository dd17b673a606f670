/* The value of an assignment was read again from its place, which the store may have moved or later operands may change. */
unsigned long long checksum = 1;
static void mix(long long value) { checksum = checksum * 31 + (unsigned long long)value; }
#ifdef NATIVE
int printf(const char *, ...);
#endif

struct pair { int a, b; };
struct node { struct node *next; int *cell, value; unsigned bits : 3; };
static struct pair first = {1, 2}, second = {3, 4};
static int changed(void) { first.a = 100; return 1; }
static int sum(struct pair p, int k) { first.b = 50; return p.a * 1000 + p.b * 10 + k; }
static struct pair assigned(void) { return first = second; }
static struct pair chosen(int which) { return which ? first : second; }
static char narrow(void) { return first.a = 300; }

int main(void) {
    int a[4] = {0, 1, 2, 3};
    mix(a[a[0]] = 2);
    mix(a[a[3] - 1] += 1);
    mix(++a[a[1]]);
    mix(a[a[1]]--);
    mix(a[0] * 1000 + a[1] * 100 + a[2] * 10 + a[3]);

    int cells[3] = {5, 6, 7};
    struct node two = {0, cells + 1, 2, 2}, one = {&two, cells, 1, 1}, *p = &one;
    mix(*p->cell++ = 9);
    mix((p->next->bits = 13));
    mix((p->next->bits -= 6));
    mix((p = p->next)->value);
    p->next = p;
    mix((*p->next = one).value);
    mix(p->next == &two);
    mix(cells[0] * 100 + cells[1] * 10 + cells[2]);

    mix(sum(first = second, 7));
    mix((first = second).b + 0);
    mix(assigned().a + chosen(changed()).a);
    mix(narrow());
    struct pair third, fourth = third = second;
    second.a = 77;
    mix(third.a + fourth.a * 10 + (1 ? second : third).a * 100);
    mix(({ struct pair inner = {8, 9}; inner.a++; inner; }).a);

    int n = 3, i = 0, v[n][n + 1];
    mix(sizeof(v[i++]) + i);
    mix(__builtin_expect(i++, 0) + i * 10);
    __builtin_prefetch((i++, &i));
    mix(i);
#ifdef NATIVE
    printf("%llx\n", checksum);
#endif
    return 0;
}
