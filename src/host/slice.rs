//! A slice of the tasks: what is rewound at its begin and unwound at its end.

use super::suspend::{enter, leave};
use super::tasks::run_tasks;

/// Runs the tasks until they have ended or suspend themselves. It has no frame on the stack in memory, nor may its
/// callers up to the host have one ([`super::suspend`]).
#[inline(never)]
pub fn run_slice() {
    enter();
    run_tasks();
    leave();
}
