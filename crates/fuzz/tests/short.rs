//! Every target on its seed inputs and on some thousand mutations of them.

use std::sync::{Mutex, PoisonError};

use tavola_fuzz::{Target, targets};

/// Inputs of each target. Miri takes seconds for what a processor does in microseconds.
const INPUTS: usize = if cfg!(miri) { 3 } else { 300 };

/// What is allocated is counted for the whole process: those who measure wait for each other.
static MEASURED: Mutex<()> = Mutex::new(());

fn run(target: Target) {
    let corpus = target.corpus().unwrap_or_else(|error| panic!("{}: {error}", target.name));
    assert!(!corpus.is_empty(), "{} has no seed inputs", target.name);
    for input in &corpus {
        target.check(input);
    }
    let mut mutator = target.mutator(1).unwrap();
    let mut input = Vec::new();
    for _ in 0..INPUTS {
        mutator.next_into(&mut input);
        target.check(&input);
    }
}

#[test]
fn every_target_holds_its_properties_on_seed_inputs_and_mutations() {
    let _alone = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
    targets().into_iter().for_each(run);
}

/// Long inputs of each target, where a cost beyond what each byte may have shows.
#[test]
fn no_byte_of_a_long_input_costs_more_than_those_of_a_short_one() {
    if cfg!(miri) {
        return;
    }
    let _alone = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
    for target in targets() {
        let mut mutator = target.mutator(2).unwrap();
        let mut inputs = target.corpus().unwrap();
        inputs.truncate(6);
        inputs.extend(vec![Vec::new(); 3]);
        for input in &mut inputs {
            if input.is_empty() {
                mutator.next_into(input);
            }
            mutator.lengthen(input, 96 << 10);
            // It holds the bytes allocated to a bound; the time is for the fuzzer to look at.
            target.check(input);
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_inputs() {
    let inputs = |seed| {
        let mut mutator = tavola_fuzz::target("xgid").unwrap().mutator(seed).unwrap();
        let mut input = Vec::new();
        (0..50)
            .map(|_| {
                mutator.next_into(&mut input);
                input.clone()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(inputs(7), inputs(7));
    assert_ne!(inputs(7), inputs(8));
}

#[test]
fn names_of_targets_are_those_of_the_folders_of_seed_inputs() {
    let mut names: Vec<String> = targets().iter().map(|target| target.name.to_owned()).collect();
    let mut folders: Vec<String> = std::fs::read_dir(tavola_fuzz::corpus_folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    folders.sort();
    if cfg!(feature = "training") {
        assert_eq!(names, folders);
    } else {
        assert!(names.iter().all(|name| folders.contains(name)));
    }
}
