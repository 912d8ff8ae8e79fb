//! The `komainu` binary: everything is in the library beside it.

fn main() -> std::process::ExitCode {
    komainu_cli::run()
}
