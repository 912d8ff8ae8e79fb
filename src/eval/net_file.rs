//! A net from its file, with the scale of its output: what the user sets, what `eval_options.txt` beside the file says,
//! what the text of the file says, in this order.

use super::nnue::{DEFAULT_FV_SCALE, Net, NetError, Shape, ShapeNameError};
use crate::host::read_file;
use crate::types::Quoted;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The name of a net in a folder.
const NET_IN_FOLDER: &str = "nn.bin";
/// The name of the file beside a net that says how it is to be used.
const OPTIONS_FILE: &str = "eval_options.txt";
/// The longest such file that is read.
const MAX_OPTIONS_BYTES: u64 = 1 << 16;

/// Origin of the number by which the output of a net is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScaleSource {
    /// The user.
    User,
    /// `eval_options.txt` in the folder of the net.
    OptionsFile,
    /// `fv_scale=N` in the text of the net.
    Text,
    /// Nobody.
    Default,
}

/// `as set`, `from eval_options.txt`, `from the net's text`, `the default`.
impl fmt::Display for ScaleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ScaleSource::User => "as set",
            ScaleSource::OptionsFile => "from eval_options.txt",
            ScaleSource::Text => "from the net's text",
            ScaleSource::Default => "the default",
        })
    }
}

/// A net out of a file.
#[derive(Clone, Debug)]
pub struct NetFile {
    /// The net.
    pub net: Net,
    /// Divisor of its output.
    pub fv_scale: i32,
    /// Origin of that number.
    pub source: ScaleSource,
    /// Faults and lines passed over in `eval_options.txt`.
    pub warnings: Vec<String>,
    stamp: Stamp,
}

/// The file that a net was read from, as it was then, and the shape that it was read as.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    path: PathBuf,
    /// Bytes of the file and the time of its last change; `None` if there is no telling, which equals nothing later.
    state: Option<(u64, SystemTime)>,
    shape: Option<Shape>,
}

impl Stamp {
    fn of(path: &Path, shape: Option<Shape>) -> Stamp {
        let state = match std::fs::metadata(path) {
            Ok(data) => data.modified().ok().map(|modified| (data.len(), modified)),
            Err(_) => None,
        };
        Stamp { path: path.to_path_buf(), state, shape }
    }

    /// Tests whether this file is certainly the other one, unchanged.
    fn is_unchanged(&self, earlier: &Stamp) -> bool {
        self.state.is_some() && self == earlier
    }
}

impl NetFile {
    /// Reads a net, or the `nn.bin` in a folder; the user may set the scale, and the shape of a file that does not tell
    /// it.
    pub fn read(path: &Path, fv_scale: Option<i32>, shape: Option<&str>) -> Result<NetFile, NetError> {
        NetFile::read_after(None, path, fv_scale, shape)
    }

    /// Reads a net after another one. If it is that one, from the same file without a change, its parameters are kept;
    /// else they are given back before the new ones take memory, unless somebody else holds them.
    pub fn read_after(
        earlier: Option<NetFile>,
        path: &Path,
        fv_scale: Option<i32>,
        shape: Option<&str>,
    ) -> Result<NetFile, NetError> {
        let path = if path.is_dir() { path.join(NET_IN_FOLDER) } else { path.to_path_buf() };
        let mut warnings = Vec::new();
        let options = NetOptions::beside(&path, &mut warnings);
        let shape = match shape.or(options.shape.as_deref()) {
            None => None,
            Some(name) => {
                let shape: Result<Shape, ShapeNameError> = name.parse();
                Some(shape.map_err(|error| NetError { file: path.display().to_string(), fault: error.into() })?)
            }
        };
        // Taken before the reading: a change in between is seen at the next one.
        let stamp = Stamp::of(&path, shape);
        let net = match earlier {
            Some(earlier) if stamp.is_unchanged(&earlier.stamp) => earlier.net,
            earlier => {
                drop(earlier);
                Net::from_file(&path, shape)?
            }
        };
        let (fv_scale, source) = if let Some(scale) = fv_scale {
            (scale, ScaleSource::User)
        } else if let Some(scale) = options.fv_scale {
            (scale, ScaleSource::OptionsFile)
        } else if let Some(scale) = net.fv_scale() {
            (scale, ScaleSource::Text)
        } else {
            (DEFAULT_FV_SCALE, ScaleSource::Default)
        };
        Ok(NetFile { net, fv_scale, source, warnings, stamp })
    }

    /// Path of a net of this name: the first of these folders that has such a file, or such a folder with an `nn.bin`
    /// in it.
    pub fn find<'a>(name: &Path, folders: impl IntoIterator<Item = &'a Path>) -> Option<PathBuf> {
        for folder in folders {
            let place = folder.join(name);
            let in_folder = place.join(NET_IN_FOLDER);
            if place.is_file() {
                return Some(place);
            }
            if in_folder.is_file() {
                return Some(in_folder);
            }
        }
        None
    }
}

/// Contents of `eval_options.txt`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct NetOptions {
    fv_scale: Option<i32>,
    shape: Option<String>,
}

impl NetOptions {
    /// The options beside a net; none if there is no such file.
    fn beside(net: &Path, warnings: &mut Vec<String>) -> NetOptions {
        let path = net.with_file_name(OPTIONS_FILE);
        let bytes = match std::fs::metadata(&path) {
            Ok(data) if data.is_file() && data.len() <= MAX_OPTIONS_BYTES => read_file(&path),
            Ok(_) => Err(std::io::Error::other("no short text file")),
            Err(_) => return NetOptions::default(),
        };
        match bytes {
            Ok(bytes) => NetOptions::parse(&String::from_utf8_lossy(&bytes), warnings),
            Err(error) => {
                warnings.push(format!("{OPTIONS_FILE}: {error}"));
                NetOptions::default()
            }
        }
    }

    /// Lines `NAME VALUE`, `NAME=VALUE` or `option name NAME type ... default VALUE`; the first line for a name counts.
    fn parse(text: &str, warnings: &mut Vec<String>) -> NetOptions {
        let mut options = NetOptions::default();
        let mut seen: Vec<String> = Vec::new();
        for line in text.trim_start_matches('\u{FEFF}').lines() {
            let line = line.replace('=', " ");
            let words: Vec<&str> = line.split_whitespace().collect();
            let (name, value) = match words[..] {
                [] => continue,
                ["option", "name", name, ref rest @ ..] => {
                    let default = rest.iter().skip_while(|&&word| word != "default").nth(1);
                    (name, default.copied().unwrap_or_default().to_string())
                }
                [name, ref value @ ..] => (name, value.join(" ")),
            };
            let key = name.to_ascii_lowercase();
            if seen.contains(&key) {
                continue;
            }
            match key.as_str() {
                "fv_scale" => match value.parse() {
                    Ok(scale @ 1..=128) => options.fv_scale = Some(scale),
                    _ => warnings.push(format!("{OPTIONS_FILE}: FV_SCALE takes 1 to 128, not {}", Quoted(&value))),
                },
                "evalshape" if !matches!(value.as_str(), "" | "<empty>") => options.shape = Some(value),
                "evalshape" => {}
                _ => warnings.push(format!("{OPTIONS_FILE}: {} is passed over", Quoted(name))),
            }
            seen.push(key);
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (NetOptions, Vec<String>) {
        let mut warnings = Vec::new();
        (NetOptions::parse(text, &mut warnings), warnings)
    }

    #[test]
    fn every_form_of_a_line_is_read_and_the_first_counts() {
        for text in [
            "FV_SCALE 24",
            "FV_SCALE=24",
            "\u{FEFF}fv_scale = 24\r\n\r\n",
            "option name FV_SCALE type spin default 24 min 1 max 128",
            "FV_SCALE=24\nFV_SCALE 16",
        ] {
            let (options, warnings) = parse(text);
            assert_eq!((options.fv_scale, options.shape, warnings.len()), (Some(24), None, 0), "{text:?}");
        }
        let (options, warnings) =
            parse("FV_SCALE 0\nFV_SCALE 20\nThreads 4\n# a comment\nEvalShape SFNN ka2 512-15-32");
        assert_eq!((options.fv_scale, options.shape.as_deref()), (None, Some("SFNN ka2 512-15-32")));
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert!(warnings[0].contains("\"0\"") && warnings[1].contains("\"Threads\""), "{warnings:?}");
    }

    #[test]
    fn the_parameters_of_an_unchanged_file_are_kept() {
        let folder = std::env::temp_dir().join(format!("komainu-net-again-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join(NET_IN_FOLDER);
        let write = |shape| {
            let mut bytes = Vec::new();
            crate::eval::nnue::Weights::zeroed(shape).write(&mut bytes).expect("a net");
            std::fs::write(&path, &bytes).expect("a file");
        };
        write(Shape::KP);
        let first = NetFile::read(&folder, None, None).expect("a net");
        let again = NetFile::read_after(Some(first.clone()), &folder, Some(24), None).expect("a net");
        assert!(again.net.shares_parameters(&first.net) && again.fv_scale == 24);
        write(Shape::KA2);
        let changed = NetFile::read_after(Some(again), &folder, Some(24), None).expect("a net");
        assert_eq!(changed.net.shape(), Shape::KA2);
        // With another shape asked for, the file is read again: it may be refused now.
        assert!(NetFile::read_after(Some(changed), &folder, None, Some("kp_256x2_32_32")).is_err());
        std::fs::remove_dir_all(&folder).expect("the folder is there");
    }

    #[test]
    fn the_user_comes_before_the_file_beside_the_net_and_that_before_its_text() {
        let folder = std::env::temp_dir().join(format!("komainu-net-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut bytes = Vec::new();
        crate::eval::nnue::Weights::zeroed(Shape::KP).write(&mut bytes).expect("a net");
        let text = "fv_scale=20";
        bytes.splice(8..12 + Shape::KP.text().len(), [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat());
        std::fs::write(folder.join(NET_IN_FOLDER), &bytes).expect("a file");
        let read = |scale| {
            let file = NetFile::read(&folder, scale, None).expect("a net");
            (file.fv_scale, file.source)
        };
        assert_eq!((read(None), read(Some(30))), ((20, ScaleSource::Text), (30, ScaleSource::User)));
        std::fs::write(folder.join(OPTIONS_FILE), "FV_SCALE=24").expect("a file");
        assert_eq!((read(None), read(Some(30))), ((24, ScaleSource::OptionsFile), (30, ScaleSource::User)));
        std::fs::write(folder.join(OPTIONS_FILE), "EvalShape kp_256x2_32_30").expect("a file");
        let error = NetFile::read(&folder, None, None).expect_err("another shape").to_string();
        assert!(error.contains("K-P 256x2-32-30"), "{error}");
        assert_eq!(NetFile::read(&folder, None, Some("kp_256x2_32_32")).expect("a net").fv_scale, 20);
        let error = NetFile::read(&folder, None, Some("nonsense")).expect_err("no shape").to_string();
        assert!(error.contains("nonsense"), "{error}");
        assert_eq!(NetFile::find("nn.bin".as_ref(), [folder.as_path()]), Some(folder.join(NET_IN_FOLDER)));
        assert_eq!(NetFile::find("".as_ref(), [Path::new("nowhere"), &folder]), Some(folder.join(NET_IN_FOLDER)));
        assert_eq!(NetFile::find("no.bin".as_ref(), [folder.as_path()]), None);
        std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    }
}
