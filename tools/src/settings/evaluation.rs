//! The evaluation that a tool uses.

use komainu::eval::nnue::{EMBEDDED_FV_SCALE, Net, embedded};
use komainu::eval::{Evaluation, NetFile};
use komainu::types::Printable;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};

/// The name of the net that is built in.
const BUILT_IN: &str = "<internal>";

/// Settings of the tools that evaluate positions.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct EvaluationSettings {
    /// Net to evaluate with (nn.bin of any shape); the default is the net that is built in
    #[arg(long, visible_alias = "net", value_name = "FILE")]
    eval_file: Option<PathBuf>,
    /// By what the output of the net in that file is divided [default: what eval_options.txt
    /// beside it or its text says, else 16]
    #[arg(long, value_name = "N", requires = "eval_file", value_parser = clap::value_parser!(i32).range(1..=128))]
    fv_scale: Option<i32>,
}

impl EvaluationSettings {
    /// Evaluation in words.
    pub fn name(&self) -> String {
        self.eval_file.as_ref().map_or_else(|| BUILT_IN.to_string(), |file| file.display().to_string())
    }

    /// The evaluation, read from its file if there is one, or a line that says why there is none.
    pub fn load(&self) -> Result<Evaluation, String> {
        let name = self.eval_file.as_deref().unwrap_or(Path::new(BUILT_IN));
        match self.fv_scale {
            Some(fv_scale) if name == Path::new(BUILT_IN) => {
                Err(format!("--fv-scale {fv_scale}: {BUILT_IN} has a scale of its own"))
            }
            fv_scale => read_net(name).map(|(net, usual)| Evaluation { net, fv_scale: fv_scale.unwrap_or(usual) }),
        }
    }
}

/// The net of a file, or the one that is built in, and by what its output is divided if nobody says otherwise.
pub fn read_net(name: &Path) -> Result<(Net, i32), String> {
    if name == Path::new(BUILT_IN) {
        return embedded().map(|net| (net, EMBEDDED_FV_SCALE)).map_err(|error| error.to_string());
    }
    let file = NetFile::read(name, None, None).map_err(|error| error.to_string())?;
    let warn = |warning: &String| _ = writeln!(stderr(), "komainu: {}", Printable(warning));
    file.warnings.iter().for_each(warn);
    Ok((file.net, file.fv_scale))
}
