/* sharelines: a Valgrind tool that counts, per operation, what one thread of a program shares with another.
   SPDX-License-Identifier: GPL-2.0-or-later  (it links against Valgrind's core; a development tool only, never shipped)

   Inside a marked region it records every load, store and locked instruction of every thread, native libraries
   included, by cache line, and reports
     - lines written by one thread and touched by another (true or false sharing, by bytes),
     - loads, stores and locked instructions on such lines, over the whole region and over the epochs (--epoch) in
       which the line was shared, so that a line handed over once does not count for ever,
     - coherence misses of a MESI directory with one unbounded cache per thread under a fine, seeded interleaving,
     - locked instructions on private lines, fences, system calls by name, first touches of fresh pages.

   Marks: lseek(-1, 0x5ee1a0d17000 + code, arg)  code 1 begin, 2 end (arg = operations done), 3 one operation done,
   4 this thread is not counted at all; or the client requests ('S','L')+1..4 with the same meaning. */
#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_execontext.h"
#include "pub_tool_addrinfo.h"
#include "pub_tool_transtab.h"
#include "pub_tool_clreq.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "libvex_guest_amd64.h"

#define MAGIC 0x5ee1a0d17000ULL
#define NT 128 /* threads told apart */
#define NSYS 512

static Int  clo_quantum = 64;      /* mean accesses of a region between forced thread switches; 0 = Valgrind's own slices */
static Int  clo_line = 64;
static Int  clo_top = 12;
static Int  clo_threads = 0;       /* hold every thread at its begin mark until so many have come */
static Int  clo_seed = 1;
static Int  clo_epoch = 0;         /* counted accesses, all threads together, in an epoch; 0 = the region is one epoch */
static Bool clo_unmarked = True;   /* count threads that never set a mark, while a region is open anywhere */
static Bool clo_stacks = False;
static const HChar *clo_json = NULL;
static const HChar *clo_trace = NULL;
static Int  shift = 6;

typedef struct { UWord ip; UInt kind; ULong n; ExeContext *ec; } Site;
#define NSITE 6
typedef struct {
   ULong rb[NT], wb[NT];           /* bytes read and written, by thread */
   Site site[NSITE]; ULong other;
} Detail;
typedef struct {
   ULong rd[2], wr[2];             /* which threads */
   UInt nr, nw, na;                /* loads, plain stores, locked */
   UInt rmiss, wmiss, inval;       /* coherence */
   ULong sh[2]; Short owner;       /* MESI: caches that hold it, -1 or the one that may write */
   UInt ep, er, ew, ea;            /* the line's newest epoch and the accesses in it */
   ULong erd[2], ewr[2];
   UChar first;                    /* first thread seen, 255 none */
   ULong frb, fwb;                 /* that thread's bytes, until a second one comes */
   Detail *d;
} Line;

/* page table: 48-bit addresses, 12-bit pages; 3 levels of 12 bits */
static Line ***L1[4096];
static UWord n_pages;
static UWord tl_page = ~0UL; static Line *tl_lines;
static Line *page_lines(UWord pg)
{
   if (pg == tl_page) return tl_lines;
   UWord a = (pg >> 24) & 4095, b = (pg >> 12) & 4095, c = pg & 4095;
   if (!L1[a]) L1[a] = VG_(calloc)("sl.1", 4096, sizeof(void *));
   if (!L1[a][b]) L1[a][b] = VG_(calloc)("sl.2", 4096, sizeof(void *));
   if (!L1[a][b][c]) {
      Int i, n = 4096 >> shift;
      Line *l = VG_(calloc)("sl.3", n, sizeof(Line));
      for (i = 0; i < n; i++) { l[i].owner = -1; l[i].first = 255; }
      L1[a][b][c] = l; n_pages++;
   }
   tl_page = pg; tl_lines = L1[a][b][c];
   return tl_lines;
}

static struct { Bool marked, in, ignored, insys, was; ULong ops, endops, acc, r, w, a, ins, fence, sys; UInt sysn[NSYS]; } T[NT];
static ThreadId cur;
static Int open_regions, begun;
static Bool instrumenting;
static ULong rng;
static Long budget;
static ULong vdso;
static VgFile *trace;

static inline UInt rnd(void) { rng = rng * 6364136223846793005ULL + 1442695040888963407ULL; return rng >> 33; }
static inline Bool counted(UInt t) { return begun >= clo_threads && (T[t].in || (open_regions && !T[t].marked && clo_unmarked)); }

static ULong n_counted, ep_loads, ep_stores, ep_locked;
static UInt epoch = 1, n_epochs, n_epochs_two, n_epochs_all;
static ULong ep_seen[2];           /* marked threads that did anything in the present epoch */
static Int bits(const ULong *m) { return __builtin_popcountll(m[0]) + __builtin_popcountll(m[1]); }
static void close_epoch(Line *l)
{
   ULong all[2] = { l->erd[0] | l->ewr[0], l->erd[1] | l->ewr[1] };
   if ((l->ewr[0] | l->ewr[1]) && bits(all) > 1) { ep_loads += l->er; ep_stores += l->ew; ep_locked += l->ea; }
   l->er = l->ew = l->ea = 0; l->erd[0] = l->erd[1] = l->ewr[0] = l->ewr[1] = 0;
}

/* Who may run. Valgrind lets one thread run at a time; its lock alone does not hand over at a fine grain when the
   machine is busy, so the tool keeps a turn of its own among the marked threads that are not inside a system call. */
static UInt turn = NT;
static UInt gate[NT];
extern void VG_(release_BigLock)(ThreadId, Int, const HChar *);
extern void VG_(acquire_BigLock)(ThreadId, const HChar *);
#define YIELDING 4 /* the core's VgTs_Yielding */
static long futex(UInt *w, UWord op, UInt val, void *timeout)
{
   long r; register void *t4 __asm__("r10") = timeout;
   __asm__ volatile("syscall" : "=a"(r) : "0"(202L), "D"(w), "S"(op), "d"((UWord)val), "r"(t4) : "rcx", "r11", "memory");
   return r;
}
static void wake(UInt t) { if (t < NT) { __sync_fetch_and_add(&gate[t], 1); futex(&gate[t], 129, 1, NULL); } }
static Bool can_run(UInt t) { return T[t].in && !T[t].insys; }
static void pass_turn(UInt from)
{
   UInt i;
   for (i = 1; i <= NT; i++) { UInt t = (from + i) & (NT - 1); if (can_run(t)) { turn = t; return; } }
   turn = NT;
}
static void sl_start(ThreadId tid, ULong b)
{
   UInt t = tid & (NT - 1), i; static UInt slices;
   if (T[t].in && clo_quantum && begun >= clo_threads && (++slices & 7) == 0)
      for (i = 0; i < NT; i++) if (T[i].in && T[i].insys) {
         long ts[2] = { 0, 50000 }; UInt never = 0;
         VG_(release_BigLock)(tid, YIELDING, "sharelines");
         futex(&never, 128, 0, ts);
         VG_(acquire_BigLock)(tid, "sharelines");
         break;
      }
   if (T[t].in && clo_quantum)
      for (;;) {
         UInt g = gate[t];
         if (begun >= clo_threads) {
            if (turn == NT || !can_run(turn)) pass_turn(t);
            if (turn == t || turn == NT) break;
         }
         long ts[2] = { 0, 2000000 };
         VG_(release_BigLock)(tid, YIELDING, "sharelines");
         if (begun >= clo_threads) wake(turn);
         futex(&gate[t], 128, g, ts);
         VG_(acquire_BigLock)(tid, "sharelines");
      }
   cur = tid;
}

static void touch(UInt t, Addr a, UWord size, UInt kind, UWord ip, ThreadId tid)
{
   UWord line = a >> shift, off = a & ((1 << shift) - 1), g = shift - 6;
   UWord lo = off >> g, hi = (off + size - 1) >> g;
   ULong bytes = (hi - lo == 63) ? ~0ULL : (((1ULL << (hi - lo + 1)) - 1) << lo);
   Line *l = &page_lines(a >> 12)[line & ((4096 >> shift) - 1)];
   UInt k = t >> 6; ULong bit = 1ULL << (t & 63);
   if (l->ep != epoch) { if (l->ep) close_epoch(l); l->ep = epoch; }
   if (kind == 0) { l->nr++; l->er++; l->rd[k] |= bit; l->erd[k] |= bit; }
   else { l->wr[k] |= bit; l->ewr[k] |= bit; if (kind == 2) { l->na++; l->ea++; } else { l->nw++; l->ew++; } }
   /* MESI */
   if (kind == 0) {
      if (!(l->sh[k] & bit)) {
         if (l->owner >= 0) { l->rmiss++; l->owner = -1; }
         l->sh[k] |= bit;
      }
   } else if (l->owner != (Short)t) {
      ULong o0 = l->sh[0] & ~(k == 0 ? bit : 0), o1 = l->sh[1] & ~(k == 1 ? bit : 0);
      if (o0 | o1) { l->wmiss++; l->inval += __builtin_popcountll(o0) + __builtin_popcountll(o1); }
      l->sh[0] = l->sh[1] = 0; l->sh[k] = bit; l->owner = t;
   }
   /* who and where, kept only for lines that two threads use and one of them writes */
   if (l->first == 255) l->first = t;
   if (!l->d) {
      if (l->first == t) { if (kind) l->fwb |= bytes; else l->frb |= bytes; return; }
      if (!(l->wr[0] | l->wr[1])) return;
      l->d = VG_(calloc)("sl.4", 1, sizeof(Detail));
      l->d->rb[l->first] = l->frb; l->d->wb[l->first] = l->fwb;
   }
   if (kind) l->d->wb[t] |= bytes; else l->d->rb[t] |= bytes;
   Int i;
   for (i = 0; i < NSITE; i++) {
      Site *s = &l->d->site[i];
      if (!s->n) { s->ip = ip; s->kind = kind; s->ec = clo_stacks ? VG_(record_ExeContext)(tid, 0) : NULL; }
      if (s->ip == ip && s->kind == kind) { s->n++; break; }
   }
   if (i == NSITE) l->d->other++;
   if (trace) VG_(fprintf)(trace, "%u %c %lx\n", t, "RWA"[kind], line);
}

/* size | kind << 16: 0 load, 1 store, 2 locked */
static VG_REGPARM(0) void h_access(VexGuestAMD64State *gst, Addr a, UWord ip, UWord sk)
{
   UInt t = cur & (NT - 1);
   if (!counted(t)) return;
   UWord size = sk & 0xffff; UInt kind = sk >> 16;
   T[t].acc++;
   if (T[t].in) ep_seen[t >> 6] |= 1ULL << (t & 63);
   if (clo_epoch && ++n_counted % clo_epoch == 0) {
      Int m = bits(ep_seen);
      epoch++; n_epochs++; if (m > 1) n_epochs_two++; if (m >= clo_threads) n_epochs_all++;
      ep_seen[0] = ep_seen[1] = 0;
   }
   if (kind == 0) T[t].r++; else if (kind == 1) T[t].w++; else T[t].a++;
   UWord end = a + size, m = (1UL << shift) - 1;
   while (a < end) {
      UWord stop = (a | m) + 1; if (stop > end) stop = end;
      touch(t, a, stop - a, kind, ip, cur);
      a = stop;
   }
   if (clo_quantum && --budget <= 0) {
      budget = 1 + rnd() % (2 * clo_quantum);
      if (T[t].in) pass_turn(t);
      gst->host_EvC_COUNTER = 0; /* end this time slice at the next block */
   }
}
static VG_REGPARM(1) void h_ins(UWord n) { UInt t = cur & (NT - 1); if (counted(t)) T[t].ins += n; }
static VG_REGPARM(0) void h_fence(void) { UInt t = cur & (NT - 1); if (counted(t)) T[t].fence++; }

static void add_access(IRSB *o, IRExpr *addr, UWord ip, UWord size, UInt kind, IRExpr *guard)
{
   IRDirty *d = unsafeIRDirty_0_N(0, "h_access", VG_(fnptr_to_fnentry)(&h_access),
      mkIRExprVec_4(IRExpr_GSPTR(), addr, mkIRExpr_HWord(ip), mkIRExpr_HWord(size | (kind << 16))));
   d->nFxState = 1; VG_(memset)(&d->fxState, 0, sizeof d->fxState);
   d->fxState[0].fx = Ifx_Modify; d->fxState[0].offset = offsetof(VexGuestAMD64State, host_EvC_COUNTER); d->fxState[0].size = 4;
   if (guard) d->guard = guard;
   addStmtToIRSB(o, IRStmt_Dirty(d));
}

static IRSB *sl_instrument(VgCallbackClosure *c, IRSB *in, const VexGuestLayout *lay, const VexGuestExtents *vge,
                           const VexArchInfo *ai, IRType gw, IRType hw)
{
   if (!instrumenting) return in;
   IRSB *o = deepCopyIRSBExceptStmts(in);
   Int i = 0, j; UWord ip = 0, n = 0; Bool cas = False;
   while (i < in->stmts_used && in->stmts[i]->tag != Ist_IMark) addStmtToIRSB(o, in->stmts[i++]);
   for (j = i; j < in->stmts_used; j++) if (in->stmts[j]->tag == Ist_IMark) n++;
   for (; i < in->stmts_used; i++) {
      IRStmt *s = in->stmts[i];
      switch (s->tag) {
      case Ist_IMark:
         ip = s->Ist.IMark.addr; cas = False;
         for (j = i + 1; j < in->stmts_used && in->stmts[j]->tag != Ist_IMark; j++)
            if (in->stmts[j]->tag == Ist_CAS) cas = True;
         addStmtToIRSB(o, s);
         if (n) {
            addStmtToIRSB(o, IRStmt_Dirty(unsafeIRDirty_0_N(1, "h_ins", VG_(fnptr_to_fnentry)(&h_ins), mkIRExprVec_1(mkIRExpr_HWord(n)))));
            n = 0;
         }
         continue;
      case Ist_WrTmp:
         if (s->Ist.WrTmp.data->tag == Iex_Load && !cas) /* a locked instruction's own load is part of it */
            add_access(o, s->Ist.WrTmp.data->Iex.Load.addr, ip, sizeofIRType(s->Ist.WrTmp.data->Iex.Load.ty), 0, NULL);
         break;
      case Ist_Store:
         add_access(o, s->Ist.Store.addr, ip, sizeofIRType(typeOfIRExpr(in->tyenv, s->Ist.Store.data)), 1, NULL);
         break;
      case Ist_StoreG:
         add_access(o, s->Ist.StoreG.details->addr, ip, sizeofIRType(typeOfIRExpr(in->tyenv, s->Ist.StoreG.details->data)), 1,
                    s->Ist.StoreG.details->guard);
         break;
      case Ist_LoadG: {
         IRType ty, wide; typeOfIRLoadGOp(s->Ist.LoadG.details->cvt, &wide, &ty);
         add_access(o, s->Ist.LoadG.details->addr, ip, sizeofIRType(ty), 0, s->Ist.LoadG.details->guard);
         break; }
      case Ist_CAS: {
         IRCAS *k = s->Ist.CAS.details;
         UWord sz = sizeofIRType(typeOfIRExpr(in->tyenv, k->dataLo)); if (k->dataHi) sz *= 2;
         add_access(o, k->addr, ip, sz, 2, NULL);
         break; }
      case Ist_Dirty: {
         IRDirty *d = s->Ist.Dirty.details;
         if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify) add_access(o, d->mAddr, ip, d->mSize, 0, d->guard);
         if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify) add_access(o, d->mAddr, ip, d->mSize, 1, d->guard);
         break; }
      case Ist_MBE:
         if (s->Ist.MBE.event == Imbe_Fence)
            addStmtToIRSB(o, IRStmt_Dirty(unsafeIRDirty_0_N(0, "h_fence", VG_(fnptr_to_fnentry)(&h_fence), mkIRExprVec_0())));
         break;
      default: break;
      }
      addStmtToIRSB(o, s);
   }
   return o;
}

/* Inside a system call no translated code is running either, so discarding is as safe there as in a client request;
   the core only marks the latter. */
extern Bool VG_(ok_to_discard_translations);
static void set_instrumenting(Bool on)
{
   if (on == instrumenting) return;
   instrumenting = on;
   Bool was = VG_(ok_to_discard_translations);
   VG_(ok_to_discard_translations) = True;
   VG_(discard_translations_safely)((Addr)0x1000, ~(SizeT)0xfff, "sharelines");
   VG_(ok_to_discard_translations) = was;
}
static void mark(ThreadId tid, UWord code, UWord arg)
{
   UInt t = tid & (NT - 1);
   switch (code) {
   case 1:
      T[t].marked = T[t].was = True;
      if (!T[t].in) { T[t].in = True; open_regions++; }
      set_instrumenting(True);
      begun++;
      break;
   case 2:
      if (T[t].in) { T[t].in = False; open_regions--; T[t].endops += arg; if (turn == t) { pass_turn(t); wake(turn); } }
      if (!open_regions) set_instrumenting(False);
      break;
   case 3: T[t].ops++; break;
   case 4: T[t].ignored = True; T[t].marked = True; break;
   }
}
static Bool sl_request(ThreadId tid, UWord *arg, UWord *ret)
{
   if (!VG_IS_TOOL_USERREQ('S', 'L', arg[0])) return False;
   mark(tid, arg[0] & 0xffff, arg[1]); *ret = 0;
   return True;
}
/* Calls that may wait for another thread. In any other call a thread keeps its place in the rotation: the others wait for
   it, so that no thread runs alone merely because Valgrind's lock was slow to come back to its neighbour. */
static Bool may_wait(UInt no, const UWord *a)
{
   switch (no) {
   case __NR_futex: { UInt op = a[1] & 127; return op == 0 || op == 6 || op == 9 || op == 11 || op == 13; }
   case __NR_read: case __NR_readv: case __NR_recvfrom: case __NR_recvmsg: case __NR_accept: case __NR_accept4: case __NR_poll:
   case __NR_ppoll: case __NR_select: case __NR_pselect6: case __NR_epoll_wait: case __NR_epoll_pwait: case __NR_nanosleep:
   case __NR_clock_nanosleep: case __NR_wait4: case __NR_waitid: case __NR_pause: case __NR_rt_sigtimedwait: case __NR_flock:
   case __NR_exit: case __NR_exit_group: return True;
   default: return False;
   }
}
static void sl_pre_syscall(ThreadId tid, UInt no, UWord *a, UInt n)
{
   UInt t = tid & (NT - 1);
   if (no == __NR_lseek && (Int)a[0] == -1 && (a[1] & ~0xffUL) == MAGIC) { mark(tid, a[1] & 0xff, a[2]); return; }
   if (may_wait(no, a)) { T[t].insys = True; if (turn == t) { pass_turn(t); wake(turn); } }
   if (!counted(t)) return;
   /* Valgrind hides the vDSO, so these are no system calls in a native run */
   if (no == __NR_clock_gettime || no == __NR_gettimeofday || no == __NR_time || no == __NR_getcpu) { vdso++; return; }
   T[t].sys++; T[t].sysn[no < NSYS ? no : NSYS - 1]++;
}
static void sl_post_syscall(ThreadId tid, UInt no, UWord *a, UInt n, SysRes r) { T[tid & (NT - 1)].insys = False; }
static void sl_exit(ThreadId tid)
{
   UInt t = tid & (NT - 1);
   if (T[t].in) mark(tid, 2, 0);
   T[t].marked = T[t].ignored = T[t].insys = False;
}

/* ---- report ---- */
typedef struct { UWord addr; Line *l; } Hit;
static Int cmp(const void *x, const void *y)
{
   const Line *a = ((const Hit *)x)->l, *b = ((const Hit *)y)->l;
   ULong p = (ULong)a->nw + a->na + a->nr, q = (ULong)b->nw + b->na + b->nr;
   return p < q ? 1 : p > q ? -1 : 0;
}
static void per_op(const HChar *what, ULong n, ULong ops)
{
   ULong m = ops ? (n * 10000 + ops / 2) / ops : 0;
   VG_(umsg)("  %-44s %12llu   %6llu.%04llu per op\n", what, n, m / 10000, m % 10000);
}
static const HChar *sysname(UInt n, HChar *buf)
{
   switch (n) {
   case __NR_futex: return "futex"; case __NR_mmap: return "mmap"; case __NR_munmap: return "munmap";
   case __NR_madvise: return "madvise"; case __NR_mprotect: return "mprotect"; case __NR_brk: return "brk";
   case __NR_mremap: return "mremap"; case __NR_sched_yield: return "sched_yield"; case __NR_read: return "read";
   case __NR_write: return "write"; case __NR_nanosleep: return "nanosleep"; case __NR_clock_nanosleep: return "clock_nanosleep";
   case __NR_getrandom: return "getrandom"; case __NR_membarrier: return "membarrier"; case __NR_getcpu: return "getcpu";
   case __NR_clone: return "clone"; case __NR_exit: return "exit"; case __NR_rt_sigprocmask: return "rt_sigprocmask";
   default: VG_(sprintf)(buf, "syscall_%u", n); return buf;
   }
}
static void sl_fini(Int code)
{
   UInt t, i; ULong ops = 0, r = 0, w = 0, a = 0, ins = 0, fence = 0, sys = 0; ULong sysn[NSYS]; Int threads = 0, un = 0;
   VG_(memset)(sysn, 0, sizeof sysn);
   for (t = 0; t < NT; t++) {
      ops += T[t].endops ? T[t].endops : T[t].ops;
      r += T[t].r; w += T[t].w; a += T[t].a; ins += T[t].ins; fence += T[t].fence; sys += T[t].sys;
      for (i = 0; i < NSYS; i++) sysn[i] += T[t].sysn[i];
      if (T[t].was) threads++; else if (T[t].acc) un++;
   }
   Hit *hits = NULL; UWord nh = 0, cap = 0, lines = 0, x, y, z;
   ULong sr = 0, sw = 0, sa = 0, rm = 0, wm = 0, inv = 0, ro = 0; UWord nf = 0, nt = 0;
   ULong fsw = 0, tsw = 0;
   for (x = 0; x < 4096; x++) if (L1[x]) for (y = 0; y < 4096; y++) if (L1[x][y]) for (z = 0; z < 4096; z++) if (L1[x][y][z])
      for (i = 0; i < (4096 >> shift); i++) {
         Line *l = &L1[x][y][z][i];
         if (!(l->nr | l->nw | l->na)) continue;
         lines++;
         close_epoch(l);
         ULong all[2] = { l->rd[0] | l->wr[0], l->rd[1] | l->wr[1] };
         if (bits(all) < 2) continue;
         if (!bits(l->wr)) { ro++; continue; }
         if (nh == cap) { cap = cap ? cap * 2 : 64; hits = VG_(realloc)("sl.5", hits, cap * sizeof(Hit)); }
         hits[nh].addr = (x << 36) | (y << 24) | (z << 12) | (i << shift); hits[nh++].l = l;
         sr += l->nr; sw += l->nw; sa += l->na; rm += l->rmiss; wm += l->wmiss; inv += l->inval;
      }
   if (nh) VG_(ssort)(hits, nh, sizeof(Hit), cmp);
   UChar *istrue = VG_(calloc)("sl.6", nh + 1, 1);
   for (x = 0; x < nh; x++) {
      Line *l = hits[x].l;
      if (l->d) for (t = 0; t < NT && !istrue[x]; t++) if (l->d->wb[t]) for (i = 0; i < NT; i++)
         if (i != t && (l->d->wb[t] & (l->d->wb[i] | l->d->rb[i]))) { istrue[x] = 1; break; }
      if (istrue[x]) { nt++; tsw += l->nw + l->na; } else { nf++; fsw += l->nw + l->na; }
   }
   VG_(umsg)("sharelines: %llu operations, %d marked threads, %d unmarked threads seen, line %d bytes\n", ops, threads, un, clo_line);
   per_op("instructions", ins, ops);
   per_op("loads", r, ops); per_op("stores", w, ops); per_op("locked instructions", a, ops); per_op("fences", fence, ops);
   per_op("system calls", sys, ops);
   HChar buf[64];
   for (i = 0; i < NSYS; i++) if (sysn[i]) { HChar nm[80]; VG_(sprintf)(nm, "    %s", sysname(i, buf)); per_op(nm, sysn[i], ops); }
   per_op("vDSO calls (clock and the like)", vdso, ops);
   if (n_epochs) VG_(umsg)("  epochs %u: two threads or more active in %u, all of them in %u\n", n_epochs, n_epochs_two, n_epochs_all);
   VG_(umsg)("  lines used %lu, read by several and written by none %llu\n", lines, ro);
   VG_(umsg)("  SHARED lines (one thread writes, another uses) %lu: true %lu, false %lu\n", nh, nt, nf);
   per_op("loads on shared lines", sr, ops); per_op("stores on shared lines", sw, ops); per_op("locked instructions on shared lines", sa, ops);
   per_op("loads on lines shared in their epoch", ep_loads, ops); per_op("stores on lines shared in their epoch", ep_stores, ops);
   per_op("locked instructions, likewise", ep_locked, ops);
   per_op("  of the writes: true sharing", tsw, ops); per_op("  of the writes: false sharing", fsw, ops);
   per_op("coherence read misses (MESI)", rm, ops); per_op("coherence write misses (MESI)", wm, ops); per_op("copies invalidated (MESI)", inv, ops);
   DiEpoch ep = VG_(current_DiEpoch)();
   for (x = 0; x < nh && x < (UWord)clo_top; x++) {
      Line *l = hits[x].l; AddrInfo ad; ad.tag = Addr_Undescribed;
      ULong all[2] = { l->rd[0] | l->wr[0], l->rd[1] | l->wr[1] };
      VG_(umsg)("  line 0x%lx %s sharing, %d threads (%d write): loads %u stores %u locked %u; misses r %u w %u\n", hits[x].addr,
                istrue[x] ? "true" : "false", bits(all), bits(l->wr), l->nr, l->nw, l->na, l->rmiss, l->wmiss);
      ULong any = 0; if (l->d) for (t = 0; t < NT; t++) any |= l->d->wb[t];
      Addr da = hits[x].addr + (any ? (UWord)__builtin_ctzll(any) << (shift - 6) : 0);
      VG_(describe_addr)(ep, da, &ad); if (ad.tag != Addr_Undescribed && ad.tag != Addr_Unknown) VG_(pp_addrinfo)(da, &ad);
      VG_(clear_addrinfo)(&ad);
      if (l->d) for (i = 0; i < NSITE; i++) if (l->d->site[i].n) {
         Site *s = &l->d->site[i];
         VG_(umsg)("     %c %9llu  %s\n", "RWA"[s->kind], s->n, VG_(describe_IP)(ep, s->ip, NULL));
         if (s->ec) VG_(pp_ExeContext)(s->ec);
      }
      if (l->d && l->d->other) VG_(umsg)("       %9llu  elsewhere\n", l->d->other);
   }
   if (clo_json) {
      VgFile *f = VG_(fopen)(clo_json, VKI_O_CREAT | VKI_O_WRONLY | VKI_O_TRUNC, 0644);
      if (f) {
         VG_(fprintf)(f, "{\"ops\":%llu,\"threads\":%d,\"unmarked\":%d,\"line\":%d,\"instructions\":%llu,\"loads\":%llu,\"stores\":%llu,\"locked\":%llu,"
            "\"fences\":%llu,\"syscalls\":%llu,\"lines\":%lu,\"readonly_lines\":%llu,\"shared_lines\":%lu,\"true_lines\":%lu,\"false_lines\":%lu,"
            "\"shared_loads\":%llu,\"shared_stores\":%llu,\"shared_locked\":%llu,\"miss_read\":%llu,\"miss_write\":%llu,\"invalidated\":%llu,"
            "\"epoch_loads\":%llu,\"epoch_stores\":%llu,\"epoch_locked\":%llu,\"vdso\":%llu,"
            "\"epochs\":%u,\"epochs_two\":%u,\"epochs_all\":%u,\"by_syscall\":{",
            ops, threads, un, clo_line, ins, r, w, a, fence, sys, lines, ro, nh, nt, nf, sr, sw, sa, rm, wm, inv, ep_loads, ep_stores, ep_locked, vdso, n_epochs, n_epochs_two, n_epochs_all);
         Bool c = False;
         for (i = 0; i < NSYS; i++) if (sysn[i]) { VG_(fprintf)(f, "%s\"%s\":%llu", c ? "," : "", sysname(i, buf), sysn[i]); c = True; }
         VG_(fprintf)(f, "},\"hot\":["); c = False;
         for (x = 0; x < nh; x++) {
            Line *l = hits[x].l;
            VG_(fprintf)(f, "%s{\"addr\":\"0x%lx\",\"true\":%d,\"writers\":%d,\"loads\":%u,\"stores\":%u,\"locked\":%u,\"miss_read\":%u,\"miss_write\":%u}",
               c ? "," : "", hits[x].addr, istrue[x], bits(l->wr), l->nr, l->nw, l->na, l->rmiss, l->wmiss); c = True;
            if (x > 200) break;
         }
         VG_(fprintf)(f, "]}\n"); VG_(fclose)(f);
      }
   }
   if (trace) VG_(fclose)(trace);
}

static Bool sl_opt(const HChar *arg)
{
   if VG_BINT_CLO(arg, "--quantum", clo_quantum, 0, 1000000000) {}
   else if VG_BINT_CLO(arg, "--line", clo_line, 64, 256) {}
   else if VG_BINT_CLO(arg, "--threads", clo_threads, 0, NT) {}
   else if VG_BINT_CLO(arg, "--epoch", clo_epoch, 0, 2000000000) {}
   else if VG_BINT_CLO(arg, "--top", clo_top, 0, 100000) {}
   else if VG_BINT_CLO(arg, "--seed", clo_seed, 0, 1000000000) {}
   else if VG_BOOL_CLO(arg, "--unmarked", clo_unmarked) {}
   else if VG_BOOL_CLO(arg, "--stacks", clo_stacks) {}
   else if VG_STR_CLO(arg, "--json", clo_json) {}
   else if VG_STR_CLO(arg, "--trace", clo_trace) {}
   else return False;
   return True;
}
static void sl_usage(void)
{
   VG_(printf)("    --quantum=N     mean accesses between forced thread switches in a region, 0 = off [64]\n"
               "    --epoch=N       accesses (all threads together) in an epoch, 0 = the whole region [0]\n"
               "    --threads=N     hold each thread at its begin mark until N have come [0]\n"
               "    --line=64|128|256   line size [64]\n    --top=N  shared lines shown [12]\n    --seed=N\n"
               "    --unmarked=yes|no   count unmarked threads while a region is open [yes]\n"
               "    --stacks=yes|no     call stacks of the accesses shown [no]\n    --json=FILE  --trace=FILE\n");
}
static void sl_debug(void) {}
static void sl_post_clo(void)
{
   shift = clo_line == 64 ? 6 : clo_line == 128 ? 7 : 8;
   clo_line = 1 << shift;
   rng = clo_seed * 2654435761ULL + 12345; budget = clo_quantum;
   if (clo_trace) trace = VG_(fopen)(clo_trace, VKI_O_CREAT | VKI_O_WRONLY | VKI_O_TRUNC, 0644);
}
static void sl_pre_clo(void)
{
   VG_(details_name)("sharelines");
   VG_(details_version)("1");
   VG_(details_description)("cache lines shared between threads, per operation");
   VG_(details_copyright_author)("the freelane contributors");
   VG_(details_bug_reports_to)("the freelane contributors");
   VG_(basic_tool_funcs)(sl_post_clo, sl_instrument, sl_fini);
   VG_(needs_command_line_options)(sl_opt, sl_usage, sl_debug);
   VG_(needs_client_requests)(sl_request);
   VG_(needs_syscall_wrapper)(sl_pre_syscall, sl_post_syscall);
   VG_(track_start_client_code)(sl_start);
   VG_(track_pre_thread_ll_exit)(sl_exit);
}
VG_DETERMINE_INTERFACE_VERSION(sl_pre_clo)
