//! The engines of a match: started as the plan says, and told from another build by their files.

use super::plan::EnginePlan;
use crate::client::{EngineError, FileStamp, Setup, Transcript, UsiEngine};
use crate::process::Launch;
use komainu::host::{lock, open_file};
use komainu::notation::json::{EngineIdentity, Machine};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use sysinfo::{CpuRefreshKind, RefreshKind, System};

/// An engine that was started as a plan says.
#[derive(Debug)]
pub struct MatchEngine {
    pub engine: UsiEngine,
    /// Options of the plan that it does not list; they were sent all the same.
    pub unlisted: Vec<String>,
}

impl MatchEngine {
    /// Starts the engine on these cores (all if there are none) and sends its options, before them those of `common`
    /// that it lists and the plan does not set. A value that it does not take is an error. What is said goes to the
    /// transcript also if it cannot be started.
    pub fn start(
        plan: &EnginePlan,
        common: &[(&str, String)],
        timeout: Duration,
        transcript: &Transcript,
        cores: &[usize],
        halt: &Arc<AtomicBool>,
    ) -> Result<MatchEngine, EngineError> {
        let launch = Launch::new(&plan.command, plan.folder.as_deref());
        let launch = launch.map_err(|error| EngineError::Start(plan.command.clone(), error))?;
        let launch = launch.on_cores(cores.to_vec());
        let listener = Arc::new(transcript.clone());
        let setup = Setup { listener, halt: Some(Arc::clone(halt)), ..Setup::of_patience(timeout) };
        let mut engine = UsiEngine::start(&launch, setup)?;
        let is_planned = |name: &str| plan.options.keys().any(|key| key.eq_ignore_ascii_case(name));
        for (name, value) in common.iter().filter(|(name, _)| !is_planned(name)) {
            engine.set_if_taken(name, value)?;
        }
        let mut unlisted = Vec::new();
        for (name, value) in &plan.options {
            match engine.set(name, value) {
                Err(EngineError::NotListed(_)) => {
                    unlisted.push(name.clone());
                    engine.set_unlisted(name, value)?;
                }
                result => result?,
            }
        }
        Ok(MatchEngine { engine, unlisted })
    }

    /// Program that the engine is: name, files and options.
    pub fn identity(&self) -> EngineIdentity {
        identity(&self.engine)
    }

    /// Lengths and times of its files: they change when a file is replaced.
    pub fn file_stamps(&self) -> Vec<FileStamp> {
        let files = self.engine.files().into_iter().chain(self.engine.argument_files());
        files.map(FileStamp::of).collect()
    }
}

/// Identity of an engine that runs: name, options that it was sent, sums of its files.
pub fn identity(engine: &UsiEngine) -> EngineIdentity {
    EngineIdentity {
        id_name: engine.name().to_string(),
        files: sums(engine.files()),
        arguments: sums(engine.argument_files()),
        options: engine.sent().clone(),
    }
}

/// Sums of files by their paths. A file that cannot be read is not one of the engine's.
fn sums(files: Vec<PathBuf>) -> BTreeMap<String, String> {
    files.into_iter().filter_map(|path| Some((shown(&path), sha256(&path).ok()?))).collect()
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Sums of files that have been read, with their lengths and times: several engines may be one large file.
static KNOWN: Mutex<BTreeMap<PathBuf, (FileStamp, String)>> = Mutex::new(BTreeMap::new());

/// SHA-256 of a file in hexadecimal digits.
fn sha256(path: &Path) -> io::Result<String> {
    let stamp = FileStamp::of(path.to_path_buf());
    let mut known = lock(&KNOWN);
    if let Some((_, sum)) = known.get(path).filter(|(before, _)| *before == stamp) {
        return Ok(sum.clone());
    }
    let mut hash = Sha256::new();
    let mut file = BufReader::with_capacity(1 << 16, open_file(path)?);
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        hash.update(bytes);
        let count = bytes.len();
        file.consume(count);
    }
    let sum: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    known.insert(path.to_path_buf(), (stamp, sum.clone()));
    Ok(sum)
}

/// The machine that this program runs on.
pub fn machine() -> Machine {
    let system = System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()));
    let cpu = system.cpus().first().map(|cpu| cpu.brand().trim().to_string());
    Machine {
        host: System::host_name().unwrap_or_default(),
        cpu: cpu.unwrap_or_default(),
        cores: thread::available_parallelism().map_or(1, usize::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_contents() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine");
        std::fs::write(&path, "abc").unwrap();
        // The example of FIPS 180-2.
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&path).unwrap(), sum);
        let identity =
            |sum| EngineIdentity { files: BTreeMap::from([(shown(&path), sum)]), ..EngineIdentity::default() };
        std::fs::write(&path, "abcd").unwrap();
        let changed = identity(sha256(&path).unwrap());
        let told = identity(sum.to_string()).check(&changed).unwrap_err();
        assert!(told.contains("is another file: SHA-256 ") && told.ends_with(sum), "{told}");
    }

    #[test]
    fn a_changed_file_of_an_argument_makes_no_other_engine() {
        let sums =
            |files: &[(&str, &str)]| files.iter().map(|(path, sum)| (path.to_string(), sum.to_string())).collect();
        let identity = |files, arguments| EngineIdentity {
            files: sums(files),
            arguments: sums(arguments),
            ..EngineIdentity::default()
        };
        let now = identity(&[("p", "1")], &[("s", "3")]);
        let known = identity(&[("p", "1")], &[("s", "2")]);
        assert_eq!(known.check(&now), Ok(()));
        assert_eq!(known.changed_arguments(&now).collect::<Vec<_>>(), ["s"]);
        assert_eq!(now.check(&identity(&[("p", "1")], &[])), Ok(()), "a log that is new or gone");
        let gone = identity(&[("p", "1"), ("net", "2")], &[]).check(&now);
        assert_eq!(gone, Err("net is missing".to_string()));
    }

    #[test]
    fn the_machine_has_cores() {
        assert!(machine().cores >= 1);
    }
}
