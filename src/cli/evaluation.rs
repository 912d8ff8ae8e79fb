//! The evaluation that a subcommand uses.

use super::Failure;
use crate::eval::Evaluation;
use crate::eval::nnue::{DEFAULT_FV_SCALE, Net};
use std::path::PathBuf;

/// Arguments of the subcommands that evaluate positions.
#[derive(clap::Args)]
pub(crate) struct EvaluationArguments {
    /// Net to evaluate with (nn.bin: HalfKP, K-P, SFNN ka2), or <material> for the hand-crafted evaluation; the
    /// default is what is built in
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
    /// By what the output of the net in that file is divided
    #[arg(long, value_name = "N", default_value_t = DEFAULT_FV_SCALE, value_parser = clap::value_parser!(i32).range(1..=128))]
    fv_scale: i32,
}

impl EvaluationArguments {
    /// The evaluation, read from its file if there is one.
    pub(crate) fn load(&self) -> Result<Evaluation, Failure> {
        match &self.eval_file {
            None => Ok(Evaluation::default()),
            Some(path) if path.as_os_str() == "<internal>" => Ok(Evaluation::default()),
            Some(path) if path.as_os_str() == "<material>" => Ok(Evaluation::HandCrafted),
            Some(path) => match Net::from_file(path) {
                Ok(net) => Ok(Evaluation::Net(net, self.fv_scale)),
                Err(error) => Err(Failure::Usage(error.to_string())),
            },
        }
    }
}
