//! Locks, atomics, thread-locals and hand-over queues: the one place where lanes may share.
