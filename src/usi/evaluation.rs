//! Which evaluation the options select, and loading it from its file.

use super::options::Options;
use super::paths;
use crate::eval::Evaluation;
use crate::eval::nnue::{Net, embedded};
use std::path::PathBuf;

/// The name of the file in a folder that `EvalDir` names.
const FILE_IN_FOLDER: &str = "nn.bin";

/// Win rates at some scores of the project's own net: `komainu data info` on its own games, 4,000 nodes a move.
const WINS: &str = "100 cp win 56 of 100 quick games between equals, 500 cp 77, 1000 cp 92, 2000 cp 99";

/// The evaluation that the options select.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum EvalSource {
    /// The net that is built in.
    #[default]
    BuiltIn,
    /// The hand-crafted evaluation.
    HandCrafted,
    /// A net out of a file, with the option that names it and `FV_SCALE`.
    File(&'static str, PathBuf, i32),
}

/// An evaluation, with an `info string` about it.
pub(super) struct Loaded {
    pub(super) evaluation: Evaluation,
    pub(super) info_string: Option<String>,
    /// The file could not be used.
    pub(super) has_failed: bool,
}

impl EvalSource {
    /// Source that these options ask for: `EvalFile` before `EvalDir`.
    pub(super) fn of(options: &Options) -> EvalSource {
        let is_built_in = |name: &str| matches!(name, "" | "<internal>");
        // `<material>` is the older name.
        let is_hand_crafted = |name: &str| matches!(name, "<hand-crafted>" | "<material>");
        match (options.eval_file.as_str(), options.eval_dir.as_str()) {
            (name, _) if is_hand_crafted(name) => EvalSource::HandCrafted,
            (name, _) if !is_built_in(name) => EvalSource::File("EvalFile", paths::resolve(name), options.fv_scale),
            (_, name) if is_hand_crafted(name) => EvalSource::HandCrafted,
            (_, name) if is_built_in(name) => EvalSource::BuiltIn,
            (_, name) => EvalSource::File("EvalDir", paths::resolve(name).join(FILE_IN_FOLDER), options.fv_scale),
        }
    }

    /// Reads the file. If it cannot be used, the evaluation is the one that is built in.
    pub(super) fn load(&self) -> Loaded {
        let fine = |evaluation, info_string| Loaded { evaluation, info_string, has_failed: false };
        let (option, path, fv_scale) = match self {
            EvalSource::BuiltIn => {
                let info_string = match embedded() {
                    Ok(net) if cfg!(own_net) => format!("built-in net: {}; {WINS}", net.shape()),
                    Ok(net) => format!("built-in net: {}", net.shape()),
                    Err(error) => format!("error: {error}; the hand-crafted evaluation is used"),
                };
                return fine(Evaluation::default(), Some(info_string));
            }
            EvalSource::HandCrafted => return fine(Evaluation::HandCrafted, None),
            EvalSource::File(option, path, fv_scale) => (option, path, *fv_scale),
        };
        let shown = paths::show(path);
        match Net::from_file(path) {
            Ok(net) => {
                let info_string = format!("{option}: {shown}: {}, FV_SCALE {fv_scale}", net.shape());
                fine(Evaluation::Net(net, fv_scale), Some(info_string))
            }
            Err(error) => {
                let fault = paths::printable(&error.fault.to_string());
                let info_string = format!("error: {option}: {shown}: {fault}; the built-in evaluation is used");
                Loaded { evaluation: Evaluation::default(), info_string: Some(info_string), has_failed: true }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(settings: &[(&str, &str)]) -> EvalSource {
        let mut options = Options::default();
        settings.iter().for_each(|(name, value)| options.set(name, Some(value)).unwrap());
        EvalSource::of(&options)
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
        assert_eq!(source(&[]), EvalSource::BuiltIn);
        assert_eq!(source(&[("EvalFile", "<internal>"), ("FV_SCALE", "24")]), EvalSource::BuiltIn);
        for name in ["<hand-crafted>", "<material>"] {
            assert_eq!(source(&[("EvalFile", name), ("EvalDir", "nets")]), EvalSource::HandCrafted);
            assert_eq!(source(&[("EvalDir", name)]), EvalSource::HandCrafted);
        }
        let EvalSource::File("EvalDir", path, 16) = source(&[("EvalDir", "nets")]) else { panic!("no file") };
        assert!(path.ends_with("nets/nn.bin"), "{path:?}");
        let both = source(&[("EvalDir", "nets"), ("EvalFile", "my.bin"), ("FV_SCALE", "24")]);
        assert!(matches!(both, EvalSource::File("EvalFile", path, 24) if path.ends_with("my.bin")));
    }
}
