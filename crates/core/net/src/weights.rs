//! The weights file: safetensors with one metadata entry.
//!
//! A weights file is an ordinary [safetensors](https://github.com/huggingface/safetensors) file.
//! It holds, for each layer `i` from 0, the tensors `layers.i.weight` (`[inputs, outputs]`,
//! row-major) and `layers.i.bias` (`[outputs]`), little-endian f32, or f16 if that holds every
//! number of the network exactly. Its metadata has the single key `tavola`, a JSON object:
//!
//! | key | meaning |
//! |---|---|
//! | `version` | of this description: 1, or 2 if the numbers are f16; readers refuse a larger one |
//! | `game` | [id](tavola_rules::Game::id) of the game and its options |
//! | `encoder` | name of the feature set, see [`EncoderKind`] |
//! | `arch` | [`Arch`]: `inputs` and `hidden` widths; rectified linear units, softmax of `outputs`, six if left out; `products` if it has them |
//! | `sha256` | of all numbers as f32: for each layer its weights, then its biases |
//! | `training` | how the network was trained, text by key |
//!
//! The checksum is that of what answers depend on. The description is checked by its form: names,
//! widths and the lengths of all tensors have to fit.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use half::f16;
use half::slice::HalfFloatSliceExt;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use tavola_files::limits::LARGE_BYTES;
use tavola_files::{Digest, Sha256, hex, read};

use crate::arch::Arch;
use crate::encode::EncoderKind;
use crate::kernel::UnusableKernel;

/// The newest version of the file format, which files of f16 have.
pub const VERSION: u32 = 2;

/// The version of files of f32.
const SINGLE_VERSION: u32 = 1;

/// The metadata key that makes a safetensors file ours.
const METADATA_KEY: &str = "tavola";

/// No layer is wider: a width beyond it comes from a damaged file.
const LARGEST_WIDTH: usize = 1 << 20;

/// No game has more players or outcomes.
const MOST_OUTPUTS: usize = 64;

/// No encoder makes an input that is larger.
const LARGEST_INPUT: f64 = 1000.0;

/// A network at rest: everything that a weights file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The [`id`](tavola_rules::Game::id) of the game that the network evaluates.
    pub game: String,
    /// The feature set of its inputs.
    pub encoder: EncoderKind,
    /// Its shape.
    pub arch: Arch,
    /// Its layers, first to last, as many as [`Arch::layers`] says and with those shapes.
    pub layers: Vec<Layer>,
    /// How it was trained, as text by key: run, config, seed, games, wall time, commit.
    pub training: BTreeMap<String, String>,
}

/// One fully connected layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Number of inputs.
    pub inputs: usize,
    /// Number of outputs.
    pub outputs: usize,
    /// # Shapes
    ///
    /// `[inputs, outputs]`, row-major.
    pub weights: Vec<f32>,
    /// # Shapes
    ///
    /// `[outputs]`
    pub biases: Vec<f32>,
}

/// Why a weights file can't be used or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// The file can't be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file can't be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What is wrong with the content of a file.
    #[error("cannot use {}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<WeightsError>,
    },
    /// The kernel is not one of this machine.
    #[error(transparent)]
    Kernel(#[from] UnusableKernel),
    /// A network that can't be grown into another.
    #[error("a network with {found} can't be grown to one with {expected}: {rule}")]
    Growth {
        /// The network.
        found: String,
        /// What it is to become.
        expected: String,
        /// What growing takes.
        rule: &'static str,
    },
    /// Not a safetensors file, or one that is cut off.
    #[error("not a complete safetensors file: {reason}")]
    Damaged {
        /// What the reader of the container said.
        reason: String,
    },
    /// A safetensors file of another program.
    #[error("not a tavola network: the metadata has no usable {METADATA_KEY:?} entry ({reason})")]
    Foreign {
        /// What is missing or wrong.
        reason: String,
    },
    /// Written by a newer program.
    #[error("file version {found} is newer than {VERSION}, the newest that this program reads")]
    Newer {
        /// The version of the file.
        found: u64,
    },
    /// A tensor is missing, has another shape or other numbers than f32 or f16.
    #[error("tensor {name:?} is {found}, expected {expected}")]
    Tensor {
        /// The tensor.
        name: String,
        /// What the file has.
        found: String,
        /// What the architecture asks for.
        expected: String,
    },
    /// The tensors are not those that were written.
    #[error("checksum {found} of the weights differs from the {expected} in the file")]
    Checksum {
        /// Computed from the tensors.
        found: String,
        /// As stored.
        expected: String,
    },
    /// A weight is infinite or not a number.
    #[error("tensor {name:?} holds {value}, expected finite numbers")]
    NotFinite {
        /// The tensor.
        name: String,
        /// The first such number.
        value: f32,
    },
    /// A weight has no place in 16 bits.
    #[error("tensor {name:?} holds {value}, expected at most {}, as a 16-bit float does", f16::MAX)]
    NotHalf {
        /// The tensor.
        name: String,
        /// The first such number.
        value: f32,
    },
    /// Its numbers are finite, but what it computes with them need not be.
    #[error(
        "the weights of layer {layer} are so large that the network may compute numbers up to \
         {bound:.1e}, expected at most {:.1e}",
        f32::MAX
    )]
    Overflow {
        /// The layer, counted from 0.
        layer: usize,
        /// The largest number that it may compute.
        bound: f64,
    },
    /// The network evaluates another game.
    #[error("the network was trained for {found:?}, not for {expected:?}")]
    OtherGame {
        /// The game of the network.
        found: String,
        /// The game at hand.
        expected: String,
    },
    /// The feature set is of no use in the game.
    #[error("the {} encoder is for games on a backgammon board with two bars, not for {game:?}", encoder.name())]
    Encoder {
        /// The feature set.
        encoder: EncoderKind,
        /// The game at hand.
        game: String,
    },
    /// The layers do not fit the architecture, or this the encoder.
    #[error("{what} is {found}, expected {expected}")]
    Shape {
        /// What does not fit.
        what: String,
        /// As given.
        found: usize,
        /// As needed.
        expected: usize,
    },
}

/// The JSON object in the metadata.
impl WeightsError {
    /// Whether a number of a network is the one that it should be.
    pub(crate) fn check_shape(what: String, found: usize, expected: usize) -> Result<(), Self> {
        if found == expected { Ok(()) } else { Err(Self::Shape { what, found, expected }) }
    }
}

#[derive(Serialize, Deserialize)]
struct Metadata {
    version: u32,
    game: String,
    encoder: EncoderKind,
    arch: Arch,
    sha256: String,
    training: BTreeMap<String, String>,
}

impl Weights {
    /// SHA-256 over all weights and biases: the identity of the network, whatever its file or
    /// training facts. Lower-case hexadecimal.
    pub fn checksum(&self) -> String {
        let mut hasher = Sha256::new();
        let mut bytes = [[0; 4]; 1024];
        for numbers in self.layers.iter().flat_map(|layer| [&layer.weights, &layer.biases]) {
            for numbers in numbers.chunks(bytes.len()) {
                let places = bytes.iter_mut().zip(numbers);
                places.for_each(|(place, number)| *place = number.to_le_bytes());
                hasher.update(bytes[..numbers.len()].as_flattened());
            }
        }
        hex(&hasher.finalize())
    }

    /// The network with each number rounded to the nearest f16: its file has half the size. A
    /// number changes by a part in 2,000 at most, or by 3e-8 if it is smaller than 6e-5.
    ///
    /// # Errors
    ///
    /// [`WeightsError::NotFinite`] if a number is beyond 65,504, the largest f16.
    pub fn rounded_to_half(&self) -> Result<Self, WeightsError> {
        let mut rounded = self.clone();
        for (i, layer) in rounded.layers.iter_mut().enumerate() {
            for (name, numbers) in
                [(weight_name(i), &mut layer.weights), (bias_name(i), &mut layer.biases)]
            {
                for number in numbers {
                    let half = f16::from_f32(*number).to_f32();
                    if !half.is_finite() {
                        return Err(WeightsError::NotHalf { name, value: *number });
                    }
                    *number = half;
                }
            }
        }
        Ok(rounded)
    }

    /// Whether f16 holds every number exactly.
    fn is_half(&self) -> bool {
        let is_half = |&number: &f32| f16::from_f32(number).to_f32().to_bits() == number.to_bits();
        self.layers.iter().all(|layer| layer.weights.iter().chain(&layer.biases).all(is_half))
    }

    /// The content of a weights file. Equal networks give equal bytes.
    ///
    /// # Errors
    ///
    /// [`WeightsError::Shape`] if the layers do not fit the architecture.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WeightsError> {
        self.check_shapes()?;
        let half = self.is_half();
        let (version, dtype) =
            if half { (VERSION, Dtype::F16) } else { (SINGLE_VERSION, Dtype::F32) };
        let stored = |numbers: &[f32]| match half {
            true => numbers.iter().flat_map(|&n| f16::from_f32(n).to_le_bytes()).collect(),
            false => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        };
        let metadata = Metadata {
            version,
            game: self.game.clone(),
            encoder: self.encoder,
            arch: self.arch.clone(),
            sha256: self.checksum(),
            training: self.training.clone(),
        };
        let json = serde_json::to_string(&metadata).expect("metadata has only text keys");
        let mut tensors: Vec<(String, Vec<usize>, Vec<u8>)> = Vec::new();
        for (i, layer) in self.layers.iter().enumerate() {
            tensors.push((
                weight_name(i),
                vec![layer.inputs, layer.outputs],
                stored(&layer.weights),
            ));
            tensors.push((bias_name(i), vec![layer.outputs], stored(&layer.biases)));
        }
        let views = tensors.iter().map(|(name, shape, bytes)| {
            let view = TensorView::new(dtype, shape.clone(), bytes);
            (name.as_str(), view.expect("the shapes were checked"))
        });
        safetensors::serialize(views, Some(HashMap::from([(METADATA_KEY.to_owned(), json)])))
            .map_err(|error| WeightsError::Damaged { reason: error.to_string() })
    }

    /// Reads the content of a weights file and checks all of it.
    ///
    /// # Errors
    ///
    /// [`WeightsError`] says what is wrong: damaged, foreign, newer, other shapes or checksum.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let damaged = |error: safetensors::SafeTensorError| WeightsError::Damaged {
            reason: error.to_string(),
        };
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(damaged)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(damaged)?;
        let metadata = read_metadata(header.metadata().as_ref())?;
        let layers = metadata
            .arch
            .layers()
            .into_iter()
            .enumerate()
            .map(|(i, (inputs, outputs))| {
                Ok(Layer {
                    inputs,
                    outputs,
                    weights: read_tensor(&tensors, &weight_name(i), &[inputs, outputs])?,
                    biases: read_tensor(&tensors, &bias_name(i), &[outputs])?,
                })
            })
            .collect::<Result<_, WeightsError>>()?;
        let weights = Self {
            game: metadata.game,
            encoder: metadata.encoder,
            arch: metadata.arch,
            layers,
            training: metadata.training,
        };
        let found = weights.checksum();
        if found != metadata.sha256 {
            return Err(WeightsError::Checksum { found, expected: metadata.sha256 });
        }
        Ok(weights)
    }

    /// Writes a weights file, which is either the old or the new one whatever happens.
    ///
    /// # Errors
    ///
    /// [`WeightsError::Write`] with what the system said.
    pub fn save(&self, path: &Path) -> Result<(), WeightsError> {
        let bytes = self.to_bytes()?;
        tavola_files::write(path, &bytes)
            .map_err(|source| WeightsError::Write { path: path.to_owned(), source })
    }

    /// Reads a weights file.
    ///
    /// # Errors
    ///
    /// [`WeightsError`] with the path and what is wrong.
    pub fn load(path: &Path) -> Result<Self, WeightsError> {
        let bytes = read(path, &LARGE_BYTES).map_err(|source| {
            let last = path.join("final.safetensors");
            let such =
                if last.is_file() { format!(" such as {}", last.display()) } else { "".into() };
            let expected = format!("it is a folder, expected a weights file{such}");
            let folder = || io::Error::new(io::ErrorKind::IsADirectory, expected);
            let source = if path.is_dir() { folder() } else { source };
            WeightsError::Read { path: path.to_owned(), source }
        })?;
        Self::from_bytes(&bytes).map_err(|source| WeightsError::Content {
            path: path.to_owned(),
            source: Box::new(source),
        })
    }

    /// Whether what the layers compute is finite whatever the position.
    pub(crate) fn check_bounds(&self) -> Result<(), WeightsError> {
        let mut bound = LARGEST_INPUT;
        for (index, layer) in self.layers.iter().enumerate() {
            let mut sums: Vec<f64> =
                layer.biases.iter().map(|bias| f64::from(bias.abs())).collect();
            for row in layer.weights.chunks_exact(layer.outputs) {
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum += bound * f64::from(weight.abs());
                }
            }
            bound = sums.into_iter().fold(0.0, f64::max);
            if index == 0 && self.arch.products {
                bound *= bound;
            }
            if bound > f64::from(f32::MAX) {
                return Err(WeightsError::Overflow { layer: index, bound });
            }
        }
        Ok(())
    }

    /// Whether the layers are those of the architecture.
    pub(crate) fn check_shapes(&self) -> Result<(), WeightsError> {
        let shape = WeightsError::check_shape;
        self.arch.check_products()?;
        let expected = self.arch.layers();
        shape("number of layers".to_owned(), self.layers.len(), expected.len())?;
        for (i, (layer, (inputs, outputs))) in self.layers.iter().zip(expected).enumerate() {
            shape(format!("number of inputs of layer {i}"), layer.inputs, inputs)?;
            shape(format!("number of outputs of layer {i}"), layer.outputs, outputs)?;
            shape(
                format!("number of weights of layer {i}"),
                layer.weights.len(),
                inputs * outputs,
            )?;
            shape(format!("number of biases of layer {i}"), layer.biases.len(), outputs)?;
        }
        Ok(())
    }
}

pub(crate) fn weight_name(layer: usize) -> String {
    format!("layers.{layer}.weight")
}

pub(crate) fn bias_name(layer: usize) -> String {
    format!("layers.{layer}.bias")
}

fn read_metadata(entries: Option<&HashMap<String, String>>) -> Result<Metadata, WeightsError> {
    let foreign = |reason: String| WeightsError::Foreign { reason };
    let json = entries
        .and_then(|entries| entries.get(METADATA_KEY))
        .ok_or_else(|| foreign("missing".to_owned()))?;
    // The version first: a newer file may differ in everything else.
    let value: serde_json::Value =
        serde_json::from_str(json).map_err(|error| foreign(error.to_string()))?;
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(found) if found > u64::from(VERSION) => return Err(WeightsError::Newer { found }),
        Some(_) => {}
        None => return Err(foreign("no version".to_owned())),
    }
    let metadata: Metadata =
        serde_json::from_value(value).map_err(|error| foreign(error.to_string()))?;
    let Arch { inputs, hidden, outputs, .. } = &metadata.arch;
    let usable = |width: usize| (1..=LARGEST_WIDTH).contains(&width);
    if hidden.is_empty() || !usable(*inputs) || !hidden.iter().all(|&width| usable(width)) {
        return Err(foreign(format!(
            "{inputs} inputs and hidden layers {hidden:?}, expected at least one hidden layer \
             and widths from 1 to {LARGEST_WIDTH}"
        )));
    }
    if !(1..=MOST_OUTPUTS).contains(outputs) {
        return Err(foreign(format!("{outputs} outputs, expected 1 to {MOST_OUTPUTS}")));
    }
    metadata.arch.check_products()?;
    Ok(metadata)
}

fn read_tensor(
    tensors: &SafeTensors<'_>,
    name: &str,
    shape: &[usize],
) -> Result<Vec<f32>, WeightsError> {
    let wrong = |found: String| WeightsError::Tensor {
        name: name.to_owned(),
        found,
        expected: format!("f32 or f16 {shape:?}"),
    };
    let tensor = tensors.tensor(name).map_err(|_| wrong("missing".to_owned()))?;
    let data = tensor.data();
    let numbers: Vec<f32> = match tensor.dtype() {
        Dtype::F32 if tensor.shape() == shape => {
            data.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
        }
        Dtype::F16 if tensor.shape() == shape => {
            let mut numbers = vec![0.0; shape.iter().product()];
            let mut halves = [f16::ZERO; 1024];
            for (numbers, bytes) in numbers.chunks_mut(1024).zip(data.as_chunks().0.chunks(1024)) {
                let halves = &mut halves[..numbers.len()];
                halves.iter_mut().zip(bytes).for_each(|(half, x)| *half = f16::from_le_bytes(*x));
                halves.convert_to_f32_slice(numbers);
            }
            numbers
        }
        dtype => return Err(wrong(format!("{dtype:?} {:?}", tensor.shape()))),
    };
    match numbers.iter().find(|number| !number.is_finite()) {
        Some(&value) => Err(WeightsError::NotFinite { name: name.to_owned(), value }),
        None => Ok(numbers),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Network;
    use crate::random::random_weights;
    use tavola_rules::Backgammon;

    fn sample() -> Weights {
        let mut weights = random_weights(EncoderKind::Tesauro, &[5, 3], 1);
        weights.training.insert("run".to_owned(), "test".to_owned());
        weights
    }

    #[test]
    fn file_round_trips_and_is_the_same_every_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net.safetensors");
        let weights = sample();
        weights.save(&path).unwrap();
        assert_eq!(Weights::load(&path).unwrap(), weights);
        assert_eq!(fs::read(&path).unwrap(), weights.to_bytes().unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_network_that_is_rounded_to_half_precision_has_half_the_size() {
        let single = random_weights(EncoderKind::OneHot, &[32, 3], 1);
        let half = single.rounded_to_half().unwrap();
        assert_ne!(half.checksum(), single.checksum());
        for (half, single) in half.layers.iter().zip(&single.layers) {
            for (half, single) in half.weights.iter().zip(&single.weights) {
                assert!((half - single).abs() <= single.abs() / 2048.0 + 3e-8, "{half} {single}");
            }
        }
        let [bytes, of_single] = [&half, &single].map(|weights| weights.to_bytes().unwrap());
        assert!(bytes.len() * 9 < of_single.len() * 5, "{} {}", bytes.len(), of_single.len());
        assert_eq!(Weights::from_bytes(&bytes).unwrap(), half);
        assert_eq!(half.rounded_to_half().unwrap(), half);

        let mut large = single;
        large.layers[1].biases[0] = -1e6;
        let error = large.rounded_to_half().unwrap_err().to_string();
        assert_eq!(
            error,
            "tensor \"layers.1.bias\" holds -1000000, expected at most 65504, as a 16-bit float does"
        );
    }

    #[test]
    fn products_take_a_first_layer_of_whole_vectors() {
        let hidden = crate::Hidden { widths: &[100], products: true };
        let weights = random_weights(EncoderKind::OneHot, hidden, 1);
        let network = Network::new(&weights, &Backgammon::Standard).unwrap_err();
        for error in [network, weights.to_bytes().unwrap_err()] {
            assert!(error.to_string().contains("100 units, expected a multiple of 64"), "{error}");
        }
    }

    #[test]
    fn truncated_files_are_refused() {
        let bytes = sample().to_bytes().unwrap();
        for length in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
            assert!(Weights::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn a_flipped_bit_in_the_weights_is_noticed() {
        let mut bytes = sample().to_bytes().unwrap();
        let last = bytes.len() - 3;
        bytes[last] ^= 1;
        assert!(matches!(Weights::from_bytes(&bytes), Err(WeightsError::Checksum { .. })));
    }

    #[test]
    fn finite_weights_that_overflow_are_refused() {
        let mut weights = sample();
        weights.check_bounds().unwrap();
        for layer in &mut weights.layers {
            layer.weights.fill(1e20);
        }
        // The file is sound, the network is not.
        let read = Weights::from_bytes(&weights.to_bytes().unwrap()).unwrap();
        let error = Network::new(&read, &Backgammon::Standard).unwrap_err();
        assert!(error.to_string().starts_with("the weights of layer 1 are so large"), "{error}");
    }

    #[test]
    fn newer_and_foreign_files_are_refused() {
        let bytes = sample().to_bytes().unwrap();
        let at = |needle: &[u8]| bytes.windows(needle.len()).position(|w| w == needle).unwrap();
        let version = at(b"version\\\":1") + b"version\\\":".len();
        let mut newer = bytes.clone();
        newer[version] = b'7';
        assert!(matches!(Weights::from_bytes(&newer), Err(WeightsError::Newer { found: 7 })));

        let key = at(b"\"tavola\"");
        let mut foreign = bytes.clone();
        foreign[key + 1] = b'x';
        assert!(matches!(Weights::from_bytes(&foreign), Err(WeightsError::Foreign { .. })));
        assert!(matches!(Weights::from_bytes(b"hello"), Err(WeightsError::Damaged { .. })));
    }

    #[test]
    fn an_unwritable_place_is_named() {
        let error = sample().save(Path::new("/nowhere/at/all/net.safetensors")).unwrap_err();
        assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    }
}
