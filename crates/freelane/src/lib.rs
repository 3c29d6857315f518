//! A parallel array runtime whose threads share nothing on the hot path.
