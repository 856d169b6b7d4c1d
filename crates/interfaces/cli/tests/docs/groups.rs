//! The crates stand in four folders, each of which uses only itself and those before it, and none
//! has more lines of code than its budget.

use std::collections::BTreeMap;

use super::{files, root};

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

/// Lines such as `512 crates/core/files`, those apart that begin with `#`.
#[cfg(unix)]
fn counts(text: &str) -> BTreeMap<&str, u32> {
    let count = |line| {
        let (count, crate_name) = str::split_once(line, ' ')?;
        Some((crate_name, count.parse().ok()?))
    };
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| count(line).unwrap_or_else(|| panic!("{line:?} is no count"))).collect()
}

#[cfg(unix)]
#[test]
fn no_crate_has_more_lines_than_its_budget() {
    let counting = std::process::Command::new(root().join("scripts/count-lines.sh"))
        .args(["--by-crate", "."])
        .output()
        .expect("the script runs");
    assert!(counting.status.success(), "{}", String::from_utf8_lossy(&counting.stderr));
    let counted = String::from_utf8(counting.stdout).expect("text");
    let budgets = std::fs::read_to_string(root().join("crates/lines.txt")).expect("the budgets");
    let (counted, budgets) = (counts(&counted), counts(&budgets));
    assert_eq!(
        counted.keys().collect::<Vec<_>>(),
        budgets.keys().collect::<Vec<_>>(),
        "crates/lines.txt has a line for each crate"
    );
    let over: Vec<String> = counted
        .iter()
        .filter(|(name, count)| *count > &budgets[*name])
        .map(|(name, count)| format!("{name} has {count} lines, its budget is {}", budgets[name]))
        .collect();
    assert!(
        over.is_empty(),
        "{}\nshorten it, or raise its line in crates/lines.txt",
        over.join("\n")
    );
}

#[test]
fn crates_in_several_versions_are_those_of_the_list() {
    let read = |name| std::fs::read_to_string(root().join(name)).expect("a file of the root");
    let (lock, deny) = (read("Cargo.lock"), read("deny.toml"));
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let mut quoted = package.split('"').skip(1).step_by(2);
        let (Some(name), Some(version)) = (quoted.next(), quoted.next()) else { continue };
        versions.entry(name).or_default().push(version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    let mut listed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, version) in deny.split('"').filter_map(|quoted| quoted.split_once('@')) {
        listed.entry(name).or_default().push(version);
    }
    for (name, versions) in &versions {
        let listed = listed.remove(name).unwrap_or_default();
        assert!(
            listed.len() + 1 == versions.len() && listed.iter().all(|it| versions.contains(it)),
            "{name} is there in {versions:?}; deny.toml lists {listed:?}, expected all but one"
        );
    }
    assert!(listed.is_empty(), "{listed:?} of deny.toml have one version: take them off its list");
}
