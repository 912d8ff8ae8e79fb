//! The `komainu` binary: everything is in the library.

fn main() -> std::process::ExitCode {
    komainu::cli::run()
}
