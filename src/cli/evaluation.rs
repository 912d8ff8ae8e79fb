//! The evaluation that a subcommand uses.

use super::Failure;
use crate::eval::Evaluation;
use crate::eval::nnue::{DEFAULT_FV_SCALE, Net, embedded};
use std::path::{Path, PathBuf};

/// Arguments of the subcommands that evaluate positions.
#[derive(clap::Args)]
pub(crate) struct EvaluationArguments {
    /// Net to evaluate with (nn.bin: HalfKP, K-P, SFNN ka2), or <material> for the hand-crafted evaluation; the
    /// default is what is built in
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
    /// By what the output of the net in that file is divided [default: 16]
    #[arg(long, value_name = "N", requires = "eval_file", value_parser = clap::value_parser!(i32).range(1..=128))]
    fv_scale: Option<i32>,
}

impl EvaluationArguments {
    /// The evaluation, read from its file if there is one.
    pub(crate) fn load(&self) -> Result<Evaluation, Failure> {
        let name = self.eval_file.as_deref().unwrap_or(Path::new("<internal>"));
        let is_file = name != Path::new("<internal>") && name != Path::new("<material>");
        if let Some(fv_scale) = self.fv_scale.filter(|_| !is_file) {
            return Err(Failure::Usage(format!("--fv-scale {fv_scale}: {} has a scale of its own", name.display())));
        }
        let net = match name.to_str() {
            Some("<material>") => return Ok(Evaluation::HandCrafted),
            Some("<internal>") => embedded().map_err(|error| Failure::Usage(error.to_string()))?,
            _ => Net::from_file(name).map_err(|error| Failure::Usage(error.to_string()))?,
        };
        Ok(Evaluation::Net(net, self.fv_scale.unwrap_or(DEFAULT_FV_SCALE)))
    }
}
