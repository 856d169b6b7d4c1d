#!/usr/bin/env bash
# Everything that a release holds, for this machine, in target/dist with its checksums:
#   scripts/build-release.sh [TARGET]   such as x86_64-unknown-linux-musl for a static binary
# A .tar.gz of the program with manual pages, completions, licenses and an SBOM; a Debian package where
# cargo-deb is installed; a Python wheel where maturin is (neither for a static target).
set -euo pipefail
cd "$(dirname "$0")/.."
host=$(rustc -vV | sed -n 's/^host: //p')
target=${1:-$host}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
dist=target/dist
mkdir -p "$dist"

if [ "$target" = "$host" ]; then
  cargo build --profile packaged --locked -p tavola-cli --features fleet
  program=target/packaged/tavola
else
  rustup target list --installed | grep -qx "$target" || rustup target add "$target"
  cargo build --profile packaged --locked -p tavola-cli --features fleet --target "$target"
  program=target/$target/packaged/tavola
fi
case "$program" in
  *-musl/*) if ldd "$program" 2>&1 | grep -q '=>'; then echo "$program is not static" >&2; exit 1; fi ;;
esac
"$program" best --roll 31 --ply 0 --no-tables >/dev/null

scripts/prepare-packages.sh "$program" "$target"
name=tavola-$version-$target
rm -rf "target/$name"
mkdir "target/$name"
cp "$program" README.md LICENSE-MIT LICENSE-APACHE "target/$name/"
cp -r target/packaging/* "target/$name/"
tar -C target --owner=0 --group=0 --numeric-owner --sort=name -czf "$dist/$name.tar.gz" "$name"

if [ "$target" = "$host" ]; then
  if cargo deb --version >/dev/null 2>&1; then
    cargo deb -p tavola-cli --profile packaged --no-build --no-strip --output "$dist/"
  else
    echo "no Debian package: cargo install cargo-deb" >&2
  fi
  if command -v maturin >/dev/null; then
    scripts/licenses.py tavola-python "$target" crates/interfaces/python
    maturin build --profile packaged --locked --manifest-path crates/interfaces/python/Cargo.toml --out "$dist"
  else
    echo "no Python wheel: pip install maturin" >&2
  fi
fi
(cd "$dist" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | sort | xargs sha256sum > SHA256SUMS)
cat "$dist/SHA256SUMS"
