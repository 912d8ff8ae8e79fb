//! Which evaluation the options ask for, and how it comes out of its file.

use super::options::Options;
use super::paths;
use crate::eval::Evaluation;
use crate::eval::nnue::{Net, embedded};
use std::path::PathBuf;

/// The name of the file in a folder that `EvalDir` names.
const FILE_IN_FOLDER: &str = "nn.bin";

/// What a score of the project's own net means: `komainu data info` on its own games, 4,000 nodes a move.
const WINS: &str = "100 cp win 55 of 100 quick games between equals, 500 cp 71, 1000 cp 86, 2000 cp 97";

/// What the options ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Choice {
    /// The net that is built in.
    #[default]
    BuiltIn,
    /// The hand-crafted evaluation.
    HandCrafted,
    /// A net out of a file, with the option that names it and `FV_SCALE`.
    File(&'static str, PathBuf, i32),
}

/// An evaluation, and what there is to say about it.
pub(super) struct Loaded {
    pub(super) evaluation: Evaluation,
    pub(super) remark: Option<String>,
    /// The file could not be used.
    pub(super) has_failed: bool,
}

impl Choice {
    /// What these options ask for: `EvalFile` before `EvalDir`.
    pub(super) fn of(options: &Options) -> Choice {
        let is_built_in = |name: &str| matches!(name, "" | "<internal>");
        match (options.eval_file.as_str(), options.eval_dir.as_str()) {
            ("<material>", _) => Choice::HandCrafted,
            (name, _) if !is_built_in(name) => Choice::File("EvalFile", paths::resolve(name), options.fv_scale),
            (_, "<material>") => Choice::HandCrafted,
            (_, name) if is_built_in(name) => Choice::BuiltIn,
            (_, name) => Choice::File("EvalDir", paths::resolve(name).join(FILE_IN_FOLDER), options.fv_scale),
        }
    }

    /// Reads the file. If it cannot be used, the evaluation is the one that is built in.
    pub(super) fn load(&self) -> Loaded {
        let fine = |evaluation, remark| Loaded { evaluation, remark, has_failed: false };
        let (option, path, fv_scale) = match self {
            Choice::BuiltIn => {
                let remark = match embedded() {
                    Ok(net) if cfg!(own_net) => format!("built-in net: {}; {WINS}", net.shape()),
                    Ok(net) => format!("built-in net: {}", net.shape()),
                    Err(error) => format!("error: {error}; the hand-crafted evaluation is used"),
                };
                return fine(Evaluation::default(), Some(remark));
            }
            Choice::HandCrafted => return fine(Evaluation::HandCrafted, None),
            Choice::File(option, path, fv_scale) => (option, path, *fv_scale),
        };
        let shown = paths::show(path);
        match Net::from_file(path) {
            Ok(net) => {
                let remark = format!("{option}: {shown}: {}, FV_SCALE {fv_scale}", net.shape());
                fine(Evaluation::Net(net, fv_scale), Some(remark))
            }
            Err(error) => {
                let fault = paths::printable(&error.fault.to_string());
                let remark = format!("error: {option}: {shown}: {fault}; the built-in evaluation is used");
                Loaded { evaluation: Evaluation::default(), remark: Some(remark), has_failed: true }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(settings: &[(&str, &str)]) -> Choice {
        let mut options = Options::default();
        settings.iter().for_each(|(name, value)| options.set(name, Some(value)).unwrap());
        Choice::of(&options)
    }

    #[test]
    fn a_file_comes_before_a_folder_and_the_built_in_evaluation_before_both() {
        assert_eq!(choice(&[]), Choice::BuiltIn);
        assert_eq!(choice(&[("EvalFile", "<internal>"), ("FV_SCALE", "24")]), Choice::BuiltIn);
        assert_eq!(choice(&[("EvalFile", "<material>"), ("EvalDir", "nets")]), Choice::HandCrafted);
        let Choice::File("EvalDir", path, 16) = choice(&[("EvalDir", "nets")]) else { panic!("no file") };
        assert!(path.ends_with("nets/nn.bin"), "{path:?}");
        let both = choice(&[("EvalDir", "nets"), ("EvalFile", "my.bin"), ("FV_SCALE", "24")]);
        assert!(matches!(both, Choice::File("EvalFile", path, 24) if path.ends_with("my.bin")));
    }
}
