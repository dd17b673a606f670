#ifndef DRYSTONE_SYS_CDEFS_H
#define DRYSTONE_SYS_CDEFS_H

#define __BEGIN_DECLS
#define __END_DECLS
#define __THROW __attribute__((__nothrow__))
#define __P(args) args
#define __CONCAT(x, y) x##y
#define __STRING(x) #x
#define __nonnull(params) __attribute__((__nonnull__ params))
#define __wur __attribute__((__warn_unused_result__))
#define __attribute_pure__ __attribute__((__pure__))
#define __attribute_const__ __attribute__((__const__))
#define __restrict_arr __restrict

#endif
