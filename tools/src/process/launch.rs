//! Which program is started, with which arguments, where, on which cores; and that it ends with this process.
//!
//! On Linux the system ends a process of its own accord when the *thread* that has started it ends. So all are started
//! by one thread that ends with this process. On Windows they are in a job with it.

use process_wrap::std::{ChildWrapper, CommandWrap};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Command line of a program, and the folder in which it is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program and its arguments.
    words: Vec<String>,
    folder: Option<PathBuf>,
    /// A variable of the environment that the program does not get.
    withheld: Option<&'static str>,
    /// Cores that it may use; all if there are none.
    cores: Vec<usize>,
}

impl Launch {
    /// Reads a command as a shell would; a path with blanks in it may stand alone. The error names no command.
    ///
    /// Without a folder the program starts in the present one. With it, files are sought in that folder first, then
    /// from where the user stands.
    ///
    /// ```
    /// use komainu_tools::process::Launch;
    ///
    /// assert!(Launch::new("'/opt/an engine' --threads 2", None).is_ok());
    /// assert_eq!(Launch::new("'unfinished", None).unwrap_err().to_string(), "not a command");
    /// ```
    pub fn new(command: &str, folder: Option<&Path>) -> io::Result<Launch> {
        let words = if Path::new(command).is_file() {
            vec![command.to_string()]
        } else {
            shlex::split(command).filter(|words| !words.is_empty()).ok_or_else(not_a_command)?
        };
        let launch = Launch { words, folder: None, withheld: None, cores: Vec::new() };
        Ok(match folder {
            Some(folder) => launch.in_folder(folder),
            None => launch,
        })
    }

    pub fn of_program(program: &Path) -> Launch {
        Launch { words: vec![program.to_string_lossy().into_owned()], folder: None, withheld: None, cores: Vec::new() }
    }

    /// The program, if it is given as a path and has no arguments.
    pub fn lone_program(&self) -> Option<&Path> {
        let path = Path::new(&self.words[0]);
        (self.words.len() == 1 && path.is_file()).then_some(path)
    }

    /// Copies the command line for another folder, with the same files.
    pub fn in_folder(&self, folder: &Path) -> Launch {
        let first = if self.folder.is_none() { Some(folder) } else { None };
        Launch { words: self.whole_words(first), folder: Some(folder.to_path_buf()), ..self.clone() }
    }

    /// The words, with whole paths of the files that they name.
    fn whole_words(&self, folder: Option<&Path>) -> Vec<String> {
        let mut words = self.words.clone();
        for (place, word) in words.iter_mut().enumerate() {
            let path = Path::new(word.as_str());
            // The system seeks a program without a folder in its own places.
            if place == 0 && path.components().count() < 2 {
                continue;
            }
            if let Some(whole) = absolute(path, folder) {
                *word = whole;
            }
        }
        words
    }

    /// This program without a variable of the environment, such as one that holds a password.
    pub fn without_variable(self, name: &'static str) -> Launch {
        Launch { withheld: Some(name), ..self }
    }

    /// This program on these cores alone, where the system lets them be chosen.
    pub fn on_cores(self, cores: Vec<usize>) -> Launch {
        Launch { cores, ..self }
    }

    /// The cores that it may use; all if there are none.
    pub(crate) fn cores(&self) -> &[usize] {
        &self.cores
    }

    /// Command with whole paths, which means the same wherever the user stands.
    pub fn absolute(&self) -> Launch {
        let words = self.whole_words(self.folder.as_deref());
        let folder = self.folder.as_ref().map(|folder| std::path::absolute(folder).unwrap_or_else(|_| folder.clone()));
        Launch { words, folder, ..self.clone() }
    }

    /// The command as [`Launch::new`] reads it. A word that no shell can say stays as it is.
    pub fn to_command(&self) -> String {
        shlex::try_join(self.words.iter().map(String::as_str)).unwrap_or_else(|_| self.words.join(" "))
    }

    /// The folder that it starts in, if it is not the present one.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The files that the arguments name.
    pub fn argument_files(&self) -> Vec<PathBuf> {
        self.words[1..].iter().filter_map(|word| self.file(word)).collect()
    }

    /// The folders in which the program may seek files: the one that it works in, and its own.
    pub fn places(&self) -> Vec<PathBuf> {
        let working = self.folder.clone().or_else(|| std::env::current_dir().ok());
        let working = working.map(|folder| std::path::absolute(&folder).unwrap_or(folder));
        let own = self.program().and_then(|program| program.parent().map(Path::to_path_buf));
        let own = own.filter(|own| Some(own) != working.as_ref());
        working.into_iter().chain(own).collect()
    }

    /// The program by its whole path, also where the system seeks it.
    pub fn program(&self) -> Option<PathBuf> {
        let program = Path::new(&self.words[0]);
        match program.components().count() {
            0 | 1 => in_search_path(program),
            _ => self.file(&self.words[0]),
        }
    }

    /// A regular file that the program would find under this name, by its whole path.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        absolute(Path::new(name), self.folder.as_deref()).map(PathBuf::from)
    }

    /// Another program without arguments in the same folder.
    pub fn with_program(&self, program: &Path) -> Launch {
        Launch { folder: self.folder.clone(), ..Launch::of_program(program) }
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        if let Some(name) = self.withheld {
            command.env_remove(name);
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }
}

/// The program of this name that the system would start.
fn in_search_path(program: &Path) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// A file by its whole path, sought in a folder first.
fn absolute(path: &Path, folder: Option<&Path>) -> Option<String> {
    let in_folder = folder.map(|folder| folder.join(path)).filter(|path| path.is_file());
    let found = match in_folder {
        Some(found) => found,
        None if path.is_file() => path.to_path_buf(),
        None => return None,
    };
    std::path::absolute(found).ok()?.into_os_string().into_string().ok()
}

fn not_a_command() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a command")
}

/// Starts a program on these cores, all if there are none, as far as the system can choose them. Where the system can
/// see to it the program ends with this process, however that ends.
#[cfg(target_os = "linux")]
pub(crate) fn spawn(mut command: CommandWrap, cores: &[usize]) -> io::Result<Box<dyn ChildWrapper>> {
    use std::os::unix::process::CommandExt;
    let own = std::process::id();
    let cores = cores.to_vec();
    // SAFETY: the closure calls nothing but the system and takes no memory, as it must be between fork and exec.
    unsafe { command.command_mut().pre_exec(move || settle(own, &cores)) };
    lasting::run(move || command.spawn())
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn spawn(mut command: CommandWrap, _cores: &[usize]) -> io::Result<Box<dyn ChildWrapper>> {
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
            for &core in cores {
                if core < room {
                    libc::CPU_SET(core, &mut set);
                }
            }
            // Cores that are gone by now are no reason not to play.
            _ = libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
        }
    }
    Ok(())
}

/// A thread that lasts as long as the process.
#[cfg(target_os = "linux")]
mod lasting {
    use komainu::host::lock;
    use std::io;
    use std::sync::mpsc::{Sender, channel};
    use std::sync::{LazyLock, Mutex};
    use std::thread;

    type Job = Box<dyn FnOnce() + Send>;

    static THREAD: LazyLock<Option<Mutex<Sender<Job>>>> = LazyLock::new(|| {
        let (sender, jobs) = channel::<Job>();
        let run = move || {
            for job in jobs {
                job();
            }
        };
        thread::Builder::new().name("program starter".into()).spawn(run).ok().map(|_| Mutex::new(sender))
    });

    /// Runs a job on that thread and waits for its result.
    pub(crate) fn run<T: Send + 'static>(job: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
        let gone = || io::Error::other("the thread that starts programs has ended");
        let sender = THREAD.as_ref().ok_or_else(gone)?;
        let (result, done) = channel();
        let job = move || _ = result.send(job());
        lock(sender).send(Box::new(job)).map_err(|_| gone())?;
        done.recv().map_err(|_| gone())?
    }
}
