//! Which evaluation the options ask for, and how it comes out of its file.

use super::options::Options;
use super::paths;
use crate::eval::Evaluation;
use crate::eval::nnue::Net;
use std::path::PathBuf;

/// The name of the file in a folder that `EvalDir` names.
const FILE_IN_FOLDER: &str = "nn.bin";

/// What the options ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// The option that names a file, and the file; `None` for the evaluation that is built in.
    file: Option<(&'static str, PathBuf)>,
    fv_scale: i32,
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
        let is_built_in = |name: &str| matches!(name, "" | "<internal>" | "<material>");
        let file = match options.eval_file.as_str() {
            "<material>" => None,
            name if !is_built_in(name) => Some(("EvalFile", paths::resolve(name))),
            _ if is_built_in(&options.eval_dir) => None,
            _ => Some(("EvalDir", paths::resolve(&options.eval_dir).join(FILE_IN_FOLDER))),
        };
        // What has no net has no scale.
        let fv_scale = if file.is_some() { options.fv_scale } else { 0 };
        Choice { file, fv_scale }
    }

    /// Reads the file. If it cannot be used, the evaluation is the one that is built in.
    pub(super) fn load(&self) -> Loaded {
        let Some((option, path)) = &self.file else {
            return Loaded { evaluation: Evaluation::default(), remark: None, has_failed: false };
        };
        let shown = paths::show(path);
        match Net::from_file(path) {
            Ok(net) => {
                let remark = format!("{option}: {shown}: {}, FV_SCALE {}", net.shape(), self.fv_scale);
                Loaded { evaluation: Evaluation::Net(net, self.fv_scale), remark: Some(remark), has_failed: false }
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
        assert_eq!(choice(&[]), Choice::default());
        assert_eq!(choice(&[("EvalFile", "<internal>"), ("FV_SCALE", "24")]), Choice::default());
        assert_eq!(choice(&[("EvalFile", "<material>"), ("EvalDir", "nets")]), Choice::default());
        let Some((option, path)) = choice(&[("EvalDir", "nets")]).file else { panic!("no file") };
        assert!(option == "EvalDir" && path.ends_with("nets/nn.bin"), "{path:?}");
        let both = choice(&[("EvalDir", "nets"), ("EvalFile", "my.bin"), ("FV_SCALE", "24")]);
        assert!(both.file.is_some_and(|(_, path)| path.ends_with("my.bin")) && both.fv_scale == 24);
    }
}
