#ifndef DRYSTONE_SYS_QUEUE_H
#define DRYSTONE_SYS_QUEUE_H

/* Lists whose links are members of their elements, with the names of members that BSD and glibc give them. */

/* A list, singly linked. */
#define SLIST_HEAD(name, type) \
  struct name { \
    struct type *slh_first; \
  }
#define SLIST_HEAD_INITIALIZER(head) {0}
#define SLIST_ENTRY(type) \
  struct { \
    struct type *sle_next; \
  }
#define SLIST_FIRST(head) ((head)->slh_first)
#define SLIST_NEXT(element, link) ((element)->link.sle_next)
#define SLIST_EMPTY(head) ((head)->slh_first == 0)
#define SLIST_FOREACH(variable, head, link) \
  for ((variable) = (head)->slh_first; (variable); (variable) = (variable)->link.sle_next)
#define SLIST_INIT(head) do (head)->slh_first = 0; while (0)
#define SLIST_INSERT_AFTER(before, element, link) do { \
    (element)->link.sle_next = (before)->link.sle_next; \
    (before)->link.sle_next = (element); \
  } while (0)
#define SLIST_INSERT_HEAD(head, element, link) do { \
    (element)->link.sle_next = (head)->slh_first; \
    (head)->slh_first = (element); \
  } while (0)
#define SLIST_REMOVE_HEAD(head, link) do (head)->slh_first = (head)->slh_first->link.sle_next; while (0)
#define SLIST_REMOVE(head, element, type, link) do { \
    if ((head)->slh_first == (element)) \
      SLIST_REMOVE_HEAD((head), link); \
    else { \
      struct type *__drystone_before = (head)->slh_first; \
      while (__drystone_before->link.sle_next != (element)) \
        __drystone_before = __drystone_before->link.sle_next; \
      __drystone_before->link.sle_next = __drystone_before->link.sle_next->link.sle_next; \
    } \
  } while (0)

/* A list, doubly linked: an element knows the pointer that leads to it. */
#define LIST_HEAD(name, type) \
  struct name { \
    struct type *lh_first; \
  }
#define LIST_HEAD_INITIALIZER(head) {0}
#define LIST_ENTRY(type) \
  struct { \
    struct type *le_next; \
    struct type **le_prev; \
  }
#define LIST_FIRST(head) ((head)->lh_first)
#define LIST_NEXT(element, link) ((element)->link.le_next)
#define LIST_EMPTY(head) ((head)->lh_first == 0)
#define LIST_FOREACH(variable, head, link) \
  for ((variable) = (head)->lh_first; (variable); (variable) = (variable)->link.le_next)
#define LIST_INIT(head) do (head)->lh_first = 0; while (0)
#define LIST_INSERT_AFTER(before, element, link) do { \
    if (((element)->link.le_next = (before)->link.le_next) != 0) \
      (before)->link.le_next->link.le_prev = &(element)->link.le_next; \
    (before)->link.le_next = (element); \
    (element)->link.le_prev = &(before)->link.le_next; \
  } while (0)
#define LIST_INSERT_BEFORE(behind, element, link) do { \
    (element)->link.le_prev = (behind)->link.le_prev; \
    (element)->link.le_next = (behind); \
    *(behind)->link.le_prev = (element); \
    (behind)->link.le_prev = &(element)->link.le_next; \
  } while (0)
#define LIST_INSERT_HEAD(head, element, link) do { \
    if (((element)->link.le_next = (head)->lh_first) != 0) \
      (head)->lh_first->link.le_prev = &(element)->link.le_next; \
    (head)->lh_first = (element); \
    (element)->link.le_prev = &(head)->lh_first; \
  } while (0)
#define LIST_REMOVE(element, link) do { \
    if ((element)->link.le_next != 0) \
      (element)->link.le_next->link.le_prev = (element)->link.le_prev; \
    *(element)->link.le_prev = (element)->link.le_next; \
  } while (0)

/* Queues, singly linked, which know their last link: under two names. */
#define __DRYSTONE_QUEUE_INIT(head, first, last) do { \
    (head)->first = 0; \
    (head)->last = &(head)->first; \
  } while (0)
#define __DRYSTONE_QUEUE_INSERT_HEAD(head, element, first, last, next) do { \
    if (((element)->next = (head)->first) == 0) \
      (head)->last = &(element)->next; \
    (head)->first = (element); \
  } while (0)
#define __DRYSTONE_QUEUE_INSERT_TAIL(head, element, last, next) do { \
    (element)->next = 0; \
    *(head)->last = (element); \
    (head)->last = &(element)->next; \
  } while (0)
#define __DRYSTONE_QUEUE_INSERT_AFTER(head, before, element, last, next) do { \
    if (((element)->next = (before)->next) == 0) \
      (head)->last = &(element)->next; \
    (before)->next = (element); \
  } while (0)
#define __DRYSTONE_QUEUE_REMOVE_HEAD(head, first, last, next) do { \
    if (((head)->first = (head)->first->next) == 0) \
      (head)->last = &(head)->first; \
  } while (0)
#define __DRYSTONE_QUEUE_REMOVE(head, element, type, first, last, next) do { \
    if ((head)->first == (element)) \
      __DRYSTONE_QUEUE_REMOVE_HEAD(head, first, last, next); \
    else { \
      struct type *__drystone_before = (head)->first; \
      while (__drystone_before->next != (element)) \
        __drystone_before = __drystone_before->next; \
      if ((__drystone_before->next = __drystone_before->next->next) == 0) \
        (head)->last = &__drystone_before->next; \
    } \
  } while (0)

#define STAILQ_HEAD(name, type) \
  struct name { \
    struct type *stqh_first; \
    struct type **stqh_last; \
  }
#define STAILQ_HEAD_INITIALIZER(head) {0, &(head).stqh_first}
#define STAILQ_ENTRY(type) \
  struct { \
    struct type *stqe_next; \
  }
#define STAILQ_FIRST(head) ((head)->stqh_first)
#define STAILQ_NEXT(element, link) ((element)->link.stqe_next)
#define STAILQ_EMPTY(head) ((head)->stqh_first == 0)
#define STAILQ_FOREACH(variable, head, link) \
  for ((variable) = (head)->stqh_first; (variable); (variable) = (variable)->link.stqe_next)
#define STAILQ_INIT(head) __DRYSTONE_QUEUE_INIT(head, stqh_first, stqh_last)
#define STAILQ_INSERT_HEAD(head, element, link) \
  __DRYSTONE_QUEUE_INSERT_HEAD(head, element, stqh_first, stqh_last, link.stqe_next)
#define STAILQ_INSERT_TAIL(head, element, link) __DRYSTONE_QUEUE_INSERT_TAIL(head, element, stqh_last, link.stqe_next)
#define STAILQ_INSERT_AFTER(head, before, element, link) \
  __DRYSTONE_QUEUE_INSERT_AFTER(head, before, element, stqh_last, link.stqe_next)
#define STAILQ_REMOVE_HEAD(head, link) __DRYSTONE_QUEUE_REMOVE_HEAD(head, stqh_first, stqh_last, link.stqe_next)
#define STAILQ_REMOVE(head, element, type, link) \
  __DRYSTONE_QUEUE_REMOVE(head, element, type, stqh_first, stqh_last, link.stqe_next)
#define STAILQ_CONCAT(first, second) do { \
    if (!STAILQ_EMPTY(second)) { \
      *(first)->stqh_last = (second)->stqh_first; \
      (first)->stqh_last = (second)->stqh_last; \
      STAILQ_INIT(second); \
    } \
  } while (0)

#define SIMPLEQ_HEAD(name, type) \
  struct name { \
    struct type *sqh_first; \
    struct type **sqh_last; \
  }
#define SIMPLEQ_HEAD_INITIALIZER(head) {0, &(head).sqh_first}
#define SIMPLEQ_ENTRY(type) \
  struct { \
    struct type *sqe_next; \
  }
#define SIMPLEQ_FIRST(head) ((head)->sqh_first)
#define SIMPLEQ_NEXT(element, link) ((element)->link.sqe_next)
#define SIMPLEQ_EMPTY(head) ((head)->sqh_first == 0)
#define SIMPLEQ_FOREACH(variable, head, link) \
  for ((variable) = (head)->sqh_first; (variable); (variable) = (variable)->link.sqe_next)
#define SIMPLEQ_INIT(head) __DRYSTONE_QUEUE_INIT(head, sqh_first, sqh_last)
#define SIMPLEQ_INSERT_HEAD(head, element, link) \
  __DRYSTONE_QUEUE_INSERT_HEAD(head, element, sqh_first, sqh_last, link.sqe_next)
#define SIMPLEQ_INSERT_TAIL(head, element, link) __DRYSTONE_QUEUE_INSERT_TAIL(head, element, sqh_last, link.sqe_next)
#define SIMPLEQ_INSERT_AFTER(head, before, element, link) \
  __DRYSTONE_QUEUE_INSERT_AFTER(head, before, element, sqh_last, link.sqe_next)
#define SIMPLEQ_REMOVE_HEAD(head, link) __DRYSTONE_QUEUE_REMOVE_HEAD(head, sqh_first, sqh_last, link.sqe_next)
#define SIMPLEQ_REMOVE(head, element, type, link) \
  __DRYSTONE_QUEUE_REMOVE(head, element, type, sqh_first, sqh_last, link.sqe_next)

/* A queue, doubly linked. Its head looks like a link, which is how the last element and those before others are found. */
#define TAILQ_HEAD(name, type) \
  struct name { \
    struct type *tqh_first; \
    struct type **tqh_last; \
  }
#define TAILQ_HEAD_INITIALIZER(head) {0, &(head).tqh_first}
#define TAILQ_ENTRY(type) \
  struct { \
    struct type *tqe_next; \
    struct type **tqe_prev; \
  }
#define TAILQ_FIRST(head) ((head)->tqh_first)
#define TAILQ_NEXT(element, link) ((element)->link.tqe_next)
#define TAILQ_EMPTY(head) ((head)->tqh_first == 0)
#define TAILQ_LAST(head, name) (*((struct name *)((head)->tqh_last))->tqh_last)
#define TAILQ_PREV(element, name, link) (*((struct name *)((element)->link.tqe_prev))->tqh_last)
#define TAILQ_FOREACH(variable, head, link) \
  for ((variable) = (head)->tqh_first; (variable); (variable) = (variable)->link.tqe_next)
#define TAILQ_FOREACH_REVERSE(variable, head, name, link) \
  for ((variable) = TAILQ_LAST(head, name); (variable); (variable) = TAILQ_PREV(variable, name, link))
#define TAILQ_INIT(head) do { \
    (head)->tqh_first = 0; \
    (head)->tqh_last = &(head)->tqh_first; \
  } while (0)
#define TAILQ_INSERT_HEAD(head, element, link) do { \
    if (((element)->link.tqe_next = (head)->tqh_first) != 0) \
      (head)->tqh_first->link.tqe_prev = &(element)->link.tqe_next; \
    else \
      (head)->tqh_last = &(element)->link.tqe_next; \
    (head)->tqh_first = (element); \
    (element)->link.tqe_prev = &(head)->tqh_first; \
  } while (0)
#define TAILQ_INSERT_TAIL(head, element, link) do { \
    (element)->link.tqe_next = 0; \
    (element)->link.tqe_prev = (head)->tqh_last; \
    *(head)->tqh_last = (element); \
    (head)->tqh_last = &(element)->link.tqe_next; \
  } while (0)
#define TAILQ_INSERT_AFTER(head, before, element, link) do { \
    if (((element)->link.tqe_next = (before)->link.tqe_next) != 0) \
      (element)->link.tqe_next->link.tqe_prev = &(element)->link.tqe_next; \
    else \
      (head)->tqh_last = &(element)->link.tqe_next; \
    (before)->link.tqe_next = (element); \
    (element)->link.tqe_prev = &(before)->link.tqe_next; \
  } while (0)
#define TAILQ_INSERT_BEFORE(behind, element, link) do { \
    (element)->link.tqe_prev = (behind)->link.tqe_prev; \
    (element)->link.tqe_next = (behind); \
    *(behind)->link.tqe_prev = (element); \
    (behind)->link.tqe_prev = &(element)->link.tqe_next; \
  } while (0)
#define TAILQ_REMOVE(head, element, link) do { \
    if (((element)->link.tqe_next) != 0) \
      (element)->link.tqe_next->link.tqe_prev = (element)->link.tqe_prev; \
    else \
      (head)->tqh_last = (element)->link.tqe_prev; \
    *(element)->link.tqe_prev = (element)->link.tqe_next; \
  } while (0)
#define TAILQ_CONCAT(first, second, link) do { \
    if (!TAILQ_EMPTY(second)) { \
      *(first)->tqh_last = (second)->tqh_first; \
      (second)->tqh_first->link.tqe_prev = (first)->tqh_last; \
      (first)->tqh_last = (second)->tqh_last; \
      TAILQ_INIT(second); \
    } \
  } while (0)

#endif
