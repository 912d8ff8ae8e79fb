//! Which evaluation the options select, and loading it from its file.

use super::options::{Options, find_net, printable, show_path};
use crate::eval::nnue::DEFAULT_FV_SCALE;
use crate::eval::{Evaluation, NetFile};
use std::path::PathBuf;

/// Win rates at some scores of the project's own net: `komainu data info` on its own games, 4,000 nodes a move.
const WINS: &str = "100 cp win 56 of 100 quick games between equals, 500 cp 77, 1000 cp 92, 2000 cp 99";

/// A net that an option names; without one the evaluation is the net that is built in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NetSource {
    /// The option.
    option: &'static str,
    /// The file.
    path: PathBuf,
    /// Value of `FV_SCALE`, if that is not its default.
    fv_scale: Option<i32>,
    /// Value of `EvalShape`; empty for none.
    shape: String,
}

/// An evaluation, with lines of `info string` about it.
pub(crate) struct Loaded {
    pub(crate) evaluation: Evaluation,
    pub(crate) info_strings: Vec<String>,
    /// The file could not be used.
    pub(crate) has_failed: bool,
    /// The file that was read, so that another `FV_SCALE` does not read it again.
    pub(crate) file: Option<NetFile>,
}

impl Loaded {
    /// An evaluation that no file was read for.
    fn of(evaluation: Evaluation) -> Loaded {
        Loaded { evaluation, info_strings: Vec::new(), has_failed: false, file: None }
    }

    /// Reads the net of an option, unless it is the one that was read before and has not changed. If it cannot be used,
    /// the evaluation is the one that is built in.
    pub(crate) fn read(source: Option<&NetSource>, earlier: Option<NetFile>) -> Loaded {
        if let Some(source) = source {
            return source.load(earlier);
        }
        let evaluation = Evaluation::default();
        let wins = if cfg!(own_net) { format!("; {WINS}") } else { String::new() };
        let info_string = format!("built-in net: {}{wins}", evaluation.net.shape());
        Loaded { info_strings: vec![info_string], ..Loaded::of(evaluation) }
    }
}

impl Options {
    /// The evaluation that the options ask for: the built-in net, or that of a file, which is read. An error names the
    /// option, the file and what is wrong with it.
    pub fn evaluation(&self) -> Result<Evaluation, String> {
        let Loaded { evaluation, info_strings, has_failed, .. } = Loaded::read(NetSource::of(self).as_ref(), None);
        if has_failed { Err(info_strings.join("; ")) } else { Ok(evaluation) }
    }
}

impl NetSource {
    /// The net that these options name: `EvalFile` before `EvalDir`.
    pub(crate) fn of(options: &Options) -> Option<NetSource> {
        for (option, name) in [("EvalFile", &options.eval_file), ("EvalDir", &options.eval_dir)] {
            if name.is_empty() || name == "<internal>" {
                continue;
            }
            return Some(NetSource {
                option,
                path: find_net(name),
                fv_scale: if options.fv_scale == DEFAULT_FV_SCALE { None } else { Some(options.fv_scale) },
                shape: options.eval_shape.clone(),
            });
        }
        None
    }

    /// Reads the file, and says what was read, by what its output is divided, and who says so.
    fn load(&self, earlier: Option<NetFile>) -> Loaded {
        let NetSource { option, path, fv_scale, shape } = self;
        let shown = show_path(path);
        let shape = if shape.is_empty() { None } else { Some(shape.as_str()) };
        match NetFile::read_after(earlier, path, *fv_scale, shape) {
            Ok(file) => {
                let NetFile { net, fv_scale, source, warnings, .. } = &file;
                let mut info_strings: Vec<String> = warnings.iter().map(|text| printable(text)).collect();
                info_strings.push(format!("{option}: {shown}: {}, FV_SCALE {fv_scale} ({source})", net.shape()));
                let evaluation = Evaluation { net: net.clone(), fv_scale: *fv_scale };
                Loaded { info_strings, file: Some(file), ..Loaded::of(evaluation) }
            }
            Err(error) => {
                let fault = printable(&error.fault.to_string());
                let info_string = format!("error: {option}: {shown}: {fault}; the built-in evaluation is used");
                Loaded { info_strings: vec![info_string], has_failed: true, ..Loaded::of(Evaluation::default()) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(settings: &[(&str, &str)]) -> Option<NetSource> {
        let mut options = Options::default();
        for (name, value) in settings {
            options.set(name, Some(value)).unwrap();
        }
        NetSource::of(&options)
    }

    #[test]
    fn the_win_rates_follow_from_the_scale_of_the_built_in_net() {
        let words: Vec<&str> = WINS.split([' ', ',']).filter(|word| word.parse::<u32>().is_ok()).collect();
        // "100 cp win 55 of 100 quick games": the second 100 is that of the games.
        let [cp, percent, _, rest @ ..] = &words[..] else { panic!("{WINS}") };
        let pairs = [[*cp, *percent]].into_iter().chain(rest.as_chunks().0.iter().copied());
        for [cp, percent] in pairs.clone() {
            let scale = f64::from(crate::eval::nnue::EMBEDDED_SCALE);
            let chance = 1.0 / (1.0 + (-cp.parse::<f64>().expect("a number") / scale).exp());
            assert_eq!(format!("{:.0}", 100.0 * chance), percent, "{cp} cp");
        }
        assert_eq!(pairs.count(), 4);
    }

    #[test]
    fn a_file_comes_before_a_folder_and_the_built_in_evaluation_before_both() {
        assert_eq!(source(&[]), None);
        assert_eq!(source(&[("EvalFile", "<internal>"), ("FV_SCALE", "24")]), None);
        let net = |settings| source(settings).expect("a net");
        let folder = net(&[("EvalDir", "nets")]);
        assert!(folder.option == "EvalDir" && folder.path.ends_with("nets"), "{folder:?}");
        assert_eq!((folder.fv_scale, folder.shape.as_str()), (None, ""));
        let both =
            net(&[("EvalDir", "nets"), ("EvalFile", "my.bin"), ("FV_SCALE", "24"), ("EvalShape", "kp_256x2_32_32")]);
        assert!(both.option == "EvalFile" && both.path.ends_with("my.bin"), "{both:?}");
        assert_eq!((both.fv_scale, both.shape.as_str()), (Some(24), "kp_256x2_32_32"));
    }
}
