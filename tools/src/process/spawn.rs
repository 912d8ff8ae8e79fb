//! The start of a process with what must be settled between it and its program: its cores, and that it ends with this
//! one.
//!
//! On Linux the system ends a process of its own accord when the *thread* that has started it ends. So all are started
//! by one thread that ends with this process. On Windows they are in a job with it.

use process_wrap::std::{ChildWrapper, CommandWrap};
use std::io;

/// Starts a program on these cores, all if there are none, as far as the system can choose them. Where the system can
/// see to it the program ends with this process, however that ends.
#[cfg(target_os = "linux")]
pub(super) fn spawn(mut command: CommandWrap, cores: &[usize]) -> io::Result<Box<dyn ChildWrapper>> {
    use std::os::unix::process::CommandExt;
    let (own, cores) = (std::process::id(), cores.to_vec());
    // SAFETY: the closure calls nothing but the system and takes no memory, as it must be between fork and exec.
    unsafe { command.command_mut().pre_exec(move || settle(own, &cores)) };
    lasting::run(move || command.spawn())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn spawn(mut command: CommandWrap, _cores: &[usize]) -> io::Result<Box<dyn ChildWrapper>> {
    #[cfg(windows)]
    std::sync::LazyLock::force(&JOB);
    command.spawn()
}

/// The job of this process and of all that it starts: the system ends it with the last handle to it, which this process
/// has. None where the system gives none: then programs end as they see the end of their input.
#[cfg(windows)]
static JOB: std::sync::LazyLock<Option<win32job::Job>> = std::sync::LazyLock::new(|| {
    let mut limits = win32job::ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let job = win32job::Job::create_with_limit_info(&limits).ok()?;
    job.assign_current_process().ok()?;
    Some(job)
});

/// Settles what a new process takes over: `own` is the process that has started it.
#[cfg(target_os = "linux")]
fn settle(own: u32, cores: &[usize]) -> io::Result<()> {
    // SAFETY: these calls change nothing but the process itself, and the set is a number of bits that all may be 0.
    unsafe {
        if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
            return Err(io::Error::last_os_error());
        }
        // Whoever has started it may have ended before the call.
        if libc::getppid() as u32 != own {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        if !cores.is_empty() {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            let room = 8 * size_of::<libc::cpu_set_t>();
            cores.iter().filter(|&&core| core < room).for_each(|&core| libc::CPU_SET(core, &mut set));
            // Cores that are gone by now are no reason not to play.
            _ = libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
        }
    }
    Ok(())
}

/// A thread that lasts as long as the process.
#[cfg(target_os = "linux")]
mod lasting {
    use std::io;
    use std::sync::mpsc::{Sender, channel};
    use std::sync::{LazyLock, Mutex, PoisonError};
    use std::thread;

    type Job = Box<dyn FnOnce() + Send>;

    static THREAD: LazyLock<Option<Mutex<Sender<Job>>>> = LazyLock::new(|| {
        let (sender, jobs) = channel::<Job>();
        let run = move || jobs.into_iter().for_each(|job| job());
        thread::Builder::new().name("program starter".into()).spawn(run).ok().map(|_| Mutex::new(sender))
    });

    /// Runs a job on that thread and waits for its result.
    pub(super) fn run<T: Send + 'static>(job: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
        let gone = || io::Error::other("the thread that starts programs has ended");
        let sender = THREAD.as_ref().ok_or_else(gone)?;
        let (result, done) = channel();
        let job = move || _ = result.send(job());
        sender.lock().unwrap_or_else(PoisonError::into_inner).send(Box::new(job)).map_err(|_| gone())?;
        done.recv().map_err(|_| gone())?
    }
}
