//! `tavola model`: what a weights file holds.

use crate::args::{FormArgs, example};
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use tavola_engine::LoadedNetwork;
use tavola_files::{chain, printable};
use tavola_net::Weights;

use crate::failure::{Failure, Outcome};
use crate::outputs::{Content, OutputFile, writes};
use crate::report::format;
use crate::report::table::{Out, Table};

/// Describe a weights file, or save it with half the size or as ONNX.
///
/// Prints the game it evaluates, inputs, layers, and how it was trained. With --save-half the
/// network is also written with its numbers rounded to 16 bits. That is another network, with
/// another checksum, and evaluations that differ a little. With --onnx it is also written for
/// onnxruntime and other programs; the metadata of the file say what its inputs and outputs are.
///
/// The mean of networks that go back to one network, each trained a little further, often has the
/// smaller errors. Of networks trained apart it is useless.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola model\n  tavola model runs/smoke/final.safetensors --json\n  \
         tavola model runs/smoke/final.safetensors --save-half small.safetensors\n  \
         tavola model runs/smoke/final.safetensors --onnx smoke.onnx\n  \
         tavola model new.safetensors --mean-with old.safetensors --save-half mean.safetensors"
    )
)]
pub struct ModelArgs {
    /// The weights file [default: the built-in network]
    #[arg(value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Take the mean of all numbers of the network and this one, of the same game, inputs and
    /// layers. Once for each further network; one that is named twice counts twice
    #[arg(long, value_name = "FILE", requires = "save_half")]
    pub mean_with: Vec<PathBuf>,
    /// Write the network, rounded to 16 bits a number, to this file and describe it
    #[arg(long, value_name = "OUT", value_parser = writes(Content::Network))]
    pub save_half: Option<OutputFile>,
    /// Write the network as a model of ONNX to this file
    #[arg(long, value_name = "OUT", value_parser = writes(Content::Onnx))]
    pub onnx: Option<OutputFile>,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

/// The description as JSON.
#[derive(Serialize)]
struct Description<'a> {
    file: &'a str,
    game: &'a str,
    encoder: &'a str,
    inputs: usize,
    hidden: &'a [usize],
    products: bool,
    outputs: usize,
    parameters: usize,
    sha256: String,
    training: &'a BTreeMap<String, String>,
}

/// Describes the weights file.
pub fn run(args: &ModelArgs, out: &mut dyn Out) -> Outcome {
    let weights = LoadedNetwork::load(args.model.as_deref())?.weights().clone();
    let mut weights = mean(weights, &args.mean_with)?;
    if let Some(path) = &args.save_half {
        weights = weights.rounded_to_half().map_err(|error| Failure::input(chain(&error)))?;
        path.write(&weights.to_bytes().map_err(|error| Failure::work(chain(&error)))?)?;
    }
    if let Some(path) = &args.onnx {
        path.write(&weights.to_onnx().map_err(|error| Failure::input(chain(&error)))?)?;
    }
    let file = match args.save_half.as_deref().or(args.model.as_deref()) {
        Some(path) => path.display().to_string(),
        None => tavola_engine::BUILT_IN.to_owned(),
    };
    let description = describe(&weights, &file);
    if args.output.answered(&description, out)? { Ok(()) } else { write_text(&description, out) }
}

/// The network whose numbers are the means of those of `weights` and of the networks in `files`.
fn mean(mut weights: Weights, files: &[PathBuf]) -> Result<Weights, Failure> {
    if files.is_empty() {
        return Ok(weights);
    }
    let shape = |it: &Weights| {
        let products = if it.arch.products { " with products" } else { "" };
        format!("{}, {} and layers {:?}{products}", it.game, it.encoder.name(), &*it.arch.hidden)
    };
    let mut names = vec![weights.checksum()];
    for file in files {
        let other = LoadedNetwork::load(Some(file))?;
        let other = other.weights();
        if (&other.game, other.encoder, &other.arch)
            != (&weights.game, weights.encoder, &weights.arch)
        {
            return Err(Failure::input(format!(
                "{} has {}, expected {} as in the first network",
                file.display(),
                shape(other),
                shape(&weights)
            )));
        }
        for (sum, more) in weights.layers.iter_mut().zip(&other.layers) {
            let more = more.weights.iter().chain(&more.biases);
            let sum = sum.weights.iter_mut().chain(&mut sum.biases);
            sum.zip(more).for_each(|(sum, more)| *sum += more);
        }
        names.push(other.checksum());
    }
    for layer in &mut weights.layers {
        let numbers = layer.weights.iter_mut().chain(&mut layer.biases);
        numbers.for_each(|number| *number /= names.len() as f32);
    }
    weights.training = BTreeMap::from([("mean_of".into(), names.join(", "))]);
    Ok(weights)
}

fn describe<'a>(weights: &'a Weights, file: &'a str) -> Description<'a> {
    Description {
        file,
        game: &weights.game,
        encoder: weights.encoder.name(),
        inputs: weights.arch.inputs,
        hidden: &weights.arch.hidden,
        products: weights.arch.products,
        outputs: weights.arch.outputs,
        parameters: weights.arch.parameters(),
        sha256: weights.checksum(),
        training: &weights.training,
    }
}

fn write_text(description: &Description<'_>, out: &mut dyn Out) -> Outcome {
    let file = match description.file {
        tavola_engine::BUILT_IN => "built-in network",
        file => file,
    };
    let widths: Vec<String> = std::iter::once(description.inputs)
        .chain(description.hidden.iter().copied())
        .chain([description.outputs])
        .map(|width| width.to_string())
        .collect();
    let mut table = Table::plain(["", ""]);
    table.row(["file", file]);
    table.row(["game", &printable(description.game)]);
    table.row(["encoder", description.encoder]);
    let products = if description.products { ", products behind the first" } else { "" };
    table.row(["layers", &format!("{}{products}", widths.join("-"))]);
    table.row(["parameters", &format::count(description.parameters as u64)]);
    table.row(["weights checksum", &description.sha256]);
    table.write(out)?;
    writeln!(out)?;
    if description.training.is_empty() {
        writeln!(out, "nothing is recorded about its training")?;
    } else {
        writeln!(out, "training, the last run (`start` is the network before)")?;
        let mut table = Table::plain(["", ""]);
        for (key, value) in description.training {
            let value = value.replace(['\n', '\r'], " ");
            table.row([format!("  {}", printable(key)), printable(&value)]);
        }
        table.write(out)?;
    }
    Ok(())
}
