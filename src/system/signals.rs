//! Signals of the system that are errors of a call here.

/// Makes writing beyond the limit of a file's size an error of that write. For the start of a program.
///
/// Without it the system ends the program in the middle, without a word. Programs that are started later inherit it.
pub fn refuse_large_files() {
    #[cfg(unix)]
    // SAFETY: a signal that is ignored runs no code of the program.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    };
}
