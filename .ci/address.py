#!/usr/bin/env python3
"""Writes the address of the repository into what is published: `.ci/address.py https://HOST/ACCOUNT/NAME`.

The sources name none, so that they are right wherever they lie. A release is made where the address is known: crates.io, npm and
`cargo binstall` want it, the citation and the manifest for ShogiHome have a place for it.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def insert(file, after, line):
    """Puts a line behind the first one that begins with these words."""
    path = ROOT / file
    text, count = re.subn(rf"(?m)^({re.escape(after)}.*)$", lambda found: f"{found.group(1)}\n{line}", path.read_text("utf-8"), count=1)
    if not count:
        sys.exit(f"{file}: no line begins with {after}")
    path.write_text(text, "utf-8")


def main():
    if len(sys.argv) != 2 or not re.fullmatch(r"https://[\w.-]+/[\w.-]+/[\w.-]+", sys.argv[1]):
        sys.exit(__doc__)
    address = sys.argv[1]
    insert("Cargo.toml", "[workspace.package]", f'repository = "{address}"')
    for manifest in ("Cargo.toml", "tools/Cargo.toml", "cli/Cargo.toml"):
        insert(manifest, "license.workspace", "repository.workspace = true")
    insert("python/pyproject.toml", "[project.urls]", f'Repository = "{address}"')
    insert("CITATION.cff", "version:", f'repository-code: "{address}"')
    for file, value in (
        ("wasm/package/package.template.json", ("repository", {"type": "git", "url": f"git+{address}.git"})),
        ("wasm/rules/package/package.template.json", ("repository", {"type": "git", "url": f"git+{address}.git"})),
        ("wasm/package/engine.template.json", ("source", address)),
    ):
        path = ROOT / file
        fields = json.loads(path.read_text("utf-8"))
        fields[value[0]] = value[1]
        path.write_text(json.dumps(fields, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
