#!/usr/bin/env bash
# Builds the packages for npm, the WebAssembly engine in FOLDER and the rules in FOLDER-rules: `wasm/build.sh FOLDER` (`make web`);
# `wasm/build.sh --rules FOLDER` the rules alone. Needs node (18 or later), wasm-opt (Binaryen 105 or later) and a Rust compiler with
# the standard library for wasm32-unknown-unknown (`rustup target add wasm32-unknown-unknown`).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ ${1:-} == --rules ]] && only_rules=1 && shift
folder=${1:?usage: wasm/build.sh [--rules] FOLDER}
target=wasm32-unknown-unknown
target_dir=${CARGO_TARGET_DIR:-target}

# missing LINES...: says what is missing and how it is had.
missing() {
    printf 'error: %s\n' "$@" >&2
    exit 1
}

command -v node >/dev/null || missing 'make web needs node, 18 or later (https://nodejs.org)'
wasm_opt=${WASM_OPT:-wasm-opt}
command -v "$wasm_opt" >/dev/null ||
    missing 'make web needs wasm-opt: apt install binaryen, brew install binaryen, or npm install --global binaryen'

rust_version=$(sed -n 's/^rust-version *= *"\([^"]*\)".*/\1/p' Cargo.toml)
libdir=$(rustc --print target-libdir --target "$target" 2>/dev/null || true)
# RUSTFLAGS would replace the flags of .cargo/config.toml.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
[[ -d $libdir ]] || missing "the Rust compiler ($(rustc --version)) has no standard library for $target" \
    "with rustup: rustup target add $target" \
    "without it: a Rust of $rust_version or later that has this target (https://rustup.rs; the compilers of distributions are often older)"
cargo=("${CARGO:-cargo}" build --profile wasm --target "$target" --target-dir "$target_dir")

features=(simd bulk-memory sign-ext mutable-globals nontrapping-float-to-int reference-types multivalue)

# shrink FROM TO [FLAGS...]
shrink() {
    "$wasm_opt" "$1" -o "$2" "${features[@]/#/--enable-}" "${@:3}" --strip-debug --strip-producers
}

# optimise FROM TO: a search is suspended in the middle of its calls (src/host/suspend.rs); the functions named here call others
# through tables.
optimise() {
    shrink "$1" "$2" --asyncify --pass-arg=asyncify-ignore-indirect --pass-arg=asyncify-imports@env.none \
        --pass-arg='asyncify-addlist@*run_tasks*,*let_choose*' -O3
}

built=$target_dir/$target/wasm
version=$(sed -n 's/^version *= *"\([^"]*\)".*/\1/p' Cargo.toml | head -n 1)

# rules NAME LEVEL [FLAGS...]: a module of the rules, with what it takes compiled for size (z, s) or speed (2, 3).
rules() {
    CARGO_PROFILE_WASM_OPT_LEVEL=$2 CARGO_PROFILE_WASM_LTO=fat CARGO_PROFILE_WASM_CODEGEN_UNITS=1 \
        "${cargo[@]}" -p komainu-rules "${@:3}"
    shrink "$built/komainu_rules.wasm" "$built/$1.wasm" "-O$2" --converge
}

rules rules z
rules formats s --features formats
node wasm/rules/pack.mjs "$built/rules.wasm" "$built/formats.wasm" "$folder-rules" "$version"
[[ -z ${only_rules:-} ]] || exit 0

"${cargo[@]}" -p komainu-wasm
optimise "$built/komainu_wasm.wasm" "$built/komainu.wasm"
node wasm/pack.mjs "$built/komainu.wasm" "$folder" "$version"
if [[ -f wasm/page/assemble.mjs ]]; then
    # The page holds a larger module, which also answers its questions about rules, records and games.
    "${cargo[@]}" -p komainu-wasm --features questions
    mkdir -p "$built/page"
    optimise "$built/komainu_wasm.wasm" "$built/page/komainu.wasm"
    cp "$folder/komainu.js" "$built/page"
    node wasm/page/assemble.mjs "$built/page"
    cp "$built/page/komainu.html" "$folder"
fi
