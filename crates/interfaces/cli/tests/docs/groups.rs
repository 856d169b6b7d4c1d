//! The crates stand in four folders, each of which uses only itself and those before it.

use std::collections::BTreeMap;

use super::files;

/// The folders of `crates`, each of which may use itself and those before it.
const GROUPS: [&str; 4] = ["core", "advice", "lab", "interfaces"];

/// The group of a crate by its package name, and the packages of the project that it uses.
fn packages() -> BTreeMap<String, (usize, Vec<String>)> {
    let group = |path: &str| GROUPS.iter().position(|group| path.split('/').nth(1) == Some(group));
    let package = |(path, text): (String, String)| {
        let group = group(&path)?;
        let folder = path.split('/').nth(2).expect("the folder of a crate");
        let used = text.lines().filter_map(|line| {
            line.strip_prefix("tavola-")?.split(['.', ' ', '=']).next().map(str::to_owned)
        });
        Some((folder.to_owned(), (group, used.collect())))
    };
    files(&["crates"], "toml")
        .into_iter()
        .filter(|(path, _)| path.ends_with("/Cargo.toml"))
        .filter_map(package)
        .collect()
}

#[test]
fn groups_use_only_themselves_and_those_before_them() {
    let packages = packages();
    assert!(packages.len() > 15, "only {} crates", packages.len());
    for (name, (group, used)) in &packages {
        for other in used.iter().filter(|&other| other != "models") {
            let (below, _) = packages.get(other).unwrap_or_else(|| panic!("{name} uses {other}"));
            assert!(
                below <= group,
                "crates/{}/{name} uses crates/{}/{other}, which is a later group",
                GROUPS[*group],
                GROUPS[*below],
            );
        }
    }
}
