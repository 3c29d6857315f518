//! Lanes and a static-partition thread pool.
